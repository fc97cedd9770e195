"""TieRisk: tied scores that could change what a comparison says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TieRisk:
    """The range of a difference over all orders of tied documents on both sides.

    changes   whether one of the two ends gives another verdict (other side of zero, or shown against not shown)
    exact     False where the ends come from random orders, or nothing could be looked at; `note` says which
    """

    measure: str
    candidate: str
    least: float
    greatest: float
    observed: float
    changes: bool
    exact: bool
    note: str = ""
    baseline: str = ""
