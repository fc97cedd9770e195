"""A project on which three judges disagree here and there, with numbers that can be had by hand."""

from __future__ import annotations

from rankproof.judging.records import GoldAnswer, Judgment, Mark
from rankproof.judging.store.store import Store

# Documents of q1 and q2 as ann, bob and cyd grade them; bm25 ranks d1 d2 d3 d4, dense d3 d5 d1 d6 (workbench.fill).
GRADES = {
    ("q1", "d1"): {"ann": 3, "bob": 3, "cyd": 3},
    ("q1", "d2"): {"ann": 0, "bob": 0, "cyd": 0},
    ("q1", "d3"): {"ann": 3, "bob": 0},  # the widest apart, and a tie
    ("q1", "d5"): {"ann": 1, "bob": 1, "cyd": 2},
    ("q2", "d1"): {"ann": 0, "bob": 0, "cyd": 0},
    ("q2", "d2"): {"ann": 2, "bob": 2, "cyd": 2},
    ("q2", "d3"): {"ann": 1, "bob": 2},  # a tie
}

# Once q1 d3 is settled at 2 and q2 d3 at 1. Gains are grades: bm25 has in q1 3 + 0 + 2/2 = 4 of 3 + 2/1.585 + 1/2 =
# 4.7619, in q2 0 + 2/1.585 + 1/2 = 1.7619 of 2 + 1/1.585 = 2.6309; dense in q1 2 + 1/1.585 + 3/2 = 4.1309, in q2 1.
QRELS = "q1 0 d1 3\nq1 0 d2 0\nq1 0 d3 2\nq1 0 d5 1\nq2 0 d1 0\nq2 0 d2 2\nq2 0 d3 1\n"
VALUES = {
    "bm25": {"P@2": 0.5, "RR": 0.75, "nDCG@10": (4 / 4.7618595 + 1.7618595 / 2.6309298) / 2},
    "dense": {"P@2": 0.75, "RR": 1.0, "nDCG@10": (4.1309298 / 4.7618595 + 1 / 2.6309298) / 2},
}


def dispute(store: Store, slug: str = "shop") -> None:
    """Gives the judgments, a flag, a pick and two gold questions."""
    acts = [
        Judgment(f"{n:02}-{judge}-key", judge, query, doc, grade, note="so it seems" if judge == "bob" else "")
        for n, ((query, doc), said) in enumerate(GRADES.items())
        for judge, grade in said.items()
    ]
    store.judgments.add_many(slug, acts)
    store.marks.add(slug, Mark("flag-key", "flag", "ann", "q1", "d2", "=broken link"))
    store.marks.add(slug, Mark("pick-key", "pick", "bob", "q1", "d1"))
    store.gold.add(slug, [GoldAnswer("q1", "d1", 3), GoldAnswer("q2", "d3", 1)])
