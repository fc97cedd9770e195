"""Design: the choices of a comparison that are not part of measuring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankproof.errors import UsageError


@dataclass(frozen=True, slots=True)
class Design:
    """How systems are compared. All of it is in the manifest: it decides intervals and p-values.

    significance      the item of the significance shelf that gives intervals and p-values
    correction        the item of the corrections shelf that keeps the family honest
    confidence        of the intervals; 1 - confidence is where a difference counts as shown
    resamples         how many random resamples a method may draw
    seed              where chance comes from
    all_pairs         every pair of systems, and not only each candidate against the baseline
    equivalence       a margin: are the systems the same, up to it?
    non_inferiority   a margin: is the candidate not worse by more than it?
    power             what "could have found" is said for
    """

    significance: str = "t"
    correction: str = "holm"
    confidence: float = 0.95
    resamples: int = 100_000
    seed: int = 0
    all_pairs: bool = False
    equivalence: float | None = None
    non_inferiority: float | None = None
    power: float = 0.8

    @property
    def margin(self) -> tuple[Literal["equivalence", "non-inferiority"], float] | None:
        """What is asked about a margin, and the margin."""
        if self.equivalence is not None:
            return "equivalence", self.equivalence
        return None if self.non_inferiority is None else ("non-inferiority", self.non_inferiority)

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence < 1:
            raise UsageError(f"A confidence level lies between 0.5 and 1, such as 0.95; got {self.confidence}.")
        if not 0 < self.power < 1:
            raise UsageError(f"Power lies between 0 and 1, such as 0.8; got {self.power}.")
        if self.resamples < 1_000:
            raise UsageError(f"Resamples: 1,000 or more, or p-values are too coarse; got {self.resamples}.")
        for name, margin in (("equivalence", self.equivalence), ("non-inferiority", self.non_inferiority)):
            if margin is not None and not margin > 0:
                raise UsageError(f"The margin of {name} must be above 0; got {margin}.")
        if self.equivalence is not None and self.non_inferiority is not None:
            raise UsageError("Equivalence and non-inferiority are two questions. Ask for one of them.")


DEFAULT_DESIGN = Design()
