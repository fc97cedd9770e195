"""trec_eval 10: the reference program of TREC, to the last printed digit.

checked: trec_eval 10.0, by the expected outputs of its own tests; its sums, also by running trec_eval 9.0.4
differs: a query missing from the run is left out of the mean, `-c` (complete) counts it as an empty ranking; a grade
    below 0 means pooled but not judged; `rbp` is scaled by each query's top grade and ignores the relevance level,
    `rbp_resid` is 0 when everything retrieved was judged; means are sums of 64-bit floats, added one after the other in
    bytewise order of the query ids, where rankproof's are rounded once; with `-c` and a level such as `-l2`, `num_rel`
    of all queries together still counts the documents from grade 1 on
same: score descending as a 64-bit float, then document id descending; levels of recall become whole documents by
    rounding to the nearest (`iprec_at_recall`, `11pt_avg`), multiples of R by adding 0.9 and cutting (`Rprec_mult`);
    measures that trec_eval lacks are read in the same way
limits: where trec_eval's number is an accident of its program, this dialect gives the number its own help describes:
    gains that differ by less than 1 are put in ideal order (trec_eval compares them as whole numbers), recall levels
    of `11pt_avg` may come in any order, interpolated precision of a ranking that `-J` leaves empty is 0 (trec_eval
    divides 0 by 0), and with `-c` a query missing from the run is empty for measures with parameters too (trec_eval
    gives it one document)
fused: a compiler that makes one instruction of a multiplication and an addition (gcc does for 64-bit ARM) changes no
    digit of `iprec_at_recall` and `11pt_avg`, which round a product alone, and none of `Rprec_mult` at its usual
    multiples up to 10,000 relevant documents; `infAP` and `set_F` can differ in the last printed digit

Two queries are judged, and the run has one of them:

>>> from rankproof.testing import mean
>>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
>>> run = {"q1": {"a": 1.0}}
>>> mean("AP", qrels, run), mean("AP", qrels, run, dialect="trec_eval")
(0.5, 1.0)
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dialects.contract import CompleteTotal, Dialect, Reading
from rankproof.measuring.gain import gain_of
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure, Values, Variant, never
from rankproof.measuring.measures.rbp import PATIENCE, weight

# `rbp` takes grades as gains, divides them by the query's top grade when that is above 1, and so knows no relevance
# level. `rbp_resid` is 0 when every retrieved document is judged, whatever the ranks below the last could add.
#
# range: 0 to 1
# undefined: never; counts as 0 where nothing is relevant or nothing was retrieved
# source: trec_eval 10, m_rbp.c and m_rbp_resid.c


def rbp(table: JudgedTable, variant: Variant) -> Values:
    """Attention times grade, the query's top grade being 1."""
    top = np.zeros(len(table), dtype=np.int64)
    filled = table.pool.size > 0
    # A pool is sorted by grade: its first document has the best one.
    top[filled] = table.pool.grade[table.pool.start[:-1][filled]]
    gain = gain_of(table.grade, "linear") / np.maximum(top, 1)[table.query]
    return table.sum(gain * weight(table.rank, variant["p"]) * table.within(variant.k))


def residual(table: JudgedTable, variant: Variant) -> Values:
    """1 minus the attention given to judged documents; 0 where there is no other."""
    judged = table.judged & table.within(variant.k)
    retrieved = table.retrieved if variant.k is None else np.minimum(table.retrieved, variant.k)
    left = 1.0 - table.sum(judged * weight(table.rank, variant["p"]))
    return np.where(table.count(judged) < retrieved, left, 0.0)


RBP = Measure(name="RBP", page=__doc__, compute=rbp, params=(PATIENCE,), undefined=never)
RESIDUAL = Measure(
    name="RBPres",
    page=__doc__,
    compute=residual,
    params=(PATIENCE,),
    undefined=never,
    better="lower",
    prefers="nothing known",
)


def relevant_at_any_level(table: JudgedTable) -> float:
    """`num_rel` of all queries with `-c`: m_num_rel.c counts the qrels anew, every grade above 0."""
    return float(table.pool.relevant(1).sum())


NUM_REL = CompleteTotal(
    relevant_at_any_level,
    "of all queries together the documents from grade 1 on, whatever the level, as trec_eval counts them with -c",
)
READING = Reading(negatives="unjudged", missing="drop", sums="one_by_one")

OFFERS = (
    Dialect(
        name="trec_eval",
        page=__doc__,
        reading=READING,
        instead={"RBP": RBP, "RBPres": RESIDUAL},
        totals={"NumRel": NUM_REL},
    ),
)
