"""Evaluations of a model in training: the numbers of sentence-transformers as recorded, and tests against others."""

from __future__ import annotations

import importlib
import json
import math
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, MissingExtra, UsageError
from rankproof.integrations.checkpoints import Checkpoints, library_measure, relevant_judgments
from rankproof.kernel.libraries import install_line
from rankproof.proving.records import Design

RECORDED = json.loads((Path(__file__).parent / "recorded/sentence_transformers.json").read_text("utf-8"))
GOLD = {f"q{i}": {f"d{i}": 1, f"e{i}": 2, "x": 0} for i in range(30)}


def rankings(skill: float, seed: int = 1) -> dict[str, dict[str, float]]:
    """Rankings of five documents, the relevant ones the nearer to the top the greater the skill."""
    rng, made = random.Random(seed), {}
    for query, docs in GOLD.items():
        five = [*docs, "y", "z"]
        order = sorted(five, key=lambda doc: rng.random() - skill * (docs.get(doc, 0) > 0))
        made[query] = {doc: -float(rank) for rank, doc in enumerate(order)}
    return made


def test_the_numbers_are_those_that_sentence_transformers_recorded() -> None:
    recorded = RECORDED["retrieval"]
    wanted = {key.removeprefix("shop_cosine_"): value for key, value in recorded["metrics"].items()}
    assert len(wanted) == 15
    measures = {key: library_measure(name, int(k)) for key in wanted for name, _, k in [key.partition("@")]}
    listed = {query: docs.split() for query, docs in recorded["rankings"].items()}
    ranked = {query: {doc: -float(rank) for rank, doc in enumerate(docs)} for query, docs in listed.items()}
    found = Checkpoints(recorded["relevant"], " ".join(measures.values())).add(ranked).metrics
    assert {key: found[measure] for key, measure in measures.items()} == pytest.approx(wanted, abs=1e-12)
    assert 0.3 < wanted["ndcg@10"] < 0.95


def test_the_order_among_equal_scores_is_the_one_that_was_given() -> None:
    """Two documents of the recording have one text. By our own rule, the other would be first."""
    ties = [
        (docs.index(f"{doc}-again"), docs.index(doc))
        for docs in map(str.split, RECORDED["retrieval"]["rankings"].values())
        for doc in docs
        if f"{doc}-again" in docs
    ]
    assert ties
    assert all(later == first + 1 for later, first in ties)
    found = Checkpoints({"q": {"b": 1}}, "RR@10").add({"q": {"a": 0.5, "b": 0.5}}).metrics
    assert found["RR@10"] == 0.5
    assert rankproof.evaluate({"q": {"b": 1}}, {"q": {"a": 0.5, "b": 0.5}}, "RR@10")["RR@10"].mean == 1.0


def test_reranked_numbers_are_those_that_sentence_transformers_recorded() -> None:
    recorded = RECORDED["reranking"]
    gold = {str(n): {str(place): 1 for place in places} for n, places in enumerate(recorded["positive"])}
    scored = {str(n): {str(p): score for p, score in enumerate(row)} for n, row in enumerate(recorded["scores"])}
    base = {query: {doc: -float(doc) for doc in docs} for query, docs in scored.items()}
    checkpoints = Checkpoints(gold, "nDCG@10 RR@10 AP", order="score", ties="expected")
    keys = {"nDCG@10": "ndcg@10", "RR@10": "mrr@10", "AP": "map"}
    for prefix, given in (("shop_base_", base), ("shop_", scored)):
        found = checkpoints.add(given, prefix).metrics
        for text, key in keys.items():
            assert found[text] == pytest.approx(recorded["metrics"][prefix + key], abs=1e-9)


def test_a_checkpoint_is_tested_against_the_first_or_the_one_before() -> None:
    skills = (0.1, 0.9, 0.9)
    for against, earlier in (("first", [None, "a", "a"]), ("previous", [None, "a", "b"])):
        checkpoints = Checkpoints(GOLD, "nDCG@10 RR@10", against=against)
        made = [checkpoints.add(rankings(skill, n), "abc"[n]) for n, skill in enumerate(skills)]
        assert [one.contrasts[0].baseline if one.contrasts else None for one in made] == earlier
        assert set(made[0].metrics) == {"nDCG@10", "RR@10"}
        assert made[1].metrics["nDCG@10_better"] == 1.0
        assert made[2].metrics["nDCG@10_better"] == float(against == "first")
        assert {one.contrasts[0].measure for one in made[1:]} == {"nDCG@10"}


def test_the_numbers_are_those_of_compare() -> None:
    checkpoints = Checkpoints(GOLD, "nDCG@10 RR@10", tested="RR@10 nDCG@10")
    for skill in (0.9, 0.2):
        last = checkpoints.add(rankings(skill))
    compared = rankproof.compare(GOLD, {"old": rankings(0.9)}, {"new": rankings(0.2)}, "RR@10 nDCG@10", beyond=False)
    for text in ("RR@10", "nDCG@10"):
        contrast, found = compared.contrast(text), last.metrics
        ends = contrast.adjusted or contrast.difference
        assert found[f"{text}_difference"] == pytest.approx(contrast.difference.value)
        assert found[f"{text}_difference_low"] == pytest.approx(ends.low)
        assert found[f"{text}_difference_high"] == pytest.approx(ends.high)
    assert (last.metrics["RR@10_worse"], last.metrics["RR@10_better"]) == (1.0, 0.0)
    assert "worse" in last.lines[0]


