"""Explore: runs of a project on its judgments, from a value to its queries to the documents behind it.

Taken are evaluation-report/1 (evaluate --save), evaluation/1 (evaluate --json), comparison/1 (compare --json) and
verdict/1 (gate --json). Only what is shown is read; everything else stays in the document.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from rankproof.errors import InputError, RankproofError
from rankproof.kernel.jsontext import from_json
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import join_run, prepare_qrels
from rankproof.measuring.records import Evaluation, Settings
from rankproof.proving.compare import compare_evaluations
from rankproof.proving.movement import documents_moved
from rankproof.proving.records import Comparison
from rankproof.reading.records import Qrels

Kind = Literal["evaluation", "comparison", "verdict"]
KINDS: Mapping[str, Kind] = {
    "evaluation-report/1": "evaluation",
    "evaluation/1": "evaluation",
    "comparison/1": "comparison",
    "verdict/1": "verdict",
}


class StoredMeasure(msgspec.Struct, frozen=True):
    """A measure of a run: its value, its target where it has one, and each query's value where they were stored."""

    value: float | None = None
    whole: bool = False
    better: str = "higher"
    by_query: dict[str, float | str | None] = {}
    target: float | None = None
    passed: bool | None = None


class StoredEvaluation(msgspec.Struct, frozen=True):
    """A run and its measures."""

    run: str
    measures: dict[str, StoredMeasure]


class StoredAnswer(msgspec.Struct, frozen=True):
    """A difference with its interval, or the reason why there is none."""

    estimable: bool
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    p_value: float | None = None
    reason: str = ""


class StoredContrast(msgspec.Struct, frozen=True):
    """Two runs in a measure."""

    measure: str
    baseline: str
    candidate: str
    difference: StoredAnswer
    segment: str | None = None
    baseline_mean: float | None = None
    candidate_mean: float | None = None
    queries: int = 0
    wins: int = 0
    ties: int = 0
    losses: int = 0
    direction: str = ""
    by_query: dict[str, float | None] = {}


class StoredComparison(msgspec.Struct, frozen=True):
    """Runs against a baseline."""

    systems: list[str]
    contrasts: list[StoredContrast]
    evaluations: list[StoredEvaluation] = []


class StoredPayer(msgspec.Struct, frozen=True):
    """A query that pays for a ruling."""

    query_id: str
    text: str = ""
    value: float | None = None
    before: float | None = None
    difference: float | None = None


class StoredRuling(msgspec.Struct, frozen=True):
    """The ruling of one rule."""

    title: str
    status: str
    reason: str
    decides: str | None = None
    payers: list[StoredPayer] = []


class StoredPolicy(msgspec.Struct, frozen=True):
    """The policy that ruled."""

    name: str


class StoredVerdict(msgspec.Struct, frozen=True):
    """Whether a candidate may ship, and why."""

    status: str
    policy: StoredPolicy
    candidate: str
    rulings: list[StoredRuling]
    baseline: str | None = None
    reasons: list[str] = []
    evaluation: StoredEvaluation | None = None
    comparison: StoredComparison | None = None


class StoredReport(msgspec.Struct, frozen=True):
    """What a document holds, by its kind; the parts that it does not have are empty."""

    kind: Kind
    name: str
    evaluations: tuple[StoredEvaluation, ...] = ()
    comparison: StoredComparison | None = None
    verdict: StoredVerdict | None = None


class _Evaluations(msgspec.Struct, frozen=True):
    evaluations: list[StoredEvaluation]


def read_report(document: object, source: str = "the document") -> StoredReport:
    """What is shown of a document; refused where it is none of those that are taken."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    kind = KINDS.get(schema) if isinstance(schema, str) else None
    if kind is None:
        raise InputError(
            f"{source} is no report that can be shown (schema {schema!r:.80}). Give what one of these writes: "
            "rankproof evaluate --save, evaluate --json, compare --json, gate --json."
        )
    try:
        return _read(kind, str(schema), document)
    except msgspec.ValidationError as error:
        raise InputError(f"{source} is no whole {schema} document: {error}. Write it again.") from None


def parse_report(text: str, source: str) -> tuple[dict[str, object], StoredReport]:
    """The document in a text, and what is shown of it."""
    document = from_json(text, source)
    return document, read_report(document, source)


def _read(kind: Kind, schema: str, document: object) -> StoredReport:
    if kind == "verdict":
        verdict = msgspec.convert(document, StoredVerdict)
        return StoredReport(kind, f"{verdict.policy.name}: {verdict.candidate}", verdict=verdict)
    if kind == "comparison":
        comparison = msgspec.convert(document, StoredComparison)
        against = ", ".join(comparison.systems[1:])
        name = f"{against} against {comparison.systems[0]}" if comparison.systems else "comparison"
        return StoredReport(kind, name, tuple(comparison.evaluations), comparison)
    if schema == "evaluation/1":
        evaluations = tuple(msgspec.convert(document, _Evaluations).evaluations)
    else:
        evaluations = (msgspec.convert(document, StoredEvaluation),)
    return StoredReport(kind, ", ".join(one.run for one in evaluations), evaluations)


Moved = Literal["", "entered", "rose", "fell"]


@dataclass(frozen=True, slots=True)
class PlacedDocument:
    """A document in a ranking.

    grade   as settled; None where it is unjudged or unresolved
    moved   against the other run, within the depth shown; `before` is its rank there
    """

    rank: int
    doc_id: str
    grade: int | None
    moved: Moved = ""
    before: int | None = None


@dataclass(frozen=True, slots=True)
class PlacedRanking:
    """One run's ranking of a query, as deep as is shown. `left` are documents that the other run shows and this not."""

    run: str
    places: tuple[PlacedDocument, ...]
    length: int
    left: tuple[PlacedDocument, ...] = ()


