"""Standing: where the runs of a project stand on the grades that its judgments settle to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rankproof.errors import RankproofError
from rankproof.flow.compare import compare_evaluations
from rankproof.flow.joining import join_run, prepare_qrels
from rankproof.flow.measuring import measure_run
from rankproof.measures._text import parse
from rankproof.records.adjudication import Adjudicated
from rankproof.records.comparison import Comparison
from rankproof.records.evaluation import Evaluation
from rankproof.records.settings import Settings

Rankings = Mapping[str, Sequence[str]]  # of one run: query -> documents, best first
# Judgments come one by one: a beginning without a relevant document is no fault.
ALLOWED = ("no_relevant_document", "negative_grade")


@dataclass(frozen=True, slots=True)
class Standing:
    """The runs that could be measured, in the order given, and why others could not.

    measures   their canonical texts; empty where nothing is settled yet
    """

    measures: tuple[str, ...] = ()
    evaluations: dict[str, Evaluation] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def standing(runs: Mapping[str, Rankings], settled: Adjudicated, measures: str, relevant: int = 1) -> Standing:
    """Every run in every measure. `relevant` is the least grade that counts as relevant."""
    variants = parse(measures)
    if not settled.qrels.rows:
        return Standing(tuple(variant.text for variant in variants))
    settings = Settings(level=relevant if relevant != 1 else None)
    judged = prepare_qrels(settled.qrels, None, ALLOWED)
    found: dict[str, Evaluation] = {}
    left_out: dict[str, str] = {}
    for name, rankings in runs.items():
        try:
            ranked = {query: list(docs) for query, docs in rankings.items()}
            found[name] = measure_run(join_run(judged, ranked, allow=ALLOWED, name=name), variants, settings)
        except RankproofError as error:
            left_out[name] = str(error)
    return Standing(tuple(variant.text for variant in variants), found, left_out)


def compared(at: Standing, baseline: str, candidate: str, measure: str) -> Comparison | None:
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
