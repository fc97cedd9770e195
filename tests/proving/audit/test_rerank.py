"""Audit of a rerank: what may move and what may not; the first that breaks it; the likely cause."""

from __future__ import annotations

import random

import pytest
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import UsageError
from rankproof.proving.audit.claims import Break, RerankAudit
from rankproof.proving.audit.rerank import audit_rerank
from rankproof.proving.audit.rerank_depth import InferredDepth
from rankproof.reading.collect import read_run
from rankproof.reading.records import Run

NAMES = ("base", "new")
DOCS = [f"d{i}" for i in range(1, 7)]
BASE = {"q1": {doc: 10.0 - i for i, doc in enumerate(DOCS)}, "q2": {doc: 10.0 - i for i, doc in enumerate(DOCS)}}


def run(rankings: dict[str, dict[str, float]]) -> Run:
    return read_run(rankings)


def listed(*docs: str) -> dict[str, float]:
    return {doc: 100.0 - rank for rank, doc in enumerate(docs)}


def audit(new: dict[str, dict[str, float]], depth: int | None = None, **given: object) -> RerankAudit:
    return audit_rerank(run(BASE), run(new), depth, names=NAMES, **given)


def test_a_clean_rerank_and_its_least_depth() -> None:
    new = {"q1": listed("d3", "d1", "d2", "d4", "d5", "d6"), "q2": listed(*DOCS)}
    for depth in (None, 3, 4, 6, 100):
        found = audit(new, depth)
        assert (found.verdict, found.least_depth, found.broken) == ("clean", 3, ())
        assert found.depth == (3 if depth is None else depth)
    assert audit(BASE).least_depth == 0


def test_a_document_that_came_up_across_the_depth() -> None:
    """Depth 2, but d3 is now first: it came from rank 3."""
    new = {"q1": listed(*DOCS), "q2": listed("d3", "d1", "d2", "d4", "d5", "d6")}
    found = audit(new, 2)
    assert (found.verdict, found.least_depth, found.broken) == ("broken", 3, ("q2",))
    assert found.first == Break("q2", "d3", 3, 1, "it came up across rank 2")


def test_an_order_that_moved_below_the_depth() -> None:
    found = audit({"q1": listed("d1", "d2", "d3", "d5", "d4", "d6"), "q2": listed(*DOCS)}, 3)
    assert found.first == Break("q1", "d5", 5, 4, "below rank 3 nothing may move")
    assert found.least_depth == 5


def test_other_documents_and_lost_queries() -> None:
    other = audit({"q1": listed("d1", "x", "d2", "d3", "d4", "d5"), "q2": listed(*DOCS)})
    assert (other.verdict, other.least_depth, other.depth) == ("broken", None, None)
    assert other.first == Break("q1", "x", None, 2, "base does not have it")
    lost = audit({"q2": listed(*DOCS), "q9": listed("d1")}, 3)
    assert lost.first == Break("q1", "", None, None, "new lacks the query")
    assert lost.notes == ("only in new: 1 query, compared with nothing (q9)",)


def test_a_tail_that_was_left_out() -> None:
    found = audit({query: listed("d2", "d1", "d3") for query in BASE}, 3)
    assert found.first == Break("q1", "d4", 4, None, "new ends at rank 3 and lacks it")
    assert found.cause.startswith("The documents below the depth were left out: measures that look below rank 3")


def merged(depth: int, scores: list[float]) -> dict[str, dict[str, float]]:
    """The first documents get a reranker's scores, the others keep their own: what a careless merge does."""
    return {
        query: {doc: scores[i] if i < depth else ranking[doc] for i, doc in enumerate(DOCS)}
        for query, ranking in BASE.items()
    }


def test_negative_scores_merged_with_positive_ones() -> None:
    """Reranked: d2 8.5, d1 -1, d3 -4. The tail keeps 7, 6, 5 and passes d1 and d3: d2 d4 d5 d6 d1 d3."""
    new = merged(3, [-1.0, 8.5, -4.0])
    found = audit(new, 3)
    assert (found.verdict, found.least_depth, len(found.broken)) == ("broken", 6, 2)
    assert found.first == Break("q1", "d4", 4, 2, "it came up across rank 3")
    assert found.cause == (
        "Two scales of scores were merged: documents below rank 3 keep the scores of base (up to 7), the reranked ones "
        "have scores of their own (down to -4). 4 reranked documents, 4 of them with negative scores, sank among those "
        "that were never reranked. Put all reranked documents above the others before writing the run."
    )
    unsaid = audit(new)  # of the whole ranking it is a permutation, but the scores show the depth
    assert (unsaid.verdict, unsaid.depth, unsaid.claimed, unsaid.least_depth) == ("broken", 3, None, 6)
    assert unsaid.inferred == InferredDepth("scores", "fair", 2, 2, 3, 3)
    assert unsaid.cause == found.cause


