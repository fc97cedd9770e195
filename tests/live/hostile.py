"""A search API that misbehaves on order: per query a list of manners, one for each time it is asked, then it answers.

Asked GET /search?q=WORDS&n=DEPTH&id=QUERY_ID it answers {"hits": [{"id": ..., "score": ...}]}, always the same for the
same words. It counts how often it was asked each query, and how often it gave a whole answer.
"""

from __future__ import annotations

import json
import random
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from urllib.parse import parse_qs, urlsplit


def hits(words: str, depth: int) -> list[dict[str, object]]:
    """Documents in an order that only the words decide."""
    order = random.Random(words).sample(range(100), min(depth, 100))
    return [{"id": f"d{n}", "score": 1 / place} for place, n in enumerate(order, start=1)]


class Manners(BaseHTTPRequestHandler):
    """One request. `server.manners` says how it is met."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the kernel adds 40 ms between headers and body
    server: Hostile

    def do_GET(self) -> None:
        asked = parse_qs(urlsplit(self.path).query)
        query, words, depth = asked["id"][0], asked.get("q", [""])[0], int(asked["n"][0])
        self.good = {"hits": hits(words, depth)}
        with self.server.lock:
            turn = self.server.asked[query]
            self.server.asked[query] += 1
            self.server.open += 1
            self.server.most_open = max(self.server.most_open, self.server.open)
            self.server.moments.append(time.monotonic())
        manners = self.server.manners.get(query, ())
        try:
            time.sleep(self.server.pause)
            MANNERS[manners[turn] if turn < len(manners) else "good"](self)
        finally:
            with self.server.lock:
                self.server.open -= 1

    def log_message(self, format: str, *args: object) -> None:
        pass

    def give(
        self, status: int, body: bytes, headers: Mapping[str, str] | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def answer(self) -> None:
        self.give(200, json.dumps(self.good).encode())

    def hang(self) -> None:
        time.sleep(self.server.hang)
        self.close_connection = True

    def reset(self) -> None:
        """Closes so that the other side sees a reset, not an end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.shutdown(socket.SHUT_RDWR)
        self.connection.close()
        self.close_connection = True

    def drip(self) -> None:
        """One byte at a time: never silent long enough for a timeout between two bytes."""
        body = json.dumps(self.good).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        until = time.monotonic() + self.server.hang
        for byte in body:
            if time.monotonic() > until:
                break
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.05)
        self.close_connection = True

    def short(self) -> None:
        """Promises more bytes than come."""
        body = json.dumps(self.good).encode()
        self.give(200, body[: len(body) // 2], length=len(body))
        self.close_connection = True


def _json(change: Callable[[dict[str, list[dict[str, object]]]], object]) -> Callable[[Manners], None]:
    return lambda self: self.give(200, json.dumps(change(json.loads(json.dumps(self.good)))).encode())


MANNERS: dict[str, Callable[[Manners], None]] = {
    "good": Manners.answer,
    "429": lambda self: self.give(429, b"slow down", {"retry-after": "0"}),
    "429 wait 1": lambda self: self.give(429, b"slow down", {"retry-after": "1"}),
    "429 wait long": lambda self: self.give(429, b"slow down", {"retry-after": "86400"}),
    "500": lambda self: self.give(500, b'{"error": {"reason": "out of memory"}}'),
    "503": lambda self: self.give(503, b"<html>busy</html>"),
    "400": lambda self: self.give(400, b'{"error": {"root_cause": [{"reason": "cannot parse"}]}}'),
    "401": lambda self: self.give(401, b'{"message": "wrong key"}'),
    "302": lambda self: self.give(302, b"", {"location": "/elsewhere"}),
    "hang": Manners.hang,
    "reset": Manners.reset,
    "drip": Manners.drip,
    "short": Manners.short,
    "empty": lambda self: self.give(200, b""),
    "garbage": lambda self: self.give(200, b"\x80\x81 certainly! here are your results"),
    "chatter": lambda self: self.give(200, b"Certainly! Here are your results"),
    "half json": lambda self: self.give(200, json.dumps(self.good).encode()[:-20]),
    "page": lambda self: self.give(200, b"<!doctype html><title>Maintenance</title>"),
    "deep": lambda self: self.give(200, b"[" * 100_000),
    "repeated": _json(lambda good: {"hits": [good["hits"][0], *good["hits"][:-1]]}),
    "no ids": _json(lambda good: {"hits": [{"score": hit["score"]} for hit in good["hits"]]}),
    "null hit": _json(lambda good: {"hits": [None, *good["hits"][1:]]}),
    "wrong shape": _json(lambda good: {"results": good["hits"]}),
    "hits a text": _json(lambda good: {"hits": "none"}),
    "rising": _json(lambda good: {"hits": [{**hit, "score": n} for n, hit in enumerate(good["hits"])]}),
    "nan": lambda self: self.give(200, b'{"hits": [{"id": "d1", "score": NaN}]}'),
    "score text": _json(lambda good: {"hits": [{**hit, "score": "high"} for hit in good["hits"]]}),
    "nothing found": _json(lambda good: {"hits": []}),
}


class Hostile(ThreadingHTTPServer):
    """The server, on a free port of this machine."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, manners: Mapping[str, tuple[str, ...]], pause: float = 0.0, hang: float = 30.0) -> None:
        super().__init__(("127.0.0.1", 0), Manners)
        self.manners, self.pause, self.hang = manners, pause, hang
        self.lock = Lock()
        self.asked: Counter[str] = Counter()
        self.moments: list[float] = []
        self.open = self.most_open = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


@contextmanager
def hostile(
    manners: Mapping[str, tuple[str, ...]] | None = None, pause: float = 0.0, hang: float = 30.0
) -> Iterator[Hostile]:
    """The server, running."""
    with Hostile(manners or {}, pause, hang) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
