"""trec_eval's names for measures: `ndcg_cut_10`, `map_cut.100`, `recip_rank`, the sets `official` and `all_trec`.

Both ways: from what a person types for trec_eval to variants, and from a variant to the name trec_eval prints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rankproof import shelf
from rankproof.errors import UsageError
from rankproof.measures._contract import Measure, Variant
from rankproof.measures._trec_forms import Alone, Depth, Form, Gains, Levels, Named, Ranks, Values

_ALONE = Alone()
_CUTS = Ranks((5, 10, 15, 20, 30, 100, 200, 500, 1000))
_TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """One of trec_eval's measures: its name there and here, and what may follow the name."""

    name: str
    ours: str
    form: Form = _ALONE
    summary_only: bool = False  # printed for all queries together, never for one

    @property
    def measure(self) -> Measure:
        """The item of our shelf."""
        found: Measure = shelf.find("measures", self.ours)
        return found


# In the order in which trec_eval prints them, whatever the order they were asked in.
TREC_MEASURES = (
    TrecMeasure("runid", "RunID", summary_only=True),
    TrecMeasure("num_q", "NumQ", summary_only=True),
    TrecMeasure("num_ret", "NumRet"),
    TrecMeasure("num_rel", "NumRel"),
    TrecMeasure("num_rel_ret", "NumRelRet"),
    TrecMeasure("map", "AP"),
    TrecMeasure("gm_map", "GMAP", summary_only=True),
    TrecMeasure("Rprec", "Rprec"),
    TrecMeasure("bpref", "Bpref"),
    TrecMeasure("recip_rank", "RR"),
    TrecMeasure("iprec_at_recall", "IPrec", Levels(_TENTHS)),
    TrecMeasure("P", "P", _CUTS),
    TrecMeasure("relstring", "RelString", Depth(10)),
    TrecMeasure("recall", "R", _CUTS),
    TrecMeasure("infAP", "infAP"),
    TrecMeasure("gm_bpref", "GMBpref", summary_only=True),
    TrecMeasure("Rprec_mult", "RprecMult", Levels(_FIFTHS, "mult")),
    TrecMeasure("utility", "Utility", Values("weights")),
    TrecMeasure("11pt_avg", "11pt", Values("recall")),
    TrecMeasure("binG", "BinG"),
    TrecMeasure("G", "G", Gains()),
    TrecMeasure("dcg", "DCG", Gains()),
    TrecMeasure("ndcg", "nDCG", Gains()),
    TrecMeasure("ndcg_rel", "nDCGrel", Gains()),
    TrecMeasure("Rndcg", "Rndcg", Gains()),
    TrecMeasure("ndcg_cut", "nDCG", _CUTS),
    TrecMeasure("map_cut", "AP", _CUTS),
    TrecMeasure("relative_P", "RelP", _CUTS),
    TrecMeasure("success", "Success", Ranks((1, 5, 10))),
    TrecMeasure("set_P", "SetP"),
    TrecMeasure("set_relative_P", "SetRelP"),
    TrecMeasure("set_recall", "SetR"),
    TrecMeasure("set_map", "SetAP"),
    TrecMeasure("set_F", "SetF", Values("weight", single=True)),
    TrecMeasure("num_nonrel_judged_ret", "NumNonrelJudgedRet"),
    TrecMeasure("yaap", "YAAP"),
    TrecMeasure("rbp", "RBP", Named("p", 0.9)),
    TrecMeasure("rbp_resid", "RBPres", Named("p", 0.9)),
    TrecMeasure("unj", "Unjudged", Ranks((5, 10, 20))),
)
_BY_NAME = {measure.name: measure for measure in TREC_MEASURES}

_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
TREC_SETS = {
    "official": (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P"),
    "set": (*_COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": tuple(name for name in _BY_NAME if name not in ("dcg", "yaap")),
}


def trec_variants(token: str) -> tuple[Variant, ...] | None:
    """The variants that a trec_eval name stands for, or None when it is not one of its names."""
    if token in TREC_SETS:
        return tuple(variant for name in TREC_SETS[token] for variant in _usual(_BY_NAME[name]))
    if token in _BY_NAME:
        return _usual(_BY_NAME[token])
    split = _split(token)
    if split is None:
        return None
    found, text = split
    try:
        return tuple(found.form.read(found.measure, found.name, text))
    except ValueError as error:
        raise UsageError(f"{token}: trec_eval's {found.name} {error}.") from None


@dataclass(frozen=True, slots=True)
class TrecName:
    """What trec_eval prints for a variant, and where in its output: among measures, then among cutoffs."""

    name: str
    measure: TrecMeasure
    place: tuple[int, float]


def trec_name(variant: Variant) -> TrecName | None:
    """The name trec_eval prints for a variant; None when it has no such measure."""
    for number, found in enumerate(TREC_MEASURES):
        if found.ours == variant.measure.name:
            shown = found.form.show(variant)
            if shown is not None:
                level = variant.at if variant.at is not None else variant.values.get("mult", 0.0)
                return TrecName(variant.typed or found.name + shown, found, (number, float(level)))
    return None


def _usual(found: TrecMeasure) -> tuple[Variant, ...]:
    return tuple(found.form.usual(found.measure))


def _split(token: str) -> tuple[TrecMeasure, str] | None:
    """The measure and the text of its parameters, from `P.5,10` or, as results name it, `P_5`."""
    name, dot, text = token.partition(".")
    if dot and name in _BY_NAME:
        return _BY_NAME[name], text
    # The longest name that fits: `ndcg_cut_10` is not `ndcg` followed by `cut_10`.
    for name in sorted(_BY_NAME, key=len, reverse=True):
        if token.startswith(f"{name}_") and re.match(r"[-+.\d]|[a-z]=", token[len(name) + 1 :]):
            return _BY_NAME[name], token[len(name) + 1 :]
    return None
