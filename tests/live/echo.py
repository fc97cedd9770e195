"""A server that writes down what it is asked and answers what it is told, whatever the path and method."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


@dataclass(frozen=True)
class Request:
    """One request as it came. Names of headers are in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


# Status and body for a request.
Reply = Callable[[Request], tuple[int, bytes]]


class Echo(ThreadingHTTPServer):
    """The server. `requests` are in the order they came."""

    daemon_threads = True

    def __init__(self, reply: Reply) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply = reply
        self.requests: list[Request] = []
        self.headers: dict[int, dict[str, str]] = {}  # by status

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Echo

    def meet(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        request = Request(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
        self.server.requests.append(request)
        status, told = self.server.reply(request)
        self.send_response(status)
        for name, text in self.server.headers.get(status, {}).items():
            self.send_header(name, text)
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = meet

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def echo(reply: Reply | bytes) -> Iterator[Echo]:
    """The server, running; bytes are the answer to everything."""
    with Echo(reply if callable(reply) else lambda request: (200, reply)) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
