"""The retriever under test: a function from a question to the ids of its documents, best first.

A real project asks its index here. This one looks up rankings that were made before: RANKINGS names the file.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import rankproof

DATA = Path(__file__).parent / "data"


@cache
def _rankings() -> dict[str, list[str]]:
    run = rankproof.read_run(DATA / os.environ.get("RANKINGS", "hybrid.run"))
    texts = rankproof.read_topics(DATA / "topics.tsv")
    return {texts[query]: docs for query, docs, _ in run.rankings()}


def retrieve(question: str) -> list[str]:
    """The ids of the documents for a question, best first."""
    return _rankings().get(question, [])
