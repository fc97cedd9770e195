"""TieRisk: tied scores that could change what a comparison says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TieRisk:
    """The range of a difference over all orders of tied documents on both sides.

    changes   whether some order gives another verdict (other side of zero, or shown against not shown)
    """

    measure: str
    candidate: str
    least: float
    greatest: float
    observed: float
    changes: bool
    exact: bool
    note: str = ""
