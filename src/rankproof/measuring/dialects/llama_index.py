"""LlamaIndex's RetrieverEvaluator: hit_rate, mrr, precision, recall, ap and ndcg of ids in the order retrieved.

checked: llama-index-core 0.14.25 (llama_index/core/evaluation/retrieval/metrics.py), by running it
differs: the order is that of the ids; an expected id counts as relevant, whatever its grade, so nDCG is binary; the
    ideal of nDCG has all expected ids and is not cut, so that nDCG@k cannot reach 1 with more than k of them; P is
    over the documents returned
same: hit_rate is Success, mrr is RR, ap is AP over all expected ids; precision and recall are SetP and SetR of all that
    was retrieved, P@k and R@k where the retriever has top_k = k. Its granular hit_rate is SetR
limits: a query that retrieves nothing, or has no expected id, is an error there, which stops the evaluation; the
    granular mrr is not reproduced; in earlier releases the ideal of nDCG has as many ids as were retrieved

Three expected ids, of which two can be among the first two:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"a": 1, "b": 1, "c": 1}}
>>> run = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}
>>> mean("nDCG@2", qrels, run)
1.0
>>> mean("nDCG@2", qrels, run, dialect="llama_index")
0.76536
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.measuring.dialects._limits import refuse
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.gain import discount
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures import ndcg
from rankproof.measuring.measures.contract import Mask, Values, Variant
from rankproof.reading.records import Order


def ideal(table: JudgedTable, variant: Variant) -> Values:
    """All expected ids, one after the other from rank 1 on, which is where the pool has them."""
    pool = table.pool
    return pool.sum((pool.grade >= _least(variant)) / discount(pool.position, "log2"))


def binary_ndcg(table: JudgedTable, variant: Variant) -> Values:
    """Each expected id at rank i is worth 1 / log2(i + 1)."""
    hit = table.relevant(_least(variant)) & table.within(variant.k)
    return share(table.sum(hit / discount(table.rank, "log2")), ideal(table, variant))


def _least(variant: Variant) -> int:
    """The least grade of an expected id."""
    return max(1, int(variant["rel"]))


def undefined(table: JudgedTable, variant: Variant) -> Mask:
    """No id is expected."""
    return ideal(table, variant) <= 0


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Gain and ideal in words."""
    return "gain 1 for every relevant document, discount log2(rank+1), ideal from all relevant documents, not cut"


def limit(table: JudgedTable, variant: Variant) -> None:
    """Refuses queries for which LlamaIndex raises an error."""
    refuse(
        table.retrieved == 0, table, variant,
        "nothing was retrieved, and LlamaIndex stops with an error there.",
        "Leave such queries out of the judgments, or leave the dialect out.",
    )  # fmt: skip
    refuse(
        table.pool.relevant(1) == 0, table, variant,
        "no document is relevant, and LlamaIndex stops with an error where no id is expected.",
        "Leave such queries out of the judgments, or leave the dialect out.",
    )  # fmt: skip


OFFERS = (
    Dialect(
        name="llama_index",
        page=__doc__,
        reading=Reading(Order(by="given")),
        speaks=("nDCG", "RR", "AP", "P", "R", "Success", "SetP", "SetR"),
        defaults={"P": {"denominator": "returned"}},
        instead={
            "nDCG": replace(
                ndcg.OFFERS[0], compute=binary_ndcg, undefined=undefined, fine_print=fine_print,
                expected=None, worth=None, depends=None,
            )
        },
        limit=limit,
    ),
)  # fmt: skip
