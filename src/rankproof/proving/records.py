"""Comparison: systems against a baseline on the same queries, with all that makes the difference defensible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.later import LateField

if TYPE_CHECKING:
    from rankproof.measuring.grade_shares import GradeShares
    from rankproof.measuring.records import Evaluation
    from rankproof.measuring.report import Diagnosis
    from rankproof.proving.holes.bounds import Holes
    from rankproof.proving.reuse_records import ReuseCheck
    from rankproof.proving.sampling import Sampling, SamplingColumns


Direction = Literal["better", "worse", "not shown"]
ALL_QUERIES = ""  # the segment of a contrast over every query


@dataclass(frozen=True, slots=True)
class Adjusted:
    """What a correction makes of one test of a family.

    p_value     adjusted: compared with 1 - level as it stands
    low, high   the interval that holds together with those of the whole family
    kind        what the interval promises, in words: "simultaneous 95% (Bonferroni)"
    held_by     the primary measure whose test of the same pair is not significant and holds this one back, which would
                be significant among the secondary tests; "" where nothing holds it back
    """

    p_value: float
    low: float
    high: float
    kind: str
    held_by: str = ""

    def to_dict(self) -> dict[str, object]:
        """As JSON has it; what nothing holds back has no word of it."""
        values: dict[str, object] = {"p_value": self.p_value, "low": self.low, "high": self.high, "kind": self.kind}
        return {**values, "held_by": self.held_by} if self.held_by else values


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests against a margin: is the candidate as good, up to `margin`?

    kind      "equivalence" (within the margin on both sides) or "non-inferiority" (not worse by the margin)
    p_value   the greater of the two one-sided p-values, or the one that matters
    """

    kind: Literal["equivalence", "non-inferiority"]
    margin: float
    holds: bool
    p_value: float
    low: float  # of the interval at 1 - 2 alpha (equivalence) or of the one-sided one
    high: float


@dataclass(frozen=True, slots=True)
class Detectable:
    """What a comparison without a significant result could have detected."""

    difference: float  # the least true difference that is detected with probability `power`
    power: float
    queries_needed: int | None  # to find the observed difference with that power; None when it is 0


@dataclass(frozen=True, eq=False)
class Contrast:
    """One candidate against one baseline in one measure, on all queries or on a segment of them.

    difference   candidate minus baseline, whatever is better
    effect       mean over standard deviation of the differences; None where they do not differ
    wins, losses  queries where the candidate is better or worse by the measure's own direction, or alone has a value or
                 alone has none
    by_query     candidate minus baseline, in the order of `query_ids`
    detectable   made when it is first read, for a difference that is not shown
    scale        "" or what the difference is in when it is not the measure itself ("natural logarithms")
    sampling     how the queries were drawn, in their order; None for a simple random sample. Means are weighted by it
    design_effect  the variance of the difference over that of a simple random sample of as many queries
    """

    measure: str  # canonical name
    baseline: str  # what the baseline is called
    candidate: str  # what the candidate is called
    segment: str  # the segment of queries; "" for all of them
    better: str  # "higher", "lower" or "neither", as the measure says
    query_ids: tuple[str, ...]  # the queries that count
    baseline_mean: float  # the baseline's mean over them
    candidate_mean: float  # the candidate's mean over them
    by_query: NDArray[np.float64]
    difference: Answer
    effect: float | None
    wins: int
    ties: int  # queries where neither is better
    losses: int
    adjusted: Adjusted | None = None  # p-value and interval after the correction for all tests of the family
    equivalence: Equivalence | None = None  # whether it is as good, up to a margin that was given
    detectable: LateField[Detectable | None] = LateField(lambda: None)  # noqa: RUF009
    scale: str = ""
    sampling: Sampling | None = None
    design_effect: float | None = None

    @property
    def p_value(self) -> float | None:
        """The p-value that decides: the adjusted one where there is a correction; None where there is none."""
        return deciding_p_value(self.difference, self.adjusted)

    @property
    def direction(self) -> Direction:
        """What is shown at the level of the comparison."""
        return direction_shown(self.difference, self.adjusted, self.better)


def deciding_p_value(difference: Answer, adjusted: Adjusted | None) -> float | None:
    """The p-value that decides: the adjusted one where there is a correction; None where there is none."""
    if not isinstance(difference, Estimate):
        return None
    return difference.p_value if adjusted is None else adjusted.p_value


def direction_shown(difference: Answer, adjusted: Adjusted | None, better: str) -> Direction:
    """What a test shows at its level, where `better` is the measure's good side."""
    p = deciding_p_value(difference, adjusted)
    if p is None or not isinstance(difference, Estimate) or p > 1 - difference.level or better == "neither":
        return "not shown"
    return "better" if (difference.value > 0) == (better == "higher") else "worse"


