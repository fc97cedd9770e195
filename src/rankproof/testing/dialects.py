"""A dialect tried on a few documents: a measure's values as another tool tells them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankproof import shelf
from rankproof.dialects._contract import Dialect
from rankproof.flow.evaluate import evaluate_tables
from rankproof.measures._text import parse
from rankproof.records.evaluation import Evaluation, Result
from rankproof.records.judged import JudgedTable
from rankproof.records.order import Order
from rankproof.records.settings import Settings
from rankproof.testing.tables import table_of

Judgments = Mapping[str, Mapping[str, int]]
Rankings = Mapping[str, Mapping[str, float]]


def mean(measure: str, qrels: Judgments, run: Rankings, dialect: str = "rankproof") -> float:
    """A measure's mean on a run, to five places."""
    return round(result(measure, qrels, run, dialect).mean, 5)


def by_query(measure: str, qrels: Judgments, run: Rankings, dialect: str = "rankproof") -> dict[str, float]:
    """A measure's value for each query that counts, to the last bit."""
    return result(measure, qrels, run, dialect).by_query


def result(measure: str, qrels: Judgments, run: Rankings, dialect: str) -> Result:
    """One measure evaluated on tables made the plain way."""
    (only,) = results([measure], qrels, run, dialect).values()
    return only


def results(measures: Sequence[str], qrels: Judgments, run: Rankings, dialect: str) -> Evaluation:
    """Several measures evaluated on tables made the plain way."""
    item: Dialect = shelf.find("dialects", dialect)
    kept = without_self(run) if item.drops_self else run
    made: dict[Order, JudgedTable] = {}

    def table(order: Order) -> JudgedTable:
        if order not in made:
            made[order] = table_of(qrels, kept, order)
        return made[order]

    return evaluate_tables(table, parse(measures), Settings(dialect=dialect))


def without_self(run: Rankings) -> dict[str, dict[str, float]]:
    """The run without documents whose id is the query's own."""
    return {query: {d: s for d, s in docs.items() if d != query} for query, docs in run.items()}
