"""BlindSpot: changes of rankings that a measure's value does not show, and the measures that show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """For one measure and one candidate: where the ranking changed and the value did not.

    changed     queries whose ranking of judged documents changed, as far as any of the measures looks
    unseen      those of them whose value is the same to the last digit that counts
    seen_by     other measures, and how many of the unseen queries they do tell apart, most first
    """

    measure: str
    candidate: str
    queries: int
    changed: int
    unseen: tuple[str, ...]
    seen_by: Mapping[str, int]

    @property
    def share(self) -> float:
        """Unseen over changed; 0 where nothing changed."""
        return len(self.unseen) / self.changed if self.changed else 0.0
