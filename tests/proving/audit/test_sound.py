"""Soundness: values that were measured, and then rounded, are never called impossible."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.shared_data import SHARED, needs_shared_data

from rankproof.measuring.evaluate import evaluate
from rankproof.measuring.names import parse
from rankproof.proving.audit.claims import read_claims
from rankproof.proving.audit.rankings import POINT, Space, roots, values
from rankproof.proving.audit.report import audit_report
from rankproof.testing.tables import table_of

BINARY = ("P@3", "P@5", "R@5", "RR", "RR@3", "Success@2", "AP", "AP@5", "nDCG@5", "nDCG", "F@4", "Rprec", "DCG@3")
GRADED = ("nDCG@4", "nDCG(gain=exp2)@5", "P(rel=2)@3", "RR(rel=2)", "ERR@5", "nERR@3", "AP(rel=2)", "R(rel=3)@4", "RBP")
MOST = settings(max_examples=examples(60), deadline=None)


@dataclass(frozen=True)
class Query:
    """Grades by rank, and the grades of relevant documents that are not ranked."""

    ranking: tuple[int, ...]
    missed: tuple[int, ...]

    @property
    def pool(self) -> list[int]:
        return sorted((g for g in (*self.ranking, *self.missed) if g > 0), reverse=True)


def measured(queries: list[Query], measures: list[str], decimals: int) -> list[str]:
    """The means, as a report would have them."""
    qrels, run = {}, {}
    for i, query in enumerate(queries):
        grades = {f"d{rank:02}": grade for rank, grade in enumerate(query.ranking)}
        qrels[str(i)] = {**grades, **{f"x{j}": grade for j, grade in enumerate(query.missed)}}
        run[str(i)] = {f"d{rank:02}": float(-rank) for rank in range(len(query.ranking))}
    table = table_of(qrels, run)
    return [f"{v}={v.measure.compute(table, v).mean():.{decimals}f}" for v in parse(measures)]


def query(grades: tuple[int, ...], most: int = 5) -> st.SearchStrategy[Query]:
    ranked = st.lists(st.sampled_from(grades), max_size=9).filter(lambda r: sum(g > 0 for g in r) <= most)
    return st.builds(
        lambda ranking, missed: Query(tuple(ranking), tuple(missed)[: most - sum(g > 0 for g in ranking)]),
        ranked,
        st.lists(st.sampled_from([g for g in grades if g > 0]), max_size=2),
    )


@given(query((0, 0, 1)), st.lists(st.sampled_from(BINARY), min_size=1, max_size=5, unique=True), st.integers(1, 5))
@MOST
def test_one_query(found: Query, measures: list[str], decimals: int) -> None:
    claims = read_claims(measured([found], measures, decimals))
    told = audit_report(claims, relevant=str(len(found.pool)), dialect="rankproof")
    assert told.verdict != "impossible", told
    for placement in told.example:
        assert all(c.low - 1e-9 <= placement.values[c.measure] <= c.high + 1e-9 for c in told.claims)


@given(query((0, 1, 2, 3), most=4), st.lists(st.sampled_from(GRADED), min_size=1, max_size=4, unique=True))
@MOST
def test_one_query_with_grades(found: Query, measures: list[str]) -> None:
    # ERR needs the top of the scale, which a report's reader takes to be the greatest grade given.
    top = max(found.pool, default=3)
    measures = [m.replace("ERR@", f"ERR(max_grade={max(top, 1)})@") for m in measures]
    claims = read_claims(measured([found], measures, 3))
    told = audit_report(claims, grades=[",".join(map(str, found.pool)) or "0"], dialect="rankproof")
    assert told.verdict != "impossible", told


@given(
    st.lists(query((0, 1, 2, 3), most=4), min_size=1, max_size=4),
    st.lists(st.sampled_from(GRADED), min_size=1, max_size=4, unique=True),
    st.sampled_from([None, "rankproof"]),
    st.integers(1, 4),
)
@example([Query((1, 3), ())], ["nDCG@4", "RR(rel=2)"], "rankproof", 3)
@example([Query((3,), ())], ["nDCG@4", "nERR@3"], "rankproof", 2)  # whatever it is worth, both are 1
@MOST
def test_grades_that_are_not_stated(
    queries: list[Query], measures: list[str], dialect: str | None, digits: int
) -> None:
    """Only the number of relevant documents is stated, of queries that have grades."""
    counts = [len(found.pool) for found in queries]
    claims = read_claims(measured(queries, measures, digits))
    told = audit_report(claims, relevant=f"{min(counts)}-{max(counts)}", queries=len(queries), dialect=dialect)
    assert told.verdict != "impossible", told


some_queries = st.lists(query((0, 0, 1), most=3), min_size=2, max_size=9)
some_measures = st.lists(st.sampled_from(BINARY), min_size=1, max_size=4, unique=True)


def check_means(queries: list[Query], measures: list[str], decimals: int) -> None:
    counts = [len(found.pool) for found in queries]
    claims = read_claims(measured(queries, measures, decimals))
    told = audit_report(claims, relevant=f"{min(counts)}-{max(counts)}", queries=len(queries), dialect="rankproof")
    assert told.verdict != "impossible", told


@given(some_queries, some_measures, st.integers(1, 6))
@settings(max_examples=examples(8), deadline=None)
def test_means(queries: list[Query], measures: list[str], decimals: int) -> None:
    check_means(queries, measures, decimals)


@pytest.mark.full
@given(some_queries, some_measures, st.integers(1, 6))
@settings(max_examples=examples(40), deadline=None)
def test_many_means(queries: list[Query], measures: list[str], decimals: int) -> None:
    check_means(queries, measures, decimals)


@needs_shared_data
@pytest.mark.slow
@pytest.mark.parametrize("run", ["sparse.run", "dense.run"])
def test_means_of_real_runs(run: str) -> None:
    """SciFact: 300 claims with 1 to 5 relevant abstracts each, all of one grade."""
    folder = SHARED / "scifact"
    found = evaluate(folder / "qrels.trec", folder / run, "nDCG@10 RR@10 P@10 R@10 Success@10 AP@10")
    texts = [f"{text}={result.mean:.4f}" for text, result in found.items()]
    assert audit_report(read_claims(texts), relevant="1-5", queries=300, dialect="rankproof").verdict != "impossible"


@given(query((0, 1, 1, 2), most=4), st.integers(1, 6), st.integers(0, 40))
@example(Query((1, 1, 2, 2), ()), 2, 2)  # one box is the ranking itself and has no parts, others have
@MOST
def test_a_ranking_lies_in_the_box_of_its_shape(found: Query, depth: int, turns: int) -> None:
    """Divided as often as one likes, some box still holds the values of the ranking."""
    variants = parse("nDCG@3 AP RR P@2 R@5")
    way = tuple(found.pool)
    space = Space((way,), variants)
    placed = tuple((rank, grade) for rank, grade in enumerate(found.ranking, start=1) if grade > 0)
    (own,) = values([placed], [way], variants, space.top)
    shapes = list(roots(way, depth))
    for _ in range(turns % 4 + 1):
        held = [
            shape
            for boxes in space.boxes(iter(shapes))
            for shape, low, high in zip(boxes.shapes, boxes.lows, boxes.highs, strict=True)
            if (low <= own + POINT).all() and (own <= high + POINT).all()
        ]
        assert held
        if len(held) > 50:
            break
        # A shape with one ranking only has no parts: it stays what it is.
        shapes = [part for shape in held for part in (list(space.parts([shape])) or [shape])]
