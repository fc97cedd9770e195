"""Movement: rankings side by side, which queries and documents moved, and which moves a measure does not show."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.later import Later
from rankproof.measuring.dialects.contract import Dialect
from rankproof.measuring.evaluate import apply_reading, measure_run
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedQrels, PreparedRun
from rankproof.measuring.records import Evaluation, Settings
from rankproof.measuring.run_sources import comparable, listed
from rankproof.proving.movement_records import BlindSpot, DocMove, QueryMove
from rankproof.proving.records import Contrast

# How deep to look where a measure has no cutoff: what a person sees on a first page.
USUAL_DEPTH = 10


def moves(
    contrasts: Sequence[Contrast],
    variants: Sequence[Variant],
    runs: Mapping[str, PreparedRun],
    topics: Mapping[str, str],
    most: int,
    values: Mapping[tuple[str, str], Mapping[str, float]],
) -> tuple[QueryMove, ...]:
    """For each contrast the `most` worst and the `most` best queries, worst first.

    `values` gives by (measure, system) each query's value.
    """
    depths = {variant.text: _depth(variant) for variant in variants}
    deepest = max(depths.values(), default=USUAL_DEPTH)
    extremes = [_extremes(contrast, most) for contrast in contrasts]
    moved = {query for extreme in extremes for query, _ in extreme}
    lists = {name: listed(run, deepest, queries=moved) for name, run in runs.items()}
    grades = _Grades(next(iter(runs.values())).qrels)
    query_moves = []
    for contrast, chosen in zip(contrasts, extremes, strict=True):
        depth = depths.get(contrast.measure, USUAL_DEPTH)
        before, after = lists[contrast.baseline], lists[contrast.candidate]
        for query, difference in chosen:
            documents = documents_moved(before.get(query, [])[:depth], after.get(query, [])[:depth], grades.of(query))
            query_moves.append(
                QueryMove(
                    contrast.measure,
                    contrast.candidate,
                    query,
                    topics.get(query, ""),
                    values[contrast.measure, contrast.baseline][query],
                    values[contrast.measure, contrast.candidate][query],
                    difference,
                    depth,
                    *documents,
                )
            )
    return tuple(query_moves)


def _depth(variant: Variant) -> int:
    takes_rank = variant.measure.cutoff in ("optional", "required")
    return variant.k if takes_rank and variant.k is not None else USUAL_DEPTH


def _extremes(contrast: Contrast, most: int) -> list[tuple[str, float]]:
    """The worst first, then the best, worst of them first; queries that did not change are in neither."""
    sign = -1.0 if contrast.better == "lower" else 1.0
    turn = np.argsort(sign * contrast.by_query, kind="stable").tolist()
    worst = [i for i in turn if sign * contrast.by_query[i] < 0][:most]
    best = [i for i in turn if sign * contrast.by_query[i] > 0][-most:] if most else []
    return [(contrast.query_ids[i], float(contrast.by_query[i])) for i in (*worst, *best)]


def documents_moved(
    before: Sequence[str], after: Sequence[str], grades: Mapping[str, int]
) -> tuple[tuple[DocMove, ...], tuple[DocMove, ...], tuple[DocMove, ...], tuple[DocMove, ...]]:
    """What entered, left, rose and fell, each in the order of the ranking where it stands."""
    was = {doc: rank for rank, doc in enumerate(before, 1)}
    now = {doc: rank for rank, doc in enumerate(after, 1)}
    every = [DocMove(doc, was.get(doc), rank, grades.get(doc)) for doc, rank in now.items()]
    return (
        tuple(m for m in every if m.before is None),
        tuple(DocMove(doc, rank, None, grades.get(doc)) for doc, rank in was.items() if doc not in now),
        tuple(m for m in every if m.before is not None and m.after is not None and m.after < m.before),
        tuple(m for m in every if m.before is not None and m.after is not None and m.after > m.before),
    )


class _Grades:
    """The grades of a query's documents by id, read when first needed."""

    def __init__(self, qrels: PreparedQrels) -> None:
        self._qrels = qrels
        self._place = {query: i for i, query in enumerate(qrels.pool.query_ids)}
        self._by_query: dict[str, dict[str, int]] = {}

    def of(self, query: str) -> Mapping[str, int]:
        """{doc_id: grade} of one query."""
        if query not in self._by_query:
            pool, at = self._qrels.pool, self._place[query]
            span = range(int(pool.start[at]), int(pool.start[at + 1]))
            self._by_query[query] = {self._qrels.judgments.doc_id(i): int(pool.grade[i]) for i in span}
        return self._by_query[query]


