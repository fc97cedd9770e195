"""The vectorized checks agree with plain Python on random runs, in any order of the lines."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.reading.check_subject import Subject
from rankproof.testing.ruling import run_rows

Row = tuple[str, str, int, float]  # query, document, rank, score

rows_of_runs = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(["a", "b", "c", "d", "e", "f"]),
        st.integers(0, 7),
        st.sampled_from([0.0, -1.5, 2.0, 2.0000001, 7.0]),
    ),
    max_size=25,
)


def lines_of(rows: list[Row]) -> list[str]:
    return [f"{query} Q0 {doc} {rank} {score!r} t" for query, doc, rank, score in rows]


def counted(code: str, rows: list[Row], **options: object) -> int:
    subject = Subject(run_rows(lines_of(rows)), "run", "x", **options)
    found: int = shelf.find("checks", code).look(subject).count
    return found


def by_query(rows: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[0]].append(row)
    return groups


@settings(max_examples=examples(200), deadline=None)
@given(rows_of_runs)
def test_duplicates_of_documents_and_ranks(rows: list[Row]) -> None:
    assert counted("duplicate_document", rows) == len(rows) - len({row[:2] for row in rows})
    assert counted("duplicate_rank", rows) == len(rows) - len({(row[0], row[2]) for row in rows})


@settings(max_examples=examples(200), deadline=None)
@given(rows_of_runs)
def test_rank_gaps(rows: list[Row]) -> None:
    gaps = 0
    for group in by_query(rows).values():
        ranks = {row[2] for row in group}
        gaps += not ranks >= set(range(1, max(ranks) + 1))
    assert counted("rank_gap", rows) == gaps


@settings(max_examples=examples(200), deadline=None)
@given(rows_of_runs)
def test_ranks_against_scores(rows: list[Row]) -> None:
    wrong = sum(any(a[2] < b[2] and a[3] < b[3] for a in group for b in group) for group in by_query(rows).values())
    assert counted("rank_disagrees", rows) == wrong


@settings(max_examples=examples(200), deadline=None)
@given(rows_of_runs, st.sets(st.integers(1, 6), min_size=1))
def test_ties_at_cutoffs_and_constant_scores(rows: list[Row], cutoffs: set[int]) -> None:
    tied = constant = 0
    for group in by_query(rows).values():
        scores = sorted((row[3] for row in group), reverse=True)
        tied += sum(k < len(scores) and scores[k - 1] == scores[k] for k in cutoffs)
        constant += len(scores) > 1 and len(set(scores)) == 1
    assert counted("tied_at_cutoff", rows, cutoffs=tuple(cutoffs)) == tied
    assert counted("constant_scores", rows) == constant


@settings(max_examples=examples(100), deadline=None)
@given(rows_of_runs, st.integers(0, 8))
def test_depths(rows: list[Row], depth: int) -> None:
    groups = by_query(rows).values()
    assert counted("too_deep", rows, max_depth=depth) == sum(len(group) > depth for group in groups)
    if depth:
        assert counted("shallow", rows, cutoffs=(depth,)) == sum(len(group) < depth for group in groups)


@settings(max_examples=examples(100), deadline=None)
@given(rows_of_runs.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))))
def test_the_order_of_the_lines_changes_no_count(both: tuple[list[Row], list[Row]]) -> None:
    rows, shuffled = both
    for code, check in shelf.offered("checks").items():
        if "run" in check.of:
            assert counted(code, rows, cutoffs=(2,)) == counted(code, shuffled, cutoffs=(2,)), code
