"""Adjudicate: judgments to qrels by one method, reproducibly; summaries and gold pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import sha256

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.adjudications.contract import given_alone
from rankproof.judging.records import GoldAnswer, Judgment, JudgmentSource, Scale
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.specs.calls import Configured, read_configured
from rankproof.reading.collect import read_qrels
from rankproof.reading.records import Qrels


@dataclass(frozen=True, slots=True)
class SettledPair:
    """A document for a query: its grade, or None where it is unresolved; how; and the grades that judges gave alone."""

    query_id: str
    doc_id: str
    grade: int | None
    how: str
    votes: tuple[tuple[str, int], ...]

    @property
    def agreed(self) -> bool:
        """Whether all judges who graded it gave the same grade."""
        return len({grade for _, grade in self.votes}) <= 1

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "query_id": self.query_id,
            "doc_id": self.doc_id,
            "grade": self.grade,
            "how": self.how,
            "votes": dict(self.votes),
        }


@dataclass(frozen=True)
class Adjudicated:
    """What became of the judgments that hold. The same acts, in the store's order, and the same method give the same.

    method      the adjudication, as text
    sources     whose judgments counted: person, model, clicks
    acts        SHA-256 of the acts that counted
    n_acts      how many they were
    set_aside   judgments that are no grade, by reason; grades that the scale does not have; and words that settle,
                where the method does not count them
    left_out    judgments of other sources, by source
    pairs       every pair with a grade from somebody, by query and document
    qrels       the settled grades
    """

    method: str
    sources: tuple[str, ...]
    acts: str
    n_acts: int
    set_aside: dict[str, int]
    left_out: dict[str, int]
    pairs: tuple[SettledPair, ...]
    qrels: Qrels

    @cached_property
    def unresolved(self) -> tuple[SettledPair, ...]:
        """Pairs with grades but without one that holds."""
        return tuple(pair for pair in self.pairs if pair.grade is None)

    @cached_property
    def settled_how(self) -> dict[str, int]:
        """How many pairs were settled, or not, in which way; the most common first."""
        counts = Counter(pair.how for pair in self.pairs)
        return dict(sorted(counts.items(), key=lambda one: (-one[1], one[0])))

    @cached_property
    def agreement(self) -> dict[str, int]:
        """Pairs by how many judges graded them and whether they agreed."""
        several = [pair for pair in self.pairs if len(pair.votes) > 1]
        return {
            "pairs": len(self.pairs),
            "one_judge": sum(len(pair.votes) == 1 for pair in self.pairs),
            "several_judges": len(several),
            "agreed": sum(pair.agreed for pair in several),
            "disagreed": sum(not pair.agreed for pair in several),
        }

    def to_dict(self) -> dict[str, object]:
        """For JSON, without the pairs that everybody agreed on."""
        return {
            "method": self.method,
            "sources": list(self.sources),
            "acts": {"sha256": self.acts, "count": self.n_acts},
            "set_aside": self.set_aside,
            "left_out": self.left_out,
            "agreement": self.agreement,
            "settled_how": self.settled_how,
            "qrels": {
                "sha256": self.qrels.content_hash,
                "queries": len(self.qrels),
                "pairs": len(self.qrels.rows),
                "grades": {str(grade): count for grade, count in self.qrels.grades.items()},
            },
            "disagreements": [pair.to_dict() for pair in self.pairs if not pair.agreed and pair.grade is not None],
            "unresolved": [pair.to_dict() for pair in self.unresolved],
        }


SOURCES = ("person", "model", "clicks")
OUTSIDE = "outside the scale"
SETTLES = "settling"
_NAMES = tuple(field.name for field in fields(Judgment))
_SOURCE = tuple(field.name for field in fields(JudgmentSource))

# Who settled a disagreement decides it, and the majority elsewhere; the same for commands, pages and programs.
DEFAULT = "settled"


def adjudicate(
    judgments: Iterable[Judgment],
    scale: Scale,
    method: str = DEFAULT,
    *,
    sources: Collection[str] = ("person",),
    name: str = "adjudicated",
) -> Adjudicated:
    """The qrels that judgments settle to. `judgments` are those that hold, in the order of the store.

    For a pair each judge has one judgment at most, and one word at most that settles it. Which of them is the last is
    decided by the order of the store and by nothing else: not by a time, which an import may bring along.

    method    an item of the adjudications shelf with its choices, such as "majority" or "trusted(judges=['ann'])"
    sources   whose judgments count: person, model, clicks
    """
    for source in sources:
        if source not in SOURCES:
            raise UnknownName("source", source, SOURCES)
    if not sources:
        raise UsageError(f"No source of judgments is asked for. Name one or more of: {', '.join(SOURCES)}.")
    configured = read_configured("adjudications", method)
    every = _in_order(judgments, configured.item.by_order)
    counted = [act for act in every if act.source.kind in sources]
    left_out = Counter(act.source.kind for act in every if act.source.kind not in sources)
    why = [_set_aside(act, scale, configured) for act in counted]
    set_aside = Counter(why)
    del set_aside[""]
    pairs = _pairs([act for act, reason in zip(counted, why, strict=True) if not reason], scale, configured)
    digest = _hash(counted)
    counted_sources = tuple(source for source in SOURCES if source in sources)
    note = f"method {configured}, from {len(counted):,} acts of {' and '.join(counted_sources)}, SHA-256 {digest}"
    return Adjudicated(
        configured.text, counted_sources, digest, len(counted),
        dict(sorted(set_aside.items())), dict(sorted(left_out.items())), pairs, _qrels(pairs, name, note),
    )  # fmt: skip


def acts_hash(acts: Iterable[Judgment]) -> str:
    """SHA-256 of acts: of their JSON lines by query, document and judge; words that settle come last, as given."""
    return _hash(_in_order(acts))


def _hash(ordered: Iterable[Judgment]) -> str:
    digest = sha256(b"rankproof acts 1\n")
    for act in ordered:
        digest.update(to_json(_fields(act)).encode() + b"\n")
    return digest.hexdigest()


def _fields(act: Judgment) -> dict[str, object]:
    """The act as `dataclasses.asdict` gives it, many times as fast."""
    return {name: getattr(act, name) for name in _NAMES} | {"source": {n: getattr(act.source, n) for n in _SOURCE}}


def _in_order(acts: Iterable[Judgment], by_order: bool = False) -> list[Judgment]:
    """By query and document. Of a pair, what judges gave alone by judge and then what settles it, in its own order;

    `by_order`: everything about a pair as it was given, since the last of it counts.
    """
    if by_order:
        return sorted(acts, key=lambda act: (act.query_id, act.doc_id))
    return sorted(
        acts,
        key=lambda act: (act.query_id, act.doc_id, *((True,) if act.settles else (False, act.judge, act.key))),
    )


def _set_aside(act: Judgment, scale: Scale, configured: Configured) -> str:
    """Why an act does not count as a grade; empty where it does."""
    if act.reason == "withdrawn":
        raise ValueError(f"the act {act.key} is a withdrawal: give the judgments that hold, not their history")
    if act.settles and not configured.item.settlings:
        return SETTLES
    return act.reason if act.grade is None else "" if act.grade in scale.grades else OUTSIDE


def _pairs(graded: Sequence[Judgment], scale: Scale, configured: Configured) -> tuple[SettledPair, ...]:
    by_pair: defaultdict[tuple[str, str], list[Judgment]] = defaultdict(list)
    for act in graded:
        by_pair[act.query_id, act.doc_id].append(act)
    return tuple(_settled_pair(votes, scale, configured) for votes in by_pair.values())


def _settled_pair(votes: Sequence[Judgment], scale: Scale, configured: Configured) -> SettledPair:
    query_id, doc_id = votes[0].query_id, votes[0].doc_id
    if len({(vote.judge, vote.settles) for vote in votes}) < len(votes):
        raise ValueError(f"a judge has two judgments of {doc_id!r} for {query_id!r}: give those that hold")
    settled = configured.item.settle(votes, scale, configured.values)
    grades = tuple((vote.judge, vote.grade) for vote in given_alone(votes) if vote.grade is not None)
    return SettledPair(query_id, doc_id, settled.grade, settled.how, grades)


def settle_pair(
    acts: Iterable[Judgment], scale: Scale, configured: Configured, sources: Collection[str]
) -> SettledPair | None:
    """What `adjudicate` makes of one pair; None where nobody whose judgment counts has graded it."""
    ordered = _in_order((act for act in acts if act.source.kind in sources), configured.item.by_order)
    votes = [act for act in ordered if not _set_aside(act, scale, configured)]
    return _settled_pair(votes, scale, configured) if votes else None


def _qrels(pairs: Iterable[SettledPair], name: str, note: str) -> Qrels:
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for pair in pairs:
        if pair.grade is not None:
            grades[pair.query_id][pair.doc_id] = pair.grade
    return settled_qrels(grades, name, note)


def settled_qrels(grades: Mapping[str, Mapping[str, int]], name: str, note: str = "") -> Qrels:
    """Qrels of settled grades, by query and document."""
    # No judgments are no error here: the caller gets an empty result.
    read = read_qrels(dict(grades), name=name, allow=("empty_qrels", "no_relevant_document", "negative_grade"))
    return replace(read, notes=(note,) if note else ())


@dataclass(frozen=True, slots=True)
class JudgeCounts:
    """The judgments of one judge. `grades` counts by grade; `last` is when they judged last."""

    judge: str
    source: str
    grades: dict[int, int]
    cannot_tell: int
    later: int
    last: str

    @property
    def judged(self) -> int:
        """Pairs with a grade."""
        return sum(self.grades.values())

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "judge": self.judge,
            "source": self.source,
            "judged": self.judged,
            "grades": {str(grade): count for grade, count in self.grades.items()},
            "cannot_tell": self.cannot_tell,
            "later": self.later,
            "last": self.last,
        }


@dataclass(frozen=True, slots=True)
class SplitPair:
    """A document on which judges disagree, and who gave which grade."""

    query_id: str
    doc_id: str
    votes: tuple[tuple[str, int], ...]

    @property
    def spread(self) -> int:
        """From the least grade to the greatest."""
        grades = [grade for _, grade in self.votes]
        return max(grades) - min(grades)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"query_id": self.query_id, "doc_id": self.doc_id, "votes": dict(self.votes)}


@dataclass(frozen=True, slots=True)
class JudgingSummary:
    """What judgments say together.

    pairs      pairs with a grade from anybody
    several    pairs with grades from two judges or more
    split      those of them on which grades differ, the widest apart first
    """

    judges: tuple[JudgeCounts, ...]
    pairs: int
    several: int
    split: tuple[SplitPair, ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "judges": [judge.to_dict() for judge in self.judges],
            "pairs": self.pairs,
            "several_judges": self.several,
            "agreed": self.several - len(self.split),
            "disagreements": [pair.to_dict() for pair in self.split],
        }


def summarize(judgments: Iterable[Judgment]) -> JudgingSummary:
    """What judges say together, each alone. `judgments` are those that hold; words that settle are left out."""
    acts = sorted((act for act in judgments if not act.settles), key=lambda act: (act.query_id, act.doc_id, act.judge))
    by_judge: defaultdict[tuple[str, str], list[Judgment]] = defaultdict(list)
    by_pair: defaultdict[tuple[str, str], dict[str, int]] = defaultdict(dict)
    for act in acts:
        by_judge[act.source.kind, act.judge].append(act)
        if act.grade is not None:
            by_pair[act.query_id, act.doc_id][act.judge] = act.grade
    several = {pair: votes for pair, votes in by_pair.items() if len(votes) > 1}
    split = [SplitPair(*pair, tuple(votes.items())) for pair, votes in several.items() if len(set(votes.values())) > 1]
    # The widest disagreement first: that is where somebody has misunderstood something.
    split.sort(key=lambda pair: -pair.spread)
    counted = [_counts(judge, source, own) for (source, judge), own in by_judge.items()]
    counted.sort(key=lambda one: (("person", "model", "clicks").index(one.source), -one.judged, one.judge))
    return JudgingSummary(tuple(counted), len(by_pair), len(several), tuple(split))


def _counts(judge: str, source: str, acts: list[Judgment]) -> JudgeCounts:
    grades = Counter(act.grade for act in acts if act.grade is not None)
    reasons = Counter(act.reason for act in acts if act.grade is None)
    return JudgeCounts(
        judge, source, dict(sorted(grades.items())), reasons["cannot_tell"], reasons["later"],
        max(act.time for act in acts),
    )  # fmt: skip


# So many judges must have given the same grade.
FEWEST = 3


def golden(settled: Adjudicated, known: Collection[tuple[str, str]], fewest: int = FEWEST) -> list[GoldAnswer]:
    """The pairs that `fewest` judges or more graded and all of them alike, without those that are `known` already."""
    return [
        GoldAnswer(pair.query_id, pair.doc_id, pair.grade)
        for pair in settled.pairs
        if pair.grade is not None
        and pair.agreed
        and len(pair.votes) >= fewest
        and (pair.query_id, pair.doc_id) not in known
    ]
