"""BlindSpot: changes of rankings that a measure's value does not show, and the measures that show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """For one measure and one candidate: where the ranking changed and the value did not.

    A ranking has changed when some rank holds another grade than before: what a measure of relevance could see.

    changed     queries whose grades by rank changed, down to `depth`; unjudged counts as not relevant
    unseen      those of them whose value is the same to the last digit that counts
    seen_by     other measures, and how many of the unseen queries they do tell apart, most first; those that were
                asked for, and a few usual ones
    depth       how far down was looked: the greatest cutoff of any measure asked for; None for whole rankings
    alike       queries where other documents stand there, but of the same grades: no measure of relevance sees that
    """

    measure: str
    candidate: str
    queries: int
    changed: int
    unseen: tuple[str, ...]
    seen_by: Mapping[str, int]
    depth: int | None = None
    alike: int = 0

    @property
    def share(self) -> float:
        """Unseen over changed; 0 where nothing changed."""
        return len(self.unseen) / self.changed if self.changed else 0.0
