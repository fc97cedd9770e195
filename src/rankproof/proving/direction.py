"""Direction: what the test of a difference shows, and what stands in its place where it is not told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rankproof.kernel.estimate import Answer, Estimate

if TYPE_CHECKING:
    from rankproof.proving.records import Adjusted

# In the place of a direction, where something else than the test keeps it from being told.
# undecided  answers failed, or systems that belong to the comparison were left out
# broken     one of the two systems is not what it is declared to be
Withheld = Literal["undecided", "broken"]
Direction = Literal["better", "worse", "not shown", "undecided", "broken"]


def deciding_p_value(difference: Answer, adjusted: Adjusted | None) -> float | None:
    """The p-value that decides: the adjusted one where there is a correction; None where there is none."""
    if not isinstance(difference, Estimate):
        return None
    return difference.p_value if adjusted is None else adjusted.p_value


def direction_shown(difference: Answer, adjusted: Adjusted | None, better: str) -> Direction:
    """What a test shows at its level, where `better` is the measure's good side."""
    p = deciding_p_value(difference, adjusted)
    if p is None or not isinstance(difference, Estimate) or p > 1 - difference.level or better == "neither":
        return "not shown"
    return "better" if (difference.value > 0) == (better == "higher") else "worse"
