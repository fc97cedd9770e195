"""The bundled shop: counts, joins, kinds and grades, as its README tells them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from functools import cache
from pathlib import Path

from rankproof.stack.samples import shop

KINDS = {"exact", "attribute", "vague", "misspelled", "brand", "complement"}


def folder() -> Path:
    return Path(shop())


@cache
def products() -> dict[str, dict[str, str]]:
    lines = (folder() / "corpus.jsonl").read_text("utf-8").splitlines()
    return {record["_id"]: record for record in map(json.loads, lines)}


@cache
def queries() -> dict[str, dict[str, str]]:
    with (folder() / "queries.csv").open(encoding="utf-8", newline="") as file:
        return {row["query_id"]: row for row in csv.DictReader(file)}


@cache
def judgments() -> list[tuple[str, str, int]]:
    rows = (line.split() for line in (folder() / "qrels.trec").read_text("utf-8").splitlines())
    return [(query, doc, int(grade)) for query, _, doc, grade in rows]


def test_there_is_enough_and_it_is_small() -> None:
    assert len(products()) >= 400
    assert len(queries()) >= 80
    assert len(judgments()) >= 2000
    assert sum(file.stat().st_size for file in folder().iterdir()) < 600_000


def test_every_product_has_every_text() -> None:
    for record in products().values():
        assert list(record) == ["_id", "title", "brand", "bullets", "description"]
        assert all(value == value.strip() != "" for value in record.values()), record["_id"]


def test_no_title_and_no_query_stands_twice() -> None:
    assert len({record["title"].lower() for record in products().values()}) == len(products())
    assert len({row["text"].lower() for row in queries().values()}) == len(queries())


def test_kinds_are_even() -> None:
    counts = Counter(row["kind"] for row in queries().values())
    assert set(counts) == KINDS
    assert max(counts.values()) - min(counts.values()) <= 1


def test_judgments_join_and_stand_once() -> None:
    assert {query for query, _, _ in judgments()} == set(queries())
    assert {doc for _, doc, _ in judgments()} <= set(products())
    assert len({(query, doc) for query, doc, _ in judgments()}) == len(judgments())


def test_all_four_grades_are_there_and_every_query_can_be_answered() -> None:
    assert {grade for _, _, grade in judgments()} == {0, 1, 2, 3}
    assert {query for query, _, grade in judgments() if grade == 3} == set(queries())
    assert {query for query, _, grade in judgments() if grade == 0} == set(queries())


def test_readme_says_that_it_is_synthetic_and_counts_right() -> None:
    text = (folder() / "README.md").read_text("utf-8")
    counts = Counter(grade for _, _, grade in judgments())
    assert "synthetic" in text
    assert f"{len(products())} products" in text
    assert f"{len(queries())} queries" in text
    assert f"{len(judgments()):,} judgments" in text
    assert f"{counts[3]}, {counts[2]}, {counts[1]} and {counts[0]:,}" in text
