"""Vectors of queries: from a column, from a model."""

from __future__ import annotations

import numpy as np
import pytest
from tests.raising import raises

from rankproof.reading.collection import Query
from rankproof.stack.engines._vectors import VECTOR_PARAMS, open_vectors
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.models.find import open_model
from rankproof.stack.records import Ground

SAID = {param.name: param.default for param in VECTOR_PARAMS}


def test_a_column_holds_numbers() -> None:
    vectors = open_vectors({**SAID, "vector": "minilm"}, Ground())
    assert vectors(Query("q1", "x", {"minilm": "[1, -0.5]"})) == [1.0, -0.5]
    assert dict(vectors.identity) == {}


@pytest.mark.parametrize("text", ["", "0.5", "[]", "[0, 0]", '["1"]', "[true]", "[NaN]", "[1, [2]]", "{}"])
def test_what_is_no_vector(text: str) -> None:
    with raises(AskFailed, "'vector'", repr(text), "[0.1, -0.2]") as failed:
        open_vectors(SAID, Ground())(Query("q1", "x", {"vector": text}))
    assert (failed.value.kind, failed.value.again) == ("bad vector", False)


def test_a_query_without_the_column() -> None:
    with raises(AskFailed, "'vector'", "model"):
        open_vectors(SAID, Ground())(Query("q1", "x", {"other": "[1]"}))


class TestModel:
    @pytest.fixture(autouse=True)
    def model(self) -> None:
        pytest.importorskip("wordllama", reason="the package wordllama is not installed")
        pytest.importorskip("tokenizers", reason="the extra dense is not installed")

    def test_a_model_makes_them_with_its_prefix(self) -> None:
        said = {**SAID, "model": "wordllama", "query_prefix": "query: "}
        vectors = open_vectors(said, Ground())
        found = vectors(Query("q1", "red shoes"))
        assert np.allclose(found, open_model(said, Ground()).vectors(["query: red shoes"])[0])
        assert vectors.identity["query_prefix"] == "query: "
        assert vectors.identity["model"].startswith("model ")

    def test_a_text_that_the_model_makes_nothing_of(self) -> None:
        with raises(AskFailed, "model", "direction", "[0.1, -0.2]"):
            open_vectors({**SAID, "model": "wordllama"}, Ground())(Query("q1", ""))
