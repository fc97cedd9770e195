"""A model's server that says whatever a test wants, down to the bytes, and remembers what it was asked."""

from __future__ import annotations

import json
import math
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

# Given the body of a request and how many came before it, what goes back over the socket.
Behavior = Callable[[dict[str, Any], int], "Reply"]
Reply = bytes | Callable[[socket.socket], None]


def http(body: bytes | str, status: str = "200 OK", headers: str = "") -> bytes:
    data = body.encode() if isinstance(body, str) else body
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n{headers}\r\n".encode() + data


def says(text: str, finish: str = "stop") -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return http(json.dumps({"choices": [choice]}))


def thinks(**probabilities: float) -> bytes:
    """An answer with these probabilities of first tokens."""
    tops = [{"token": token, "logprob": math.log(p)} for token, p in probabilities.items()]
    first = {**tops[0], "top_logprobs": tops}
    choice = {"message": {"content": tops[0]["token"]}, "finish_reason": "length", "logprobs": {"content": [first]}}
    return http(json.dumps({"choices": [choice]}))


def hang(connection: socket.socket) -> None:
    """Says nothing until the other side goes."""
    connection.settimeout(20)
    connection.recv(1)


def reset(connection: socket.socket) -> None:
    """Ends the connection rudely, with RST instead of FIN."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def drip(data: bytes, pause: float) -> Callable[[socket.socket], None]:
    """One byte at a time, from the first of the header on: each read succeeds, the whole never comes."""

    def send(connection: socket.socket) -> None:
        for i in range(len(data)):
            connection.sendall(data[i : i + 1])
            time.sleep(pause)

    return send


def timeout_for(reply: Reply) -> float:
    """Seconds to wait for a reply: little for one that is too slow by design, long for the others on a busy machine."""
    return 0.5 if callable(reply) and reply is not reset else 10.0


class ModelServer:
    """Listens on the loopback; `asked` has the bodies of all requests."""

    def __init__(self, behave: Behavior) -> None:
        self._behave, self._lock = behave, threading.Lock()
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                data = b""
                while b"\r\n\r\n" not in data:
                    data += connection.recv(65536)
                head, _, body = data.partition(b"\r\n\r\n")
                length = next(int(x.split(b":")[1]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-le"))
                while len(body) < length:
                    body += connection.recv(65536)
                with self._lock:
                    before = len(self.asked)
                    self.asked.append(json.loads(body))
                    self.headers.append(head.decode())
                reply = self._behave(json.loads(body), before)
                if isinstance(reply, bytes):
                    connection.sendall(reply)
                else:
                    reply(connection)
            except OSError:
                pass  # the client went away, as some tests want

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # ends the thread that accepts
        self._listener.close()


@contextmanager
def serving(behave: Behavior | bytes) -> Iterator[ModelServer]:
    """A server that behaves so; bytes are said to everybody."""
    server = ModelServer(behave if callable(behave) else lambda body, before: behave)
    try:
        yield server
    finally:
        server.close()


def question(body: dict[str, Any]) -> str:
    """What the user's message says."""
    return str(body["messages"][-1]["content"])
