"""Judgment, Mark, Preference: what a judge said, one act each. An act is never changed; another one withdraws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankproof.errors import UsageError

# Why a judgment has no grade: the judge cannot tell, wants to come back, or takes an earlier act back.
Reason = Literal["", "cannot_tell", "later", "withdrawn"]
REASONS: tuple[Reason, ...] = ("cannot_tell", "later", "withdrawn")
MarkKind = Literal["flag", "pick"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a grade comes from. A model is known by its version and the hashes of its prompt and settings.

    Of a person `version` says how they came to judge: empty for judging alone, "settling" for settling a disagreement.
    """

    kind: Literal["person", "model", "clicks"] = "person"
    version: str = ""
    prompt: str = ""
    settings: str = ""


PERSON = Source()
# Somebody who settles what others disagree on has seen what they said: their word is no independent rating.
SETTLING = Source("person", "settling")


@dataclass(frozen=True, slots=True)
class Judgment:
    """One judge's word about a document for a query: a grade, or a reason for having none.

    key        names the act; the same key sent twice is one act
    time       when it was given, in UTC as ISO 8601
    withdraws  the key of the act that this one takes back; only with the reason "withdrawn"
    """

    key: str
    judge: str
    query_id: str
    doc_id: str
    grade: int | None
    reason: Reason = ""
    note: str = ""
    time: str = ""
    source: Source = PERSON
    withdraws: str = ""

    def __post_init__(self) -> None:
        if (self.grade is None) == (not self.reason):
            raise UsageError(
                f"The judgment of {self.doc_id!r} for {self.query_id!r} has grade {self.grade} and reason "
                f"{self.reason!r}. Give a grade, or one reason for having none: {', '.join(REASONS)}."
            )
        if self.reason and self.reason not in REASONS:
            raise UsageError(f"No reason is called {self.reason!r}. There are: {', '.join(REASONS)}.")
        if bool(self.withdraws) != (self.reason == "withdrawn"):
            raise UsageError("A withdrawn judgment names the act that it takes back, and only such a one does.")


@dataclass(frozen=True, slots=True)
class Mark:
    """A flag (this result looks wrong, and why) or a pick (this is the one I would choose) on a result."""

    key: str
    kind: MarkKind
    judge: str
    query_id: str
    doc_id: str
    reason: str = ""
    note: str = ""
    variant: str = ""
    time: str = ""
    withdraws: str = ""


@dataclass(frozen=True, slots=True)
class Preference:
    """Which of several rankings of a query a judge prefers; None where they are equally good.

    variants   the names of what was shown, in the order of the sides
    blind      whether the names were hidden
    """

    key: str
    judge: str
    query_id: str
    variants: tuple[str, ...]
    preferred: str | None
    blind: bool = False
    note: str = ""
    time: str = ""
    withdraws: str = ""

    def __post_init__(self) -> None:
        if self.preferred is not None and self.preferred not in self.variants:
            raise UsageError(f"{self.preferred!r} was not shown. Prefer one of: {', '.join(self.variants)}.")
