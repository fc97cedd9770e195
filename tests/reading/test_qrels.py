"""Qrels: grades read like a mapping, subtopics, and the judgments of the core."""

from __future__ import annotations

import pytest

from rankproof.reading.collect import read_qrels

WORLD = {"q2": {"a": 2, "b": 0}, "q1": {"a": 1}}


def test_qrels_are_a_mapping() -> None:
    qrels = read_qrels(WORLD, name="settled")
    assert len(qrels) == 2
    assert list(qrels) == ["q2", "q1"]
    assert qrels["q2"] == {"a": 2, "b": 0}
    assert all(type(grade) is int for grade in qrels["q2"].values())
    assert qrels.to_dict() == dict(qrels) == WORLD
    assert qrels.grades == {0: 1, 1: 1, 2: 1}
    assert list(qrels.grades) == [0, 1, 2]
    with pytest.raises(KeyError):
        qrels["q9"]
    assert repr(qrels) == "Qrels('settled', 2 queries, 3 judgments)"


def test_filter() -> None:
    qrels = read_qrels(WORLD)
    assert qrels.filter(["q1", "unknown"]).to_dict() == {"q1": {"a": 1}}
    assert qrels.filter(queries=()).to_dict() == {}


def test_equality_is_by_content() -> None:
    qrels = read_qrels(WORLD)
    turned = read_qrels([("q1", "a", 1), ("q2", "b", 0), ("q2", "a", 2)], name="other")
    assert qrels == turned
    assert hash(qrels) == hash(turned)
    assert qrels != read_qrels({**WORLD, "q1": {"a": 2}})
    assert qrels != WORLD
    # TREC's second column counts only where it says something.
    assert read_qrels(b"q2 0 a 2\nq2 0 b 0\nq1 0 a 1\n") == qrels
    assert read_qrels(b"q2 Q0 a 2\nq2 Q0 b 0\nq1 0 a 1\n") == qrels
    assert read_qrels(b"q2 0 a 2\nq2 7 b 0\nq1 0 a 1\n") != qrels


def test_the_hash_is_written_down() -> None:
    """A change of this number breaks every stored comparison: it must be meant."""
    assert read_qrels({"q1": {"d1": 1}}).content_hash == (
        "3711719e72fffdced4f9df70f90b66bcdf8fcb2079d59900e3461645ce9d2248"
    )


def test_subtopics() -> None:
    qrels = read_qrels(b"q1 1 a 1\nq1 2 a 3\nq1 2 b 0\nq2 1 a 1\n")
    assert qrels.has_subtopics
    assert qrels["q1"] == {"a": 3, "b": 0}
    assert list(qrels.judged()) == [
        ("q1", ["a", "a", "b"], [1, 3, 0], ["1", "2", "2"]),
        ("q2", ["a"], [1], ["1"]),
    ]
    assert not read_qrels(WORLD).has_subtopics


def test_judgments_are_made_once() -> None:
    qrels = read_qrels(WORLD)
    judgments = qrels.judgments()
    assert judgments is qrels.judgments()
    assert judgments.query_ids == ["q2", "q1"]
    assert judgments.grade.tolist() == [2, 0, 1]
