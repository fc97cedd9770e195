"""Indexes filled by the verb itself; and a program that fills one and kills itself on the way, unless "at" is 0.

python -m tests.stack.indexing.filling '{"modes": {...}, "n": 40, "batch": 7, "folder": ".", "call": "put", ...}'
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rankproof.kernel.specs.tables import read_params
from rankproof.reading.collection import Corpus
from rankproof.stack.asking.limits import Limits
from rankproof.stack.filling import Fills
from rankproof.stack.indexing.fill import fill_index
from rankproof.stack.indexing.records import FillOptions, IndexedTarget
from rankproof.stack.indexing.targets import targets_of
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground

ROOT = Path(__file__).resolve().parents[3]
# Answers at once or never: a test waits for no server.
QUICK = Limits(attempts=3, first_wait=0.01, timeout=20)


def made_corpus(n: int, seed: str = "") -> Corpus:
    """Documents d0, d1, ... of a few words each; the fourth is empty, the sixth has a title alone."""
    colors, things = ("red", "green", "blue", "grey"), ("tent", "lamp", "rope", "stove", "boat")
    titles = [f"{colors[i % 4]} {things[i % 5]} {i}{seed}" for i in range(n)]
    texts = [f"number {i} of {n}: é “quoted” and\ttabs{' long' * (i % 9)}" for i in range(n)]
    for i, part in ((3, titles), (3, texts), (5, texts)):
        if i < n:
            part[i] = ""
    return Corpus(tuple(f"d{i}" for i in range(n)), {"title": tuple(titles), "text": tuple(texts)}, "made")


def filled(
    modes: Mapping[str, str],
    corpus: Corpus,
    folder: object = ".",
    settings: Mapping[str, object] | None = None,
    limits: Limits = QUICK,
    dry_run: bool = False,
    **options: Any,
) -> list[IndexedTarget]:
    """What `rankproof index` does with these modes."""
    named: dict[str, Any] = {}
    for name, text in modes.items():
        named[name] = read_pipeline(text, named)
    targets, _ = targets_of(named)
    ground = Ground(corpus, folder=str(folder))
    done = []
    for target in targets:
        said = read_params(settings or {}, target.fills.params, "the test")
        done.append(fill_index(target, said, ground, limits, FillOptions(**options), dry_run))
    return done


def killing(fills: Fills, call: str, at: int, after: bool) -> Fills:
    """The same, of a Filler that ends this process before or after the call of that number."""

    def open_filler(request: Any) -> Any:
        filler = fills.open(request)
        real: Callable[..., Any] = getattr(filler, call)
        count = 0

        def counted(*args: Any) -> Any:
            nonlocal count
            count += 1
            if count == at and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = real(*args)
            if count == at and after:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        setattr(filler, call, counted)
        return filler

    return Fills(fills.place, open_filler, fills.params)


def together(
    modes: Mapping[str, str],
    n: int,
    folder: object,
    batches: tuple[int, ...],
    settings: Mapping[str, object] | None = None,
) -> list[int]:
    """Exit statuses of several processes that fill the same indexes at once."""
    said = {
        "modes": dict(modes),
        "n": n,
        "folder": str(folder),
        "call": "put",
        "at": 0,
        "after": True,
        "settings": settings or {},
    }
    program = [sys.executable, "-m", "tests.stack.indexing.filling"]
    running = [subprocess.Popen([*program, json.dumps({**said, "batch": batch})], cwd=ROOT) for batch in batches]
    return [process.wait(120) for process in running]


def main(said: Mapping[str, Any]) -> None:
    """Fills, and kills this process where it is told to."""
    (target,), _ = targets_of({name: read_pipeline(text) for name, text in said["modes"].items()})
    fills = killing(target.fills, said["call"], said["at"], said["after"])
    settings = read_params(said.get("settings", {}), target.fills.params, "the test")
    target = type(target)(target.engine, fills, target.place, target.steps)
    ground = Ground(made_corpus(said["n"]), folder=said["folder"])
    fill_index(target, settings, ground, QUICK, FillOptions(batch=said["batch"]))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
