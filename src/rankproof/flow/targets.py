"""Targets: what a value should reach, written as "nDCG@10=0.35"."""

from __future__ import annotations

import math
from collections.abc import Iterable

from rankproof.errors import UsageError
from rankproof.measures._text import canonical
from rankproof.records.evaluation import Result


def parse_targets(texts: Iterable[str]) -> dict[str, float]:
    """{measure: target} by canonical text. Several in one text are parted by blanks."""
    found: dict[str, float] = {}
    for said in (word for text in texts for word in text.split()):
        measure, _, number = said.rpartition("=")  # the last one: P(rel=2)@5=0.3
        try:
            target = float(number)
        except ValueError:
            target = math.nan
        if not measure or not math.isfinite(target):
            raise UsageError(f"{said!r} is no target. Write a measure, '=' and a number, such as nDCG@10=0.35.")
        text = canonical(measure)
        if text in found:
            raise UsageError(f"{text} has two targets: {found[text]:g} and {target:g}. Keep one of them.")
        found[text] = target
    return found


def meets(result: Result, target: float) -> bool:
    """Whether the value itself, without regard to chance, reaches the target: a gate decides with an interval."""
    if result.better == "neither":
        raise UsageError(f"{result.text} has no better and no worse, so it can meet no target. Drop its target.")
    return result.mean >= target if result.better == "higher" else result.mean <= target  # undefined meets nothing
