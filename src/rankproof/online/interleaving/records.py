"""Interleaving records: the list that was shown with its credits, clicks, preferences and balance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from rankproof.errors import InputError
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import counted, percent, signed
from rankproof.proving.conversions import answer_dict
from rankproof.proving.records import Adjusted

# No credit is greater.
MOST = 1e300


@dataclass(frozen=True, slots=True)
class InterleavedList:
    """One list made of the rankings of two systems or more.

    method    the interleaving that made it, with its choices
    systems   their names, sorted: the order of the columns of `credits`
    docs      what is shown, best first
    credits   for each document, what a click on it is worth to each system
    teams     for each document, the system it was taken for; None where the method has no teams or nothing is credited
    credited  how many documents at the top carry credit; those below only fill the page
    """

    method: str
    systems: tuple[str, ...]
    docs: tuple[str, ...]
    credits: tuple[tuple[float, ...], ...]
    teams: tuple[str | None, ...]
    credited: int

    def to_dict(self) -> dict[str, object]:
        """For the server's log, one JSON object for each page: plain lists, numbers and texts."""
        return {
            "method": self.method,
            "systems": list(self.systems),
            "docs": list(self.docs),
            "credits": [list(each) for each in self.credits],
            "teams": list(self.teams),
            "credited": self.credited,
        }

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> InterleavedList:
        """What `to_dict` gave."""
        method, credited = stored.get("method"), stored.get("credited")
        systems, docs = _texts(stored.get("systems")), _texts(stored.get("docs"))
        if not isinstance(method, str) or systems is None or docs is None or len(set(docs)) != len(docs):
            raise InputError("A list that was shown has a method, systems, and docs that are named once each.")
        if len(systems) < 2 or list(systems) != sorted(set(systems)):
            raise InputError(
                f"The systems of a list must be two or more, sorted, each once; got {list(systems)!r:.80}."
            )
        credits, teams = stored.get("credits"), stored.get("teams")
        if not isinstance(credits, list | tuple) or not isinstance(teams, list | tuple) or type(credited) is not int:
            raise InputError(
                "A list that was shown has credits, teams and credited; log what InterleavedList.to_dict gives."
            )
        if not len(credits) == len(teams) == len(docs) >= credited >= 0:
            raise InputError(
                f"A list of {counted(len(docs), 'document')} has as many credits and teams, and credited is at most "
                f"that; got {len(credits)}, {len(teams)} and {credited!r:.20}."
            )
        if any(team is not None and team not in systems for team in teams):
            raise InputError("A team is the name of a system, or null.")
        worth = tuple(_credit(each, len(systems)) for each in credits)
        return cls(method, systems, docs, worth, tuple(teams), credited)


def _texts(value: object) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        return None
    return tuple(value)


def _credit(stored: object, systems: int) -> tuple[float, ...]:
    """What a click on one document is worth to each system."""
    # type() and one comparison: logs have millions of these. No boolean passes, no NaN, nothing beyond floats.
    if (
        not isinstance(stored, list | tuple)
        or len(stored) != systems
        or not all(type(value) in (float, int) and 0 <= value <= MOST for value in stored)
    ):
        raise InputError(f"The credit of a document must be one number for each system, 0 or more; got {stored!r:.80}.")
    return tuple(map(float, stored))


@dataclass(frozen=True, slots=True)
class ClickedDocument:
    """A click on a document: seconds spent on it, None where not known; and whether it led to a conversion."""

    doc_id: str
    dwell: float | None = None
    converted: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one list earned each system.

    unit      who saw it: a user or a session; lists of one unit are not independent and are added up
    earned    the credit of each system
    counted   documents whose clicks counted, each once
    unknown   clicked documents of which it is not known whether they count, such as those without a dwell time
    dropped   clicks on documents that were not shown
    """

    unit: str
    earned: Mapping[str, float]
    counted: int
    unknown: int = 0
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class PairPreference:
    """How `second` fares against `first`, over units.

    wins, ties, losses   units in which `second` earned more, as much, less
    share                of the wins among units that are no ties; 0.5 is no preference
    margin               the mean of what `second` earned more, over all units; 0 is no preference
    lift                 (wins + ties / 2) / units - 1 / 2: from -0.5 to 0.5, ties count; None without units
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    share: Answer
    margin: Answer
    lift: float | None

    @property
    def units(self) -> int:
        """All of them."""
        return self.wins + self.ties + self.losses


@dataclass(frozen=True, slots=True)
class EvennessTest:
    """One thing that randomization should have shared out evenly, and whether it did.

    what      in words: "the first place", "the greatest team"
    counts    how often each system had it; of credit on offer, how much on average
    p_value   of an even share; None where nothing was shared out
    """

    what: str
    counts: Mapping[str, float]
    p_value: float | None


