"""ESCI: labels as letters or words, filters by locale, version and split, in Parquet and CSV."""

from __future__ import annotations

import pytest
from tests.raising import raises
from tests.reading.formats.samples import parquet

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_qrels, read_topics
from rankproof.reading.detect import by_name
from rankproof.reading.write import pieces

ROWS = [
    # query, query_id, product, locale, label, small, large, split
    ("lamp", 1, "B1", "us", "E", 1, 1, "train"),
    ("lamp", 1, "B2", "us", "S", 0, 1, "train"),
    ("lamp", 1, "B3", "us", "c", 1, 1, "test"),
    ("lampe", 2, "B4", "es", "Irrelevant", 1, 1, "test"),
    ("lampe", 2, "B5", "es", "exact", 1, 1, "test"),
]
NAMES = (
    "query", "query_id", "product_id", "product_locale", "esci_label", "small_version", "large_version", "split",
)  # fmt: skip
AS_PARQUET = parquet(**{name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)})
AS_CSV = "\n".join([",".join(NAMES), *(",".join(map(str, row)) for row in ROWS)]).encode()


@pytest.mark.parametrize("content", [AS_PARQUET, AS_CSV], ids=["parquet", "csv"])
def test_labels_filters_and_topics(content: bytes) -> None:
    assert read_qrels(content).to_dict() == {"1": {"B1": 3, "B2": 2, "B3": 1}, "2": {"B4": 0, "B5": 3}}
    assert read_qrels(content, locale="us", version="small").to_dict() == {"1": {"B1": 3, "B3": 1}}
    assert read_qrels(content, version="large", split="test").to_dict() == {"1": {"B3": 1}, "2": {"B4": 0, "B5": 3}}
    qrels = read_qrels(content, locale="ES")
    assert qrels.to_dict() == {"2": {"B4": 0, "B5": 3}}
    assert "kept only locale ES" in qrels.notes
    assert read_topics(content) == {"1": "lamp", "2": "lampe"}
    assert read_topics(content, locale="es") == {"2": "lampe"}


def test_what_is_refused() -> None:
    with raises(InputError, "<bytes>", "line 2", "'maybe'", "E", "S", "C", "I", "Irrelevant"):
        read_qrels(b"query_id,product_id,esci_label\n1,B1,maybe\n")
    with raises(InputError, "<bytes>", "line 2", "product_id"):
        read_qrels(b"query_id,product_id,esci_label\n1,,E\n")
    with raises(InputError, "<bytes>", "line 2", 2, 3):
        read_qrels(b"query_id,product_id,esci_label\n1,B1\n")
    with raises(UsageError, "<bytes>", "'split'"):
        read_qrels(b"query_id,product_id,esci_label\n1,B1,E\n", split="test")
    with raises(UsageError, "'tiny'", "small", "large"):
        read_qrels(AS_CSV, version="tiny")
    with raises(UsageError, "trec", "'locale'"):
        read_qrels(b"q1 0 d1 1\n", locale="us")


def test_only_grades_with_a_label_are_written() -> None:
    written = b"".join(pieces(read_qrels({"1": {"B1": 3, "B2": 0}}), by_name("esci", "qrels")))
    assert written == b"query_id,product_id,esci_label\n1,B1,E\n1,B2,I\n"
    with raises(InputError, "grade 4", "trec", "tsv", "csv", "jsonl"):
        pieces(read_qrels({"1": {"B1": 4}}), by_name("esci", "qrels"))