# ---- the first documents of every query ----------------------------------------------------------

# A page shows as many documents of a ranking as the first measure looks at, within these bounds.
LEAST_DEPTH = 10
MOST_DEPTH = 20
# By documents' ids their titles, as far as there are any: `Corpus.titles` is one.
TitlesOf = Callable[[Collection[str]], Mapping[str, str]]


@dataclass(frozen=True, slots=True, eq=False)
class Rankings:
    """The first `depth` documents by system and query, in the order that was measured.

    grades   by query the grade of each judged document; one that is not there is unjudged
    titles   by document, where a corpus is known
    """

    depth: int
    by_system: Mapping[str, Mapping[str, Sequence[str]]]
    grades: Mapping[str, Mapping[str, int]]
    titles: Mapping[str, str] = field(default_factory=dict)

    def documents(self) -> dict[str, None]:
        """Every document that stands in one of them, in the order of systems, queries and ranks."""
        rankings = (docs for by_query in self.by_system.values() for docs in by_query.values())
        return dict.fromkeys(doc for docs in rankings for doc in docs)

    def titled(self, titles_of: TitlesOf) -> Rankings:
        """The same with the titles of its documents."""
        return replace(self, titles=titles_of(self.documents()))


def rankings_later(
    runs: Mapping[str, PreparedRun], variants: Sequence[Variant], settings: Settings, query_ids: Sequence[str]
) -> Later[Rankings | None]:
    """The rankings of these queries, read from the runs when somebody asks for them."""
    return Later(partial(_rankings, runs, variants, settings, query_ids))


def titled_later(rankings: Later[Rankings | None], titles_of: TitlesOf) -> Later[Rankings | None]:
    """The rankings with titles, looked up when somebody asks for them."""

    def titled() -> Rankings | None:
        untitled = rankings()
        return None if untitled is None else untitled.titled(titles_of)

    return Later(titled)


def _rankings(
    runs: Mapping[str, PreparedRun], variants: Sequence[Variant], settings: Settings, query_ids: Sequence[str]
) -> Rankings | None:
    """Documents are ordered, and a query's own one left out, as the dialect does for the first measure."""
    depth = min(max(_depth(variants[0]) if variants else USUAL_DEPTH, LEAST_DEPTH), MOST_DEPTH)
    dialect: Dialect = shelf.find("dialects", settings.dialect)
    order = dialect.read(dialect.speak(variants[0]) if variants else None, settings.complete).order
    by_system = {}
    for name, run in runs.items():
        lists = listed(run.without_self() if dialect.drops_self else run, depth, order, query_ids)
        by_system[name] = {query: lists[query] for query in query_ids if query in lists}
    grades = _Grades(next(iter(runs.values())).qrels)
    shown: dict[str, Mapping[str, int]] = {}
    for query in query_ids:
        seen = dict.fromkeys(doc for by_query in by_system.values() for doc in by_query.get(query, ()))
        graded = grades.of(query)
        shown[query] = {doc: graded[doc] for doc in seen if doc in graded}
    return Rankings(depth, by_system, shown)


# ---- moves that a value does not show ------------------------------------------------------------

# Values that differ by less are one value, computed in another order.
SAME = 1e-9
# The cutoff of recall where no requested measure has one.
USUAL_CUTOFF = 100

Grades = dict[str, list[tuple[int, int]]]


