"""ir_measures: one set of names; pytrec_eval, gdeval, cwl_eval, pyndeval and others compute, each its way.

checked: ir_measures 0.4.3 with pytrec-eval-terrier 0.5.11, cwl-eval 1.0.12, pyndeval 0.0.8, perl; by running it
differs: most measures are pytrec_eval's (scores as 32-bit floats, ties by id descending, grades below 0 not judged,
    levels of recall by adding 0.9 and cutting), but a query missing from the run counts as 0, and not at all in NumQ
    and NumRel; RR@k, Judged, Compat and the diversity measures read scores as they are, ties by id ascending; RBP and
    INST leave tied documents in the order given and end at rank 1000; `nDCG(gain=exp2)@k` (its dcg='exp-log2') and
    ERR@k, whose top grade is 4, are rounded to 5 places for each query; RBP has p 0.8 when nothing is said
same: `gains` is a mapping in `gain`; SetF's beta is `weight`; `judged_only` is a setting of the evaluation
limits: nDCG with gain exp2 and ERR need a cutoff, query ids that are whole numbers, and grades up to 4 (gdeval stops
    otherwise); recall levels have two decimals; diversity measures have cutoffs up to 20; RBP has no cutoff; Judged
    and IPrec have no value for an empty ranking; in Compat no documents of one grade may be tied, and scores must be
    above 0, which is not checked: documents that the run lacks stand there with score 0

Two documents are tied, the one with the greater id is relevant. RR puts it first, RR@10 second:

>>> from rankproof.testing import mean
>>> qrels = {"1": {"b": 1}}
>>> run = {"1": {"a": 1.0, "b": 1.0}}
>>> mean("RR", qrels, run), mean("RR@10", qrels, run)
(1.0, 1.0)
>>> mean("RR", qrels, run, dialect="ir_measures"), mean("RR@10", qrels, run, dialect="ir_measures")
(1.0, 0.5)
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from rankproof.errors import UsageError
from rankproof.measuring.dialects import pytrec_eval
from rankproof.measuring.dialects._limits import refuse, refuse_grades_above
from rankproof.measuring.dialects.contract import Dialect, Reading, Rounding
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures import rbp
from rankproof.measuring.measures.contract import Mask, Values, Variant
from rankproof.reading.records import Order

DIVERSITY = ("alpha_nDCG", "ERR_IA", "nERR_IA", "StRecall")
GDEVAL = Reading(rounds=Rounding(5))
CWL_EVAL = Reading(Order(ties="given"))
SORTED_BY_PYTHON = Reading(Order(ties="id_ascending"))
HORIZON = 1000
TOP_GRADE = 4  # gdeval's; it stops at a greater one
NUMBER = re.compile(r"0|[1-9][0-9]*")


def rbp_to_horizon(table: JudgedTable, variant: Variant) -> Values:
    """Rank-biased precision of a reader who never looks beyond the horizon."""
    p = float(variant["p"])
    seen = table.relevant(variant["rel"]) & table.within(HORIZON)
    return table.sum(seen * rbp.weight(table.rank, p)) / (1.0 - p**HORIZON)


def limit(table: JudgedTable, variant: Variant) -> None:
    """Refuses input that the program behind a measure does not accept."""
    name, k = variant.measure.name, variant.k
    if name == "ERR" or (name == "nDCG" and variant["gain"] == "exp2"):
        _of_gdeval(table, variant)
    if name == "RBP" and k is not None:
        raise UsageError(f"{variant}: ir_measures has no cutoff for RBP. Ask for RBP.")
    if name in DIVERSITY and not (k is not None and k <= 20):
        raise UsageError(f"{variant}: ir_measures has {name} with cutoffs from 1 to 20. Ask for {name}@20.")
    if name == "IPrec" and variant.at != round(variant.at or 0.0, 2):
        raise UsageError(f"{variant}: ir_measures writes levels of recall with two decimals. Ask for such a level.")
    if name in ("Judged", "IPrec"):
        refuse(
            table.in_run & (table.retrieved == 0), table, variant,
            "the ranking is empty, and ir_measures divides by 0.",
            "Leave such queries out of the run, or leave the dialect out.",
        )  # fmt: skip
    if name == "Compat":
        refuse(
            _tied_equals(table), table, variant,
            "documents with one grade have one score, and ir_measures puts them in the order of the qrels.",
            "Break the ties in the run, or leave the dialect out.",
        )  # fmt: skip


def _of_gdeval(table: JudgedTable, variant: Variant) -> None:
    if variant.k is None:
        raise UsageError(f"{variant}: ir_measures has this measure with a cutoff only. Ask for {variant}@20.")
    for query in (*table.pool.query_ids, *table.unjudged_queries):
        if not NUMBER.fullmatch(query):
            raise UsageError(
                f"{variant}: query {query!r} is not called by a whole number, and gdeval, which ir_measures "
                "runs for this measure, stops there. Leave the dialect out."
            )
    refuse_grades_above(table, variant, TOP_GRADE, "gdeval, which ir_measures runs, stops at grades above 4.")


def _tied_equals(table: JudgedTable) -> Mask:
    """Queries where two retrieved documents have the same score and the same grade above 0."""
    rows = np.flatnonzero(table.relevant(1))
    keys = np.stack((table.query[rows], table.tie_first[rows], table.grade[rows]))
    pairs, times = np.unique(keys, axis=1, return_counts=True)
    return np.isin(np.arange(len(table)), pairs[0, times > 1])


OFFERS = (
    Dialect(
        name="ir_measures",
        page=__doc__,
        reading=replace(pytrec_eval.READING, missing="zero"),
        reading_of={
            "RR@k": SORTED_BY_PYTHON,
            "Judged": SORTED_BY_PYTHON,
            "Compat": SORTED_BY_PYTHON,
            **dict.fromkeys(DIVERSITY, SORTED_BY_PYTHON),
            "RBP": CWL_EVAL,
            "INST": CWL_EVAL,
            "nDCG(gain=exp2)@k": GDEVAL,
            "ERR": GDEVAL,
            # Defaults of 0 for missing queries: the sum is over those that the run has.
            "NumQ": pytrec_eval.READING,
            "NumRel": pytrec_eval.READING,
        },
        speaks=(
            "nDCG", "P", "R", "RR", "AP", "Rprec", "Bpref", "infAP", "IPrec", "Success",
            "SetP", "SetR", "SetF", "SetAP", "SetRelP", "NumQ", "NumRet", "NumRel", "NumRelRet",
            "Judged", "Compat", "ERR", "RBP", "INST", *DIVERSITY,
        ),
        defaults={
            "IPrec": pytrec_eval.OFFERS[0].defaults["IPrec"],
            "RBP": {"p": 0.8},
            "INST": {"horizon": HORIZON},
            "ERR": {"max_grade": TOP_GRADE},
        },
        instead={"RBP": replace(rbp.OFFERS[0], compute=rbp_to_horizon, expected=None)},
        limit=limit,
    ),
)  # fmt: skip
