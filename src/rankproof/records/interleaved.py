"""Interleaved: what the log of an interleaving experiment says: who is preferred to whom, and whether to trust it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from rankproof.records._comparison_dict import answer_dict
from rankproof.records.comparison import Adjusted
from rankproof.records.estimate import Answer, Estimate
from rankproof.records.interleaving import Balance, Preferred
from rankproof.records.words import percent, signed

By = Literal["share", "margin"]


@dataclass(frozen=True, slots=True)
class LogCounts:
    """What was in the log, and what of it could not be used.

    pages        lists that count, one for each key
    clicks       rows with a clicked document
    counted      documents whose clicks counted, each once for its page
    unknown      clicked documents of which nobody knows whether they count
    dropped      clicks on documents that were not shown
    stray        clicks with a key that has no list
    changed      keys left out because two different lists were shown under them
    mismatched   keys left out because the list made anew is not the one that was shown
    unranked     keys left out because no run has a ranking for their query
    """

    rows: int
    pages: int
    clicks: int
    counted: int = 0
    unknown: int = 0
    dropped: int = 0
    stray: int = 0
    changed: int = 0
    mismatched: int = 0
    unranked: int = 0


@dataclass(frozen=True, slots=True)
class Pair:
    """Two systems; where there are more than two, `share` and `margin` adjusted for all pairs together.

    by   what decides: "share", or "margin" where the method does not make wins even
    """

    preferred: Preferred
    share: Adjusted | None = None
    margin: Adjusted | None = None
    by: By = "share"

    @property
    def _deciding(self) -> tuple[Answer, Adjusted | None]:
        said = self.preferred
        return (said.share, self.share) if self.by == "share" else (said.margin, self.margin)

    @property
    def winner(self) -> str | None:
        """Whom users prefer, as far as it is shown; None where it is not."""
        found, adjusted = self._deciding
        if not isinstance(found, Estimate):
            return None
        p = found.p_value if adjusted is None else adjusted.p_value
        if p > 1 - found.level or found.value == found.null:
            return None
        return self.preferred.second if found.value > found.null else self.preferred.first

    def sentence(self, always_valid: bool) -> str:
        """What the pair says, with the numbers behind it."""
        first, second = self.preferred.first, self.preferred.second
        found, adjusted = self._deciding
        if not isinstance(found, Estimate):
            return f"Nothing can be said about {first} and {second}: {found.reason}."
        winner = self.winner
        low, high = (found.low, found.high) if adjusted is None else (adjusted.low, adjusted.high)
        value = found.value
        if (winner or second) == first:  # told from the side of the one that is ahead
            value, low, high = 2 * found.null - value, 2 * found.null - high, 2 * found.null - low
        kind = "always-valid interval" if always_valid else "interval"
        together = "" if adjusted is None else " for all pairs together"
        span = f"{percent(found.level)} {kind}{together}"
        if self.by == "share":
            numbers = f"{_share(value)} of {found.n:,} decided units; {span} {_share(low)} to {_share(high)}"
            won = "won "
        else:
            numbers = f"{signed(value)} credit in a unit, of {found.n:,}; {span} {signed(low)} to {signed(high)}"
            won = "earned "
        if winner is None:
            return f"No preference between {first} and {second} is shown ({second} {won}{numbers})."
        return f"Users prefer {winner} to {first if winner == second else second} ({numbers})."

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        said = self.preferred
        return {
            "first": said.first,
            "second": said.second,
            "units": said.units,
            "wins": said.wins,
            "ties": said.ties,
            "losses": said.losses,
            "share": answer_dict(said.share),
            "margin": answer_dict(said.margin),
            "lift": said.lift,
            "share_adjusted": None if self.share is None else asdict(self.share),
            "margin_adjusted": None if self.margin is None else asdict(self.margin),
            "decided_by": self.by,
            "preferred": self.winner,
        }


@dataclass(frozen=True, slots=True)
class Interleaved:
    """The whole answer.

    methods   that made the lists; more than one is warned of
    credit    what a click must be to count, in words
    planned   the units for which the always-valid intervals are tightest; None where one looks once
    lists     "logged", or "rebuilt" from runs and keys
    """

    systems: tuple[str, ...]
    methods: tuple[str, ...]
    credit: str
    level: float
    planned: int | None
    correction: str | None
    lists: str
    counts: LogCounts
    pairs: tuple[Pair, ...]
    balance: Balance
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said of each pair; of none where chance did not treat the systems alike."""
        if not self.balance.even:
            return (
                "The systems were not treated alike, so no preference is stated: see the balance, and find what broke "
                "it before anything else.",
            )
        return tuple(pair.sentence(self.planned is not None) for pair in self.pairs)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "systems": list(self.systems),
            "methods": list(self.methods),
            "credit": self.credit,
            "level": self.level,
            "test": "fixed" if self.planned is None else "sequential",
            "planned_units": self.planned,
            "correction": self.correction,
            "lists": self.lists,
            "counts": asdict(self.counts),
            "sentences": list(self.sentences),
            "pairs": [pair.to_dict() for pair in self.pairs],
            "balance": {
                "even": self.balance.even,
                "lists": self.balance.lists,
                "alarm": self.balance.alarm,
                "parts": [{**asdict(part), "counts": dict(part.counts)} for part in self.balance.parts],
            },
            "warnings": list(self.warnings),
        }


def _share(value: float) -> str:
    return f"{100 * value:.1f}%"
