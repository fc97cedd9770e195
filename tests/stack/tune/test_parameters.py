"""Dials: what may be turned, to what, and what is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.raising import raises
from tests.stack.tune.made import DOCUMENT, at_hand, config

from rankproof.errors import UnknownName, UsageError
from rankproof.stack.tune.config import tune_config_of
from rankproof.stack.tune.parameters import at_end, modes_of, with_values
from rankproof.stack.tune.records import TuneConfig

STACK = {
    "lexical": "bm25(fields='title^2 text')",
    "vector": "dense(search='hnsw')",
    "hybrid": "fuse_rrf(lexical, vector, k=60)",
    "linear": "fuse_linear(lexical, vector)",
    "reranked": "hybrid >> rerank_maxsim(depth=30)",
}


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    with at_hand():
        yield


def stack(mode: str, dials: dict[str, Any], **table: Any) -> TuneConfig:
    modes = STACK if mode != "linear" else {name: STACK[name] for name in ("lexical", "vector", "linear")}
    document = {
        "benchmark": {"dataset": "here", "measures": ["RR"]},
        "modes": modes,
        "tune": {"mode": mode, "dials": dials, **table},
    }
    return tune_config_of(document, "t.toml")


@pytest.mark.parametrize(
    ("mode", "dials", "values", "text"),
    [
        ("lexical", {"lexical.k1": [0.9, 1.2]}, [0.9], "bm25(k1=0.9, fields='title^2 text')"),
        ("lexical", {"lexical": {"b": [0.4, 0.8]}}, [0.4], "bm25(b=0.4, fields='title^2 text')"),
        ("lexical", {"lexical.fields.title": [1, 5]}, [5], "bm25(fields='title^5 text')"),
        ("lexical", {"lexical.fields": ["title text", {"title": 4, "text": 1}]}, [{"title": 4, "text": 1}],
         "bm25(fields='title^4 text')"),
        ("vector", {"vector.expansion_search": [10, 50]}, [10], "dense(search='hnsw', expansion_search=10)"),
        ("hybrid", {"hybrid.k": [10, 60]}, [10],
         "fuse_rrf(bm25(fields='title^2 text'), dense(search='hnsw'), k=10.0)"),
        ("hybrid", {"hybrid.weights": [[1, 1], [2, 1]]}, [[2, 1]],
         "fuse_rrf(bm25(fields='title^2 text'), dense(search='hnsw'), weights=[2.0, 1.0])"),
        ("linear", {"linear.weights.2": [0.5, 2]}, [0.5],
         "fuse_linear(bm25(fields='title^2 text'), dense(search='hnsw'), weights=[1.0, 0.5])"),
        ("linear", {"linear.weights.lexical": [0.5, 2]}, [0.5],
         "fuse_linear(bm25(fields='title^2 text'), dense(search='hnsw'), weights=[0.5, 1.0])"),
        ("reranked", {"reranked.depth": [10, 20]}, [10],
         "fuse_rrf(bm25(fields='title^2 text'), dense(search='hnsw')) >> rerank_maxsim(depth=10)"),
        ("reranked", {"lexical.k1": [0.9, 1.2]}, [0.9],
         "fuse_rrf(bm25(k1=0.9, fields='title^2 text'), dense(search='hnsw')) >> rerank_maxsim(depth=30)"),
    ],
)  # fmt: skip
def test_a_parameter_changes_its_step_and_all_that_is_built_on_it(
    mode: str, dials: dict[str, Any], values: list[Any], text: str
) -> None:
    found = stack(mode, dials)
    texts = with_values(
        found.texts,
        found.parameters,
        dict(zip([parameter.name for parameter in found.parameters], values, strict=True)),
    )
    assert modes_of(texts)[mode].text == text


def test_texts_of_modes_without_a_parameter_stay_as_they_are_written() -> None:
    found = stack("reranked", {"hybrid.k": [10, 60]})
    texts = with_values(found.texts, found.parameters, {"hybrid.k": 10})
    assert texts == {**STACK, "hybrid": "fuse_rrf(lexical, vector, k=10)"}


def test_values_by_step_by_points_and_by_ratio() -> None:
    dials = {
        "lexical.k1": {"low": 0.1, "high": 0.5, "step": 0.1},
        "lexical.b": {"low": 0, "high": 1, "points": 3},
        "hybrid.k": {"low": 1, "high": 100, "points": 3, "log": True},
    }
    found = {parameter.name: parameter.choices for parameter in stack("hybrid", dials).parameters}
    assert found == {
        "lexical.k1": (0.1, 0.2, 0.3, 0.4, 0.5),  # and not 0.30000000000000004
        "lexical.b": (0.0, 0.5, 1.0),
        "hybrid.k": (1.0, 10.0, 100.0),
    }


def test_parameters_stand_in_the_order_of_the_modes() -> None:
    """So that a grid turns last what is cheap to turn."""
    found = stack("reranked", {"reranked.depth": [10, 20], "lexical.k1": [1, 2], "hybrid.k": [10, 60]})
    assert [parameter.name for parameter in found.parameters] == ["lexical.k1", "hybrid.k", "reranked.depth"]


@pytest.mark.parametrize(
    ("mode", "dials", "kind", "values"),
    [
        ("hybrid", {"lexcal.k1": [1, 2]}, UnknownName, ["'lexcal.k1'", "'lexcal'", "'lexical'"]),
        ("hybrid", {"lexical.k2": [1, 2]}, UnknownName, ["bm25", "'lexical.k2'", "'k2'", "k1"]),
        ("hybrid", {"lexical.k1": [1, -2]}, UsageError, ["lexical.k1", "bm25", "1000", "-2"]),
        ("hybrid", {"lexical.k1": [1]}, UsageError, ["lexical.k1", "1", "two"]),
        ("hybrid", {"lexical.k1": 1}, UsageError, ["lexical.k1", "list", "got 1"]),
        (
            "hybrid",
            {"lexical.k1": {"low": 2, "high": 1}},
            UsageError,
            ["lexical.k1", "low", "high", "{'low': 2, 'high': 1}"],
        ),
        (
            "hybrid",
            {"lexical.k1": {"low": 0, "high": 1, "log": True}},
            UsageError,
            ["lexical.k1", "log", "{'low': 0, 'high': 1, 'log': True}"],
        ),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1, "stop": 1}}, UnknownName, ["lexical.k1", "'stop'", "'step'"]),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1, "step": 0}}, UsageError, ["lexical.k1", "step", "0 and 1"]),
        (
            "hybrid",
            {"lexical.k1": {"low": 0.1, "high": 1, "step": 0.1, "log": True}},
            UsageError,
            ["lexical.k1", "step", "points", "log"],
        ),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1, "points": 1}}, UsageError, ["lexical.k1", "points", "2", "1"]),
        (
            "hybrid",
            {"lexical.k1": {"low": 0, "high": 1}},
            UsageError,
            ["lexical.k1", "grid", "step", "points", "'optuna'"],
        ),
        (
            "reranked",
            {"reranked.depth": {"low": 10, "high": 20, "step": 2.5}},
            UsageError,
            ["reranked.depth", "step", "2.5"],
        ),
        ("reranked", {"reranked.k": [10, 60]}, UsageError, ["reranked.k", "rerank_maxsim", "'k'", "fuse_rrf"]),
        ("lexical", {"hybrid.k": [10, 60]}, UsageError, ["hybrid.k", "lexical", "hybrid"]),
        ("hybrid", {"hybrid.weights.3": [1, 2]}, UsageError, ["'3'", "1, 2, lexical, vector"]),
        ("hybrid", {"hybrid.k.1": [1, 2]}, UsageError, ["k", "fuse_rrf", "'1'"]),
        (
            "hybrid",
            {"hybrid.weights": [[1, 1], [1, 1, 1]]},
            UsageError,
            ["hybrid.weights", "weights=[1, 1, 1]", "3", "2"],
        ),
        (
            "hybrid",
            {"hybrid.weights": [[1, 1], [2, 1]], "hybrid.weights.1": [1, 2]},
            UsageError,
            ["hybrid.weights.1", "hybrid.weights", "part"],
        ),
        (
            "hybrid",
            {"hybrid.weights.1": [0, 1], "hybrid.weights.2": [0, 1]},
            UsageError,
            ["hybrid.weights.1 = 0", "hybrid.weights.2 = 0"],
        ),
        ("hybrid", {"lexical.fields.brand": [1, 2]}, UsageError, ["'brand'", "title, text"]),
        ("hybrid", {}, UsageError, ["t.toml", "tune.dials", "[tune.dials]"]),
    ],
)
def test_what_cannot_be_turned_is_refused_before_anything_runs(
    mode: str, dials: dict[str, Any], kind: type[UsageError], values: list[str]
) -> None:
    with raises(kind, *values):
        stack(mode, dials)


def test_fields_that_are_not_written_have_no_weight_to_turn() -> None:
    document = {
        "benchmark": {"dataset": "here"},
        "modes": {"lexical": "bm25()", "same": "lexical"},
        "tune": {"mode": "lexical", "dials": {"lexical.fields.title": [1, 2]}},
    }
    with raises(UsageError, "bm25", "'title'", "fields='title text'"):
        tune_config_of(document, "t.toml")
    with raises(UsageError, "t.toml", "same", "lexical", "lexical.k1"):
        tune_config_of({**document, "tune": {"dials": {"same.k1": [1, 2]}}}, "t.toml")


@pytest.mark.parametrize(
    ("table", "kind", "values"),
    [
        ({"mode": "finale"}, UnknownName, ["'finale'", "'final'"]),
        ({"measure": "nDGC"}, UnknownName, ["'nDGC'", "'nDCG'"]),
        ({"measure": "NumQ"}, UsageError, ["NumQ", "better"]),
        ({"method": "gird"}, UsageError, ["method", "'grid'", "'optuna'", "'gird'"]),
        ({"trial": 9}, UnknownName, ["[tune]", "'trial'", "'trials'"]),
        ({"trials": 3}, UsageError, ["4", "3", "trials = 4", "'optuna'"]),
        ({"share": 0.5}, UsageError, ["[tune]", "dev", "test", "share"]),
        ({"test": "dev"}, UsageError, ["[tune]", "dev", "test", "split"]),
    ],
)
def test_a_wrong_table_is_refused(table: dict[str, Any], kind: type[UsageError], values: list[str]) -> None:
    with raises(kind, *values):
        config(**table)


def test_a_file_without_the_table_is_told_what_to_add() -> None:
    with raises(UsageError, "t.toml", "tune", "table", "[tune.dials]"):
        tune_config_of({name: DOCUMENT[name] for name in ("benchmark", "modes")}, "t.toml")


def test_whether_a_value_lies_at_the_end_of_what_was_tried() -> None:
    k1, b = stack("hybrid", {"lexical.k1": [0.5, 1.0, 2.0], "lexical.b": [0.2, 0.75]}).parameters
    assert [at_end(k1, value) for value in k1.choices] == [True, False, True]
    assert not at_end(b, 0.2)  # of two values each is an end
