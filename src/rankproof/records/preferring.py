"""Batch: what a round of comparing variants came to: who was preferred, picked and flagged, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.records.comparison import Adjusted
from rankproof.records.estimate import Estimate, NotEstimable

# Why a result looks wrong.
FLAG_REASONS = ("off topic", "wrong or outdated", "duplicate", "broken or empty", "offensive or unsafe", "other")


@dataclass(frozen=True, slots=True)
class Standing:
    """One variant on one query.

    precision   relevant documents among the first k, over k; None where none of them has a grade
    judged      how many of the first k have a grade
    picks       how often one of the first k was picked, and `flags` flagged
    """

    precision: float | None
    judged: int
    picks: int
    flags: int


@dataclass(frozen=True, slots=True)
class VariantTally:
    """One variant over all queries.

    ranked            queries that it ranks, of those that somebody said something about
    precision         mean over the `precision_queries` that have a grade among the first k; None where there is none
    judged            share of the first k places of those queries that has a grade; None likewise
    picks_by_rank     how many picks stood at each rank, from 1 to k
    flags_by_reason   by reason, the most common first
    """

    name: str
    ranked: int
    precision: float | None
    precision_queries: int
    judged: float | None
    picks: int
    picks_by_rank: tuple[int, ...]
    flags: int
    flags_by_reason: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Duel:
    """Two variants over the queries where they were compared: each query is one win, tie or loss of `first`.

    share      wins of `first` among the queries that are no ties, with its interval and the p-value of even chances
    adjusted   the same with the number of pairs accounted for
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    share: Estimate | NotEstimable
    adjusted: Adjusted | None


@dataclass(frozen=True, slots=True)
class Batch:
    """Everything that was said while comparing. `k` is how many results of each ranking count."""

    k: int
    queries: int
    judges: tuple[str, ...]
    preferences: int
    blind: int
    picks: int
    flags: int
    variants: tuple[VariantTally, ...]
    duels: tuple[Duel, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "k": self.k,
            "queries": self.queries,
            "judges": list(self.judges),
            "preferences": self.preferences,
            "blind": self.blind,
            "picks": self.picks,
            "flags": self.flags,
            "variants": [_variant(v) for v in self.variants],
            "pairs": [_duel(d) for d in self.duels],
        }


def _variant(tally: VariantTally) -> dict[str, Any]:
    return {
        "name": tally.name,
        "queries": tally.ranked,
        "precision": tally.precision,
        "precision_queries": tally.precision_queries,
        "judged": tally.judged,
        "picks": tally.picks,
        "picks_by_rank": list(tally.picks_by_rank),
        "flags": tally.flags,
        "flags_by_reason": dict(tally.flags_by_reason),
    }


def _duel(duel: Duel) -> dict[str, Any]:
    share, adjusted = duel.share, duel.adjusted
    told = {
        "first": duel.first,
        "second": duel.second,
        "wins": duel.wins,
        "ties": duel.ties,
        "losses": duel.losses,
        "share": share.value,
        "method": share.method,
        "p_value_adjusted": adjusted.p_value if adjusted is not None else None,
        "low_adjusted": adjusted.low if adjusted is not None else None,
        "high_adjusted": adjusted.high if adjusted is not None else None,
    }
    if isinstance(share, NotEstimable):
        return told | dict.fromkeys(("low", "high", "level", "p_value")) | {"why_not": share.reason}
    ends = {"low": share.low, "high": share.high, "level": share.level, "p_value": share.p_value}
    return told | ends | {"why_not": None}
