"""Unit ids: what counts as one id, and sketches of ids by which days know whom they share.

An id is a text or a whole number. 17, 17.0 and "17.0" are one id, as data frames write whole numbers in columns with
gaps; blanks around an id do not count. A word for nothing, such as null, is no id: one unit would hold everybody who
has none. A number that lost digits is refused: several units would become one.

A day keeps a 64-bit hash of each id, keyed by the name of the A/B test. Above MOST_IDS of them it keeps those that are
below a threshold, which is halved until few enough are left. Every day keeps the same ids of those it has in common
with another (coordinated sampling: Cohen and Kaplan, Summarizing data using bottom-k sketches, PODC 2007), so that
overlaps are exact up to MOST_IDS units a day, and beyond it are known with a standard error of at most 0.3% of the
units.
"""

from __future__ import annotations

import base64
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError

Hashes = NDArray[np.uint64]
# Ids of a day that are kept; half a megabyte.
MOST_IDS = 65_536
# Words that stand for no id at all, whatever their case.
NOTHING = frozenset(
    {"", "null", "none", "nan", "nil", "undefined", "n/a", "na", "<na>", "(null)", "(none)", "(not set)", "unknown"}
)
_LONGEST = max(map(len, NOTHING))
# Whole numbers from here on have neighbors that are the same float.
_EXACT = 2.0**53
_SPREADSHEET = re.compile(r"[+-]?\d(?:[.,]\d+)?[eE]\+\d+")
_HASHES = 1 << 64


def unit_ids(values: Sequence[object], where: Callable[[int], str], column: str) -> list[str]:
    """The id of each row; "" where there is none."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    return [_id(value, where, row, column) for row, value in enumerate(values)]


def _id(value: object, where: Callable[[int], str], row: int, column: str) -> str:
    if isinstance(value, str):
        text = value.strip()
        if len(text) <= _LONGEST and text.casefold() in NOTHING:
            return ""
        if text.endswith(".0") and text[:-2].isdigit():
            return text[:-2]
        if "+" in text and _SPREADSHEET.fullmatch(text):
            raise _lost(value, where(row), column)
        return text
    if value is None:
        return ""
    if isinstance(value, float):
        if math.isnan(value):
            return ""
        if abs(value) >= _EXACT or not value.is_integer():
            raise _lost(value, where(row), column)
        return str(int(value))
    return str(value)


def _lost(value: object, place: str, column: str) -> InputError:
    return InputError(
        f"{place}: {column} is {value!r:.40}, a number that has lost digits of an id: different units would become "
        f"one. "
        "Write ids as texts, or as whole numbers."
    )


def folded(unit: str) -> str:
    """The id without differences of case, of blanks and of Unicode form, by which look-alikes are noticed."""
    if not unit.isascii():
        unit = unicodedata.normalize("NFKC", unit)
    return "".join(unit.split()).casefold()


@dataclass(frozen=True, slots=True)
class IdSketch:
    """Hashes of ids in rising order: of all where `share` is 1, otherwise of this share of them."""

    share: float = 1.0
    hashes: bytes = b""

    def __len__(self) -> int:
        return len(self.hashes) // 8

    @property
    def numbers(self) -> Hashes:
        """The hashes."""
        return np.frombuffer(self.hashes, dtype=">u8").astype(np.uint64)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"share": self.share, "hashes": base64.b64encode(self.hashes).decode("ascii")}

    @classmethod
    def from_dict(cls, stored: object) -> IdSketch:
        """What `to_dict` gave."""
        if not isinstance(stored, dict) or not isinstance(stored.get("hashes"), str):
            raise ValueError("a sketch of ids has a share and hashes")
        hashes, share = base64.b64decode(stored["hashes"], validate=True), stored.get("share")
        if len(hashes) % 8 or not isinstance(share, float | int) or not 0 < share <= 1:
            raise ValueError("a sketch of ids has a share from 0 to 1 and whole hashes")
        return cls(float(share), hashes)


def hashes_of(units: Iterable[str], trial: str) -> Hashes:
    """A 64-bit hash of each id."""
    key = blake2b(trial.encode("utf-8", "surrogatepass"), digest_size=32).digest()
    joined = b"".join(blake2b(unit.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest() for unit in units)
    return np.frombuffer(joined, dtype=">u8").astype(np.uint64)


def below(hashes: Hashes, share: float) -> NDArray[np.bool_]:
    """Which hashes belong to that share of all."""
    limit = int(share * _HASHES)
    return np.ones(len(hashes), dtype=np.bool_) if limit >= _HASHES else hashes < np.uint64(limit)


class IdSketches:
    """Sketches by variant of the units of one day, while they are collected: one threshold for all variants."""

    def __init__(self, most: int = MOST_IDS) -> None:
        self.most, self.share = most, 1.0
        self._held: dict[str, list[Hashes]] = {}

    def add(self, variant: str, hashes: Hashes) -> None:
        """More units of a variant."""
        self._held.setdefault(variant, []).append(hashes[below(hashes, self.share)])
        while sum(len(part) for parts in self._held.values() for part in parts) > self.most:
            self.share /= 2
            self._held = {name: [part[below(part, self.share)] for part in parts] for name, parts in self._held.items()}

    def finish(self, variants: Iterable[str]) -> dict[str, IdSketch]:
        """The sketch of each variant."""
        empty = np.zeros(0, dtype=np.uint64)
        return {
            name: IdSketch(
                self.share, np.unique(np.concatenate([empty, *self._held.get(name, [])])).astype(">u8").tobytes()
            )
            for name in variants
        }
