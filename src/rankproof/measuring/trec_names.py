"""trec_eval's names of measures: `ndcg_cut_10`, `map_cut.100`, `recip_rank`, and the sets `official` and `all_trec`.

Both ways: from what a person types for trec_eval to variants, and from a variant to the name trec_eval prints.

`P.5,10` is a list of ranks, `iprec_at_recall..1,.5` one of recall levels, `utility.2,-1,0,0` the numbers of one
measure, `ndcg.1=3,2=9` a mapping. Each form reads such a text, and writes what trec_eval prints after the name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import show_number
from rankproof.measuring.measures.contract import Measure, Variant


class NameForm(Protocol):
    """What may follow a name. Raises ValueError with what is possible for any other text."""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The variants of the bare name."""

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The variants of a name followed by a text, each with what trec_eval prints for it."""

    def show(self, variant: Variant) -> str | None:
        """What follows the name of a variant; None for a variant that trec_eval does not have."""


def plain(variant: Variant, *but: str) -> bool:
    """Whether all parameters are the default ones, leaving aside those named."""
    return all(p.name in but or variant[p.name] == p.default for p in variant.measure.params)


def numbers(text: str) -> list[float]:
    """Numbers between commas."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = [math.nan]
    if not all(map(math.isfinite, values)):
        raise ValueError(f"takes numbers separated by commas; got {text!r}")
    return values


@dataclass(frozen=True, slots=True)
class Alone:
    """No parameters."""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The measure as it is."""
        yield measure.variant()

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """Nothing can be read."""
        raise ValueError("takes no parameters")

    def show(self, variant: Variant) -> str | None:
        """Nothing follows."""
        return "" if variant.at is None and plain(variant) else None


@dataclass(frozen=True, slots=True)
class Ranks:
    """Rank cutoffs, one variant each."""

    defaults: tuple[int, ...]

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """One variant for each usual cutoff."""
        return (measure.variant(k) for k in self.defaults)

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """One variant for each cutoff; trec_eval reads 23.4 as 23."""
        for number in dict.fromkeys(int(number) for number in numbers(text)):
            if number < 1:
                raise ValueError(f"takes cutoffs from 1 upward; got {number}")
            yield Variant(measure, measure.variant().values, number, f"{name}_{number}")

    def show(self, variant: Variant) -> str | None:
        """The cutoff."""
        return f"_{variant.k}" if variant.k is not None and plain(variant) else None


@dataclass(frozen=True, slots=True)
class Depth:
    """One rank cutoff, printed only when it was given."""

    default: int

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The usual cutoff."""
        yield measure.variant(self.default)

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The cutoff in the text."""
        (variant,) = Ranks(()).read(measure, name, text.partition(",")[0])
        yield Variant(measure, variant.values, variant.at, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """Nothing for the usual cutoff."""
        return "" if variant.k == self.default else f"_{variant.k}"


@dataclass(frozen=True, slots=True)
class Levels:
    """Numbers with one variant each: the level after `@`, or a parameter when `param` names one."""

    defaults: tuple[float, ...]
    param: str = ""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """One variant for each usual level."""
        return (self._variant(measure, level) for level in self.defaults)

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """One variant for each level."""
        for level in dict.fromkeys(numbers(text)):
            if level < 0 or (level > 1 and not self.param) or (level == 0 and self.param):
                raise ValueError(f"does not take {level:g}")
            yield self._variant(measure, level, f"{name}_{level:.2f}")

    def show(self, variant: Variant) -> str | None:
        """The level with two decimals, as trec_eval prints it."""
        level = variant[self.param] if self.param else variant.at
        return f"_{level:.2f}" if plain(variant, self.param) else None

    def _variant(self, measure: Measure, level: float, typed: str = "") -> Variant:
        made = measure.variant(**{self.param: level}) if self.param else measure.variant(level)
        return Variant(measure, made.values, made.at, typed)


@dataclass(frozen=True, slots=True)
class Values:
    """The numbers of one parameter of one variant; a single number where the parameter holds one."""

    param: str
    single: bool = False

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The default numbers."""
        yield measure.variant()

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The numbers as the parameter reads them."""
        (param,) = (p for p in measure.params if p.name == self.param)
        value = param.kind.parse(text if self.single else text.replace(",", ";"))
        yield Variant(measure, measure.variant(**{self.param: value}).values, None, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """The numbers, unless they are the default ones."""
        if variant.at is not None or not plain(variant, self.param):
            return None
        if plain(variant):
            return ""
        value = variant[self.param]
        return "_" + ",".join(show_number(v) for v in ([value] if self.single else value))


@dataclass(frozen=True, slots=True)
class Gains:
    """A gain for some grades: `1=3,2=9`."""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The gain is the grade."""
        yield measure.variant()

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The mapping."""
        (param,) = (p for p in measure.params if p.name == "gain")
        gain: Any = param.kind.parse("{" + text.replace("=", ":") + "}")
        yield Variant(measure, measure.variant(gain=gain).values, None, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """The mapping, unless the gain is the grade."""
        gain = variant["gain"]
        if variant.at is not None or gain == "exp2" or not plain(variant, "gain"):
            return None
        return "" if gain == "linear" else "_" + ",".join(f"{g}={show_number(v)}" for g, v in gain)


@dataclass(frozen=True, slots=True)
class Named:
    """One parameter, given by name: `p=0.8`."""

    param: str
    default: float

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The usual value."""
        yield measure.variant(**{self.param: self.default})

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The value in the text."""
        (param,) = (p for p in measure.params if p.name == self.param)
        match = re.fullmatch(rf"{self.param}=(.+)", text)
        if match is None:
            raise ValueError(f"takes {self.param}=NUMBER; got {text!r}")
        made = measure.variant(**{self.param: param.kind.parse(match[1])})
        yield Variant(measure, made.values, None, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """Nothing for the usual value."""
        if variant.at is not None or not plain(variant, self.param):
            return None
        value = variant[self.param]
        return "" if value == self.default else f"_{self.param}={show_number(value)}"


_ALONE = Alone()
_CUTS = Ranks((5, 10, 15, 20, 30, 100, 200, 500, 1000))
_TENTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_FIFTHS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """One of trec_eval's measures: its name there and here, and what may follow the name."""

    name: str
    ours: str
    form: NameForm = _ALONE
    summary_only: bool = False  # printed for all queries together, never for one

    @property
    def measure(self) -> Measure:
        """The item of our shelf."""
        item: Measure = shelf.find("measures", self.ours)
        return item


