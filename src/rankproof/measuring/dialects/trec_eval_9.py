"""trec_eval 9.0: the program behind most published TREC numbers, line for line.

checked: trec_eval 9.0.4, by running the program of the package jtreceval 0.0.5 on x86-64
differs: as trec_eval 10 (`--dialect trec_eval`), but scores are 32-bit floats, so that two close scores may be a tie;
    levels of recall become whole documents by adding 0.9 and cutting; `all_trec` has no rbp, rbp_resid and unj; with
    `-c` a query missing from the run is not evaluated, has no lines of its own, and counts as 0 in every measure
same: document id descending among equal scores; `-M` cuts before `-J` removes; means are added one query after the
    other; with `-c` and a level such as `-l2`, `num_rel` of all queries together counts the documents from grade 1 on
limits: rbp, rbp_resid, unj and dcg, which trec_eval 9 lacks, are rankproof's when asked for by name; interpolated
    precision of a ranking that `-J` leaves empty is 0 (trec_eval divides 0 by 0 and prints nan); gains that differ by
    less than 1 are put in ideal order
fused: where a compiler turns `level * R + 0.9` into one instruction that rounds once (gcc does for 64-bit ARM, not for
    plain x86-64), recall 0.3 and 0.7 stand for one document more or less at some numbers R of relevant documents (the
    least are 57 and 3), so that any digit of `iprec_at_recall_0.30`, `iprec_at_recall_0.70` and `11pt_avg` can differ
    there; the other usual levels, and those of `Rprec_mult`, are the same up to R = 10,000; `infAP` and `set_F` can
    differ in the last printed digit. Worked out, not run: this dialect rounds twice, as the program it was held against

Two scores differ in the ninth digit. As 32-bit floats they are equal, and the greater id comes first:

>>> from rankproof.testing import mean
>>> qrels = {"q": {"a": 1}}
>>> run = {"q": {"a": 0.700000001, "b": 0.7}}
>>> mean("RR", qrels, run), mean("RR", qrels, run, dialect="trec_eval_9")
(1.0, 0.5)
"""

from __future__ import annotations

from dataclasses import replace

from rankproof.measuring.dialects import trec_eval
from rankproof.measuring.dialects.contract import CompleteTotal, Dialect
from rankproof.measuring.judged_table import JudgedTable
from rankproof.reading.records import Order


def judged_queries(table: JudgedTable) -> float:
    """`num_q` with `-c`: also the queries on which nothing is computed."""
    return float(len(table))


READING = replace(trec_eval.READING, order=Order(precision="float32"))

OFFERS = (
    Dialect(
        name="trec_eval_9",
        page=__doc__,
        reading=READING,
        defaults={"IPrec": {"rounding": "plus_0.9"}, "11pt": {"rounding": "plus_0.9"}},
        lacks=("rbp", "rbp_resid", "unj"),
        complete="blank",
        totals={"NumRel": trec_eval.NUM_REL, "NumQ": CompleteTotal(judged_queries)},
    ),
)
