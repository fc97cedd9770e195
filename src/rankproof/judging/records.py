"""Judgment, Project, Scale, Account, Assignment: what a judge gave, on which scale, and who may do what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from rankproof.errors import UnknownName, UsageError

# Why a judgment has no grade: the judge cannot tell, wants to come back, or takes an earlier act back.
Reason = Literal["", "cannot_tell", "later", "withdrawn"]
REASONS: tuple[Reason, ...] = ("cannot_tell", "later", "withdrawn")
MarkKind = Literal["flag", "pick"]


@dataclass(frozen=True, slots=True)
class JudgmentSource:
    """Where a grade comes from. A model is known by its version and the hashes of its prompt and settings.

    Of a person `version` says how they came to judge: empty for judging alone, "settling" for settling a disagreement,
    "suggestion" for judging with a model's grade in view. Settling is an act of its own: a judgment of the same pair by
    the same person neither replaces it nor is replaced.
    """

    kind: Literal["person", "model", "clicks"] = "person"
    version: str = ""
    prompt: str = ""
    settings: str = ""

    @property
    def alone(self) -> bool:
        """Whether the grade came about without sight of another: agreement and calibration count no others."""
        return self not in (SETTLING, SUGGESTED)


PERSON = JudgmentSource()
# Whoever settles a disagreement has seen the other judgments: theirs is no independent rating.
SETTLING = JudgmentSource("person", "settling")
# Whoever had a model's grade in view may have followed it: theirs is no independent rating either.
SUGGESTED = JudgmentSource("person", "suggestion")


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
    source: JudgmentSource = PERSON
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
        if self.settles and self.reason not in ("", "withdrawn"):
            raise UsageError(f"To settle a pair is to give its grade; {self.reason!r} settles nothing.")

    @property
    def settles(self) -> bool:
        """Whether it settles a disagreement, or takes such a word back."""
        return self.source.kind == SETTLING.kind and self.source.version == SETTLING.version


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


@dataclass(frozen=True, slots=True)
class Level:
    """One grade of a scale: its number, the word on its button, and when to give it."""

    grade: int
    label: str
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """Grades from the least to the greatest, each once; `relevant` is the least grade that counts as relevant."""

    name: str
    levels: tuple[Level, ...]
    relevant: int = 1

    def __post_init__(self) -> None:
        grades = [level.grade for level in self.levels]
        if len(grades) < 2 or grades != sorted(set(grades)):
            raise UsageError(
                f"The scale {self.name!r} has the grades {grades}. "
                "A scale has two grades or more, each once, from the least to the greatest."
            )
        if self.relevant not in grades:
            raise UsageError(f"The scale {self.name!r} calls grade {self.relevant} relevant, which it does not have.")
        if any(not level.label.strip() for level in self.levels):
            raise UsageError(f"The scale {self.name!r} has a grade without a label. Give each grade a word.")

    @property
    def grades(self) -> tuple[int, ...]:
        """The numbers alone."""
        return tuple(level.grade for level in self.levels)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "name": self.name,
            "relevant": self.relevant,
            "levels": [{"grade": v.grade, "label": v.label, "meaning": v.meaning} for v in self.levels],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Scale:
        """From what `to_dict` gave."""
        levels: Sequence[Mapping[str, Any]] = document["levels"]
        return cls(
            document["name"],
            tuple(Level(v["grade"], v["label"], v.get("meaning", "")) for v in levels),
            document.get("relevant", 1),
        )


SCALES: Mapping[str, Scale] = {
    scale.name: scale
    for scale in (
        Scale(
            "binary",
            (
                Level(0, "Not relevant", "It does not help with what was searched for."),
                Level(1, "Relevant", "It helps with what was searched for."),
            ),
        ),
        Scale(
            "graded",
            (
                Level(0, "Not relevant", "It has nothing to do with what was searched for."),
                Level(1, "Related", "It is about the matter but does not answer."),
                Level(2, "Relevant", "It answers in part, or the answer is buried in other things."),
                Level(3, "Perfect", "It is about exactly this and answers in full."),
            ),
        ),
        Scale(
            "esci",
            (
                Level(0, "Irrelevant", "It is not what was searched for, and does not go with it."),
                Level(1, "Complement", "It goes with what was searched for but does not stand in for it."),
                Level(2, "Substitute", "It lacks something that was asked for but can stand in for it."),
                Level(3, "Exact", "It has everything that was asked for."),
            ),
        ),
    )
}


def find_scale(name: str) -> Scale:
    """A scale by its name; an error with the names there are."""
    if name not in SCALES:
        raise UnknownName("scale", name, SCALES)
    return SCALES[name]


# A machine's name as it may stand in a content security policy: small letters, two parts or more, perhaps with a port.
_HOST = re.compile(r"(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True)
class Template:
    """How a document is shown: which of its fields is the title, the texts, the picture, the link and the price.

    image_hosts  machines from which pictures may be fetched: whoever serves a picture learns who looks at what, so
                 that none is asked that is not named; `*.example.org` names all below example.org
    """

    title: str = "title"
    texts: tuple[str, ...] = ("text",)
    image: str = ""
    link: str = ""
    price: str = ""
    image_hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for host in self.image_hosts:
            if _HOST.fullmatch(host) is None:
                raise UsageError(
                    f"{host!r} is no name of a machine that pictures come from. Give one such as images.example.org, "
                    "or *.example.org for all below it; without https:// and without a path."
                )


# Why a result looks wrong, where a project has no reasons of its own.
FLAG_REASONS = ("off topic", "wrong or outdated", "duplicate", "broken or empty", "offensive or unsafe", "other")
MOST_REASONS, LONGEST_REASON = 20, 100


@dataclass(frozen=True, slots=True)
class Project:
    """One body of judging. A change is another revision; none is overwritten.

    wanted     how many judges each pair should have
    selection  what is judged next, as text: `depth_pool(depth=10)`
    gold       share of the questions, 0 to 1, whose answer is known and watches over quality
    pipelines  a benchmark configuration whose modes answer typed queries; empty for none
    closed     the round is over: nobody judges any more, and judges may see one another's work
    flags      why a result may be flagged, in the project's own words; empty for the usual ones
    suggests   the model judge whose grades people see before they grade; empty for none
    unseen     with `suggests`, the share of pairs, drawn by their ids, that show none: what calibration is measured on
    """

    slug: str
    name: str
    scale: Scale = field(default_factory=lambda: SCALES["graded"])
    guidelines: str = ""
    template: Template = Template()
    wanted: int = 1
    selection: str = "depth_pool(depth=10)"
    gold: float = 0.0
    pipelines: str = ""
    closed: bool = False
    flags: tuple[str, ...] = ()
    suggests: str = ""
    unseen: float = 0.2

    def __post_init__(self) -> None:
        if not self.slug or not all(c.isascii() and (c.isalnum() or c in "-_") for c in self.slug):
            raise UsageError(f"A project is named by letters, digits, - and _ ; got {self.slug!r}.")
        if self.wanted < 1:
            raise UsageError(f"Each pair needs one judge or more; got {self.wanted}.")
        if not 0 <= self.gold <= 1:
            raise UsageError(f"The share of gold questions is from 0 to 1; got {self.gold}.")
        if not 0 < self.unseen <= 1:
            raise UsageError(
                f"The share of pairs without suggestions is above 0, and 1 at most; got {self.unseen}. Without such "
                "pairs nothing tells how far the model can be trusted."
            )
        if len(set(self.flags)) < len(self.flags) or len(self.flags) > MOST_REASONS:
            raise UsageError(f"A project has {MOST_REASONS} reasons for flags at most, each once.")
        for reason in self.flags:
            if not reason.strip() or len(reason) > LONGEST_REASON:
                raise UsageError(f"A reason for a flag has 1 to {LONGEST_REASON} characters; got {reason[:40]!r}.")

    @property
    def flag_reasons(self) -> tuple[str, ...]:
        """Why a result may be flagged: the project's own reasons, else the usual ones."""
        return self.flags or FLAG_REASONS

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**asdict(replace(self, scale=SCALES["graded"])), "scale": self.scale.to_dict()}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Project:
        """From what `to_dict` gave."""
        shown = dict(document["template"])
        several = {name: tuple(shown[name]) for name in ("texts", "image_hosts") if name in shown}
        template = Template(**{**shown, **several})
        flags = tuple(document.get("flags", ()))
        scale = Scale.from_dict(document["scale"])
        return cls(**{**document, "scale": scale, "template": template, "flags": flags})


