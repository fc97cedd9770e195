"""Real collections: what their README says is what is counted."""

from __future__ import annotations

import pytest
from tests.shared_data import SHARED, needs_shared_data

from rankproof.reading.datasets.read import read_dataset
from rankproof.reading.datasets.split import split
from rankproof.reading.datasets.survey import survey


@needs_shared_data
@pytest.mark.parametrize(
    ("name", "documents", "queries", "judgments", "grades"),
    [
        ("cranfield", 1400, 225, 1837, [0, 1, 2, 3, 4]),
        ("scifact", 5183, 300, 339, [1]),
        ("dl20", 21581, 54, 11386, [0, 1, 2, 3]),
    ],
)
def test_counts(name: str, documents: int, queries: int, judgments: int, grades: list[int]) -> None:
    found = survey(read_dataset(str(SHARED / name)))
    assert found.documents is not None
    counts = (found.documents.count, found.queries.count, found.judgments.count)
    assert counts == (documents, queries, judgments)
    assert [grade.grade for grade in found.judgments.grades] == grades
    assert found.join.documents_missing == found.join.queries_without_text == 0


@needs_shared_data
def test_a_split_of_a_real_collection_covers_it() -> None:
    whole = read_dataset(str(SHARED / "scifact"))
    parts = split(whole, {"dev": 0.5, "test": 0.5})
    assert [len(part.queries) for part in parts.values()] == [150, 150]
    ids = {query.query_id for part in parts.values() for query in part.queries}
    assert ids == {query.query_id for query in whole.queries}
