"""The value of a measure in a dialect, for the pages of dialects and for their tests."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.measuring.evaluate import evaluate

Judgments = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Mapping[str, float]]


def mean(measure: str, qrels: Judgments, run: Rankings, dialect: str = "rankproof") -> float:
    """A measure's mean on a run, to five places."""
    (result,) = evaluate(qrels, run, measure, dialect=dialect).values()
    return round(result.mean, 5)