def blind_spots(
    runs: Sequence[PreparedRun], evaluations: Sequence[Evaluation], *, depth: int | None = None
) -> tuple[BlindSpot, ...]:
    """For each candidate (all runs but the first) and each measure: the changes that its value does not show.

    `evaluations` are those of the runs, on the same measures and settings. Rankings are looked at down to `depth`;
    without it, to the greatest cutoff of any measure, or wholly when one of them has no cutoff.
    """
    variants = [v for text in evaluations[0].results for v in parse(text) if _has_numbers(evaluations, text)]
    deepest = depth if depth is not None else _deepest(variants, evaluations[0].settings.depth)
    usual = tuple(variant for variant in parse(panel(deepest)) if variant not in variants)
    values = [_values(run, evaluation, variants, usual) for run, evaluation in zip(runs, evaluations, strict=True)]
    graded = [_graded(run, evaluation, deepest) for run, evaluation in zip(runs, evaluations, strict=True)]
    documents = comparable(runs, deepest)
    spots = []
    for at, evaluation in enumerate(evaluations[1:], start=1):
        queries = [query for query in graded[0] if query in graded[at]]
        changed = [query for query in queries if graded[0][query] != graded[at][query]]
        moved = sum(documents[0].get(query) != documents[at].get(query) for query in queries)
        alike = moved - sum(documents[0].get(query) != documents[at].get(query) for query in changed)
        for variant in variants:
            unseen = tuple(q for q in changed if _same(values[0][variant.text], values[at][variant.text], q))
            seen_by = _seen_by(values[0], values[at], unseen)
            spots.append(
                BlindSpot(
                    variant.text, evaluation.run_name, len(queries), len(changed), unseen, seen_by, deepest, alike
                )
            )
    return tuple(spots)


def panel(depth: int | None) -> str:
    """The usual measures, which may see what others do not: the order, all relevant documents, the first, how many."""
    if depth is None:
        return f"nDCG AP RR R@{USUAL_CUTOFF}"
    return f"nDCG@{depth} AP@{depth} RR@{depth} R@{depth}"


def _has_numbers(evaluations: Sequence[Evaluation], text: str) -> bool:
    """Whether every run has the measure, and as a number: texts are not compared."""
    return all(text in e.results and e.results[text].labels is None for e in evaluations)


def _deepest(variants: Sequence[Variant], cut: int | None) -> int | None:
    cutoffs = [v.k if v.measure.cutoff in ("optional", "required") else None for v in variants]
    known = [k for k in cutoffs if k is not None]
    if len(known) < len(cutoffs) or not known:
        return cut
    return max(known) if cut is None else min(max(known), cut)


def _values(
    run: PreparedRun, evaluation: Evaluation, variants: Sequence[Variant], usual: tuple[Variant, ...]
) -> dict[str, Mapping[str, float]]:
    """Each measure's value by query: of the requested ones, and of the usual ones."""
    by_measure: dict[str, Mapping[str, float]] = {v.text: evaluation.results[v.text].by_query for v in variants}
    if usual:
        # The usual ones as rankproof defines them: a dialect may not have them all.
        settings = replace(evaluation.settings, dialect="rankproof", ties="rule", undefined="zero")
        by_measure |= {text: result.by_query for text, result in measure_run(run, usual, settings).results.items()}
    return by_measure


def _graded(run: PreparedRun, evaluation: Evaluation, depth: int | None) -> Grades:
    """By query the relevant documents as (rank, grade), in the order and population of the evaluation."""
    dialect: Dialect = shelf.find("dialects", evaluation.settings.dialect)
    reading = dialect.read(dialect.speak(parse(next(iter(evaluation.results)))[0]), evaluation.settings.complete)
    if dialect.drops_self:
        run = run.without_self()
    # A depth that splits a tie is refused only for values over all orders: here the rule decides.
    table = apply_reading(run.table(reading.order), reading, replace(evaluation.settings, ties="rule", depth=None))
    skipped = set(evaluation.population.skipped)
    return {query: rows for query, rows in _rows(table, depth).items() if query not in skipped}


def _rows(table: JudgedTable, depth: int | None) -> Grades:
    keep = np.flatnonzero((table.grade > 0) & table.within(depth))
    by_query: Grades = {query: [] for query in table.pool.query_ids}
    ids = table.pool.query_ids
    rows = zip(table.query[keep].tolist(), table.rank[keep].tolist(), table.grade[keep].tolist(), strict=True)
    for query, rank, grade in rows:
        by_query[ids[query]].append((rank, grade))
    return by_query


def _same(before: Mapping[str, float], after: Mapping[str, float], query: str) -> bool:
    """Whether two values are one; a measure that has no value on either side shows nothing there."""
    if query not in before or query not in after:
        return (query in before) == (query in after)
    return math.isclose(before[query], after[query], rel_tol=0.0, abs_tol=SAME)


def _seen_by(
    before: Mapping[str, Mapping[str, float]], after: Mapping[str, Mapping[str, float]], unseen: Sequence[str]
) -> dict[str, int]:
    counts = {text: sum(not _same(before[text], after[text], query) for query in unseen) for text in before}
    seen = [(text, count) for text, count in counts.items() if count]
    return dict(sorted(seen, key=lambda item: -item[1]))
