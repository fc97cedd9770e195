"""The dialects llama_index, haystack and ragas against the tools themselves, on random collections."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest
from hypothesis import given, settings
from tests.effort import examples

from rankproof.measuring.evaluate import evaluate
from rankproof.testing.collections import CollectionKind, Qrels, Run, collections

ANSWERED = CollectionKind(ties=False, relevant=True)


def lists(qrels: Qrels, run: Run) -> dict[str, tuple[list[str], list[str]]]:
    """For each judged query its relevant ids and its ranking."""
    return {
        query: (
            [doc for doc, grade in docs.items() if grade > 0],
            sorted(run.get(query, {}), key=lambda doc: -run[query][doc]),
        )
        for query, docs in qrels.items()
    }


def ranked(qrels: Qrels, run: Run) -> dict[str, list[str]]:
    return {query: docs for query, (_, docs) in lists(qrels, run).items() if docs}


@settings(max_examples=examples(60), deadline=None)
@given(collections(ANSWERED))
def test_llama_index(collection: tuple[Qrels, Run]) -> None:
    metrics = pytest.importorskip("llama_index.core.evaluation.retrieval.metrics", reason="llama-index-core is missing")
    qrels, run = collection
    judged = {query: both for query, both in lists(qrels, run).items() if both[0] and both[1]}
    if not judged:
        return
    qrels = {query: qrels[query] for query in judged}
    names: dict[str, Any] = {
        "Success@1000": metrics.HitRate(), "RR": metrics.MRR(), "SetP": metrics.Precision(), "SetR": metrics.Recall(),
        "AP": metrics.AveragePrecision(), "nDCG": metrics.NDCG(),
    }  # fmt: skip
    ours = evaluate(qrels, ranked(qrels, run), list(names), dialect="llama_index")
    for text, metric in names.items():
        for query, (expected, retrieved) in judged.items():
            theirs = metric.compute(expected_ids=expected, retrieved_ids=retrieved).score
            assert math.isclose(ours[text].by_query[query], theirs, abs_tol=1e-9), (text, query)


@settings(max_examples=examples(60), deadline=None)
@given(collections(ANSWERED))
def test_haystack(collection: tuple[Qrels, Run]) -> None:
    haystack = pytest.importorskip("haystack", reason="haystack-ai is missing")
    tools = pytest.importorskip("haystack.components.evaluators", reason="haystack-ai is missing")
    qrels, run = collection
    rankings = ranked(qrels, run)
    if not rankings:
        return
    both = lists(qrels, run)
    truth = [
        [haystack.Document(id=doc, content=doc, score=float(grade)) for doc, grade in docs.items() if grade > 0]
        for docs in qrels.values()
    ]
    found = [[haystack.Document(id=doc, content=doc) for doc in both[query][1]] for query in qrels]
    names: dict[str, Any] = {
        "RR": tools.DocumentMRREvaluator(), "AP": tools.DocumentMAPEvaluator(),
        "nDCG": tools.DocumentNDCGEvaluator(), "Success@1000": tools.DocumentRecallEvaluator(),
        "SetR": tools.DocumentRecallEvaluator(mode="multi_hit"),
    }  # fmt: skip
    qrels = {query: {doc: max(0, grade) for doc, grade in docs.items()} for query, docs in qrels.items()}
    ours = evaluate(qrels, rankings, list(names), dialect="haystack")
    for text, tool in names.items():
        theirs = tool.run(ground_truth_documents=truth, retrieved_documents=found)
        assert math.isclose(ours[text].mean, theirs["score"], abs_tol=1e-9), text
        for query, score in zip(qrels, theirs["individual_scores"], strict=True):
            assert math.isclose(ours[text].by_query[query], score, abs_tol=1e-9), (text, query)


@settings(max_examples=examples(30), deadline=None)
@given(collections(ANSWERED))
def test_ragas(collection: tuple[Qrels, Run]) -> None:
    metrics = pytest.importorskip("ragas.metrics", reason="ragas is missing", exc_type=ImportError)
    from ragas import SingleTurnSample
    from ragas.utils import safe_nanmean

    qrels, run = collection
    judged = {query: both for query, both in lists(qrels, run).items() if both[0]}
    qrels = {query: qrels[query] for query in judged}
    rankings = ranked(qrels, run)
    if not rankings:
        return
    ours = evaluate(qrels, rankings, "SetP SetR", dialect="ragas")
    names = {"SetP": metrics.IDBasedContextPrecision(), "SetR": metrics.IDBasedContextRecall()}
    for text, metric in names.items():
        samples = [SingleTurnSample(reference_context_ids=e, retrieved_context_ids=r) for e, r in judged.values()]
        theirs = [asyncio.run(metric.single_turn_ascore(sample)) for sample in samples]
        assert math.isclose(ours[text].mean, safe_nanmean(theirs), abs_tol=1e-9), text
