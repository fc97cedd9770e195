"""How ties between two grades are broken: by a parameter, never at random."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.judging.adjudications.contract import Settled
from rankproof.kernel.specs.kinds import Choice, Param


def ties(default: str) -> Param:
    """The choice between grades that are equally right."""
    kind = Choice(("unresolved", "lower", "higher"))
    return Param("ties", kind, default, "between grades that are equally right: the lower, the higher, or neither")


def settle_tie(grades: Sequence[int], rule: str) -> Settled:
    """One of several grades by the rule, or none of them."""
    if rule == "unresolved":
        return Settled(None, "tie")
    return Settled(min(grades) if rule == "lower" else max(grades), f"tie, the {rule}")
