"""Runs made to fool a gate, and a gate on them: forty queries with three relevant documents each."""

from __future__ import annotations

from typing import Any

from rankproof.proving.gate import gate
from rankproof.proving.verdict import Verdict

Ranking = dict[str, float]
QUERIES = [f"q{i:02}" for i in range(1, 41)]
# Relevant ids sort last, so that the rule for ties (ids descending) puts them first.
QRELS = {q: {**{f"Z{i}": 1 for i in range(3)}, **{f"A{i}": 0 for i in range(7)}} for q in QUERIES}


def ranked(*docs: str) -> Ranking:
    return {doc: float(len(docs) - i) for i, doc in enumerate(docs)}


def mixed(at: int) -> Ranking:
    """Two relevant documents at the top for most queries, one further down."""
    third = 3 + at % 5
    docs = ["Z0", "Z1", *(f"A{i}" for i in range(7))]
    docs.insert(third, "Z2")
    return ranked(*docs)


def behind(docs: Ranking) -> Ranking:
    """Two documents that are not relevant before all others."""
    return ranked("A0", "A1", *(doc for doc in docs if doc not in ("A0", "A1")))


BASE = {q: mixed(at) for at, q in enumerate(QUERIES)}
REVERSED = {q: ranked(*reversed(list(docs))) for q, docs in BASE.items()}
ALL_EQUAL = {q: dict.fromkeys(docs, 1.0) for q, docs in BASE.items()}
LOWER = {q: {doc.lower(): score for doc, score in docs.items()} for q, docs in BASE.items()}
NO_LOSS = {"rule": "no_regression", "measure": "nDCG@10", "margin": 0.01}


def decide(
    *rules: dict[str, Any], risks: str | None = None, evaluate: dict[str, Any] | None = None, **runs: Any
) -> Verdict:
    head = {} if risks is None else {"risks": risks}
    policy = {"policy": head, "rule": list(rules), **({} if evaluate is None else {"evaluate": evaluate})}
    return gate(policy, **{"qrels": QRELS, **runs})