@dataclass(frozen=True, slots=True)
class Family:
    """The tests that were made together: what a correction corrects for.

    primary   the measure whose contrasts over all queries are a family of their own, which decides; "" where all tests
              are one family. The others are the secondary family.
    """

    systems: int
    contrasts: int  # pairs of systems
    measures: int
    segments: int  # 1 when there is only the whole
    tests: int
    primary: str = ""

    @property
    def secondary_tests(self) -> int:
        """How many tests belong to the secondary family."""
        return self.tests - self.contrasts if self.primary else 0

    @property
    def counts(self) -> str:
        """How many tests there are, in words: "6 tests", "2 primary and 4 secondary tests"."""
        if not self.secondary_tests:
            return _counted(self.tests, "test")
        return f"{self.contrasts} primary and {_counted(self.secondary_tests, 'secondary test')}"

    def __str__(self) -> str:
        pairs = f"{_counted(self.contrasts, 'pair')} of {self.systems} systems"
        parts = "" if self.segments == 1 else f" x {self.segments} sets of queries (all of them, and each segment)"
        whole = f"{pairs} x {_counted(self.measures, 'measure')}{parts} = {_counted(self.tests, 'test')}"
        if not self.secondary_tests:
            return whole
        return f"{whole}: {self.contrasts} primary ({self.primary}) and {self.secondary_tests} secondary"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What `rankproof.compare` answers. `systems[0]` is the baseline.

    contrasts     every pair, measure and segment; those over all queries first
    evaluations   one per system, in the order of `systems`
    moves         the queries that lost and won most, by candidate and measure, and what moved in them
    """

    systems: tuple[str, ...]  # what the systems are called
    measures: tuple[str, ...]  # canonical names, in the order asked for
    contrasts: tuple[Contrast, ...]
    evaluations: tuple[Evaluation, ...]
    family: Family  # how many tests were made together, which the correction corrects for
    significance: str  # the test that gave p-values and confidence intervals
    correction: str  # how p-values and intervals were adjusted for the family
    level: float  # the confidence of intervals, as 0.95
    seed: int  # of the random numbers that the test drew
    query_ids: tuple[str, ...]  # the queries that were compared
    segments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the queries of each segment
    topics: Mapping[str, str] = field(default_factory=dict)  # texts of the queries, where they were given
    moves: tuple[QueryMove, ...] = ()
    blind_spots: tuple[BlindSpot, ...] = ()  # where rankings changed and the measure did not
    holes: Holes | None = None  # how far unjudged documents could move each difference
    tie_risks: tuple[TieRisk, ...] = ()  # differences over all orders of tied documents
    diagnoses: tuple[Diagnosis, ...] = ()  # patterns in the values, why they matter, and what to try
    grade_shares: GradeShares | None = None  # how much of the first ranks has which grade
    warnings: tuple[str, ...] = ()  # what could make the answer untrue
    fine_print: tuple[str, ...] = ()  # what the numbers take for granted, in sentences
    manifest: Mapping[str, Any] = field(default_factory=dict)  # the ExperimentManifest's fields, for showing
    reuse: ReuseCheck | None = None  # where the groups of the pool were given
    sampling: Sampling | None = None  # where weights, strata or clusters were given

    def contrast(self, measure: str, candidate: str | None = None, segment: str = ALL_QUERIES) -> Contrast:
        """The contrast of a measure with the baseline; the only candidate's when none is named."""
        text = self.evaluations[0].canonical(measure) if self.evaluations else measure
        for contrast in self.contrasts:
            if (
                contrast.measure == text
                and contrast.segment == segment
                and contrast.baseline == self.systems[0]
                and candidate in (None, contrast.candidate)
            ):
                return contrast
        raise KeyError(f"no contrast of {text} for {candidate or 'any candidate'} on {segment or 'all queries'}")

    def to_dict(self, by_query: bool = True) -> Document:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        from rankproof.proving import conversions as _comparison_dict

        return _comparison_dict.to_dict(self, by_query)

    def __repr__(self) -> str:
        from rankproof.proving.conversions import line

        return line(self)

    def __rich__(self) -> Any:
        from rankproof.proving.conversions import rich

        return rich(self)

    def _repr_html_(self) -> str:
        from rankproof.proving.conversions import html

        return html(self)


