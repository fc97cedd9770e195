"""ranx's evaluate: its metrics on runs made comparable, where no tie matters.

checked: ranx 0.3.21, by running it
differs: `rbp` weighs each document with its grade, so RBP can exceed 1; `hits` (NumRelRet) is averaged over queries,
    not summed; a level `-l2` also sets the gain of lower grades to 0 in nDCG and DCG: say `nDCG(rel=2)`
same: ndcg is nDCG with linear gain, ndcg_burges is `nDCG(gain=exp2)`, hit_rate is Success, precision, recall and f1
    are P, R and F with a cutoff and SetP, SetR and SetF without; a query missing from the run counts as 0
    (`make_comparable=True`)
limits: the order among tied documents is not defined there, so no relevant document may be tied within the cutoff;
    bpref needs a relevant and a judged nonrelevant document in every query (ranx divides by 0)

A document of grade 2 at rank 1 and one of grade 1 at rank 2:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"a": 2, "b": 1}}
>>> run = {"q": {"a": 2.0, "b": 1.0}}
>>> mean("RBP(p=0.5)", qrels, run)
0.75
>>> mean("RBP(p=0.5)", qrels, run, dialect="ranx")
1.25
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from rankproof.measuring.dialects._limits import refuse
from rankproof.measuring.dialects.contract import Dialect
from rankproof.measuring.gain import gain_of
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import numrelret, rbp
from rankproof.measuring.measures.contract import Values, Variant


def graded_rbp(table: JudgedTable, variant: Variant) -> Values:
    """Attention given to each document times its grade."""
    worth = gain_of(table.grade, "linear", variant["rel"]) * rbp.weight(table.rank, variant["p"])
    return table.sum(worth * table.within(variant.k))


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """What a document weighs."""
    return f"patience p={variant['p']:g}, each document weighed with its grade"


def limit(table: JudgedTable, variant: Variant) -> None:
    """Runs whose ties cannot matter; something to divide by in bpref."""
    rel = variant.values.get("rel", 1)
    tied = table.relevant(rel) & (table.tie_last > table.tie_first)
    if variant.k is not None:
        tied &= table.tie_first <= variant.k
    refuse(
        table.count(tied) > 0, table, variant,
        "a relevant document has the same score as another, and ranx does not define their order.",
        "Break the ties in the run, or leave the dialect out.",
    )  # fmt: skip
    if variant.measure.name == "Bpref":
        relevant = table.pool.relevant(rel)
        refuse(
            np.minimum(relevant, table.pool.size - relevant) == 0, table, variant,
            "bpref needs a relevant and a judged nonrelevant document, else ranx divides by 0.",
            "Leave such queries out of the judgments, or leave the dialect out.",
        )  # fmt: skip


OFFERS = (
    Dialect(
        name="ranx",
        page=__doc__,
        speaks=(
            "nDCG", "DCG", "RR", "AP", "P", "R", "F", "Success", "Rprec", "Bpref", "RBP",
            "SetP", "SetR", "SetF", "NumRelRet",
        ),
        instead={
            "RBP": replace(
                rbp.OFFERS[0], compute=graded_rbp, fine_print=fine_print, high=math.inf, expected=None
            ),
            "NumRelRet": replace(numrelret.OFFERS[0], aggregate="mean"),
        },
        limit=limit,
    ),
)  # fmt: skip
