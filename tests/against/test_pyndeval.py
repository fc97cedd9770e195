"""Diversity measures against pyndeval, which is TREC's ndeval: random collections, query by query."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.measuring.measures.worlds import World, crowd, worlds

import rankproof
from rankproof.measuring.names import parse

pyndeval = pytest.importorskip("pyndeval", reason="pyndeval is not installed: nothing to hold against")

THEIRS = {"alpha_nDCG": "alpha-nDCG", "ERR_IA": "ERR-IA", "nERR_IA": "nERR-IA", "StRecall": "strec"}
DEPTHS = (1, 2, 3, 5, 20)


def hold_against(world: World, alpha: float, rel: int) -> None:
    rows = [
        (query, subtopic, doc, grade)
        for query, docs in world.qrels.items()
        for doc, covers in docs.items()
        for subtopic, grade in covers.items()
    ]
    names = [f"{name}@{k}" for name in THEIRS.values() for k in DEPTHS]
    judge = pyndeval.RelevanceEvaluator(rows, names, relevance_level=rel, alpha=alpha)
    told = judge.evaluate([(q, doc, score) for q, docs in world.run.items() for doc, score in docs.items()])
    for ours, theirs in THEIRS.items():
        for k in DEPTHS:
            params = f"rel={rel}" if ours == "StRecall" else f"alpha={alpha},rel={rel}"
            (variant,) = parse(f"{ours}({params})@{k}")
            for query, value in zip(world.qrels, world.values(variant), strict=True):
                other = told[query][f"{theirs}@{k}"] if query in told else 0.0
                if f"{theirs}@{k}" == "ERR-IA@1":
                    # ndeval forgets to divide at the first rank, by the number of subtopics somebody covers.
                    known = {s for covers in world.qrels[query].values() for s, g in covers.items() if g >= rel}
                    other /= max(len(known), 1)
                assert value == pytest.approx(other, abs=1e-9), f"{variant}, {query}"


# Powers of 1 - alpha and their sums are exact in binary: equally good documents are equal in both programs.
@given(world=worlds(), alpha=st.sampled_from([0.5, 0.25, 0.75]), rel=st.sampled_from([1, 2]))
@settings(max_examples=examples(60), deadline=None)
def test_same_value_for_every_query(world: World, alpha: float, rel: int) -> None:
    hold_against(world, alpha, rel)


@pytest.mark.parametrize("alpha", [0.5, 0.25])
def test_same_value_on_long_rankings(alpha: float) -> None:
    hold_against(crowd(seed=11, queries=60), alpha, 1)


def test_same_value_from_a_file_where_ids_decide_the_ideal(tmp_path: Path) -> None:
    """Three documents are equally good; ndeval's ideal begins with the one whose id is the greatest."""
    rows = [("1", s, doc, 1) for doc, covers in {"d1": "abc", "d2": "def", "d9": "abd"}.items() for s in covers]
    run = [("1", "d1", 2.0), ("1", "d2", 1.0)]
    qrels = tmp_path / "diversity.qrels"
    qrels.write_text("".join(f"{q} {s} {doc} {grade}\n" for q, s, doc, grade in rows))
    told = pyndeval.RelevanceEvaluator(rows, ["alpha-nDCG@2"], alpha=1.0).evaluate(run)["1"]["alpha-nDCG@2"]
    ours = rankproof.evaluate(str(qrels), {"1": {"d1": 2.0, "d2": 1.0}}, "alpha_nDCG(alpha=1)@2")
    assert told > 1.1
    assert ours["alpha_nDCG(alpha=1)@2"].mean == pytest.approx(told, abs=1e-9)
