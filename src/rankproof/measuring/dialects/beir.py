"""BEIR's EvaluateRetrieval: NDCG, MAP, Recall and P by pytrec_eval, and its own MRR, R_cap and Accuracy.

checked: beir 2.2.0 with pytrec-eval-terrier, by running it
differs: means are rounded to 5 places; a document whose id is the query's own is removed from the results first;
    NDCG, MAP, Recall and P (nDCG, AP, R, P) leave out the queries that the run lacks, and read scores as 32-bit
    floats, ties by id descending; MRR (RR), R_cap (`R(denominator=min_k)`) and Accuracy (Success) count them as 0,
    and leave tied documents in the order given
limits: for RR, `R(denominator=min_k)` and Success no query in the run that has no judgments (BEIR stops with a
    KeyError); for R_cap a relevant document in every query that the run has (BEIR divides by 0); Hole is not
    reproduced: it counts a document as judged when it is judged for any query, which rankproof's Unjudged does not;
    values are added exactly, and BEIR's in the order of the run: where the mean lies halfway between two roundings,
    its fifth place may be another

Two queries are judged, and the run has one of them:

>>> from rankproof.testing import mean
>>> qrels = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
>>> run = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}}
>>> mean("nDCG@10", qrels, run), mean("RR@10", qrels, run)
(0.34671, 0.25)
>>> mean("nDCG@10", qrels, run, dialect="beir"), mean("RR@10", qrels, run, dialect="beir")
(0.69343, 0.25)
"""

from __future__ import annotations

from rankproof.errors import OutOfDialect
from rankproof.measuring.dialects import pytrec_eval
from rankproof.measuring.dialects._limits import refuse
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Variant
from rankproof.reading.records import Order

ITS_OWN = Reading(Order(ties="given"))
CAPPED = "R(denominator=min_k)@k"


def limit(table: JudgedTable, variant: Variant) -> None:
    """Refuses input on which BEIR's own loops stop with an error."""
    capped = variant.measure.name == "R" and variant["denominator"] == "min_k"
    if (capped or variant.measure.name in ("RR", "Success")) and table.unjudged_queries:
        raise OutOfDialect(
            f"{variant}: the run has queries without judgments, such as {table.unjudged_queries[0]}, where "
            "BEIR stops with a KeyError. Leave them out of the run, or leave the dialect out."
        )
    if capped:
        refuse(
            table.in_run & (table.pool.relevant(variant["rel"]) == 0), table, variant,
            "no document is relevant, and BEIR stops dividing by 0.",
            "Leave such queries out of the run, or leave the dialect out.",
        )  # fmt: skip


OFFERS = (
    Dialect(
        name="beir",
        page=__doc__,
        reading=pytrec_eval.READING,
        reading_of={"RR": ITS_OWN, "Success": ITS_OWN, CAPPED: ITS_OWN},
        speaks=("nDCG", "AP", "R", "P", "RR", "Success"),
        round_mean=5,
        drops_self=True,
        limit=limit,
    ),
)
