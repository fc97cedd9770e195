"""Blame: which of several claims contradict each other, in the smallest sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from rankproof.flow.audit.claims import Asked
from rankproof.records.audit import Placement, ReportVerdict

# Whether some claims can hold together, and an example where there is one.
Oracle = Callable[[Sequence[Asked]], tuple[ReportVerdict, Placement | None]]
# Sets up to this size are all tried; a larger one is found by leaving claims out one after the other.
SMALL = 3


def smallest(asked: Sequence[Asked], can: Oracle) -> list[tuple[Asked, ...]]:
    """The smallest sets of claims that are proven not to hold together. The whole set is known to be one."""
    examples: list[Placement] = []
    for size in range(1, min(SMALL, len(asked) - 1) + 1):
        found = []
        for some in combinations(asked, size):
            if any(_meets(example, some) for example in examples):
                continue
            verdict, example = can(some)
            if example is not None:
                examples.append(example)
            if verdict == "impossible":
                found.append(some)
        if found:
            return found
    return [_thinned(tuple(asked), can)]


def _meets(example: Placement, some: Sequence[Asked]) -> bool:
    return all(
        claim.variant.text in example.values and claim.low <= example.values[claim.variant.text] <= claim.high
        for claim in some
    )


def _thinned(asked: tuple[Asked, ...], can: Oracle) -> tuple[Asked, ...]:
    """A set from which no claim can be left out."""
    for claim in asked:
        less = tuple(other for other in asked if other is not claim)
        if less and can(less)[0] == "impossible":
            return _thinned(less, can)
    return asked
