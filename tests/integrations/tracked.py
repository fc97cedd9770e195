"""Answers of every kind, as they are tracked: for tests, and for the script that gives them to the real libraries."""

from __future__ import annotations

from typing import Any

import rankproof
from rankproof.stack import samples

FOLDER = samples.__path__[0] + "/rankings"


def file(name: str) -> str:
    """A sample file."""
    return f"{FOLDER}/{name}"


def answers() -> dict[str, Any]:
    """An answer of every kind: ties as a range, several systems and segments, without an interval, odd names."""
    qrels, bm25, dense, hybrid = map(file, ("qrels.trec", "bm25.run", "dense.run", "hybrid.run"))
    policy = {
        "policy": {"name": "two limits"},
        "rule": [
            {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.35},
            {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.7},
            {"rule": "no_regression", "measure": "RR@10", "margin": 0.01},
        ],
    }
    return {
        "evaluation": rankproof.evaluate(qrels, bm25, "nDCG@10 RR@10 P(rel=2)@5"),
        "ties": rankproof.evaluate(qrels, bm25, "nDCG@10 AP", ties="range"),
        "evaluations": rankproof.evaluate(qrels, {"bm25": bm25, "größe 北京": dense, "2nd": hybrid}, "nDCG@10 AP"),
        "comparison": rankproof.compare(qrels, bm25, dense, "nDCG@10 RR@10"),
        "several": rankproof.compare(
            qrels, bm25, {"dense": dense, "hybrid": hybrid}, "nDCG@10 RR@10", queries=file("queries.csv"), by=["wants"]
        ),
        "one query": rankproof.compare({"q1": {"d": 1}}, {"q1": {"d": 1.0}}, {"q1": {"e": 1.0, "d": 0.5}}, "RR@10"),
        "no value": rankproof.evaluate({"q1": {"d1": 0, "d2": 1}}, {"q1": {"d1": 1.0}}, "AvgPos relstring nDCG@10"),
        "verdict": rankproof.gate(policy, qrels=qrels, baseline=bm25, candidate=dense),
    }
