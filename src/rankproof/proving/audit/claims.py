"""Claims: from `P@3=0.67`, or a file of reported values, to measures and the intervals they were rounded from.

queries = 54
relevant = "1-30"        # or a number; or grades = ["3,2,1"]
decimals = 3             # where the values were rounded to more digits than are written
dialect = "trec_eval"    # whose definitions the measures have
average = "answered"     # the means are over the queries that the run answers, or over "all"
rounding = "nearest"     # or "truncated"

[values]
"P@10" = 0.341
"nDCG@10" = 0.448
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from rankproof.errors import InputError, UsageError
from rankproof.measuring.gain import gain_of
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import read
from rankproof.reading.source import open_source, require_text

if TYPE_CHECKING:
    from rankproof.proving.audit.bounds import OpenBound
    from rankproof.proving.audit.rerank_depth import InferredDepth

ReportVerdict = Literal["possible", "impossible", "undecided"]
RerankVerdict = Literal["clean", "broken"]
# How values were shortened to the digits shown, and which queries a mean is over.
RoundingRule = Literal["nearest", "truncated"]
Average = Literal["all", "answered"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A reported value: the measure's canonical text, the value as written, and what may have been rounded to it."""

    measure: str
    said: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the relevant documents of a query stand.

    ranks     ranks of the relevant documents that are ranked, ascending
    grades    their grades, in the order of the ranks
    missed    grades of the relevant documents that are not ranked at all
    values    the measures' values, by text
    queries   for how many queries, in an example of several
    """

    ranks: tuple[int, ...]
    grades: tuple[int, ...]
    missed: tuple[int, ...]
    values: Mapping[str, float]
    queries: int = 1


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Claims that cannot hold together, each of which is needed for the contradiction; and why, in a sentence."""

    measures: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Instead:
    """The values that a claim could have if all others hold.

    values      values it could have, ascending; empty where they are not known one by one
    complete    whether these are all; else they are the nearest to the reported value, on both sides
    least       no value lies below; and none above `greatest`
    placements  rankings that give the values, one for each
    """

    measure: str
    said: str
    values: tuple[float, ...]
    least: float
    greatest: float
    placements: tuple[Placement, ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class ReportAudit:
    """The result of `rankproof audit report`.

    verdict          possible: there is an example. impossible: there is a proof. undecided: there is neither
    relevant         how many relevant documents a query has, in words
    contradictions   the smallest sets of claims that cannot hold together
    instead          for each claim that could be the only wrong one, the values that it could have
    example          rankings that give all the values; for means, of how many queries each
    notes            what was searched, and how the report was read
    rests_on         what the caller stated and the proof needs, as options; without these there is no proof
    would_be         for an undecided report: the options under which it would be impossible; empty where none are known
    """

    verdict: ReportVerdict
    claims: tuple[Claim, ...]
    queries: int
    relevant: str
    contradictions: tuple[Contradiction, ...] = ()
    instead: tuple[Instead, ...] = ()
    example: tuple[Placement, ...] = ()
    notes: tuple[str, ...] = ()
    rests_on: tuple[str, ...] = ()
    would_be: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Break:
    """One place where a run is no rerank of another: a document, its rank on both sides (None: not ranked), and why."""

    query_id: str
    doc_id: str
    base_rank: int | None
    rank: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A set measure on both sides that a rerank must leave as it is."""

    measure: str
    base: float
    reranked: float


@dataclass(frozen=True, slots=True)
class RerankAudit:
    """The result of `rankproof audit rerank`.

    depth        what was claimed; without a claim, what was inferred: else the least depth for which it holds
    least_depth  the least depth for which the run is a rerank of the base; None when there is none
    broken       queries that break it, in the order of the base
    first        the first of them, with the document; None when nothing does
    cause        a likely cause in a sentence, or ""
    moved        set measures at the depth and below that should not move, where judgments were given
    notes        ties and other things to know
    inferred     how the depth was found; None where it was claimed, or where there is none
    """

    verdict: RerankVerdict
    base: str
    reranked: str
    claimed: int | None
    depth: int | None
    least_depth: int | None
    queries: int
    broken: tuple[str, ...]
    first: Break | None
    cause: str = ""
    moved: tuple[Moved, ...] = ()
    notes: tuple[str, ...] = ()
    inferred: InferredDepth | None = None


# Measures that moving a better document up never lowers, and that depend on nothing but the ranks of the relevant
# documents and their number: that is what the search relies on.
KNOWN = ("AP", "DCG", "ERR", "F", "P", "R", "RBP", "RR", "Rprec", "Success", "nDCG", "nERR")
# Choices under which that is not so, with the reason.
_OTHERWISE: Mapping[tuple[str, str, str], str] = {
    ("P", "denominator", "returned"): "depends on how many documents were returned",
    ("AP", "denominator", "relevant_retrieved"): "can fall when a relevant document is added",
    ("nDCG", "ideal", "retrieved"): "depends on what was retrieved below the cutoff",
}
# A value typed as a percentage or as a plain number.
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")
# The parameters that a name spells out: `rel` and `gain` in nDCG(rel=1,gain=exp2)@10.
_WRITTEN = re.compile(r"([a-z_]+)=")
# The sums behind a value are rounded in their last digits; no claim is rejected for that.
ROUNDING = 1e-9


# Values rounded more than once (to 5 places, then to 4) were up to 0.5 + 0.05 + 0.005 + ... units below what is shown.
TWICE = Decimal(5) / Decimal(9)


@dataclass(frozen=True, slots=True)
class MeasureClaim:
    """A claim with its measure.

    variant   the definition that values are computed by
    value     what was written, as a number; `unit` is one of its last digit
    written   the parameters that were written out
    bound     where the definition is open: what the value can be under all of them; None for the variant alone
    slack     by how much the mean may be off because each query's value was rounded
    """

    variant: Variant
    claim: Claim
    value: Decimal
    unit: Decimal
    written: frozenset[str] = frozenset()
    bound: OpenBound | None = None
    slack: float = 0.0

    @property
    def text(self) -> str:
        """The measure's canonical text, as reported."""
        return self.claim.measure

    @property
    def low(self) -> float:
        """The least value that rounds to the reported one."""
        return self.claim.low - self.slack - ROUNDING

    @property
    def high(self) -> float:
        """The greatest value that rounds to the reported one."""
        return self.claim.high + self.slack + ROUNDING

    def rounded_by(self, rule: RoundingRule | None) -> MeasureClaim:
        """The claim with what may have been shortened to it: under one rule, or under any (None)."""
        half = self.unit / 2
        below = {"nearest": half, "truncated": Decimal(0)}.get(rule or "", self.unit * TWICE)
        above = half if rule == "nearest" else self.unit
        ends = float(self.value - below), float(self.value + above)
        return replace(self, claim=Claim(self.claim.measure, self.claim.said, *ends))


def read_claims(texts: Iterable[str], decimals: int | None = None) -> tuple[MeasureClaim, ...]:
    """The claims in texts such as `nDCG@5=0.75`. Without `decimals`, as many count as were typed."""
    pairs = []
    for text in texts:
        name, eq, value = text.rpartition("=")
        if not eq or not name.strip():
            raise UsageError(f"{text!r} is no reported value. Write a measure and its value, such as nDCG@5=0.75.")
        pairs.append((name.strip(), value.strip()))
    return claims(pairs, decimals)


def claims(pairs: Iterable[tuple[str, str]], decimals: int | None = None) -> tuple[MeasureClaim, ...]:
    """The claims of measures and values as written."""
    by_measure: dict[str, MeasureClaim] = {}
    for name, value in pairs:
        variants = read(name)
        if len(variants) != 1:
            raise UsageError(f"{name} stands for {len(variants)} measures. Name one, such as {variants[0]}={value}.")
        variant = variants[0]
        _refuse_unknown(variant)
        if variant.text in by_measure:
            raise UsageError(
                f"{variant.text} is reported twice: {by_measure[variant.text].claim.said} and {value}. Keep one."
            )
        by_measure[variant.text] = _claim(variant, value, decimals, frozenset(_WRITTEN.findall(name)))
    if not by_measure:
        raise UsageError("No value was reported. Write one or more, such as: P@3=0.67 nDCG@5=0.75")
    return tuple(by_measure.values())


def _claim(variant: Variant, written: str, decimals: int | None, params: frozenset[str]) -> MeasureClaim:
    match = _NUMBER.fullmatch(written)
    if match is None:
        raise UsageError(f"{variant.text}={written}: the value must be a number such as 0.75, or 75%; got {written!r}.")
    digits, percent = match.groups()
    places = len(digits.partition(".")[2]) if decimals is None else decimals
    scale = Decimal(100 if percent else 1)
    value, unit = Decimal(digits) / scale, Decimal(1).scaleb(-places) / scale
    return MeasureClaim(variant, Claim(variant.text, written, 0.0, 0.0), value, unit, params).rounded_by(None)


def _refuse_unknown(variant: Variant) -> None:
    name = variant.measure.name
    if name not in KNOWN:
        raise UsageError(f"{variant.text}: an audit knows what these measures can be: {', '.join(KNOWN)}.")
    if (reason := why_not_ordered(variant)) != "":
        raise UsageError(f"{variant.text} {reason}: an audit cannot say what it could be.")
    if variant.values.get("rel") == 0 and name not in ("nDCG", "DCG"):
        raise UsageError(
            f"{variant.text} counts documents of grade 0 as relevant: an audit cannot say what it could be."
        )


def why_not_ordered(variant: Variant) -> str:
    """Why moving a better document up may lower the measure; "" where it never does."""
    for (measure, param, value), reason in _OTHERWISE.items():
        if variant.measure.name == measure and variant.values.get(param) == value:
            return reason
    return ""


def refuse_strange_gain(variant: Variant, grades: Iterable[int]) -> None:
    """Refuses gains that are greater for a lower grade, or above 0 for grade 0."""
    if "gain" not in variant.values:
        return
    import numpy as np

    scale = np.array([0, *sorted(set(grades))])
    gains = gain_of(scale, variant["gain"], variant["rel"])
    if gains[0] != 0 or (np.diff(gains) < 0).any():
        raise UsageError(
            f"{variant.text}: an audit needs gains that rise with the grade, and 0 for grade 0; got "
            f"{', '.join(f'{g}: {v:g}' for g, v in zip(scale.tolist(), gains.tolist(), strict=True))}."
        )


FIELDS = ("average", "decimals", "dialect", "grades", "queries", "relevant", "rounding", "values")


@dataclass(frozen=True, slots=True)
class Reported:
    """The fields of a report file; None for a field that it does not have."""

    values: tuple[tuple[str, str], ...]
    queries: int | None = None
    relevant: str | None = None
    grades: tuple[str, ...] = ()
    decimals: int | None = None
    dialect: str | None = None
    average: str | None = None
    rounding: str | None = None


def read_report(path: Any) -> Reported:
    """The report in a file, with the digits of its values as they are written."""
    source = open_source(path)
    require_text(source)
    text = source.text()
    try:
        # Numbers stay texts: 0.60 says more than 0.6 does.
        if text.lstrip().startswith("{"):
            document = json.loads(text, parse_float=str)
        else:
            document = tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name} is neither TOML nor JSON: {error}.") from None
    if not isinstance(document, dict) or not isinstance(document.get("values"), dict):
        raise InputError(f'{source.name}: a report has a table `values`, such as values = {{"P@10" = 0.341}}.')
    unknown = [name for name in document if name not in FIELDS]
    if unknown:
        raise InputError(f"{source.name}: a report has no field {unknown[0]!r}. Possible: {', '.join(FIELDS)}.")
    grades = document.get("grades", [])
    return Reported(
        tuple((name, _value_text(source.name, name, value)) for name, value in document["values"].items()),
        _whole(source.name, document, "queries"),
        None if "relevant" not in document else str(document["relevant"]),
        tuple(_pool(pool) for pool in _listed(source.name, grades)),
        _whole(source.name, document, "decimals"),
        *(_word(source.name, document, name) for name in ("dialect", "average", "rounding")),
    )


def _value_text(source: str, name: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{source}: the value of {name} must be a number; got {value!r:.80}.")
    return str(value)


def _word(source: str, document: Mapping[str, object], name: str) -> str | None:
    value = document.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"{source}: {name} must be a text; got {value!r:.80}.")
    return value


def _whole(source: str, document: Mapping[str, object], name: str) -> int | None:
    value = document.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError(f"{source}: {name} must be a whole number; got {value!r:.80}.")
    return value


def _listed(source: str, grades: object) -> list[object]:
    if isinstance(grades, str):
        return [grades]
    if not isinstance(grades, list):
        raise InputError(f'{source}: grades must be a text such as "3,2,1", or a list; got {grades!r:.80}.')
    # A plain list of numbers is one pool.
    return [grades] if grades and all(isinstance(grade, int) for grade in grades) else grades


def _pool(pool: object) -> str:
    return ",".join(map(str, pool)) if isinstance(pool, list) else str(pool)
