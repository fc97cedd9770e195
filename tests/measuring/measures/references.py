"""Every measure once more, in a few lines of plain Python for one query: what the vectorized code must equal.

Written from the papers and from trec_eval's definitions, with loops and no NumPy, in the files `plain_*.py`. A
function gets a Case and the variant, and returns the value, or None where the measure is undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.measuring.measures import plain_diversity as diversity
from tests.measuring.measures import plain_gain as gain
from tests.measuring.measures import plain_readers as readers
from tests.measuring.measures import plain_relevance as relevance
from tests.measuring.measures.plain_cases import Case, hit, hit_ranks, relevant

from rankproof.measuring.measures.contract import Variant

REFERENCES: dict[str, Callable[[Case, Variant], float | None]] = {
    "11pt": relevance.eleven_point,
    "AP": relevance.ap,
    "AllRecall": relevance.all_recall,
    "AnswerRate": lambda c, v: float(bool(c.ranking)) if relevant(c, v) else None,
    "AvgPos": readers.avgpos,
    "BinG": relevance.bing,
    "Bpref": relevance.bpref,
    "Compat": readers.compat,
    "DCG": gain.dcg,
    "ERR": readers.err,
    "F": relevance.f,
    "FalseAnswers": lambda c, v: None if relevant(c, v) else float(bool(c.ranking)),
    "G": gain.g_measure,
    "GMAP": relevance.ap,
    "GMBpref": relevance.bpref,
    "GradeShare": relevance.grade_share,
    "INST": readers.inst,
    "IPrec": relevance.iprec,
    "InTop": readers.intop,
    "Judged": relevance.judged,
    "MinPos": lambda c, v: min(hit_ranks(c, v), default=None),
    "NumNonrelJudgedRet": lambda c, v: sum(c.judged(g) and not hit(g, v) for g in c.ranking),
    "NumQ": lambda c, v: 1.0,
    "NumRel": relevant,
    "NumRelRet": lambda c, v: len(hit_ranks(c, v)),
    "NumRet": lambda c, v: len(c.ranking),
    "P": relevance.p,
    "R": relevance.r,
    "RBP": readers.rbp,
    "RBPres": readers.rbpres,
    "RR": relevance.rr,
    "RelP": relevance.r,
    "RelString": lambda c, v: len(c.ranking[: v.k]),
    "Rndcg": gain.rndcg,
    "Rprec": relevance.rprec,
    "RprecMult": relevance.rprec,
    "RunID": lambda c, v: float(c.in_run),
    "SetAP": relevance.setap,
    "SetF": relevance.f,
    "SetP": relevance.setp,
    "SetR": relevance.setr,
    "SetRelP": relevance.setrelp,
    "Success": relevance.success,
    "Unjudged": relevance.judged,
    "Utility": relevance.utility,
    "YAAP": relevance.yaap,
    "infAP": relevance.infap,
    "nDCG": gain.ndcg,
    "nDCGrel": gain.ndcg_rel,
    "nERR": readers.nerr,
}

DIVERSITY: dict[str, Callable[[Any, Variant], float | None]] = {
    "ERR_IA": diversity.err_ia,
    "AllStRecall": diversity.all_strecall,
    "NuggetRecall": diversity.nugget_recall,
    "StRecall": diversity.strecall,
    "alpha_nDCG": diversity.alpha_ndcg,
    "nERR_IA": diversity.nerr_ia,
}
