"""Contract of the rules shelf: Rule, one requirement of a gate; and the Case that it is checked on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Alternative, Answer
from rankproof.kernel.specs.kinds import Param
from rankproof.kernel.verdict import Ruling
from rankproof.proving.audit.claims import RerankAudit
from rankproof.proving.sampling import Sampling
from rankproof.reading.finding import Finding

Numbers = NDArray[np.float64]
# The values of a policy's entry, by the names of the rule's parameters; each value as its parameter's kind reads it.
RuleValues = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class RuleSample:
    """The values of one measure that a rule is about, one per query.

    measure     its canonical text
    better      "higher", "lower" or "neither", as the measure says
    aggregate   "mean", "geometric" or "sum"
    query_ids   the queries
    values      the candidate's values; natural logarithms where `aggregate` is geometric
    before      the baseline's on the same queries, or None when only the candidate was requested
    lost        queries where the baseline has a value and the candidate has none, with the baseline's value
    without     judged queries where no side has a value
    gained      queries where the candidate has a value and the baseline has none, with the candidate's value
    low, high   the range of one value, on the scale of `values`; infinite where it is not known
    """

    measure: str
    better: str
    aggregate: str
    query_ids: tuple[str, ...]
    values: Numbers
    before: Numbers | None = None
    lost: Mapping[str, float] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    gained: Mapping[str, float] = field(default_factory=dict)
    low: float = -math.inf
    high: float = math.inf

    @property
    def worst(self) -> float | None:
        """The value that stands for a query where a side has none: the bad end of the range; None without one."""
        end = {"higher": self.low, "lower": self.high}.get(self.better, math.inf)
        return end if math.isfinite(end) else None


class Case(Protocol):
    """What a rule may look at. Everything is computed on first use and then cached."""

    @property
    def candidate(self) -> str:
        """The candidate's name."""

    @property
    def baseline(self) -> str | None:
        """The baseline's name; None when the policy names none."""

    @property
    def level(self) -> float:
        """The confidence of one-sided bounds, 0.95 unless the policy says otherwise."""

    @property
    def latencies(self) -> Numbers:
        """Milliseconds, one per request; UsageError when the policy names no latency file."""

    def values(self, measure: str, segment: str = "") -> RuleSample:
        """The candidate's values, on all queries or those of a segment."""

    @property
    def unchanged(self) -> Literal["pass", "undecided"]:
        """What identical rankings mean for a rule against a regression: what the policy says."""

    def changes(self, measure: str, segment: str = "") -> RuleSample:
        """The values of candidate and baseline on the same queries; UsageError without a baseline."""

    def judged_rates(self, k: int, segment: str = "") -> Mapping[str, float]:
        """By run, the candidate's first, the mean share of the first k documents that is judged; {} without a query."""

    def findings(self, allow: Sequence[str], max_depth: int | None, strict: bool) -> Sequence[Finding]:
        """What the checks find in the candidate's run, then in the baseline's; `strict` makes errors of warnings."""

    def infer(
        self,
        values: Numbers,
        null: float,
        alternative: Alternative,
        level: float,
        low: float = -math.inf,
        high: float = math.inf,
        of: Literal["changes", "values"] = "changes",
        sampling: Sampling | None = None,
        binary: bool = False,
    ) -> Answer:
        """Interval and p-value by the policy's significance method; one value lies between `low` and `high`.

        `sampling` is how the queries behind the values were drawn, in their order; `binary`, whether changes are
        those of values that are all 0 or 1.
        """

    def sampling(self, query_ids: Sequence[str]) -> Sampling | None:
        """How these queries were drawn, as the policy says; None for a simple random sample."""

    def same_rankings(self, measure: str, segment: str = "") -> bool:
        """Whether both runs rank the same documents in the same order on every query, as deep as the measure looks."""

    def queries_needed(self, effect: float, level: float) -> int | None:
        """Queries with which a bound clears a threshold `effect` standard deviations away, with power POWER."""

    def agreement(
        self,
        human: object,
        model: object,
        statistic: str,
        threshold: float,
        relevant: tuple[int, int] | None,
        level: float,
    ) -> Answer:
        """How far a judge (the policy's qrels for None) agrees with human judges, with one-sided bounds at `level`.

        `relevant` has the least relevant grade of each where grades are to be relevant or not.
        """

    def judge_bias(
        self,
        human: object,
        model: object,
        group: tuple[str, str] | None,
        k: int,
        threshold: float,
        relevant: tuple[int, int] | None,
        level: float,
    ) -> Answer:
        """How far a judge favors the candidate over the baseline, with one-sided bounds at `level`.

        `group` is a file of runs and groups with the group that is favored instead. UsageError without a baseline.
        """

    def answer_scores(
        self, score: str, answerable: str, relevant: int, segment: str = ""
    ) -> tuple[Mapping[str, float | None], Mapping[str, bool]]:
        """The candidate's score of each query, and whether the query has an answer.

        Of a run: the score of its first document, and whether a document of the grade `relevant` or more is judged. Of
        a table of scores: the columns `score` and `answerable`.
        """

    def rerank(self, first_stage: object, depth: int) -> tuple[RerankAudit, tuple[str, ...]]:
        """Whether the candidate is that run, reranked to `depth`; and its queries that the run lacks."""

    def lines(self, path: str) -> tuple[str, ...]:
        """The lines of a list in a file, without comments and empty ones."""

    def text(self, query_id: str) -> str:
        """The query's own words; "" where no topics were given."""


# How often the number of queries that would decide a rule does so, if the truth is what was seen.
POWER = 0.8


def measure_named(values: RuleValues) -> tuple[str, ...]:
    """The measure that an entry names, or the column of a table of scores, where it names one."""
    named = values.get("measure") or values.get("score_column")
    return (named,) if named else ()


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One item of the shelf. `page` is the module's docstring: what it asks, how it decides, an example.

    params          its parameters in a policy, with defaults; their kinds check the values
    title           one entry of the policy in a few words
    decide          the ruling on one entry, whose values have been read by `params`
    needs_baseline  whether it compares with a baseline
    refuse          UsageError for values that contradict each other
    needs_rankings  by its values, what of rankings or judgments it looks at; "" where values by unit, or files that it
                    names itself, are enough. Tables of scores have neither
    """

    name: str
    page: str
    params: tuple[Param, ...]
    title: Callable[[RuleValues], str]
    decide: Callable[[Case, RuleValues], Ruling]
    needs_baseline: bool = False
    refuse: Callable[[RuleValues], None] | None = None
    needs_rankings: Callable[[RuleValues], str] = lambda values: ""

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
