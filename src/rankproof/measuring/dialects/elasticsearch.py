"""Elasticsearch's `_rank_eval`: precision, recall, mean_reciprocal_rank, dcg, expected_reciprocal_rank.

checked: the source of its rank-eval module, read and not run, and the numbers in its own tests of dcg and
    expected_reciprocal_rank
differs: the order is that of the hits, scores are not looked at; the gain is 2^grade - 1; P is over the hits returned
    (at most k); the ideal of nDCG (`dcg` with `normalize`) is cut at the number of hits returned, so that a search
    with one perfect hit has nDCG 1
limits: no grade below 0 in nDCG, DCG and ERR (it would subtract), none above `max_grade` (`maximum_relevance`) in
    ERR; `unknown_doc_rating` and `ignore_unlabeled` are as they are when left unsaid

Five documents have grade 3, and a search returns one of them, alone. Against the best ten it has found a third;
Elasticsearch holds it against the best one:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"a": 3, "b": 3, "c": 3, "d": 3, "e": 3}}
>>> run = {"q": {"a": 1.0}}
>>> mean("nDCG(gain=exp2)@10", qrels, run)
0.33916
>>> mean("nDCG@10", qrels, run, dialect="elasticsearch")
1.0
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankproof.measuring.dialects._limits import refuse_grades_above, refuse_negative_grades
from rankproof.measuring.dialects.contract import Dialect, Reading
from rankproof.measuring.gain import dcg, describe_gain, discount, gain_of
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import ndcg
from rankproof.measuring.measures._cascade import top_grade
from rankproof.measuring.measures.contract import Mask, Values, Variant
from rankproof.reading.records import Order


def ideal_to_hits(table: JudgedTable, variant: Variant) -> Values:
    """DCG of the best order of all judged documents, cut at the hits returned."""
    hits = table.retrieved if variant.k is None else np.minimum(table.retrieved, variant.k)
    pool = table.pool
    gain = gain_of(pool.grade, variant["gain"], variant["rel"])
    worth = gain / discount(pool.position, variant["discount"])
    return pool.sum(worth * (pool.position <= hits[pool.query]))


def ndcg_to_hits(table: JudgedTable, variant: Variant) -> Values:
    """DCG divided by that ideal."""
    top = dcg(table, variant.k, variant["gain"], variant["rel"], variant["discount"])
    bottom = ideal_to_hits(table, variant)
    return np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0)


def undefined(table: JudgedTable, variant: Variant) -> Mask:
    """No judged document that could stand in the place of a hit has a gain."""
    return ideal_to_hits(table, variant) <= 0


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Gain and ideal in words."""
    return f"{describe_gain(variant['gain'])}, ideal from all judged documents, cut at the hits returned"


def limit(table: JudgedTable, variant: Variant) -> None:
    """Grades on a scale that the tool's powers of 2 can take."""
    if variant.measure.name in ("nDCG", "DCG", "ERR"):
        refuse_negative_grades(table, variant, "Elasticsearch")
    if variant.measure.name == "ERR":
        top = top_grade(table.pool, variant)
        refuse_grades_above(table, variant, top, f"a grade above maximum_relevance {top} is a chance above 1 there.")


OFFERS = (
    Dialect(
        name="elasticsearch",
        page=__doc__,
        reading=Reading(Order(by="given")),
        speaks=("nDCG", "DCG", "P", "R", "RR", "ERR"),
        defaults={
            "nDCG": {"gain": "exp2"},
            "DCG": {"gain": "exp2"},
            "P": {"denominator": "returned"},
        },
        instead={
            "nDCG": replace(
                ndcg.OFFERS[0], compute=ndcg_to_hits, undefined=undefined, fine_print=fine_print,
                expected=None, worth=None,
            )
        },
        limit=limit,
    ),
)  # fmt: skip
