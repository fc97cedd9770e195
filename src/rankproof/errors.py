"""Every error rankproof raises on purpose.

    RankproofError                 base; `str(error)` is the whole message for a person
    ├── UsageError                 the request cannot be met as asked            exit 2
    │   ├── UnknownName            no shelf item has that name; says what is near
    │   └── MissingExtra           a library is not installed; says the line to type
    ├── InputError                 the data cannot be trusted                     exit 1
    │   ├── Unreadable             the bytes cannot be had (missing, a directory, broken archive)
    │   │   └── FileChanged        somebody wrote to a file while it was read
    │   └── Refused                checks found faults; carries the Findings
    └── OutOfDialect               this data lies outside what a dialect reproduces  exit 1

A message says what came, where, what is possible and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


class RankproofError(Exception):
    """Base of all errors with a message meant for a person."""

    exit_status = 1


class UsageError(RankproofError):
    """The request itself is wrong; no data was at fault."""

    exit_status = 2


# How many names an error offers at most; all names are listed where they are not many more.
FEW_NAMES = 3
MOST_NAMES = 8


class UnknownName(UsageError):
    """No item is called that; the message offers the nearest names.

    see   where all names are listed, as a sentence: "`rankproof explain measures` lists all."
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], see: str = "") -> None:
        # difflib is imported here: it is only needed when something went wrong.
        from difflib import SequenceMatcher, get_close_matches

        names = sorted(known)
        folded: dict[str, str] = {}
        for known_name in names:  # of two spellings that differ in case only, the one with capitals is the name
            folded.setdefault(known_name.casefold(), known_name)
        close = get_close_matches(name.casefold(), folded, n=FEW_NAMES, cutoff=0.6)
        alike = [SequenceMatcher(None, n, name.casefold()).ratio() for n in close]
        # Only what is about as near as the nearest: a far guess beside a good one is noise.
        near = [folded[n] for n, ratio in zip(close, alike, strict=True) if ratio > alike[0] - 0.05]
        if near:
            hint = f"Did you mean {' or '.join(repr(n) for n in near)}?"
        elif len(names) <= MOST_NAMES:
            hint = f"Known: {', '.join(names)}."
        else:
            likely = get_close_matches(name.casefold(), folded, n=FEW_NAMES, cutoff=0.0)
            hint = f"The nearest of {len(names)} names: {', '.join(folded[n] for n in likely)}."
            hint = f"{hint} {see}".rstrip()
        super().__init__(f"No {kind} is called {name!r}. {hint}")
        self.kind, self.name, self.near = kind, name, near


class MissingExtra(UsageError):
    """An optional library is needed and not installed.

    what      what was asked for
    library   its name on the package index
    extra     the extra of rankproof that has it
    install   the line to type, where that is another one
    """

    def __init__(self, what: str, library: str, extra: str = "", *, install: str = "") -> None:
        line = install or (f"pip install 'rankproof[{extra}]'" if extra else f"pip install {library}")
        super().__init__(f"{what} needs the library {library!r}, which is not installed. Install it with: {line}")
        self.library, self.install = library, line


class InputError(RankproofError):
    """The data cannot be trusted or read."""


class Unreadable(InputError):
    """The bytes of an input cannot be had."""


class FileChanged(Unreadable):
    """A file was not the same from the first look at it to the last."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name} changed while it was read, so that no result of it can be trusted. "
            "Wait until nobody writes to it, or give a copy, and try again."
        )
        self.name = name


class Refused(InputError):
    """Checks found faults that make a result indefensible; `findings` holds them."""

    def __init__(self, message: str, findings: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.findings = tuple(findings)


class OutOfDialect(InputError):
    """The data lies outside the limits in which a dialect reproduces its tool."""
