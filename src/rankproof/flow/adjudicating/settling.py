"""Settling: each pair by itself, from what its judges said; what is no grade never becomes one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, replace
from hashlib import sha256
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.flow.calls import Call, read_call
from rankproof.flow.collect import read_qrels
from rankproof.records.adjudication import Adjudicated, SettledPair
from rankproof.records.jsontext import to_json
from rankproof.records.judging import Judgment, Source
from rankproof.records.qrels import Qrels
from rankproof.records.scale import Scale

SOURCES = ("person", "model", "clicks")
OUTSIDE = "outside the scale"
_NAMES = tuple(field.name for field in fields(Judgment))
_SOURCE = tuple(field.name for field in fields(Source))

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
    """The qrels that judgments settle to. `judgments` are those that hold: one of each judge for a pair at most.

    method    an item of the adjudications shelf with its choices, such as "majority" or "trusted(judges=['ann'])"
    sources   whose judgments count: person, model, clicks
    """
    for source in sources:
        if source not in SOURCES:
            raise UnknownName("source", source, SOURCES)
    if not sources:
        raise UsageError(f"No source of judgments is asked for. Name one or more of: {', '.join(SOURCES)}.")
    asked = read_call("adjudications", method)
    every = _in_order(judgments)
    counted = [act for act in every if act.source.kind in sources]
    left_out = Counter(act.source.kind for act in every if act.source.kind not in sources)
    set_aside = Counter(_no_grade(act, scale) for act in counted)
    del set_aside[""]
    pairs = _pairs([act for act in counted if not _no_grade(act, scale)], scale, asked)
    digest = acts_hash(counted)
    kept = tuple(source for source in SOURCES if source in sources)
    note = f"method {asked}, from {len(counted):,} acts of {' and '.join(kept)}, SHA-256 {digest}"
    return Adjudicated(
        asked.text, kept, digest, len(counted), dict(sorted(set_aside.items())), dict(sorted(left_out.items())),
        pairs, _qrels(pairs, name, note),
    )  # fmt: skip


def acts_hash(acts: Iterable[Judgment]) -> str:
    """SHA-256 of acts, whichever way they come: of their JSON lines by query, document and judge."""
    digest = sha256(b"rankproof acts 1\n")
    for act in _in_order(acts):
        digest.update(to_json(_fields(act)).encode() + b"\n")
    return digest.hexdigest()


def _fields(act: Judgment) -> dict[str, Any]:
    """The act as `dataclasses.asdict` gives it, many times as fast."""
    return {name: getattr(act, name) for name in _NAMES} | {"source": {n: getattr(act.source, n) for n in _SOURCE}}


def _in_order(acts: Iterable[Judgment]) -> list[Judgment]:
    return sorted(acts, key=lambda act: (act.query_id, act.doc_id, act.judge, act.key))


def _no_grade(act: Judgment, scale: Scale) -> str:
    """Why an act does not count as a grade; empty where it does."""
    if act.reason == "withdrawn":
        raise ValueError(f"the act {act.key} is a withdrawal: give the judgments that hold, not their history")
    return act.reason if act.grade is None else "" if act.grade in scale.grades else OUTSIDE


def _pairs(graded: Sequence[Judgment], scale: Scale, asked: Call) -> tuple[SettledPair, ...]:
    by_pair: defaultdict[tuple[str, str], list[Judgment]] = defaultdict(list)
    for act in graded:
        by_pair[act.query_id, act.doc_id].append(act)
    found: list[SettledPair] = []
    for (query_id, doc_id), votes in by_pair.items():
        if len({vote.judge for vote in votes}) < len(votes):
            raise ValueError(f"a judge has two judgments of {doc_id!r} for {query_id!r}: give those that hold")
        settled = asked.item.settle(votes, scale, asked.values)
        said = tuple((vote.judge, vote.grade) for vote in votes if vote.grade is not None)
        found.append(SettledPair(query_id, doc_id, settled.grade, settled.how, said))
    return tuple(found)


def _qrels(pairs: Iterable[SettledPair], name: str, note: str) -> Qrels:
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for pair in pairs:
        if pair.grade is not None:
            grades[pair.query_id][pair.doc_id] = pair.grade
    # No judgments are no fault here: whoever asks is told that nothing is settled yet.
    read = read_qrels(dict(grades), name=name, allow=("empty_qrels", "no_relevant_document", "negative_grade"))
    return replace(read, notes=(note,))
