"""GradeShares: how much of each system's first k documents has which grade, for a picture of what users see."""

from __future__ import annotations

from dataclasses import dataclass

UNJUDGED = "unjudged"
NOT_RETURNED = "not returned"


@dataclass(frozen=True, slots=True)
class GradeShares:
    """Shares of the first `depth` ranks, mean over queries. The shares of one system add up to 1.

    parts    the grades of the qrels, greatest first, then "unjudged" and "not returned"
    shares   one row per system, in the order of `systems`; columns as `parts`
    """

    depth: int
    systems: tuple[str, ...]
    parts: tuple[int | str, ...]
    shares: tuple[tuple[float, ...], ...]
