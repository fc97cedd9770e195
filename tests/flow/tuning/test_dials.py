"""Dials: what may be turned, to what, and what is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.flow.tuning.made import DOCUMENT, at_hand, config

from rankproof.errors import UsageError
from rankproof.flow.tuning.config import tune_config_of
from rankproof.flow.tuning.dials import at_end
from rankproof.flow.tuning.turning import modes_of, turned
from rankproof.records.tuning import TuneConfig

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
def test_a_dial_turns_its_step_and_all_that_is_built_on_it(
    mode: str, dials: dict[str, Any], values: list[Any], text: str
) -> None:
    found = stack(mode, dials)
    texts = turned(found.texts, found.dials, dict(zip([dial.name for dial in found.dials], values, strict=True)))
    assert modes_of(texts)[mode].text == text


def test_texts_of_modes_without_a_dial_stay_as_they_are_written() -> None:
    found = stack("reranked", {"hybrid.k": [10, 60]})
    texts = turned(found.texts, found.dials, {"hybrid.k": 10})
    assert texts == {**STACK, "hybrid": "fuse_rrf(lexical, vector, k=10)"}


def test_values_by_step_by_points_and_by_ratio() -> None:
    dials = {
        "lexical.k1": {"low": 0.1, "high": 0.5, "step": 0.1},
        "lexical.b": {"low": 0, "high": 1, "points": 3},
        "hybrid.k": {"low": 1, "high": 100, "points": 3, "log": True},
    }
    found = {dial.name: dial.choices for dial in stack("hybrid", dials).dials}
    assert found == {
        "lexical.k1": (0.1, 0.2, 0.3, 0.4, 0.5),  # and not 0.30000000000000004
        "lexical.b": (0.0, 0.5, 1.0),
        "hybrid.k": (1.0, 10.0, 100.0),
    }


def test_dials_stand_in_the_order_of_the_modes() -> None:
    """So that a grid turns last what is cheap to turn."""
    found = stack("reranked", {"reranked.depth": [10, 20], "lexical.k1": [1, 2], "hybrid.k": [10, 60]})
    assert [dial.name for dial in found.dials] == ["lexical.k1", "hybrid.k", "reranked.depth"]


@pytest.mark.parametrize(
    ("mode", "dials", "words"),
    [
        ("hybrid", {"lexcal.k1": [1, 2]}, "Did you mean 'lexical'?"),
        ("hybrid", {"lexical.k2": [1, 2]}, "Known: b, delta"),
        ("hybrid", {"lexical.k1": [1, -2]}, "dial lexical.k1: The pipeline"),
        ("hybrid", {"lexical.k1": [1]}, "a dial needs two"),
        ("hybrid", {"lexical.k1": 1}, "must be a list of values, or {low"),
        ("hybrid", {"lexical.k1": {"low": 2, "high": 1}}, "with low below high"),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1, "log": True}}, "above 0 with log"),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1, "stop": 1}}, "Did you mean 'step'?"),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1, "step": 0}}, "step of the dial"),
        ("hybrid", {"lexical.k1": {"low": 0.1, "high": 1, "step": 0.1, "log": True}}, "only points"),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1, "points": 1}}, "2 or more"),
        ("hybrid", {"lexical.k1": {"low": 0, "high": 1}}, "a grid needs the values of lexical.k1"),
        ("reranked", {"reranked.depth": {"low": 10, "high": 20, "step": 2.5}}, "whole numbers"),
        ("reranked", {"reranked.k": [10, 60]}, "give it a mode of its own"),
        ("lexical", {"hybrid.k": [10, 60]}, "changes nothing in lexical"),
        ("hybrid", {"hybrid.weights.3": [1, 2]}, "there are: 1, 2, lexical, vector"),
        ("hybrid", {"hybrid.k.1": [1, 2]}, "has no parts"),
        ("hybrid", {"hybrid.weights": [[1, 1], [1, 1, 1]]}, "3 weights for 2 pipelines"),
        ("hybrid", {"hybrid.weights": [[1, 1], [2, 1]], "hybrid.weights.1": [1, 2]}, "Turn one of the two"),
        ("hybrid", {"hybrid.weights.1": [0, 1], "hybrid.weights.2": [0, 1]}, "do not go together"),
        ("hybrid", {"lexical.fields.brand": [1, 2]}, "there are: title, text"),
        ("hybrid", {}, "no dial to turn"),
    ],
)
def test_what_cannot_be_turned_is_refused_before_anything_runs(mode: str, dials: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        stack(mode, dials)
    assert words in str(refused.value)


def test_fields_that_are_not_written_have_no_weight_to_turn() -> None:
    document = {
        "benchmark": {"dataset": "here"},
        "modes": {"lexical": "bm25()", "same": "lexical"},
        "tune": {"mode": "lexical", "dials": {"lexical.fields.title": [1, 2]}},
    }
    with pytest.raises(UsageError, match="Write them into the mode"):
        tune_config_of(document, "t.toml")
    with pytest.raises(UsageError, match="same is another name of lexical"):
        tune_config_of({**document, "tune": {"dials": {"same.k1": [1, 2]}}}, "t.toml")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"mode": "finale"}, "Did you mean 'final'?"),
        ({"measure": "nDGC"}, "Did you mean 'nDCG'?"),
        ({"measure": "NumQ"}, "no better side"),
        ({"method": "gird"}, "must be one of 'grid', 'optuna'"),
        ({"trial": 9}, "Did you mean 'trials'?"),
        ({"trials": 3}, "the grid has 4 settings and trials is 3. Set trials = 4"),
        ({"share": 0.5}, "not both"),
        ({"test": "dev"}, "the same split"),
    ],
)
def test_a_wrong_table_is_refused(table: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        config(**table)
    assert words in str(refused.value)


def test_a_file_without_the_table_is_told_what_to_add() -> None:
    with pytest.raises(UsageError, match=r"Add a table \[tune.dials\]"):
        tune_config_of({name: DOCUMENT[name] for name in ("benchmark", "modes")}, "t.toml")


def test_whether_a_value_lies_at_the_end_of_what_was_tried() -> None:
    k1, b = stack("hybrid", {"lexical.k1": [0.5, 1.0, 2.0], "lexical.b": [0.2, 0.75]}).dials
    assert [at_end(k1, value) for value in k1.choices] == [True, False, True]
    assert not at_end(b, 0.2)  # of two values each is an end
