"""ragas' metrics of ids: IDBasedContextPrecision and IDBasedContextRecall; its other metrics read texts.

checked: ragas 0.4.3 (ragas/metrics/_context_precision.py and _context_recall.py), by running it
differs: a query that retrieves nothing has no precision (NaN) and is left out of the mean of SetP, where rankproof
    counts it as 0; P is over the documents returned
same: id_based_context_precision is SetP and id_based_context_recall is SetR, P@k and R@k where k contexts are
    retrieved; in recall a query that retrieves nothing counts as 0
limits: a query without a relevant document has no recall (NaN) there: SetR and R need one in every query.
    ContextPrecision and ContextRecall ask a model, their NonLLM forms compare texts by edit distance; none of these
    is computed from ids

Two queries, of which one retrieves nothing:

>>> from rankproof.testing import mean
>>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
>>> run = {"q1": {"a": 2.0, "x": 1.0}}
>>> mean("SetP", qrels, run)
0.25
>>> mean("SetP", qrels, run, dialect="ragas")
0.5
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.measuring.dialects._limits import refuse
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import p, setp
from rankproof.measuring.measures.contract import Mask, Variant
from rankproof.reading.records import Order

AS_RETRIEVED = Order(by="given")


def nothing_retrieved(table: JudgedTable, variant: Variant) -> Mask:
    """The run has an empty ranking for the query, or none."""
    empty: Mask = table.retrieved == 0
    return empty


def limit(table: JudgedTable, variant: Variant) -> None:
    """Refuses queries for which ragas has no recall."""
    if variant.measure.name in ("SetR", "R"):
        refuse(
            table.pool.relevant(variant["rel"]) == 0, table, variant,
            "no document is relevant, so that ragas has no recall (NaN) and leaves the query out.",
            "Leave such queries out of the judgments, or leave the dialect out.",
        )  # fmt: skip


OFFERS = (
    Dialect(
        name="ragas",
        page=__doc__,
        reading=Reading(AS_RETRIEVED),
        speaks=("SetP", "SetR", "P", "R"),
        defaults={"P": {"denominator": "returned"}},
        instead={
            measure.name: replace(measure, undefined=nothing_retrieved, skips_undefined=True)
            for measure in (*setp.OFFERS, *p.OFFERS)
        },
        limit=limit,
    ),
)
