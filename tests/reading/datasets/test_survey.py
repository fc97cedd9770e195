"""Survey: counts and findings, on tables small enough to count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.reading.datasets import made

from rankproof.reading.datasets.queries import normal
from rankproof.reading.datasets.read import read_dataset
from rankproof.reading.datasets.survey import survey


def codes(folder: str, **options: str) -> dict[str, str]:
    """Code -> message of what the survey finds."""
    return {finding.code: finding.message for finding in survey(read_dataset(folder, **options)).findings}


def test_sizes_and_grades(tmp_path: Path) -> None:
    found = survey(read_dataset(made.beir(tmp_path)))
    assert found.documents is not None
    assert (found.documents.count, dict(found.documents.fields)) == (3, {"title": 3, "text": 2})
    assert (found.queries.count, found.queries.judged) == (2, 2)
    assert [(g.grade, g.count, g.share) for g in found.judgments.grades] == [
        (0, 1, 1 / 3),
        (1, 1, 1 / 3),
        (2, 1, 1 / 3),
    ]
    per = found.judgments.per_query
    assert per is not None
    assert (per.least, per.median, per.mean, per.most) == (1, 1.5, 1.5, 2)
    assert (found.findings, found.leaks) == ((), ())


def test_what_does_not_join(tmp_path: Path) -> None:
    qrels = "q1 0 d1 2\nq1 0 gone 1\nq2 0 lost 0\nq2 0 gone 2\nmute 0 d1 1\n"
    queries = made.QUERIES + made.json_lines({"_id": "alone", "text": "nobody judged it"})
    found = survey(read_dataset(made.beir(tmp_path, qrels=qrels, queries=queries)))
    # gone twice, lost once: 3 judgments of 2 documents, 2 of them relevant.
    assert (found.join.judgments_without_document, found.join.documents_missing) == (3, 2)
    assert (found.join.relevant_without_document, found.join.queries_without_text) == (2, 1)
    assert {(f.code, f.severity) for f in found.findings} == {
        ("query_without_text", "warning"),
        ("query_without_judgments", "warning"),
        ("judged_document_missing", "warning"),
    }


def test_files_that_do_not_belong_together_are_an_error(tmp_path: Path) -> None:
    found = read_dataset(made.beir(tmp_path, qrels="x1 0 y1 1\n"))
    assert [(f.code, f.severity) for f in found.findings if f.severity == "error"] == [
        ("query_without_text", "error"),
        ("judged_document_missing", "error"),
    ]


def test_documents_with_the_same_text(tmp_path: Path) -> None:
    corpus = made.json_lines(
        {"_id": "a1", "title": "lamp", "text": "red"},
        {"_id": "a2", "title": "lamp", "text": "red"},
        {"_id": "a3", "title": "lamp", "text": "red"},
        {"_id": "b1", "title": "chair", "text": ""},
        {"_id": "b2", "title": "chair", "text": ""},
        {"_id": "c1", "title": "", "text": "chair"},
        {"_id": "e1", "title": "", "text": " "},
        {"_id": "e2", "title": "", "text": " "},
    )
    # q1: a1 and a2 differ, a3 is not judged. q2: b1 and b2 agree. c1 has the words of b in another field.
    qrels = "q1 0 a1 2\nq1 0 a2 0\nq2 0 b1 1\nq2 0 b2 1\nq2 0 c1 0\n"
    found = survey(read_dataset(made.beir(tmp_path, corpus=corpus, qrels=qrels)))
    documents = found.documents
    assert documents is not None
    assert (documents.duplicate_groups, documents.duplicates, documents.empty) == (2, 5, 2)
    assert (documents.judged_differently, documents.copies_unjudged) == (1, 1)
    assert [f.code for f in found.findings] == ["empty_document", "same_text_judged_differently", "copy_unjudged"]


def test_texts_in_two_splits_are_a_leak(tmp_path: Path) -> None:
    folder = made.splits(tmp_path)
    found = survey(read_dataset(folder, split="all"))
    # q1 "lamp" is in dev, q3 " LAMP!" in test; q4 is in neither and left out.
    assert [(leak.splits, leak.texts, leak.examples) for leak in found.leaks] == [(("dev", "test"), 1, (("q1", "q3"),))]
    assert "split_leak" in {finding.code for finding in found.findings}
    assert {name: (part.queries, part.judgments) for name, part in found.splits.items()} == {
        "dev": (1, 2),
        "test": (2, 2),
    }
    assert found.queries.sharing_a_text == 2
    assert codes(folder, split="dev") == {}


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("USB-C  cable", "usb c cable", True),
        ("ｌａｍｐ", "LAMP", True),
        ("stra\u00dfe", "STRASSE", True),
        ("red lamp", "lamp red", False),
        ("lamp 2", "lamp 3", False),
        ("?", "!", False),
    ],
)
def test_when_two_texts_are_the_same(first: str, second: str, same: bool) -> None:
    assert (normal(first) == normal(second)) is same
