"""Retrieval by ranges of text: gold spans and retrieved chunks, measured in characters or tokens.

>>> from rankproof import spans
>>> gold = {"q1": [{"doc_id": "d1", "start": 100, "end": 200}]}
>>> chunks = {"q1": [{"doc_id": "d1", "start": 150, "end": 250}, {"doc_id": "d1", "start": 0, "end": 100}]}
>>> ev = spans.evaluate(gold, chunks, "SpanRecall@1 SpanPrecision@2 SpanIoU@120chars")
>>> ev["SpanRecall@1"].mean, ev["SpanPrecision@2"].mean
(0.5, 0.25)

An answer is an `Evaluation`, which `rankproof.compare_evaluations` takes as it is.
"""

from __future__ import annotations

from rankproof.measuring.spans.evaluate import WORDS, TokenOffsets, evaluate
from rankproof.measuring.spans.locate import locate
from rankproof.measuring.spans.read import read_chunks, read_gold
from rankproof.measuring.spans.records import GoldSpans, RetrievedChunks, Span
from rankproof.measuring.spans.relevance import qrels_of_spans, run_of_chunks
from rankproof.proving.span_thresholds import Sensitivity, threshold_sensitivity

__all__ = [
    "WORDS",
    "GoldSpans",
    "RetrievedChunks",
    "Sensitivity",
    "Span",
    "TokenOffsets",
    "evaluate",
    "locate",
    "qrels_of_spans",
    "read_chunks",
    "read_gold",
    "run_of_chunks",
    "threshold_sensitivity",
]
