"""The retriever must not be worse than the one that is live: over all questions, and question by question."""

from __future__ import annotations

import pytest
from retriever import retrieve


def test_the_retriever_is_not_worse(assert_not_worse) -> None:
    """The mean may fall by at most 0.02 against the configured baseline; UNDECIDED fails, as the settings say."""
    assert_not_worse(candidate=retrieve, measures="nDCG@10", margin=0.02)


def test_each_question(relevance_query) -> None:
    """One test for each judged question: none may lose more than half of its relevant documents."""
    relevance_query.assert_not_worse(retrieve(relevance_query.text), "R@10", tolerance=0.5)


@pytest.mark.parametrize("k", [5, 20])
def test_several_depths(assert_not_worse, k: int) -> None:
    """Another baseline and another setting, in the call."""
    assert_not_worse("data/bm25.run", retrieve, f"R@{k}", margin=0.1, undecided="warn")
