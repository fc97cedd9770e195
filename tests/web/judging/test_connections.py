"""Connections that never ask: they end, and a thousand of them keep nobody out."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import uvicorn

from rankproof.judging.store.store import Store
from rankproof.web.app import make_app
from rankproof.web.connections import ImpatientProtocol
from rankproof.web.settings import ServeSettings


@contextmanager
def quick(store: Store, **more: object) -> Iterator[int]:
    """A server whose patience is short; gives its port."""
    kind = type("QuickProtocol", (ImpatientProtocol,), {"patience": 0.4, "slowest": 100, **more})
    config = uvicorn.Config("", http=kind, port=0, log_level="warning", lifespan="off", timeout_keep_alive=1)
    bound = config.bind_socket()
    config.app = make_app(store, ServeSettings(port=bound.getsockname()[1]))
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def ended(connection: socket.socket, within: float = 15.0) -> bool:
    """Whether the other side ends a connection."""
    connection.settimeout(within)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False


HEAD = b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    "sent", [b"", b"GET /sign-in HTT", b"GET / HTTP/1.1\r\nHost: x\r\n", HEAD + b"Content-Length: 9\r\n\r\n{"]
)
def test_half_a_request_ends(shop: Store, sent: bytes) -> None:
    with quick(shop) as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(sent)
        assert ended(connection)


def test_a_head_that_trickles_ends_and_a_body_that_keeps_coming_does_not(shop: Store) -> None:
    with quick(shop) as port:
        with socket.create_connection(("127.0.0.1", port)) as slow:
            until = time.monotonic() + 15
            while not ended(slow, 0.05) and time.monotonic() < until:
                with suppress(ConnectionError):
                    slow.sendall(b"G")  # a byte now and then
            assert time.monotonic() < until
        with socket.create_connection(("127.0.0.1", port)) as steady:
            steady.sendall(HEAD + b"Content-Length: 3000\r\n\r\n")
            for _ in range(10):
                steady.sendall(b" " * 300)
                time.sleep(0.1)
            steady.settimeout(5)
            assert steady.recv(12) == b"HTTP/1.1 400"  # it is no JSON, and was read to its end


def test_who_waits_longest_goes_first_and_who_asks_is_answered(shop: Store) -> None:
    with quick(shop, patience=60.0, most=20) as port:
        held = [socket.create_connection(("127.0.0.1", port)) for _ in range(19)]
        for _ in range(10):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/sign-in", timeout=10) as answer:
                assert answer.status == 200
        more = [socket.create_connection(("127.0.0.1", port)) for _ in range(10)]
        assert ended(held[0])
        assert not ended(more[-1], 0.2)
        for connection in (*held, *more):
            connection.close()


@pytest.mark.slow
def test_a_thousand_half_open_connections_keep_nobody_out(tmp_path: Path) -> None:
    """The server may open 1,024 files, as usual; 1,100 connections stand open and say nothing."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2500 and hard != resource.RLIM_INFINITY:
        pytest.skip("this process may not open enough connections")
    command = f"ulimit -n 1024; exec {sys.executable} -m rankproof serve judging.db --port 0"
    process = subprocess.Popen(["bash", "-c", command], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    held: list[socket.socket] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2500), hard))
    try:
        assert process.stdout is not None
        origin = process.stdout.readline().split()[-1]
        port = int(origin.rpartition(":")[2])
        for number in range(1100):
            held.append(socket.create_connection(("127.0.0.1", port), timeout=20))
            held[-1].sendall(b"GET /sign-in HTTP/1.1\r\nHost: 12" if number % 2 else b"")
        for _ in range(3):
            with urllib.request.urlopen(f"{origin}/sign-in", timeout=20) as answer:
                assert answer.status == 200
    finally:
        for connection in held:
            connection.close()
        process.terminate()
        process.wait(30)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
