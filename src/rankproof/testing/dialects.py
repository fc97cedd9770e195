"""A dialect tried on a few documents: the mean of a measure as another tool tells it."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof import shelf
from rankproof.dialects._contract import Dialect
from rankproof.flow.evaluate import evaluate_tables
from rankproof.measures._text import parse
from rankproof.records.settings import Settings
from rankproof.testing.tables import table_of


def mean(
    measure: str,
    qrels: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    dialect: str = "rankproof",
) -> float:
    """A measure's mean on a run, to five places."""
    item: Dialect = shelf.find("dialects", dialect)
    kept = without_self(run) if item.drops_self else run
    evaluation = evaluate_tables(
        lambda order: table_of(qrels, kept, order), parse(measure), Settings(dialect=dialect)
    )
    (result,) = evaluation.values()
    return round(result.mean, 5)


def without_self(run: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The run without documents whose id is the query's own."""
    return {query: {d: s for d, s in docs.items() if d != query} for query, docs in run.items()}
