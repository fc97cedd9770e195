"""Comparison: systems against a baseline on the same queries, with all that makes the difference defensible."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.records.estimate import Answer, Estimate
from rankproof.records.later import LateField

if TYPE_CHECKING:
    from rankproof.records.blindspot import BlindSpot
    from rankproof.records.bounds import Holes
    from rankproof.records.diagnosis import Diagnosis
    from rankproof.records.evaluation import Evaluation
    from rankproof.records.gradeshares import GradeShares
    from rankproof.records.movement import QueryMove
    from rankproof.records.tierisk import TieRisk

Direction = Literal["better", "worse", "not shown"]
ALL_QUERIES = ""  # the segment of a contrast over every query


@dataclass(frozen=True, slots=True)
class Adjusted:
    """What a correction makes of one test of a family.

    p_value     adjusted: compared with 1 - level as it stands
    low, high   the interval that holds together with those of the whole family
    kind        what the interval promises, in words: "simultaneous 95% (Bonferroni)"
    """

    p_value: float
    low: float
    high: float
    kind: str


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
    """What a comparison that found nothing could have found."""

    difference: float  # the least true difference that is found with probability `power`
    power: float
    queries_needed: int | None  # to find the observed difference with that power; None when it is 0


@dataclass(frozen=True, eq=False)
class Contrast:
    """One candidate against one baseline in one measure, on all queries or on a segment of them.

    difference   candidate minus baseline, whatever is better
    effect       mean over standard deviation of the differences; None where they do not differ
    wins, losses queries where the candidate is better or worse by the measure's own direction
    by_query     candidate minus baseline, in the order of `query_ids`
    detectable   made when it is first read, for a difference that is not shown
    scale        "" or what the difference is in when it is not the measure itself ("natural logarithms")
    """

    measure: str
    baseline: str
    candidate: str
    segment: str
    better: str  # "higher", "lower" or "neither", as the measure says
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
    """The tests that were made together: what a correction corrects for."""

    systems: int
    contrasts: int  # pairs of systems
    measures: int
    segments: int  # 1 when there is only the whole
    tests: int

    def __str__(self) -> str:
        pairs = "1 pair" if self.contrasts == 1 else f"{self.contrasts} pairs"
        measures = "1 measure" if self.measures == 1 else f"{self.measures} measures"
        parts = "" if self.segments == 1 else f" x {self.segments} sets of queries (all of them, and each segment)"
        tests = "1 test" if self.tests == 1 else f"{self.tests} tests"
        return f"{pairs} of {self.systems} systems x {measures}{parts} = {tests}"


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """What `rankproof.compare` answers. `systems[0]` is the baseline.

    contrasts     every pair, measure and segment; those over all queries first
    evaluations   one per system, in the order of `systems`
    moves         the queries that lost and won most, by candidate and measure, and what moved in them
    """

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
    manifest: Mapping[str, Any] = field(default_factory=dict)  # the ExperimentManifest's fields, for showing

    def contrast(self, measure: str, candidate: str | None = None, segment: str = ALL_QUERIES) -> Contrast:
        """The contrast of a measure with the baseline; the only candidate's when none is named."""
        text = self.evaluations[0].canonical(measure) if self.evaluations else measure
        for found in self.contrasts:
            if (
                found.measure == text
                and found.segment == segment
                and found.baseline == self.systems[0]
                and candidate in (None, found.candidate)
            ):
                return found
        raise KeyError(f"no contrast of {text} for {candidate or 'any candidate'} on {segment or 'all queries'}")

    def to_dict(self, by_query: bool = True) -> dict[str, Any]:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        from rankproof.records import _comparison_dict

        return _comparison_dict.to_dict(self, by_query)

    def __repr__(self) -> str:
        from rankproof.records import _comparison_show

        return _comparison_show.line(self)

    def __rich__(self) -> Any:
        from rankproof.records import _comparison_show

        return _comparison_show.rich(self)

    def _repr_html_(self) -> str:
        from rankproof.records import _comparison_show

        return _comparison_show.html(self)
