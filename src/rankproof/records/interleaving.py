"""Interleaving: the list that was shown and what a click on it earns whom, what users did with it, what that says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.errors import InputError
from rankproof.records.estimate import Answer

# No credit is greater.
MOST = 1e300


@dataclass(frozen=True, slots=True)
class Shown:
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

    def to_dict(self) -> dict[str, Any]:
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
    def from_dict(cls, stored: Mapping[str, Any]) -> Shown:
        """What `to_dict` gave."""
        method, credited = stored.get("method"), stored.get("credited")
        systems, docs = _texts(stored.get("systems")), _texts(stored.get("docs"))
        if not isinstance(method, str) or systems is None or docs is None or len(set(docs)) != len(docs):
            raise InputError("A list that was shown has a method, systems, and docs that are named once each.")
        if len(systems) < 2 or list(systems) != sorted(set(systems)):
            raise InputError(f"The systems of a list are two or more, sorted, each once; {list(systems)!r:.80} came.")
        credits, teams = stored.get("credits"), stored.get("teams")
        if not isinstance(credits, list | tuple) or not isinstance(teams, list | tuple) or type(credited) is not int:
            raise InputError("A list that was shown has credits, teams and credited; log what Shown.to_dict gives.")
        if not len(credits) == len(teams) == len(docs) >= credited >= 0:
            raise InputError(
                f"A list of {len(docs)} documents has as many credits and teams, and credited up to that; "
                f"{len(credits)}, {len(teams)} and {credited!r:.20} came."
            )
        if any(team is not None and team not in systems for team in teams):
            raise InputError("A team is the name of a system, or null.")
        worth = tuple(_credit(each, len(systems)) for each in credits)
        return cls(method, systems, docs, worth, tuple(teams), credited)


def _texts(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        return None
    return tuple(value)


def _credit(stored: Any, systems: int) -> tuple[float, ...]:
    """What a click on one document is worth to each system."""
    # type() and one comparison: logs have millions of these. No boolean passes, no NaN, nothing beyond floats.
    if (
        not isinstance(stored, list | tuple)
        or len(stored) != systems
        or not all(type(value) in (float, int) and 0 <= value <= MOST for value in stored)
    ):
        raise InputError(f"The credit of a document is a number, 0 or more, for each system; {stored!r:.80} came.")
    return tuple(map(float, stored))


@dataclass(frozen=True, slots=True)
class Touch:
    """A click on a document: seconds spent on it, None where nobody knows; and whether it led to a conversion."""

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
class Preferred:
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
class Evenness:
    """One thing that chance should have shared out evenly, and whether it did.

    what      in words: "the first place", "the greatest team"
    counts    how often each system had it; of credit on offer, how much on average
    p_value   of an even share; None where nothing was shared out
    """

    what: str
    counts: Mapping[str, float]
    p_value: float | None


@dataclass(frozen=True, slots=True)
class Balance:
    """Whether the sides had the same chances: `even` is False where a p-value lies below `alarm`."""

    lists: int
    parts: tuple[Evenness, ...]
    alarm: float
    even: bool = field(init=False)

    def __post_init__(self) -> None:
        uneven = any(part.p_value is not None and part.p_value < self.alarm for part in self.parts)
        object.__setattr__(self, "even", not uneven)


@dataclass(frozen=True, slots=True)
class UnitsNeeded:
    """Units that show a share of wins with the power asked for.

    decided   units that are no ties
    units     all of them, at the rate of decided units that was given
    power     what that many decided units have
    exact     whether the binomial distribution was summed; beyond the limit it is the normal one
    looks     how often one looks on the way; 1 is once, at the end
    average   of the decided units, how many had come when it was over: shown, or at the end
    """

    share: float
    decided: int
    units: int
    power: float
    exact: bool
    looks: int = 1
    average: float | None = None