def test_a_change_without_an_explanation_has_none() -> None:
    found = audit({"q1": listed("d6", "d5", "d4", "d3", "d2", "d1"), "q2": listed(*DOCS)}, 2)
    assert (found.verdict, found.cause) == ("broken", "")


def test_ties_are_told() -> None:
    """The new run has the base's scores rank by rank, where ranks 3 and 4 are tied: d4 and d3 go by id, descending."""
    base = {"q": {"d1": 4.0, "d2": 3.0, "d3": 2.0, "d4": 2.0}}
    new = {"q": {"d2": 4.0, "d1": 3.0, "d3": 2.0, "d4": 2.0}}
    found = audit_rerank(run(base), run(new), 3, names=NAMES)
    assert found.verdict == "clean"
    assert [note.partition(";")[0] for note in found.notes] == [
        "base: in 1 query ranks 3 and 4 have equal scores",
        "new: in 1 query ranks 3 and 4 have equal scores",
        "new has the scores of base, rank by rank: they say nothing of the reranker's own",
    ]
    given = {"q": {"d2": 4.0, "d1": 3.0, "d3": 2.5, "d4": 2.0}}
    assert "only among documents with equal scores" in audit_rerank(run(base), run(given), 2, names=NAMES).cause


def test_set_measures_must_not_move() -> None:
    """q1: of d1 and d6, relevant, one is in the first 3; in the new run both are: P@3 1/3 and 2/3."""
    new = {"q1": listed("d1", "d6", "d2", "d3", "d4", "d5"), "q2": listed(*DOCS)}
    qrels = {"q1": {"d1": 1, "d6": 1}}
    moved = {m.measure: (m.base, m.reranked) for m in audit(new, 3, qrels=qrels).moved}
    assert moved["P@3"] == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert moved["R@3"] == (0.5, 1.0)
    assert moved["R@6"] == (1.0, 1.0)


def test_a_depth_is_at_least_one() -> None:
    with raises(UsageError, "depth", "0"):
        audit(BASE, 0)


# ---- real runs -----------------------------------------------------------------------------------


@needs_shared_data
@pytest.mark.parametrize(("name", "depth"), [("BM25_then_vicuna_depth20", 20), ("BM25_then_gpt35_depth100", 100)])
@pytest.mark.parametrize("order", ["score", "rank"])
def test_the_reranks_of_dl20_are_what_they_say(name: str, depth: int, order: str) -> None:
    folder = SHARED / "dl20" / "runs"
    base, new = (read_run(folder / f"{run}.run", order=order) for run in ("BM25", name))
    for asked in (depth, None):
        found = audit_rerank(base, new, asked, qrels=SHARED / "dl20" / "qrels.trec")
        assert (found.verdict, found.depth, found.least_depth, found.queries) == ("clean", depth, depth, 54)
        assert all(m.base == pytest.approx(m.reranked, abs=1e-12) for m in found.moved)
    assert audit_rerank(base, new, depth - 1).verdict == "broken"
    # Both carry BM25's scores, rank by rank; in one query these are tied, and the rule for ties decides there.
    borrowed = [note for note in found.notes if "has the scores of" in note]
    assert len(borrowed) == (1 if order == "score" else 0)
    assert all("in 1 query some of them are equal" in note for note in borrowed)


@needs_shared_data
def test_a_broken_rerank_made_of_dl20() -> None:
    """Logits from -8 to 4 for the first 20, merged with BM25's positive scores below."""
    base = read_run(SHARED / "dl20" / "runs" / "BM25.run")
    rng = random.Random(1)
    new = {}
    for query, docs, scores in base.rankings():
        logits = [rng.uniform(-8, 4) for _ in docs[:20]]
        new[query] = dict(zip(docs, [*logits, *scores[20:]], strict=True))
    for asked in (20, None):
        found = audit_rerank(base, read_run(new), asked, qrels=SHARED / "dl20" / "qrels.trec", names=("BM25", "merged"))
        assert (found.verdict, len(found.broken), found.depth, found.least_depth) == ("broken", 54, 20, 100)
        assert found.cause.startswith("Two scales of scores were merged")
        assert "with negative scores" in found.cause
        moved = {m.measure: (m.base, m.reranked) for m in found.moved}
        assert moved["R@20"][0] > moved["R@20"][1]
        assert moved["R@100"][0] == pytest.approx(moved["R@100"][1])
    assert found.inferred is not None
    assert (found.inferred.by, found.inferred.sure) == ("scores", "high")
