"""Calibration: how far a model's grades can stand in for people's, on pairs that both graded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.records.agreement import Found, PairAgreement, found_dict


@dataclass(frozen=True, slots=True)
class Stability:
    """What a judge says when asked again.

    passes   how often it was asked
    share    of pairs that got the same grade every time
    alpha    Krippendorff's, ordinal, with the passes as judges
    """

    passes: int
    pairs: int
    share: Found
    alpha: Found

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "passes": self.passes,
            "pairs": self.pairs,
            "same": found_dict(self.share),
            "alpha": found_dict(self.alpha),
        }


@dataclass(frozen=True, slots=True)
class SystemOrder:
    """Systems in the order that people's grades give, and how far the model's grades give the same.

    human, model   each system's value, best by people's grades first
    tau            Kendall's tau-b of the two orders
    tau_ap         tau AP, people's order as the reference: a swap near the top costs more
    swapped        two systems each that the model's grades put the other way round, the people's better one first
    """

    measure: str
    queries: int
    human: Mapping[str, float]
    model: Mapping[str, float]
    tau: Found
    tau_ap: Found
    swapped: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "measure": self.measure,
            "queries": self.queries,
            "systems": [{"name": n, "human": value, "model": self.model[n]} for n, value in self.human.items()],
            "tau": found_dict(self.tau),
            "tau_ap": found_dict(self.tau_ap),
            "swapped": [list(pair) for pair in self.swapped],
        }


@dataclass(frozen=True, slots=True)
class JudgeCalibration:
    """One judge against people.

    missing     pairs with people's grade that the judge gave none
    threshold   where both sides were made relevant or not: the least relevant grade of people and of the judge
    stability   None where it was asked once
    """

    name: str
    agreement: PairAgreement
    missing: int
    threshold: tuple[int, int] | None = None
    stability: Stability | None = None
    orders: tuple[SystemOrder, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "judge": self.name,
            "missing": self.missing,
            "relevant": None if self.threshold is None else dict(zip(("human", "model"), self.threshold, strict=True)),
            **self.agreement.to_dict(),
            "stability": None if self.stability is None else self.stability.to_dict(),
            "systems": [order.to_dict() for order in self.orders],
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The answer of `rankproof judge calibrate`: every judge that was held against people's grades."""

    human: str
    pairs: int
    queries: int
    level: float
    judges: tuple[JudgeCalibration, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "human": self.human,
            "pairs": self.pairs,
            "queries": self.queries,
            "level": self.level,
            "judges": [judge.to_dict() for judge in self.judges],
        }
