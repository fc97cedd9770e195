"""The command `rankproof` without its start: a process that has the modules loaded forks for each command line.

Each command still has a process, a working folder, an environment and streams of its own; what is saved is importing.
Run as a program this is that process: `python -m tests.forking SOCKET`, which ends when its input does.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path

import rankproof

ROOT = Path(__file__).resolve().parents[1]
# What is typed: sends its streams, its folder, its environment and its words, and ends as it is told.
CLIENT = """
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect(sys.argv[1])
socket.send_fds(server, [b"."], [0, 1, 2])
server.sendall(json.dumps([os.getcwd(), dict(os.environ), sys.argv[2:]]).encode())
server.shutdown(socket.SHUT_WR)
sys.exit(int(server.recv(10) or 70))
"""
# Parts that are not loaded beforehand: for servers and other libraries, or no modules for others.
APART = {"web", "scale", "integrations", "testing", "migrations", "__main__"}


@cache
def _server() -> tuple[Path, subprocess.Popen[bytes]]:
    """The process that forks, started once for each process of tests, and the folder of its socket."""
    folder = Path(tempfile.mkdtemp(prefix="rp-fork-"))
    (folder / "client.py").write_text(CLIENT, encoding="utf-8")
    command = [sys.executable, "-m", "tests.forking", str(folder / "socket")]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n", "the process that forks did not start"
    return folder, process


def command() -> list[str]:
    """The first words of a command line, in the place of `rankproof`. Not for what is to be killed or timed."""
    folder, _ = _server()
    return [sys.executable, "-I", "-S", str(folder / "client.py"), str(folder / "socket")]


def script() -> str:
    """A shell script that is the command `rankproof`."""
    return f'#!/bin/sh\nexec {shlex.join(command())} "$@"\n'


def _run(connection: socket.socket) -> None:
    """One command line, in a process of its own."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    text = b"".join(iter(lambda: connection.recv(65536), b""))
    folder, environment, words = json.loads(text)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["rankproof", *words]
    status = 0
    try:
        from rankproof.cli import main

        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    connection.sendall(str(status).encode())
    os._exit(0)


def _load() -> None:
    """All that a command could load of rankproof, and the library that takes longest."""
    for module in pkgutil.walk_packages(rankproof.__path__, "rankproof."):
        if APART.isdisjoint(module.name.split(".")):
            importlib.import_module(module.name)
    importlib.import_module("scipy.stats")


def serve(path: str) -> None:
    """Forks for each connection until the input ends."""
    _load()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the forked ones
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        print("ready", flush=True)
        while True:
            waiting, _, _ = select.select([listening, 0], [], [])
            if 0 in waiting:
                return
            connection, _ = listening.accept()
            if os.fork() == 0:
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                listening.close()
                _run(connection)
            connection.close()


if __name__ == "__main__":
    serve(sys.argv[1])