Role = Literal["viewer", "judge", "reviewer", "admin"]
ROLES: tuple[Role, ...] = ("viewer", "judge", "reviewer", "admin")
# Plain, so that nobody can pass for somebody else by a look-alike.
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
NAMES = "1 to 64 letters from a to z, digits and . _ @ + - , beginning with a letter or a digit"


def is_name(text: str) -> bool:
    """Whether an account may be called so; `NAMES` says what is possible."""
    return _NAME.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may sign in. The name stands beside everything they say.

    role  in a project, where the account is looked at in one; else of the account itself: "admin" rules the server
          and every project, and anything else sees what its memberships open
    """

    name: str
    role: Role
    active: bool = True

    def may(self, role: Role) -> bool:
        """Whether this account may do what `role` may."""
        return self.active and ROLES.index(self.role) >= ROLES.index(role)


@dataclass(frozen=True, slots=True)
class Membership:
    """What an account is in a project, and who made it so."""

    account: str
    project: str
    role: Role
    by: str = ""
    time: str = ""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A pair that a selection proposed. The newest word about a pair and a judge holds.

    judge      the judge it is assigned to; empty where anybody may take it
    place      where it stands in the order of asking, from 1
    weight     how much the selection expects of it, in the selection's own terms
    selection  the selection that proposed it, as text
    withdrawn  it was taken back
    """

    query_id: str
    doc_id: str
    place: int
    judge: str = ""
    weight: float = 0.0
    selection: str = ""
    time: str = ""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A pair whose grade is known, to watch over judges. The newest word about a pair holds."""

    query_id: str
    doc_id: str
    grade: int
    time: str = ""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """An answer that is no grade, or none at all. `key` names it: the same key sent twice is one failure.

    kind   a word that counts: "unreadable answer", "refused", "timeout", "cut off", ...
    text   the answer as it came; the error's message where there was none
    """

    key: str
    judge: str
    query_id: str
    doc_id: str
    kind: str
    text: str
    time: str = ""
