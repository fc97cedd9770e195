"""A real HTTP server that answers one request at a time, however many come, and notes what it saw."""

from __future__ import annotations

import json
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import parse_qs, urlsplit


class SlowServer(ThreadingHTTPServer):
    """Each answer takes `seconds` of the one worker that there is.

    refuses     whether a request is answered with 500: called with its words and how often they came
    under_way   for each request how many were in the server when it came, itself included
    busy        milliseconds that the worker took for each answer
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, seconds: float, refuses: Callable[[str, int], bool]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seconds, self.refuses = seconds, refuses
        self.worker, self.noting = Lock(), Lock()
        self.inside = 0
        self.under_way: list[int] = []
        self.asked: list[str] = []
        self.busy: list[float] = []
        self.times: Counter[str] = Counter()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/search"

    @property
    def median(self) -> float:
        """Milliseconds of an answer as the worker took them: a busy machine sleeps longer than it is told."""
        return statistics.median(self.busy)

    def mode(self) -> str:
        """A pipeline that asks it."""
        return f"http(url='{self.url}', params={{'q': '{{query}}'}}, hits='hits')"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body go out together: apart, the second waits 40 ms for the first to be acknowledged
    server: SlowServer

    def do_GET(self) -> None:
        server = self.server
        words = parse_qs(urlsplit(self.path).query)["q"][0]
        with server.noting:
            server.inside += 1
            server.under_way.append(server.inside)
            server.asked.append(words)
            server.times[words] += 1
            count = server.times[words]
        with server.worker:
            began = time.perf_counter()
            time.sleep(server.seconds)
            refused = server.refuses(words, count)
            server.busy.append(1000 * (time.perf_counter() - began))
        body = json.dumps({"hits": [{"id": "d1"}, {"id": "d2"}, {"id": "d3"}]}).encode()
        with server.noting:
            server.inside -= 1  # before the answer goes out: the next request comes after it
        self.send_response(500 if refused else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def slow_server(
    seconds: float, refuses: Callable[[str, int], bool] = lambda words, count: False
) -> Iterator[SlowServer]:
    """A server for the time of a test."""
    with SlowServer(seconds, refuses) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
