"""Servers in Java for tests: their jars from Maven Central, a Java that runs them, and the wait until they answer.

The jars of a server are listed beside it in a file: a folder in the server, a path on Maven Central, a SHA-256. They
are downloaded once, checked, and kept in the user's cache, or in the folder that an environment variable names. A
repository that does not answer within seconds is not waited for.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path

from tests.live.postgres_server import CannotStart

MAVEN = "https://repo1.maven.org/maven2"
# A machine without network is not to wait: for an answer of the repository, and for all jars together.
ANSWER_SECONDS, DOWNLOAD_SECONDS = 10.0, 120.0
HEAP = "512m"
OPTIONS = (f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


def fetched(listed: Path, server: str, version: str, download: bool = True) -> list[tuple[str, Path]]:
    """(folder in the server, file) of every jar of a list, downloaded where it is not here yet."""
    variable = f"RANKPROOF_{server.upper()}_JARS"
    cache = Path(os.environ.get(variable) or Path.home() / ".cache/rankproof" / server / version)
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CannotStart(f"{cache} cannot be made: {error}") from None
    until = time.monotonic() + DOWNLOAD_SECONDS
    found = []
    for line in listed.read_text().splitlines()[1:]:
        folder, path, wanted = line.split()
        file = cache / path.rpartition("/")[2]
        if not file.exists() or sha256(file.read_bytes()).hexdigest() != wanted:
            if not download:
                raise CannotStart(f"{file.name} is not in {cache}; `make test-full` fetches it")
            if time.monotonic() > until:
                raise CannotStart(
                    f"the jars did not come from {MAVEN} within {DOWNLOAD_SECONDS:g} seconds; those that did are kept, "
                    "and the next run goes on"
                )
            try:
                data = urllib.request.urlopen(f"{MAVEN}/{path}", timeout=ANSWER_SECONDS).read()
            except (OSError, HTTPException) as error:
                raise CannotStart(f"{MAVEN}/{path} cannot be had: {error}") from None
            if sha256(data).hexdigest() != wanted:
                raise CannotStart(f"{MAVEN}/{path} is not the file it was")
            beside = file.with_suffix(f".{os.getpid()}.part")
            beside.write_bytes(data)
            beside.replace(file)
        found.append((folder, file))
    return found


def java(server: str, least: int, most: int) -> str:
    """The program; CannotStart where there is none of these versions."""
    program = shutil.which("java")
    if program is None:
        raise CannotStart("there is no java")
    told = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30).stderr
    version = re.search(r'version "(\d+)', told)
    if version is None or not least <= int(version[1]) <= most:
        raise CannotStart(f"{server} needs Java {least} to {most}; here is {told.splitlines()[0] if told else 'none'}")
    return program


def free_ports() -> tuple[int, int]:
    """Two ports that nobody listens on."""
    with socket.socket() as a, socket.socket() as b:
        a.bind(("127.0.0.1", 0))
        b.bind(("127.0.0.1", 0))
        return a.getsockname()[1], b.getsockname()[1]


def wait(server: str, url: str, node: subprocess.Popen[bytes], log: Path) -> None:
    """Until the address answers; CannotStart with the end of the log where the server ends or takes two minutes."""
    until = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(url, timeout=40).read()
            return
        except OSError as error:
            if node.poll() is not None or time.monotonic() > until:
                told = [line for line in log.read_text(errors="replace").splitlines() if not line.startswith("\tat")]
                raise CannotStart(f"{server} did not start: {error}; its log: {' '.join(told[-5:])[-600:]}") from None
        time.sleep(0.2)
