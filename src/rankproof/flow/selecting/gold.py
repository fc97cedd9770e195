"""Gold: when a judge is asked a question whose answer is known, and which."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

from rankproof.flow.selecting.orders import chance


def is_gold_turn(share: float, judge: str, number: int, seed: int = 0) -> bool:
    """Whether the question with this number, from 0, is gold: one of every 1/share questions, nobody knows which.

    Questions are cut into stretches of 1/share; in each, chance picks one. So the share holds for every judge, not only
    in the mean, and the gold questions do not come at a beat that could be learned.
    """
    if share <= 0:
        return False
    exact = Fraction(share).limit_denominator(1000) or Fraction(1, 1000)
    stretch = floor(number * exact)
    first, after = ceil(stretch / exact), ceil((stretch + 1) / exact)
    return number == first + int(chance(seed, "gold", judge, stretch).integers(after - first))


def gold_order(places: range | tuple[int, ...] | list[int], judge: str, seed: int = 0) -> list[int]:
    """The gold questions in the order of a judge."""
    turn = chance(seed, "gold order", judge).permutation(len(places))
    return [places[int(i)] for i in turn]
