"""What is said of a log in TOML, what names of columns say, and requests that are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.online.clicks.logs.layout import LogDescription, description_of, detect_layout, read_description


def test_a_description_reads_as_written(tmp_path: Path) -> None:
    path = tmp_path / "log.toml"
    path.write_text('layout = "pages"\nclicks_are = "ranks"\n[columns]\nquery = "term"\n[ubi]\nclicks = ["open"]\n')
    said = read_description(str(path))
    assert (said.layout, said.clicks_are, dict(said.columns)) == ("pages", "ranks", {"query": "term"})
    assert said.actions.clicks == ("open",)
    assert said.actions.impressions == ("impression",)


@pytest.mark.parametrize(
    ("document", "error", "values"),
    [
        ({"layot": "pages"}, UnknownName, ["'layot'", "'layout'"]),
        ({"layout": "rows"}, UsageError, ["layout", "documents", "pages", "ubi", "text", "'rows'"]),
        ({"clicks_are": "yes"}, UsageError, ["clicks_are", "ids", "ranks", "flags", "'yes'"]),
        ({"columns": {"qurey": "q"}}, UnknownName, ["[columns]", "'qurey'", "'query'"]),
        ({"columns": {"query": 3}}, UsageError, ["[columns]", 'query = "search_term"']),
        ({"layout": "pages", "columns": {"doc": "d"}}, UnknownName, ["[columns]", "'doc'", "'docs'"]),
        ({"ubi": {"click": ["a"]}}, UnknownName, ["[ubi]", "'click'", "'clicks'"]),
        ({"ubi": {"clicks": "a"}}, UsageError, ["clicks", "[ubi]", '["click"]']),
    ],
)
def test_descriptions_that_are_none(document: Any, error: type[Exception], values: list[str]) -> None:
    with raises(error, "log.toml", *values):
        description_of(document, "log.toml")


def test_a_file_that_is_no_toml(tmp_path: Path) -> None:
    (tmp_path / "log.toml").write_text("layout = pages")
    with raises(InputError, "log.toml", "TOML", "line 1"):
        read_description(str(tmp_path / "log.toml"))


@pytest.mark.parametrize(
    ("header", "layout", "columns"),
    [
        (
            ["Query", "DOC_ID", "Position", "click"],
            "documents",
            {"query": "Query", "doc": "DOC_ID", "clicked": "click"},
        ),
        (["q", "results", "clicked"], "pages", {"query": "q", "docs": "results", "clicks": "clicked"}),
        (["query", "sku", "position", "clicked", "hits"], "documents", {"doc": "sku", "rank": "position"}),
        (["query_id", "action_name"], "ubi", {}),
        (["query_id", "user_query", "client_id"], "ubi", {}),
    ],
)
def test_names_say_what_columns_are(header: list[str], layout: str, columns: dict[str, str]) -> None:
    found, named = detect_layout(header, LogDescription(), "log.csv")
    assert found == layout
    assert named.items() >= columns.items()


def test_a_column_is_one_thing_only() -> None:
    """What was said goes first: `session` is not guessed to be the column that was said to be the query."""
    _, named = detect_layout(
        ["session", "doc", "rank", "clicked"], LogDescription(columns={"query": "session"}), "log.csv"
    )
    assert named == {"query": "session", "doc": "doc", "rank": "rank", "clicked": "clicked"}


def test_the_number_of_a_page_among_the_results_is_no_id_of_a_page() -> None:
    assert "page" not in detect_layout(["query", "doc", "rank", "clicked", "page"], LogDescription(), "log.csv")[1]


def test_names_that_say_nothing() -> None:
    with raises(InputError, "log.csv", "documents", "a, b", "--schema", "[columns]"):
        detect_layout(["a", "b"], LogDescription(), "log.csv")
    with raises(InputError, "log.csv", "query", "clicked", "doc, rank", "--schema", "[columns]"):
        detect_layout(["doc", "rank"], LogDescription(), "log.csv")
