"""Row digests: whether the same rows came twice, whatever their order, the name of their file or its format.

A row is a hash of what the A/B test reads of it. The digest of many rows is the sum of their hashes, so that their
order does not matter (Bellare and Micciancio, A new paradigm for collision-free hashing, EUROCRYPT 1997), and their
number. How often single rows repeat is counted among those whose hash is below a threshold, which keeps all copies of
a row or none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.kernel.sections import counted, percent
from rankproof.online.trial.unit_ids import below

# Rows whose repetitions are counted.
MOST_ROWS = 65_536
# Fewer rows than this may be alike by chance.
LEAST = 20
Words = NDArray[np.uint64]


def hashed(texts: Sequence[str], numbers: Sequence[NDArray[np.float64]]) -> Words:
    """Two 64-bit words for each row, from its text and its numbers; -0 and 0 are one, and missing is missing."""
    table = np.column_stack([np.zeros(len(texts)), *numbers]) + 0.0
    table[np.isnan(table)] = np.nan
    width, raw = 8 * table.shape[1], table.tobytes()
    joined = b"".join(
        blake2b(text.encode("utf-8", "surrogatepass") + raw[i * width : (i + 1) * width], digest_size=16).digest()
        for i, text in enumerate(texts)
    )
    return np.frombuffer(joined, dtype=">u8").astype(np.uint64).reshape(-1, 2)


@dataclass(slots=True)
class RowDigest:
    """The digest of some rows. Equal digests are equal rows, but for one case in 2 to the power of 128."""

    rows: int = 0
    sums: Words = field(default_factory=lambda: np.zeros(2, dtype=np.uint64))

    def add(self, words: Words) -> None:
        """More rows."""
        self.rows += len(words)
        self.sums = self.sums + words.sum(axis=0, dtype=np.uint64)

    @property
    def text(self) -> str:
        """As it is written: the number of rows and the sum of their hashes."""
        return f"{self.rows}:{int(self.sums[0]):016x}{int(self.sums[1]):016x}"


class RowDigests:
    """The digests of files and of days while rows are read, and how often rows repeat."""

    def __init__(self, most: int = MOST_ROWS) -> None:
        self.most, self.share = most, 1.0
        self.files: dict[str, RowDigest] = {}
        self.days: dict[str, RowDigest] = {}
        self._days_of_files: dict[tuple[str, str], RowDigest] = {}
        self._rows = np.zeros(0, dtype=np.uint64)
        self._counts = np.zeros(0, dtype=np.int64)

    def add(self, path: str, dates: Sequence[str], words: Words) -> None:
        """Rows of a file, whose hashes leave out the date."""
        self.files.setdefault(path, RowDigest())
        self._count(dates, words)
        if not len(words):
            return
        distinct = sorted(set(dates))
        column = np.array(dates) if len(distinct) > 1 else None
        for date in distinct:
            here = words if column is None else words[column == date]
            self.days.setdefault(date, RowDigest()).add(here)
            self._days_of_files.setdefault((path, date), RowDigest()).add(here)
            # In the digest of a file the date counts.
            self.files[path].add(here ^ np.uint64(int.from_bytes(blake2b(date.encode(), digest_size=8).digest())))

    def _count(self, dates: Sequence[str], words: Words) -> None:
        dated = {date: np.uint64(int.from_bytes(blake2b(date.encode(), digest_size=8).digest())) for date in set(dates)}
        keys = words[:, 0] ^ np.array([dated[date] for date in dates], dtype=np.uint64)
        keys = keys[below(keys, self.share)]
        rows, where = np.unique(np.concatenate([self._rows, keys]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([self._counts, np.ones(len(keys))]), len(rows)).astype(np.int64)
        while len(rows) > self.most:
            self.share /= 2
            kept = below(rows, self.share)
            rows, counts = rows[kept], counts[kept]
        self._rows, self._counts = rows, counts

    @property
    def repeated(self) -> int:
        """Rows that say in everything what another row says; an estimate where there are very many rows."""
        return round(float((self._counts - 1).sum()) / self.share)

    def refuse_doubles(self, told_apart: bool) -> None:
        """An error where the same rows came twice.

        told_apart   rows carry an id or a time of their own, so that no two of them may be alike
        """
        self._refuse_files()
        self._refuse_days()
        times = int(np.gcd.reduce(self._counts)) if len(self._counts) >= LEAST else 1
        if times > 1:
            raise InputError(
                f"Every row is there {times} times or a multiple of it: the rows were doubled, in a join or by writing "
                "a file twice into another. Give each row once."
            )
        if told_apart and self.repeated:
            rows = sum(digest.rows for digest in self.files.values())
            raise InputError(
                f"{counted(self.repeated, 'row')} of {rows:,} ({percent(round(self.repeated / rows, 4))}) repeat "
                "another one, with the same id or time: what they count would count twice. Give each row once."
            )

    def _refuse_files(self) -> None:
        seen: dict[str, str] = {}
        for path, digest in self.files.items():
            before = seen.setdefault(digest.text, path)
            if before != path and digest.rows:
                raise InputError(
                    f"{path} has the same {counted(digest.rows, 'row')} as {before}, whatever their order and format: "
                    "their units would count twice. Leave one of them out."
                )
        parts: dict[tuple[str, str], str] = {}
        for (path, date), digest in self._days_of_files.items():
            before = parts.setdefault((date, digest.text), path)
            if before != path and digest.rows >= LEAST:
                raise InputError(
                    f"{path} has the same {counted(digest.rows, 'row')} of {date} as {before}: their units would count "
                    "twice. Give the rows of a day once."
                )

    def _refuse_days(self) -> None:
        seen: dict[str, str] = {}
        for date, digest in sorted(self.days.items()):
            before = seen.setdefault(digest.text, date)
            if before != date and digest.rows >= LEAST:
                raise same_rows(date, before, digest.rows)


def same_rows(date: str, before: str, rows: int) -> InputError:
    """The error for two days with the same rows."""
    return InputError(
        f"{date} has the same {counted(rows, 'row')} as {before}, but for the date: one of them is a copy. Collect "
        f"each "
        "day from its own rows."
    )