# In the order in which trec_eval prints them, whatever the order of the request.
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


def trec_variants(token: str, dialect: str = "") -> tuple[Variant, ...] | None:
    """The variants that a trec_eval name stands for, or None when it is not one of its names.

    The sets hold what they hold in the version that the dialect is of.
    """
    if token in TREC_SETS:
        lacks = shelf.find("dialects", dialect).lacks if dialect else ()
        names = (name for name in TREC_SETS[token] if name not in lacks)
        return tuple(variant for name in names for variant in _usual(_BY_NAME[name]))
    if token in _BY_NAME:
        return _usual(_BY_NAME[token])
    split = _split(token)
    if split is None:
        return None
    trec_measure, text = split
    try:
        return tuple(trec_measure.form.read(trec_measure.measure, trec_measure.name, text))
    except ValueError as error:
        raise UsageError(f"{token}: trec_eval's {trec_measure.name} {error}.") from None


@dataclass(frozen=True, slots=True)
class TrecName:
    """What trec_eval prints for a variant, and where in its output: among measures, then among cutoffs."""

    name: str
    measure: TrecMeasure
    place: tuple[int, float]


def trec_name(variant: Variant) -> TrecName | None:
    """The name trec_eval prints for a variant; None when it has no such measure."""
    for number, trec_measure in enumerate(TREC_MEASURES):
        if trec_measure.ours == variant.measure.name:
            shown = trec_measure.form.show(variant)
            if shown is not None:
                level = variant.at if variant.at is not None else variant.values.get("mult", 0.0)
                return TrecName(variant.typed or trec_measure.name + shown, trec_measure, (number, float(level)))
    return None


def _usual(trec_measure: TrecMeasure) -> tuple[Variant, ...]:
    return tuple(trec_measure.form.usual(trec_measure.measure))


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
