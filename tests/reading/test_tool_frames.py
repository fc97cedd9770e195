"""Frames as RAG tools and pandas leave them: lists written as text, questions asked twice, gaps, types of numbers."""

from __future__ import annotations

import io
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import polars
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError

# What `EvaluationDataset.to_pandas()` of ragas gives, less the texts.
SAMPLES = pandas.DataFrame(
    {
        "user_input": ["one", "two", "three"],
        "retrieved_context_ids": [["a", "x"], ["y", "c"], ["z"]],
        "reference_context_ids": [["a", "b"], ["c"], ["z"]],
    }
)
LONG = pandas.DataFrame(
    {"question_id": [1, 1, 2, 2], "chunk_id": ["a", "b", "c", "d"], "similarity": [0.9, 0.8, 0.7, 0.6]}
)
GOLD = {"1": ["b"], "2": ["c"]}


@pytest.mark.parametrize("library", ["pandas", "polars", "without pyarrow"])
def test_lists_that_csv_made_texts_were_ids(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = SAMPLES.to_csv(index=False)
    table: Any = polars.read_csv(text.encode()) if library == "polars" else pandas.read_csv(io.StringIO(text))
    if library == "without pyarrow":
        monkeypatch.setattr("rankproof.reading.arrow.has_pyarrow", lambda: False)
    with raises(InputError, "['a', 'b']"):
        rankproof.evaluate(table, SAMPLES, "SetR")
    with raises(InputError, "['a', 'x']"):
        rankproof.evaluate(SAMPLES, table, "SetR")


@pytest.mark.parametrize("text", ['["a"]', "['a','b']", "[]"])
def test_a_list_written_as_text_in_a_dict_was_one_id(text: str) -> None:
    with raises(InputError, "q", text):
        rankproof.evaluate({"q": text}, {"q": ["a"]}, "RR")


def test_two_rankings_of_one_question_were_joined_into_one(tmp_path: Path) -> None:
    twice = SAMPLES.assign(user_input=["one", "one", "three"])
    with raises(InputError, "one"):
        rankproof.evaluate(SAMPLES, twice, "RR")
    twice.to_json(tmp_path / "run.jsonl", orient="records", lines=True)
    with raises(InputError, 2, "one"):
        rankproof.evaluate(SAMPLES, tmp_path / "run.jsonl", "RR")
    with raises(InputError, "1"):
        rankproof.evaluate({"1": ["a"]}, {1: ["b"], "1": ["a"]}, "RR")


def test_scores_put_the_documents_of_several_rows_in_order() -> None:
    rows = [{"qid": "q", "docs": {"a": 0.2}}, {"qid": "q", "docs": {"b": 0.9}}]
    assert rankproof.evaluate({"q": ["b"]}, rows, "RR")["RR"].mean == 1.0


@pytest.mark.parametrize(
    "frame",
    [
        LONG.astype({"question_id": "float64"}),
        LONG.astype({"similarity": "float16"}),
        LONG.assign(similarity=[Decimal(str(score)) for score in LONG.similarity]),
    ],
    ids=["ids that a gap once made floats", "16-bit floats", "decimals"],
)
def test_types_of_columns_were_refused_by_a_letter_of_arrow(frame: pandas.DataFrame) -> None:
    assert rankproof.evaluate(GOLD, frame, "RR")["RR"].by_query == {"1": 0.5, "2": 1.0}


def test_a_column_of_no_possible_type_was_not_named() -> None:
    with raises(InputError, "question_id", "1970-01-01"):
        rankproof.evaluate(GOLD, LONG.assign(question_id=pandas.to_datetime([1, 1, 2, 2])), "RR")


@pytest.mark.parametrize("made", [pandas.Series, polars.Series])
def test_a_series_was_a_traceback_of_arrow(made: Any) -> None:
    with raises(UsageError, "Series"):
        rankproof.evaluate(made([["a"], ["b"]]), LONG, "RR")
