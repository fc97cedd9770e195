"""Comparison: systems against a baseline on the same queries, with all that makes the difference defensible."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Answer
from rankproof.kernel.later import LateField, Later
from rankproof.kernel.shown import Shown
from rankproof.proving.direction import Direction, Withheld, deciding_p_value, direction_shown

if TYPE_CHECKING:
    from rankproof.kernel.data_table import DataTable
    from rankproof.measuring.grade_shares import GradeShares
    from rankproof.measuring.records import Evaluation
    from rankproof.measuring.report import Diagnosis
    from rankproof.proving.holes.bounds import Holes
    from rankproof.proving.movement import Rankings
    from rankproof.proving.movement_records import BlindSpot, QueryMove, TieRisk
    from rankproof.proving.repeats import RepeatPlan
    from rankproof.proving.reuse_records import ReuseCheck
    from rankproof.proving.sampling import Sampling, SamplingColumns
    from rankproof.proving.span_thresholds import Sensitivity


ALL_QUERIES = ""  # the segment of a contrast over every query


@dataclass(frozen=True, slots=True)
class Adjusted:
    """What a correction makes of one test of a family.

    Attributes:
        p_value: adjusted: compared with 1 - level as it stands
        low: the lower end of the interval that holds together with those of the whole family
        high: the upper end of it
        kind: what the interval promises, in words: "simultaneous 95% (Bonferroni)"
        held_by: the primary measure whose test of the same pair is not significant and holds this one back, which
            would be significant among the secondary tests; "" where nothing holds it back
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

    Attributes:
        kind: "equivalence" (within the margin on both sides) or "non-inferiority" (not worse by the margin)
        margin: how much the candidate may differ, in the measure's own units
        holds: whether it is shown at the level of the comparison
        p_value: the greater of the two one-sided p-values, or the one that matters
        low: of the interval at 1 - 2 alpha (equivalence) or of the one-sided one
        high: the upper end of that interval
    """

    kind: Literal["equivalence", "non-inferiority"]
    margin: float
    holds: bool
    p_value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Detectable:
    """What a comparison without a significant result could have detected.

    Attributes:
        difference: the least true difference that is detected with probability `power`
        power: the probability of a significant result
        queries_needed: to find the observed difference with that power; None when it is 0
    """

    difference: float
    power: float
    queries_needed: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Contrast:
    """One candidate against one baseline in one measure, on all queries or on a segment of them.

    Attributes:
        measure: the measure
        baseline: the system that it is compared with
        candidate: the system that is compared
        segment: the segment of the queries, such as "type=long"; "" for all queries
        better: "higher", "lower" or "neither", as the measure says
        query_ids: the queries that count, in the order of `by_query`
        baseline_mean: the baseline's value over these queries
        candidate_mean: the candidate's value over them
        by_query: candidate minus baseline for each query
        difference: candidate minus baseline, whatever is better: an Estimate, or NotEstimable with the reason
        effect: mean over standard deviation of the differences; None where they do not differ
        wins: queries where the candidate is better by the measure's own direction, or alone has a value
        ties: queries where both have the same value
        losses: queries where the candidate is worse, or alone has no value
        adjusted: p-value and interval after the correction for all tests of the comparison; None without one
        equivalence: the answer to a margin, where the design has one
        detectable: what could have been detected, for a difference that is not significant; made when first read
        scale: "" or what the difference is in when it is not the measure itself ("natural logarithms")
        sampling: how the queries were drawn, in their order; None for a simple random sample. Means are weighted by it
        design_effect: the variance of the difference over that of a simple random sample of as many queries
        withheld: what stands in the place of a direction, whatever the test shows; "" where nothing does
    """

    measure: str
    baseline: str
    candidate: str
    segment: str
    better: str
    query_ids: tuple[str, ...]
    baseline_mean: float
    candidate_mean: float
    by_query: NDArray[np.float64]
    difference: Answer
    effect: float | None
    wins: int
    ties: int
    losses: int
    adjusted: Adjusted | None = None
    equivalence: Equivalence | None = None
    detectable: LateField[Detectable | None] = LateField(lambda: None)  # noqa: RUF009
    scale: str = ""
    sampling: Sampling | None = None
    design_effect: float | None = None
    withheld: Withheld | Literal[""] = ""

    @property
    def p_value(self) -> float | None:
        """The p-value that decides: the adjusted one where there is a correction; None where there is none."""
        return deciding_p_value(self.difference, self.adjusted)

    @property
    def direction(self) -> Direction:
        """What is significant at the level of the comparison: "better", "worse", or "not shown" where nothing is."""
        return self.withheld or direction_shown(self.difference, self.adjusted, self.better)

    @property
    def significant(self) -> bool:
        """Whether one side is told to be better."""
        return self.direction in ("better", "worse")

    def without_direction(self, why: Withheld) -> Contrast:
        """The same numbers, and no direction; what is made when first read is not made here."""
        other: Contrast = copy(self)
        other.__dict__["withheld"] = why
        return other

    def __repr__(self) -> str:
        from rankproof.proving.conversions import contrast_line

        return f"<Contrast of {contrast_line(self)}>"


@dataclass(frozen=True, slots=True)
class Family:
    """The tests that were made together: what a correction corrects for.

    Attributes:
        systems: how many systems are compared
        contrasts: pairs of systems
        measures: how many measures
        segments: how many sets of queries; 1 when there is only the whole
        tests: how many tests that makes
        primary: the measure whose contrasts over all queries are a family of their own, which decides; "" where all
            tests are one family. The others are the secondary family.
    """

    systems: int
    contrasts: int
    measures: int
    segments: int
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Shown):
    """What `rankproof.compare` answers.

    Attributes:
        systems: the names of the systems; the first is the baseline
        measures: the measures that were compared, the primary one first
        contrasts: every pair, measure and segment; those over all queries first
        evaluations: one per system, in the order of `systems`; none where values were compared
        family: the tests that were made together
        significance: the method of intervals and p-values, an item of the significance shelf
        correction: how p-values were corrected for the family, an item of the corrections shelf
        level: the confidence level, such as 0.95
        seed: where randomness comes from
        query_ids: every query that counts in some measure
        segments: the queries of each segment, by its name
        topics: the words of each query, where topics were given
        moves: the queries that lost and won most, by candidate and measure, and what moved in them
        blind_spots: where rankings changed and a measure's value did not
        holes: how far unjudged documents could move the values and differences
        tie_risks: how far the order of tied documents could move the differences
        diagnoses: patterns in the rankings, why they matter and what to try
        grade_shares: which grades stand in the first k of each system
        warnings: what must be read with the numbers
        fine_print: what the numbers rest on
        manifest: the fields of the ExperimentManifest, where one was made
        reuse: whether the judgments can be reused, where the groups of the pool were given
        sampling: how queries were drawn, where weights, strata or clusters were given
        overlaps: the same comparison at several overlap thresholds, where spans were compared so
        every_pair: gives all pairs of systems in the first measure over all queries, a family of its own, where
            `contrasts` has not all of them already: which systems are the best is seen afterwards
        rankings: gives the first documents of every query, where they were asked for
        repeats: what more repetitions or units would give, where units were asked several times
    """

    _noun: ClassVar[str] = "comparison"

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    contrasts: tuple[Contrast, ...]
    evaluations: tuple[Evaluation, ...]
    family: Family
    significance: str
    correction: str
    level: float
    seed: int
    query_ids: tuple[str, ...]
    segments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    topics: Mapping[str, str] = field(default_factory=dict)
    moves: tuple[QueryMove, ...] = ()
    blind_spots: tuple[BlindSpot, ...] = ()
    holes: Holes | None = None
    tie_risks: tuple[TieRisk, ...] = ()
    diagnoses: tuple[Diagnosis, ...] = ()
    grade_shares: GradeShares | None = None
    warnings: tuple[str, ...] = ()
    fine_print: tuple[str, ...] = ()
    manifest: Mapping[str, Any] = field(default_factory=dict)
    reuse: ReuseCheck | None = None
    sampling: Sampling | None = None
    overlaps: Sensitivity | None = None
    every_pair: Later[tuple[Contrast, ...]] = field(default_factory=lambda: Later(tuple))
    rankings: Later[Rankings | None] = field(default_factory=lambda: Later(lambda: None))
    repeats: tuple[RepeatPlan, ...] = ()

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

    def _table(self, per_query: bool | None) -> DataTable:
        from rankproof.proving import conversions as _convert

        return _convert.query_table(self) if per_query else _convert.contrast_table(self)

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

    Attributes:
        significance: the item of the significance shelf that gives intervals and p-values
        correction: the item of the corrections shelf that keeps the family honest; None: max_t, holm over two systems
        confidence: of the intervals; a p-value up to 1 - confidence is significant
        resamples: how many random resamples a method may draw
        seed: where randomness comes from
        all_pairs: every pair of systems, and not only each candidate against the baseline
        equivalence: a margin: are the systems the same, up to it?
        non_inferiority: a margin: is the candidate not worse by more than it?
        power: the power for which detectable differences are given
        primary: "first": the first measure decides, and its contrasts over all queries are the family; other measures
            and segments are secondary, a family of their own, and significant only where the primary test of the same
            pair is. "all": every test is of one family
        weights: the column of the query file with each query's weight; "" where all weigh the same
        strata: the column with the stratum that a query was drawn from; "" for a simple random sample
        clusters: the column with the group that a query was drawn with; "" where queries were drawn one by one
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
        return self.correction or ("max_t" if systems > 2 else "holm")

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
