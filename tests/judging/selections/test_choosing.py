"""Selections on small tables, by hand."""

from __future__ import annotations

from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.specs.calls import read_configured
from rankproof.proving.next import propose
from rankproof.testing.judging import chosen

RUNS = {"a": {"q1": "x y z", "q2": "u v"}, "b": {"q1": "z w x"}}


def test_a_pool_has_each_document_once_and_the_share_of_runs_that_have_it() -> None:
    # q1, first two of each: a has x, y; b has z, w. q2 is in one run of two.
    assert chosen("depth_pool(depth=2)", RUNS) == [
        ("q1", "x", 0.5), ("q1", "z", 0.5), ("q1", "w", 0.5), ("q1", "y", 0.5), ("q2", "u", 0.5), ("q2", "v", 0.5),
    ]  # fmt: skip


def test_a_smaller_pool_leaves_out_the_lowest_ranks_of_every_query() -> None:
    # Rank 1: x and z of q1, u of q2; rank 2 of q1 before that of q2.
    three, four = (chosen(f"depth_pool(depth=2, pairs={n})", RUNS) for n in (3, 4))
    assert [pair[:2] for pair in three] == [("q1", "x"), ("q1", "z"), ("q2", "u")]
    assert four[2][:2] == ("q1", "w")


def test_the_edge_of_rank_1() -> None:
    # Within 1 rank, ranks 1 and 2 count 1 - 1/2 each; x stands there once of two runs, and so does each other.
    assert chosen("near_cutoff(k=1, within=1)", {"a": {"q1": "x y z"}, "b": {"q1": "x z y"}}) == [
        ("q1", "x", 0.5), ("q1", "y", 0.25), ("q1", "z", 0.25),
    ]  # fmt: skip


def test_a_run_that_ends_before_the_cutoff_has_nothing_at_the_edge() -> None:
    assert chosen("near_cutoff(k=10, within=3)", {"a": {"q1": "x y z"}}) == []


def test_disagreement_asks_for_more_judges_than_the_project_and_counts_only_grades() -> None:
    asked = read_configured("selections", "disagreement(judges=4)")
    from rankproof.judging.records import SCALES
    from rankproof.judging.rounds.pool import material_of
    from rankproof.testing.judging import judgments_of

    said = judgments_of({"q1 x": "ann=0 bob=2", "q1 y": "ann=0 bob=cannot_tell", "q1 z": "ann=later bob=3"})
    (one,) = asked.item.select(material_of({}, said, SCALES["graded"]), asked.values)
    assert (one.doc_id, one.weight, one.wanted) == ("x", 2.0, 4)


def test_influence_orders_pairs_as_next_does() -> None:
    runs = {"a": {"q1": "x y z", "q2": "u v w"}, "b": {"q1": "z w x", "q2": "w v t"}}
    lists = [{query: docs.split() for query, docs in run.items()} for run in runs.values()]
    qrels = {"q1": {"x": 3, "y": 0}, "q2": {}}
    proposed = propose(qrels, lists, "DCG@10", None, top_grade=3).wanted
    expected = [(one.query_id, one.doc_id, round(one.worth, 6)) for one in proposed]
    found = chosen("influence", runs, {"q1 x": "ann=3", "q1 y": "ann=0"})
    assert sorted(found) == sorted(expected)
    assert [weight for _, _, weight in found] == [weight for _, _, weight in expected]


def test_a_pair_that_wants_more_judges_keeps_its_influence() -> None:
    runs = {"a": {"q1": "x y"}, "b": {"q1": "x z"}}
    said = {"q1 y": "ann=3"}
    assert [doc for _, doc, _ in chosen("influence", runs, said, wanted=1)] == ["z"]
    assert sorted(doc for _, doc, _ in chosen("influence", runs, said, wanted=2)) == ["y", "z"]


def test_influence_of_wrong_runs() -> None:
    with raises(UsageError, "influence", "depth_pool"):
        chosen("influence", {"a": {"q1": "x"}})
    with raises(UnknownName, "'zz'", "b"):
        chosen("influence(baseline='zz')", RUNS)
    with raises(UsageError, "'a'", "baseline", "candidate", "influence"):
        chosen("influence(baseline='a', candidates=['a', 'b'])", RUNS)


def test_what_cannot_be_read_says_what_can() -> None:
    with raises(UnknownName, "'depth_pol'", "'depth_pool'"):
        read_configured("selections", "depth_pol(depth=3)")
    with raises(UsageError, "depth", "depth_pool", 1, 0):
        read_configured("selections", "depth_pool(depth=0)")