@dataclass(frozen=True, slots=True)
class Design:
    """How systems are compared. All of it is in the manifest: it decides intervals and p-values.

    significance      the item of the significance shelf that gives intervals and p-values
    correction        the item of the corrections shelf that keeps the family honest; None for max_t over three systems
                      and more, and holm over two
    confidence        of the intervals; 1 - confidence is where a difference counts as shown
    resamples         how many random resamples a method may draw
    seed              where chance comes from
    all_pairs         every pair of systems, and not only each candidate against the baseline
    equivalence       a margin: are the systems the same, up to it?
    non_inferiority   a margin: is the candidate not worse by more than it?
    power             the power for which detectable differences are given
    primary           "first": the first measure decides, and its contrasts over all queries are the family; other
                      measures and segments are secondary, a family of their own, and significant only where the
                      primary test of the same pair is. "all": every test is of one family
    weights, strata, clusters
                      columns of the query file that say how queries were drawn; "" for a simple random sample
    """

    significance: str = "t_or_gaffke"
    correction: str | None = None
    confidence: float = 0.95
    resamples: int = 100_000
    seed: int = 0
    all_pairs: bool = False
    equivalence: float | None = None
    non_inferiority: float | None = None
    power: float = 0.8
    primary: Literal["first", "all"] = "first"
    weights: str = ""
    strata: str = ""
    clusters: str = ""

    @property
    def sampled(self) -> bool:
        """Whether a column says how queries were drawn."""
        return bool(self.weights or self.strata or self.clusters)

    @property
    def sampling(self) -> SamplingColumns:
        """The columns that say how queries were drawn."""
        from rankproof.proving.sampling import SamplingColumns

        return SamplingColumns(self.weights, self.strata, self.clusters)

    def correction_over(self, systems: int) -> str:
        """The correction for so many systems: t tests of many pairs err where Holm only adds up their errors."""
        return self.correction or ("max_t" if systems > 2 and not self.sampled else "holm")

    @property
    def margin(self) -> tuple[Literal["equivalence", "non-inferiority"], float] | None:
        """The kind of margin test, and the margin."""
        if self.equivalence is not None:
            return "equivalence", self.equivalence
        return None if self.non_inferiority is None else ("non-inferiority", self.non_inferiority)

    def __post_init__(self) -> None:
        if not 0.5 < self.confidence < 1:
            raise UsageError(f"A confidence level lies between 0.5 and 1, such as 0.95; got {self.confidence}.")
        if not 0 < self.power < 1:
            raise UsageError(f"Power lies between 0 and 1, such as 0.8; got {self.power}.")
        if self.resamples < 1_000:
            raise UsageError(f"Resamples: 1,000 or more, or p-values are too coarse; got {self.resamples}.")
        for name, margin in (("equivalence", self.equivalence), ("non-inferiority", self.non_inferiority)):
            if margin is not None and not margin > 0:
                raise UsageError(f"The margin of {name} must be above 0; got {margin}.")
        if self.equivalence is not None and self.non_inferiority is not None:
            raise UsageError("Equivalence and non-inferiority are two questions. Ask for one of them.")


DEFAULT_DESIGN = Design()


@dataclass(frozen=True, slots=True)
class DocMove:
    """One document in two rankings. A rank of None: not within the depth that was looked at."""

    doc_id: str
    before: int | None
    after: int | None
    grade: int | None  # None: unjudged


@dataclass(frozen=True, slots=True)
class QueryMove:
    """A query's change in one measure, with the documents that entered, left, rose and fell in the first `depth`."""

    measure: str
    candidate: str
    query_id: str
    text: str  # the query's own words; "" when no topics were given
    before: float
    after: float
    difference: float
    depth: int
    entered: tuple[DocMove, ...] = ()
    left: tuple[DocMove, ...] = ()
    rose: tuple[DocMove, ...] = ()
    fell: tuple[DocMove, ...] = ()


@dataclass(frozen=True, slots=True)
class BlindSpot:
    """For one measure and one candidate: where the ranking changed and the value did not.

    A ranking has changed when some rank holds another grade than before: what a measure of relevance could see.

    changed     queries whose grades by rank changed, down to `depth`; unjudged counts as not relevant
    unseen      those of them whose value is the same to the last digit that counts
    seen_by     other measures, and how many of the unseen queries they do tell apart, most first: the
                requested ones, and a few usual ones
    depth       how far down rankings were compared: the greatest cutoff of any measure; None for whole rankings
    alike       queries where other documents stand there, but of the same grades: no measure of relevance sees that
    """

    measure: str
    candidate: str
    queries: int
    changed: int
    unseen: tuple[str, ...]
    seen_by: Mapping[str, int]
    depth: int | None = None
    alike: int = 0

    @property
    def share(self) -> float:
        """Unseen over changed; 0 where nothing changed."""
        return len(self.unseen) / self.changed if self.changed else 0.0


@dataclass(frozen=True, slots=True)
class TieRisk:
    """The range of a difference over all orders of tied documents on both sides.

    changes   whether one of the two ends gives another verdict (other side of zero, or shown against not shown)
    exact     False where the ends come from random orders, or nothing could be looked at; `note` says which
    """

    measure: str
    candidate: str
    least: float
    greatest: float
    observed: float
    changes: bool
    exact: bool
    note: str = ""
    baseline: str = ""
