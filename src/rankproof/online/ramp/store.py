"""State of a ramp on disk: sealed lines that only ever grow, one for each decision."""

from __future__ import annotations

import os

from rankproof.kernel.sealed_lines import SealedLines, read_lines
from rankproof.online.ramp.records import RampEntry


class RampState(SealedLines[RampEntry]):
    """The state file of one ramp, held by one process. Used as a context; `entries` are those on record."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        super().__init__(
            path,
            RampEntry.from_dict,
            in_use="this ramp is being decided by another process. Wait for it to end.",
            nothing="Nothing was decided",
        )


def read_entries(path: str | os.PathLike[str]) -> tuple[RampEntry, ...]:
    """The entries on record, for those who only look; none where there is no file. Nothing is written or locked."""
    return read_lines(path, RampEntry.from_dict)
