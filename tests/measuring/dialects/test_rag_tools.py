"""LlamaIndex, Haystack and ragas: worked values, and names that no ranking decides.

The numbers are those that llama-index-core 0.14.25, haystack-ai 3.4.0 and ragas 0.4.3 gave for the same lists;
tests/against/test_rag_tools.py runs the tools where they are installed.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import OutOfDialect, UnknownName, UsageError
from rankproof.measuring.evaluate import evaluate
from rankproof.measuring.explain import explain
from rankproof.measuring.names import parse
from rankproof.measuring.other_tools import FOREIGN

RETRIEVED = {"q": ["x", "a", "y", "b"]}
EXPECTED = {"q": ["a", "b", "c"]}


def value(measure: str, dialect: str, qrels: object = EXPECTED, run: object = RETRIEVED) -> float:
    return float(evaluate(qrels, run, measure, dialect=dialect)[measure].mean)


@pytest.mark.parametrize(
    ("measure", "theirs"),
    [
        ("Success@10", 1.0),
        ("RR", 0.5),
        ("SetP", 0.5),
        ("SetR", 0.6666666666666666),
        ("AP", 0.3333333333333333),  # (1/2 + 2/4) / 3
        ("nDCG", 0.49818925746641285),  # (1/log2 3 + 1/log2 5) / (1 + 1/log2 3 + 1/log2 4)
        ("P@10", 0.5),
    ],
)
def test_llama_index_gives_its_own_numbers(measure: str, theirs: float) -> None:
    assert value(measure, "llama_index") == pytest.approx(theirs, abs=1e-15)


def test_llama_index_does_not_cut_the_ideal_and_knows_no_grades() -> None:
    assert value("nDCG", "llama_index", run={"q": ["a"]}) == pytest.approx(0.46927872602275644, abs=1e-15)
    graded = {"q": {"a": 3, "b": 1, "c": 2, "z": 0}}
    assert value("nDCG", "llama_index", graded) == value("nDCG", "llama_index")


def test_llama_index_stops_where_nothing_is_expected() -> None:
    with raises(OutOfDialect, "RR", "query p"):
        value("RR", "llama_index", {**EXPECTED, "p": []}, {**RETRIEVED, "p": ["a"]})


@pytest.mark.parametrize(
    ("measure", "theirs"),
    [("AP", 0.16666666666666666), ("RR", 0.25), ("Success@10", 0.5), ("SetR", 0.3333333333333333)],
)
def test_haystack_gives_its_own_numbers(measure: str, theirs: float) -> None:
    qrels = {"q": ["a", "b", "c"], "p": ["q"]}  # p retrieves nothing and counts as 0
    assert value(measure, "haystack", qrels) == pytest.approx(theirs, abs=1e-15)


def test_haystack_takes_the_scores_of_the_ground_truth_as_grades() -> None:
    qrels = {"q": {"a": 3, "b": 1, "c": 2}, "p": {"q": 1}}
    assert value("nDCG", "haystack", qrels) == pytest.approx(0.24396622950577446, abs=1e-15)
    # The first two of three: 1 + 1/log2 3 over 1 + 1/log2 3 + 1/2.
    two = 1 + 1 / math.log2(3)
    assert value("nDCG@2", "haystack", run={"q": ["a", "b", "c"]}) == pytest.approx(two / (two + 0.5), abs=1e-15)


def test_ragas_leaves_a_query_without_contexts_out_of_precision_only() -> None:
    qrels = {**EXPECTED, "p": ["a"]}
    assert value("SetP", "ragas", qrels) == 0.5
    assert value("SetP", "rankproof", qrels) == 0.25
    assert value("SetR", "ragas", qrels) == pytest.approx((2 / 3 + 0) / 2, abs=1e-15)
    assert value("P@2", "ragas", qrels) == 0.5


def test_names_of_other_tools_are_spellings() -> None:
    for typed, text in {
        "id_based_context_precision": "SetP",
        "IDBasedContextRecall": "SetR",
        "DocumentMRREvaluator": "RR",
        "DocumentMAPEvaluator": "AP",
        "DocumentNDCGEvaluator": "nDCG",
    }.items():
        assert [str(variant) for variant in parse(typed)] == [text]


@pytest.mark.parametrize("name", FOREIGN)
def test_a_name_that_no_ranking_decides_is_refused_with_a_reason(name: str) -> None:
    foreign = FOREIGN[name]
    for ask in (parse, explain):
        with raises(UsageError, name, foreign.tools, foreign.decides, "rankproof judge run"):
            ask(name)
    if foreign.instead:
        text = next(word for word in foreign.instead.split() if word.startswith(("AP(", "SetP", "SetR")))
        assert parse(text), "what is offered instead is a measure"


TYPED = (
    "context_precision", "Contextual-Precision", "ContextualPrecisionMetric", "FaithfulnessEvaluator",
    "context_recall@5",
)  # fmt: skip


@pytest.mark.parametrize("typed", TYPED)
def test_such_a_name_is_known_as_people_type_it(typed: str) -> None:
    with raises(UsageError, typed.partition("@")[0]):
        parse(typed)


def test_other_unknown_names_stay_unknown() -> None:
    with raises(UnknownName, "'metric'"):
        parse("metric")


@pytest.mark.parametrize(
    "run",
    [
        {"q1": ["a", "x"], "q2": []},
        {"q1": ["a", "x"]},
        [
            {"user_input": "q1", "retrieved_context_ids": ["a", "x"]},
            {"user_input": "q2", "retrieved_context_ids": []},
        ],
    ],
    ids=["an empty list", "no list", "an empty list of a sample"],
)
def test_an_empty_list_of_contexts_counted_as_0_in_the_precision_of_ragas(run: Any) -> None:
    ev = evaluate({"q1": ["a"], "q2": ["b"]}, run, "SetP P@2 SetR", dialect="ragas")
    assert ev["SetP"].by_query == ev["P@2"].by_query == {"q1": 0.5}
    assert ev["SetR"].by_query == {"q1": 1.0, "q2": 0.0}
    assert any("left out of SetP" in line for line in ev.fine_print)