@dataclass(frozen=True, slots=True)
class Balance:
    """Whether the systems were treated alike: `even` is False where a p-value lies below `alarm`."""

    lists: int
    parts: tuple[EvennessTest, ...]
    alarm: float
    even: bool = field(init=False)

    def __post_init__(self) -> None:
        uneven = any(part.p_value is not None and part.p_value < self.alarm for part in self.parts)
        object.__setattr__(self, "even", not uneven)


@dataclass(frozen=True, slots=True)
class UnitsNeeded:
    """Units that detect a share of wins with the given power.

    decided   units that are no ties
    units     all of them, at the rate of decided units that was given
    power     what that many decided units have
    exact     whether the binomial distribution was summed; beyond the limit it is the normal one
    looks     how often one looks on the way; 1 is once, at the end
    average   decided units until the experiment ends: at a significant preference, or after the last look
    """

    share: float
    decided: int
    units: int
    power: float
    exact: bool
    looks: int = 1
    average: float | None = None


By = Literal["share", "margin"]


@dataclass(frozen=True, slots=True)
class LogCounts:
    """What was in the log, and what of it could not be used.

    pages        lists that count, one for each key
    clicks       rows with a clicked document
    counted      documents whose clicks counted, each once for its page
    unknown      clicked documents of which it is not known whether they count
    dropped      clicks on documents that were not shown
    stray        clicks with a key that has no list
    changed      keys left out because two different lists were shown under them
    mismatched   keys left out because the rebuilt list is not the one that was shown
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
class SystemPair:
    """Two systems; where there are more than two, `share` and `margin` adjusted for all pairs together.

    by   what decides: "share", or "margin" where the method does not make wins even
    """

    preferred: PairPreference
    share: Adjusted | None = None
    margin: Adjusted | None = None
    by: By = "share"

    @property
    def _deciding(self) -> tuple[Answer, Adjusted | None]:
        pair = self.preferred
        return (pair.share, self.share) if self.by == "share" else (pair.margin, self.margin)

    @property
    def winner(self) -> str | None:
        """The system that users prefer, where the preference is statistically significant; otherwise None."""
        answer, adjusted = self._deciding
        if not isinstance(answer, Estimate):
            return None
        p = answer.p_value if adjusted is None else adjusted.p_value
        if p > 1 - answer.level or answer.value == answer.null:
            return None
        return self.preferred.second if answer.value > answer.null else self.preferred.first

    def sentence(self, always_valid: bool) -> str:
        """The result for the pair as a sentence, with its numbers."""
        first, second = self.preferred.first, self.preferred.second
        answer, adjusted = self._deciding
        if not isinstance(answer, Estimate):
            return f"Nothing can be said about {first} and {second}: {answer.reason}."
        winner = self.winner
        low, high = (answer.low, answer.high) if adjusted is None else (adjusted.low, adjusted.high)
        value = answer.value
        if (winner or second) == first:  # written from the side of the one that is ahead
            value, low, high = 2 * answer.null - value, 2 * answer.null - high, 2 * answer.null - low
        kind = "always-valid interval" if always_valid else "interval"
        together = "" if adjusted is None else " for all pairs together"
        span = f"{percent(answer.level)} {kind}{together}"
        if self.by == "share":
            numbers = f"{_share(value)} of {answer.n:,} decided units; {span} {_share(low)} to {_share(high)}"
            won = "won "
        else:
            numbers = f"{signed(value)} credit in a unit, of {answer.n:,}; {span} {signed(low)} to {signed(high)}"
            won = "earned "
        if winner is None:
            return f"No preference between {first} and {second} is shown ({second} {won}{numbers})."
        return f"Users prefer {winner} to {first if winner == second else second} ({numbers})."

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        pair = self.preferred
        return {
            "first": pair.first,
            "second": pair.second,
            "units": pair.units,
            "wins": pair.wins,
            "ties": pair.ties,
            "losses": pair.losses,
            "share": answer_dict(pair.share),
            "margin": answer_dict(pair.margin),
            "lift": pair.lift,
            "share_adjusted": None if self.share is None else asdict(self.share),
            "margin_adjusted": None if self.margin is None else asdict(self.margin),
            "decided_by": self.by,
            "preferred": self.winner,
        }


@dataclass(frozen=True, slots=True)
class InterleavingReport:
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
    pairs: tuple[SystemPair, ...]
    balance: Balance
    warnings: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """One sentence for each pair; none of them where randomization did not treat the systems alike."""
        if not self.balance.even:
            return (
                "The systems were not treated alike, so no preference is stated: see the balance, and find what broke "
                "it before anything else.",
            )
        return tuple(pair.sentence(self.planned is not None) for pair in self.pairs)

    def to_dict(self) -> dict[str, object]:
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
