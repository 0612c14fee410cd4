/** The address of the socket: of the page's own server when it is relative. */
export function socketUrl(address: string | URL, params: Record<string, string> = {}): URL {
  const url = new URL(address, globalThis.location?.href);
  url.protocol = url.protocol.replace(/^http/, "ws");
  if (!/^wss?:$/.test(url.protocol))
    throw new Error(`${url.protocol} is no address of a WebSocket.`);
  url.hash = "";
  for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
  return url;
}
