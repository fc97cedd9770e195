"""The summary of judgments: counts by judge, disagreements with the widest first."""

from __future__ import annotations

from rankproof.judging.adjudicate import summarize
from rankproof.judging.records import Judgment, JudgmentSource


def said(judge: str, doc_id: str, grade: int | None, time: str = "1", **more) -> Judgment:
    return Judgment(f"{judge}{doc_id}", judge, "q1", doc_id, grade, time=time, **more)


def test_counts_and_disagreements() -> None:
    found = summarize(
        [
            said("bob", "d1", 3),
            said("ann", "d1", 2, time="7"),
            said("ann", "d2", 0),
            said("bob", "d2", 3),
            said("ann", "d3", 1, time="3"),
            said("bob", "d3", 1),
            said("ann", "d4", None, reason="cannot_tell"),
            said("ann", "d5", None, reason="later"),
            said("small", "d9", 2, source=JudgmentSource("model", "small-3")),
        ]
    )
    assert [(one.judge, one.source, one.judged) for one in found.judges] == [
        ("ann", "person", 3),
        ("bob", "person", 3),
        ("small", "model", 1),
    ]
    ann = found.judges[0]
    assert (ann.grades, ann.cannot_tell, ann.later, ann.last) == ({0: 1, 1: 1, 2: 1}, 1, 1, "7")
    assert (found.pairs, found.several) == (4, 3)
    assert [(pair.doc_id, pair.votes) for pair in found.split] == [
        ("d2", (("ann", 0), ("bob", 3))),
        ("d1", (("ann", 2), ("bob", 3))),
    ]


def test_nothing_is_a_summary_too() -> None:
    assert summarize([]).to_dict() == {
        "judges": [], "pairs": 0, "several_judges": 0, "agreed": 0, "disagreements": [],
    }  # fmt: skip
