// What an app on `ai` 6, which has no WebSocket transport, may write: one socket, the same frames.
export class SmallTransport {
  resumeStreamIsReplay = true;
  #requests = new Map();
  #socket;

  constructor({ url, webSocket }) {
    this.url = url;
    this.webSocket = webSocket;
  }

  sendMessages({ chatId, trigger, messageId, messages, abortSignal }) {
    return this.#request({ type: "send", id: chatId, trigger, messageId, messages }, abortSignal);
  }

  reconnectToStream({ chatId, abortSignal }) {
    return this.#request({ type: "resume", id: chatId }, abortSignal);
  }

  close() {
    this.#socket?.then((socket) => socket.close());
  }

  async #request(frame, abortSignal) {
    const socket = await (this.#socket ??= this.#connect());
    const requestId = crypto.randomUUID();
    const send = (content) => socket.send(JSON.stringify({ ...content, requestId }));
    const abort = () => this.#requests.delete(requestId) && send({ type: "abort" });
    return new Promise((resolve, reject) => {
      const start = (controller) => {
        const fail = (error) => (reject(error), controller.error(error));
        const answer = (found) => resolve(found ? stream : null);
        this.#requests.set(requestId, { controller, fail, answer });
      };
      const stream = new ReadableStream({ start, cancel: abort });
      abortSignal?.addEventListener("abort", () => {
        this.#requests.get(requestId)?.fail(abortSignal.reason);
        abort();
      });
      send(frame);
      if (frame.type === "send") resolve(stream);
    });
  }

  #connect() {
    const socket = new this.webSocket(this.url);
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = () => {
      this.#socket = undefined;
      const lost = new TypeError("The network connection was closed.");
      for (const request of this.#requests.values()) request.fail(lost);
      this.#requests.clear();
    };
    return new Promise((resolve, reject) => {
      socket.onopen = () => resolve(socket);
      socket.onerror = () => reject(new TypeError("The network connection failed."));
    });
  }

  #receive({ type, requestId, chunk, errorText }) {
    const request = this.#requests.get(requestId);
    if (request === undefined) return;
    if (type === "error") request.fail(new Error(errorText));
    else request.answer(type !== "no-active");
    if (type === "chunk") request.controller.enqueue(chunk);
    else if (type !== "start") this.#requests.delete(requestId);
    if (type === "end") request.controller.close();
  }
}
