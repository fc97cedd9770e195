"""The small model's server: a program of its own, started by `local.py`, that ends with the process that started it.

It serves a GGUF file over an OpenAI-compatible interface on a free port of the loopback, writes the address in one line
to its standard output, and ends when its standard input does: the system closes that when the parent ends, even after
a crash. It imports nothing of rankproof, so that it can be run as a file.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module


def serve(path: str, threads: int, context: int) -> None:
    """Serves until standard input ends."""
    output = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)  # what the library writes there is not the address
    xllamacpp = import_module("xllamacpp")
    settings = xllamacpp.CommonParams()
    settings.model.path = path
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    settings.n_ctx = context
    # One request at a time, each computed alone: the numbers do not depend on other requests. Two cores gain
    # nothing from more at once.
    settings.n_parallel = 1
    settings.cpuparams.n_threads = threads
    settings.cpuparams_batch.n_threads = threads
    settings.cache_ram_mib = 0
    settings.n_ctx_checkpoints = 0
    settings.warmup = False
    settings.verbosity = 0
    server = xllamacpp.Server(settings)
    os.write(output, f"{server.listening_address}\n".encode())
    os.close(output)
    while os.read(0, 4096):
        pass
    os._exit(0)  # the library's own shutdown waits for requests that are no longer read


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
