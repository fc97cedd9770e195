"""Subtopics: the order in which equally good documents are taken."""

from __future__ import annotations

import numpy as np

from rankproof.measuring.subtopics import Subtopics
from rankproof.testing.tables import covering, subtopic_table


def test_entries_go_by_document_id_descending_within_each_query() -> None:
    ids = ["b", "é", "a", "a", "c"]  # the pool: three documents of the first query, two of the second
    entries = Subtopics(
        np.array([0, 4, 6]),
        np.array([2, 1]),
        np.array([2, 0, 1, 0, 3, 4]),
        np.array([0, 0, 1, 1, 0, 0], dtype=np.int32),
        np.array([1, 2, 3, 4, 5, 6], dtype=np.int32),
    )
    again = entries.by_document_id(ids)
    assert [ids[d] for d in again.doc] == ["é", "b", "b", "a", "c", "a"]
    assert again.grade.tolist() == [3, 2, 4, 1, 6, 5]  # a document's entries keep their order
    assert again.subtopic.tolist() == [1, 0, 1, 0, 0, 0]
    assert again.start.tolist() == [0, 4, 6]


def test_a_document_has_its_best_grade_in_the_pool() -> None:
    table = subtopic_table({"q": {"a": {"s": 1, "t": 3}, "b": {"s": 2}}}, {"q": {"b": 2.0, "a": 1.0}})
    assert table.pool.grade.tolist() == [3, 2]
    assert table.grade.tolist() == [2, 3]


def test_a_ranking_can_beat_the_greedy_ideal() -> None:
    """Three documents cover three subtopics each; greedy takes the one on a, b, d, whose id is the greatest.

    It then finds two more subtopics: 3 + 2/log2(3). The ranking has 3 + 3/log2(3).
    """
    assert covering("alpha_nDCG(alpha=1)@2", ["abc", "def"], missed=["abd"]) == round(4.892789 / 4.261860, 4)
