"""Budget: how much memory reading a run may take, and when a run is read in pieces because of it.

Queries are independent once the judgments are known, so that pieces of a run can be joined one after the other. It
costs hardly any time; what it saves is the memory that the whole run would take.
"""

from __future__ import annotations

import os
import re
import stat

from rankproof.errors import UsageError

# What reading may take when nobody says otherwise, on machines that have four times as much.
USUAL = 1 << 30
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", re.IGNORECASE)
# How often larger than its file a run is at the same time in memory, about: a text is mapped and given back as it is
# read, rows of JSON lines and of Parquet are kept whole, and packed files are unpacked first.
GROWTH = {"text": 1, "rows": 4, "packed": 8}
# A piece and what is made from it take a few times its size.
PIECES_IN_BUDGET = 16


def budget_of(memory: int | str | None = None) -> int:
    """Bytes that reading a run may take: what is asked for (`"1GB"`), else 1 GB, or a quarter of a small machine."""
    if memory is None:
        return min(USUAL, _physical() // 4)
    if isinstance(memory, int) and not isinstance(memory, bool):
        size = memory
    else:
        match = _SIZE.fullmatch(str(memory))
        if match is None:
            raise UsageError(f"{memory!r} is no size of memory. Write it as 512MB or 2GB.")
        size = int(float(match[1]) * _UNITS[match[2].upper()])
    if size < 1:
        raise UsageError(f"Reading takes some memory; {memory!r} is none. Write it as 512MB or 2GB.")
    return size


def may_be_large(path: str | os.PathLike[str], budget: int) -> bool:
    """Whether the file could be too large to be read at once, whatever is in it; not so for what is no file."""
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return False  # whoever reads it says what is wrong
    return stat.S_ISREG(about.st_mode) and about.st_size * max(GROWTH.values()) > budget // 2


def in_pieces(size: int, kind: str, budget: int) -> bool:
    """Whether a file of that many bytes, of a kind of GROWTH, is read in pieces."""
    return size * GROWTH[kind] > budget // 2


def piece_bytes(budget: int) -> int:
    """How much of a file is read at a time."""
    return max(1, budget // PIECES_IN_BUDGET)


def _physical() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 4 * USUAL
