"""Whether a judge's agreement with people holds a threshold: one-sided bounds and a p-value, for a gate."""

from __future__ import annotations

from typing import Any

from rankproof.errors import InputError
from rankproof.flow.agreement.gathering import ratings_of
from rankproof.flow.agreement.judges import both, statistics
from rankproof.flow.agreement.leaving import METHOD, spread
from rankproof.flow.calibrating.calibrate import HUMAN, relevant_or_not
from rankproof.flow.collect import read_qrels
from rankproof.records.estimate import Answer, Estimate, NotEstimable

JUDGE = "judge"


def agreement_holds(
    human: Any, model: Any, statistic: str, threshold: float, relevant: tuple[int, int] | None, level: float
) -> Answer:
    """A statistic of the pairs that both graded.

    Both ends are one-sided bounds, each at `level`; the p-value is that of "it is at least the threshold".
    """
    people, theirs = read_qrels(human), read_qrels(model)
    sides = {HUMAN: people.to_dict(), JUDGE: theirs.to_dict()}
    if relevant is not None:
        sides = {
            name: relevant_or_not(grades, least) for (name, grades), least in zip(sides.items(), relevant, strict=True)
        }
    kept = both(ratings_of(sides, common=True), HUMAN, JUDGE)
    if not kept.pairs:
        raise InputError(
            f"{theirs.name} grades none of the pairs in {people.name}. Give grades of the same queries and documents."
        )
    asked = statistics(kept)[statistic]
    found = spread(asked.sums, asked.value, asked.scale, asked.undefined, asked.pairs)
    if isinstance(found, NotEstimable):
        return found
    low, high = found.low_high(1 - level)
    return Estimate(
        found.value, low, high, found.p_below(threshold), level, METHOD, found.freedom + 1, "less", threshold
    )
