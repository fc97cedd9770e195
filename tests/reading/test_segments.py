"""Segments: columns of a query file become sets of queries."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.segments import read_columns, segments

QUERIES = ("q1", "q2", "q3")


@pytest.mark.parametrize(
    "text",
    [
        "query_id,intent,lang\nq1,buy,en\nq2,learn,de\nq3,buy,en\n",
        "query_id\tintent\tlang\nq1\tbuy\ten\nq2\tlearn\tde\nq3\tbuy\ten\n",
        "\ufeffintent;lang;qid\nbuy;en;q1\nlearn;de;q2\nbuy;en;q3\n",
        '{"_id": "q1", "intent": "buy", "lang": "en"}\n{"_id": "q2", "intent": "learn", "lang": "de"}\n'
        '\n{"_id": "q3", "intent": "buy", "lang": "en"}\n',
    ],
    ids=["csv", "tsv", "semicolons", "json lines"],
)
def test_every_form_gives_the_same_segments(text: str, tmp_path: Path) -> None:
    path = tmp_path / "queries"
    path.write_text(text, encoding="utf-8")
    table, columns = read_columns(str(path))
    assert columns == ("intent", "lang")
    found = segments(table, columns, ["intent", "lang"], QUERIES)
    assert found == {
        "intent=buy": ("q1", "q3"),
        "intent=learn": ("q2",),
        "lang=en": ("q1", "q3"),
        "lang=de": ("q2",),
    }


def test_a_query_without_a_value_is_in_no_segment() -> None:
    table, columns = read_columns({"q1": {"intent": "buy"}, "q2": {"intent": ""}})
    assert segments(table, columns, ["intent"], QUERIES) == {"intent=buy": ("q1",)}


def test_numbers_and_flags_name_segments_too(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"query_id": "q1", "words": 3, "brand": true, "tags": ["a"]}\n')
    table, columns = read_columns(str(path))
    assert segments(table, columns, ["words", "brand", "tags"], QUERIES) == {"words=3": ("q1",), "brand=true": ("q1",)}


def test_an_unknown_column_names_its_neighbors() -> None:
    with raises(UnknownName) as unknown:
        segments({"q1": {"intent": "buy"}}, ["intent"], ["intnt"], QUERIES)
    assert (unknown.value.name, unknown.value.near) == ("intnt", ["intent"])


def test_a_column_of_texts_is_no_kind_of_query() -> None:
    table = {f"q{i}": {"text": f"words {i}"} for i in range(60)}
    with raises(UsageError, "'text'", "60", "50"):
        segments(table, ["text"], ["text"], list(table))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("query_id,intent\nq1,buy\nq1,learn\n", ["'q1'", "twice"]),
        ("query_id,intent\nq1\n", ["line 2", "1", "2", "header"]),
        ("query_id,intent\n,buy\n", ["query 1", "'query_id'"]),
        ('{"_id": "q1"\n', ["line 1", "JSON"]),
        ('{"_id": "q1"}\n[1]\n', ["line 2", "JSON object"]),
        ("", ["queries", "header"]),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(text: str, values: list[str], tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    path.write_text(text)
    with raises(InputError, path, *values):
        read_columns(str(path))
