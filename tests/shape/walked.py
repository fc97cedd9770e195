"""How much code one command walks through: files and functions of rankproof that are called, imports aside.

`python tests/shape/walked.py evaluate qrels run ...` runs a command and prints what it called; with `--list` each file.
Bodies of modules and classes, and whatever runs while a module is imported, do not count.
"""

from __future__ import annotations

import importlib._bootstrap as bootstrap
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType, FrameType

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rankproof"
_IMPORTS = {function.__code__ for function in (bootstrap._find_and_load, bootstrap._load_unlocked)}


class Walk:
    """The code that was called."""

    def __init__(self) -> None:
        self.codes: set[CodeType] = set()

    @property
    def files(self) -> list[str]:
        """The files whose functions were called, below the package."""
        return sorted({str(Path(code.co_filename).relative_to(SOURCE)) for code in self.codes})

    @property
    def functions(self) -> list[str]:
        """The functions that were called; lambdas and comprehensions count once for the function they stand in."""
        return sorted({f"{Path(code.co_filename).relative_to(SOURCE)}:{code.co_qualname}" for code in self.codes})


@contextmanager
def walking() -> Iterator[Walk]:
    """Notes each function of rankproof that is called inside, in every thread."""
    walk, importing, depth = Walk(), threading.local(), "depth"
    prefix = str(SOURCE)
    bodies: dict[CodeType, bool] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if code in _IMPORTS:
            change = {"call": 1, "return": -1}.get(event, 0)
            setattr(importing, depth, getattr(importing, depth, 0) + change)
        elif event == "call" and code not in walk.codes and code.co_filename.startswith(prefix):
            if code not in bodies:
                bodies[code] = code.co_name == "<module>" or not code.co_flags & 0x2  # a class body has no fast locals
            if not bodies[code] and getattr(importing, depth, 0) == 0:
                walk.codes.add(code)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield walk
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def walked(call: Callable[[], object]) -> Walk:
    """What a call walks through; an exit is its end."""
    with walking() as walk, suppress(SystemExit):
        call()
    return walk


def main(arguments: list[str]) -> None:
    """Runs a command and prints what it walked through."""
    from rankproof.cli import main as command

    verbose = arguments[:1] == ["--list"]
    walk = walked(lambda: command(arguments[verbose:]))
    if verbose:
        print(*walk.functions, sep="\n", file=sys.stderr)
    print(f"{len(walk.files)} files, {len(walk.functions)} functions", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