def test_what_it_is_compared_with_may_be_another_system() -> None:
    bm25 = rankproof.evaluate(GOLD, rankings(0.9), "nDCG@10", name="bm25")
    for against in (bm25, rankings(0.9)):
        first = Checkpoints(GOLD, "nDCG@10", against=against).add(rankings(0.1))
        assert first.metrics["nDCG@10_worse"] == 1.0
    assert Checkpoints(GOLD, "nDCG@10", against=bm25).add(rankings(0.1), "bm25").label == "bm25 (2)"
    with raises(UsageError, "bm25", "RR@10", "nDCG@10"):
        Checkpoints(GOLD, "RR@10", against=bm25)


def test_planned_looks_make_the_intervals_wider() -> None:
    widths = []
    for looks in (1, 10):
        checkpoints = Checkpoints(GOLD, "nDCG@10", looks=looks, design=Design(confidence=0.9))
        assert checkpoints.design.confidence == pytest.approx(1 - 0.1 / looks)
        checkpoints.add(rankings(0.1))
        found = checkpoints.add(rankings(0.5, 2)).metrics
        widths.append(found["nDCG@10_difference_high"] - found["nDCG@10_difference_low"])
    assert widths[1] > widths[0] * 1.3
    for looks in (0, -1, 1.5, True, "3"):
        with raises(UsageError, "looks"):
            Checkpoints(GOLD, "nDCG@10", looks=looks)  # type: ignore[arg-type]


def test_labels_stay_apart_and_lines_of_json_can_be_read() -> None:
    checkpoints = Checkpoints(GOLD, "nDCG@10 AvgPos", tested="nDCG@10")
    for _ in range(3):
        checkpoints.add(rankings(0.3), "größe\n1")
    assert [one.label for one in checkpoints.made] == ["größe\n1", "größe\n1 (2)", "größe\n1 (3)"]
    told = [one.to_json() for one in checkpoints.made]
    assert all("\n" not in line for line in told)
    last = json.loads(told[2])
    assert last["queries"] == 30
    assert last["contrasts"][0]["against"] == "größe\n1"
    assert last["contrasts"][0]["verdict"] == "not significant"
    assert last["contrasts"][0]["ties"] == 30


def test_one_query_and_no_value_are_no_numbers() -> None:
    checkpoints = Checkpoints({"q": {"d": 1}}, "RR@10 AvgPos")
    for docs in ({"d": 1.0}, {"x": 1.0}):
        last = checkpoints.add({"q": docs})
    assert all(map(math.isfinite, last.metrics.values()))
    assert set(last.metrics) == {"RR@10", "RR@10_difference", "RR@10_better", "RR@10_worse"}
    told = json.loads(last.to_json())
    assert told["means"]["AvgPos"] is None
    assert told["contrasts"][0]["verdict"] == "not estimable"
    assert "one query only" in told["contrasts"][0]["reason"]


def test_queries_without_a_relevant_document_do_not_count() -> None:
    assert relevant_judgments({"q1": {"a": 1, "b": -1}, "q2": {"a": 0}}) == {"q1": {"a": 1, "b": -1}}
    assert relevant_judgments({1: {"a", "b"}}) == {"1": {"a": 1, "b": 1}}
    for none in ({"q2": {"a": 0}}, {"q1": []}):
        with pytest.raises(InputError):
            relevant_judgments(none)


@pytest.mark.parametrize("given", [{"q0": {"d0": math.nan}}, {}, {"elsewhere": {"d": 1.0}}, {"q0": {"d0": None}}])
def test_what_evaluate_refuses_is_refused(given: Any) -> None:
    checkpoints = Checkpoints(GOLD, "nDCG@10")
    with pytest.raises(InputError):
        checkpoints.add(given)
    assert checkpoints.made == []


def test_a_tested_measure_must_be_measured() -> None:
    with raises(UsageError, "RR@10"):
        Checkpoints(GOLD, "nDCG@10", tested="RR@10")


def test_checkpoints_without_a_change_are_seldom_told_to_be_better() -> None:
    """Ten looks at rankings that differ by luck: at 95% together, fewer than 1 in 10 series has a false alarm."""
    rng, alarms = np.random.default_rng(7), 0
    for _ in range(40):
        checkpoints = Checkpoints(GOLD, "nDCG@10", looks=10)
        made = [checkpoints.add(rankings(0.4, int(rng.integers(1 << 30)))) for _ in range(11)]
        alarms += any(one.metrics["nDCG@10_better"] or one.metrics["nDCG@10_worse"] for one in made[1:])
    assert alarms <= 4


def test_without_the_library_the_error_has_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.delitem(sys.modules, "rankproof.integrations.sentence_transformers", raising=False)
    with raises(MissingExtra, "sentence-transformers", install_line("sentence_transformers")):
        importlib.import_module("rankproof.integrations.sentence_transformers")
