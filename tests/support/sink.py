"""Where the money arrives: a real HTTP server outside the tested one."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Sink:
    """Notes every payment. While it is not `open`, it keeps the senders waiting.

    It answers with `status`; None breaks the connection off instead.
    """

    def __init__(self) -> None:
        self.status: int | None = 200
        self.received: list[tuple[str, dict[str, Any]]] = []
        self.arrived = threading.Semaphore(0)
        self.open = threading.Event()
        self.open.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/pay"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close_after_noting(self) -> None:
        """From now on, note payments and keep their senders waiting."""
        self.open.clear()
        while self.arrived.acquire(blocking=False):
            pass

    def paid(self, key: str) -> list[dict[str, Any]]:
        return [body for other, body in list(self.received) if other == key]

    def paid_to(self) -> list[str]:
        """The recipients of all payments, as often as they were paid."""
        return [body["recipient"] for _, body in list(self.received)]

    def stop(self) -> None:
        self.open.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        sink = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                sink.received.append((self.headers["Idempotency-Key"], json.loads(body)))
                sink.arrived.release()
                sink.open.wait(20)
                if sink.status is None:
                    return
                try:
                    self.send_response(sink.status)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                except OSError:
                    pass  # the sender was killed

            def log_message(self, format: str, *args: Any) -> None:
                return None

        return Handler