def placed(
    rankings: Mapping[str, Sequence[str]], grades: Mapping[str, int], depth: int, against: str = ""
) -> list[PlacedRanking]:
    """The rankings in the order given; moves are relative to the run `against`, where there is one."""
    other = rankings.get(against)
    ranked = []
    for run, docs in rankings.items():
        if other is None or run == against:
            ranked.append(PlacedRanking(run, _places(docs[:depth], grades, {}), len(docs)))
            continue
        entered, left, rose, fell = documents_moved(other[:depth], docs[:depth], grades)
        how: dict[str, tuple[Moved, int | None]] = {}
        for word, moves in (("entered", entered), ("rose", rose), ("fell", fell)):
            how.update({move.doc_id: (_word(word), move.before) for move in moves})
        gone = tuple(PlacedDocument(move.before or 0, move.doc_id, move.grade) for move in left)
        ranked.append(PlacedRanking(run, _places(docs[:depth], grades, how), len(docs), gone))
    return ranked


def _word(word: str) -> Moved:
    return "entered" if word == "entered" else "rose" if word == "rose" else "fell"


def _places(
    docs: Sequence[str], grades: Mapping[str, int], how: Mapping[str, tuple[Moved, int | None]]
) -> tuple[PlacedDocument, ...]:
    return tuple(
        PlacedDocument(rank, doc, grades.get(doc), *how.get(doc, ("", None))) for rank, doc in enumerate(docs, 1)
    )


Rankings = Mapping[str, Sequence[str]]  # of one run: query -> documents, best first
# Judgments come one by one: a beginning without a relevant document is no fault.
ALLOWED = ("no_relevant_document", "negative_grade")


@dataclass(frozen=True, slots=True)
class RunsMeasured:
    """The runs that could be measured, in the order given, and why others could not.

    measures   their canonical texts; empty where nothing is settled yet
    """

    measures: tuple[str, ...] = ()
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def standing(runs: Mapping[str, Rankings], qrels: Qrels, measures: str, relevant: int = 1) -> RunsMeasured:
    """Every run in every measure. `relevant` is the least grade that counts as relevant."""
    variants = parse(measures)
    if not qrels.rows:
        return RunsMeasured(tuple(variant.text for variant in variants))
    settings = Settings(level=relevant if relevant != 1 else None)
    judged = prepare_qrels(qrels, None, ALLOWED)
    evaluations: dict[str, Evaluation] = {}
    left_out: dict[str, str] = {}
    for name, rankings in runs.items():
        try:
            ranked = {query: list(docs) for query, docs in rankings.items()}
            evaluations[name] = measure_run(join_run(judged, ranked, allow=ALLOWED, name=name), variants, settings)
        except RankproofError as error:
            left_out[name] = str(error)
    return RunsMeasured(tuple(variant.text for variant in variants), evaluations, left_out)


def compared(at: RunsMeasured, baseline: str, candidate: str, measure: str) -> Comparison | None:
    """One run against another in one measure; None where one of them has no value of it that is a number."""
    first, second = at.evaluations.get(baseline), at.evaluations.get(candidate)
    if first is None or second is None or baseline == candidate:
        return None
    return _compared((first, second), measure)


def _compared(both: tuple[Evaluation, Evaluation], measure: str) -> Comparison | None:
    from dataclasses import replace

    if any(measure not in one.results or one.results[measure].labels is not None for one in both):
        return None
    return compare_evaluations([replace(one, results={measure: one.results[measure]}) for one in both])


@dataclass(frozen=True, slots=True)
class QueryRow:
    """One query: its value under every run, None where it has none; and the difference of two of them."""

    query_id: str
    values: tuple[float | None, ...]
    difference: float | None


def query_rows(
    values: Sequence[Mapping[str, float | None]], differences: Mapping[str, float], sort: str = ""
) -> list[QueryRow]:
    """The values of each query under several runs, each run's given by query.

    sort   "query"; "difference"; the place of a run from 0; with - in front the greatest first. Without it, the
           greatest change first where there are differences, else the least value of the first run
    """
    ids = dict.fromkeys(query for one in values for query in one)
    rows = [
        QueryRow(query, tuple(_real(one.get(query)) for one in values), _real(differences.get(query))) for query in ids
    ]
    down, name = sort.startswith("-"), sort.removeprefix("-")
    if not name:
        name, rows = ("", sorted(rows, key=lambda row: -abs(row.difference or 0.0))) if differences else ("0", rows)
    if name == "query":
        return sorted(rows, key=lambda row: row.query_id, reverse=down)
    if name == "difference":
        return _sorted(rows, [row.difference for row in rows], down)
    if name.isascii() and name.isdigit() and int(name) < len(values):
        return _sorted(rows, [row.values[int(name)] for row in rows], down)
    return rows


def _sorted(rows: list[QueryRow], by: Sequence[float | None], down: bool) -> list[QueryRow]:
    """By a number; rows without one come last, whichever way."""
    sign = -1.0 if down else 1.0
    keyed = sorted(zip(by, rows, strict=True), key=lambda one: (one[0] is None, sign * (one[0] or 0.0)))
    return [row for _, row in keyed]


def _real(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)
