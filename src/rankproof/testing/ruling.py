"""A case from a few numbers for rules, and a few lines for checks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any, Literal

import numpy as np

from rankproof.core import Rows
from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Answer, Estimate, NotEstimable
from rankproof.kernel.verdict import Ruling
from rankproof.proving.audit.claims import RerankAudit
from rankproof.proving.mean_rule import infer_by
from rankproof.proving.per_unit import range_of
from rankproof.proving.policy import read_clause
from rankproof.proving.power import queries_needed
from rankproof.proving.rule_params import measure_of
from rankproof.proving.rules.contract import POWER, Numbers, RuleSample
from rankproof.proving.sampling import Sampling, SamplingColumns, sampling_of
from rankproof.proving.significance.contract import SignificanceRequest
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import Check
from rankproof.reading.finding import Finding


@dataclass(frozen=True)
class SmallCase:
    """One measure's values on queries q1, q2, ...; every requested measure has them."""

    after: Numbers
    before: Numbers | None = None
    times: Numbers | None = None
    check_findings: tuple[Finding, ...] = ()
    level: float = 0.95
    significance: str = "t_or_gaffke"
    candidate: str = "new"
    lost: Mapping[str, float] = field(default_factory=dict)
    gained: Mapping[str, float] = field(default_factory=dict)
    agreed: tuple[float, float, float, float] | None = None
    identical: bool = False
    unchanged: Literal["pass", "undecided"] = "pass"
    biased: tuple[float, float, float, float] | None = None
    drawn: Mapping[str, Sequence[object]] = field(default_factory=dict)
    answerable: Sequence[bool] = ()
    first_stage: Mapping[str, Sequence[str]] = field(default_factory=dict)
    order: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def baseline(self) -> str | None:
        """What the baseline is called."""
        return None if self.before is None else "old"

    @property
    def latencies(self) -> Numbers:
        """The times."""
        if self.times is None:
            raise UsageError("There are no latencies.")
        return self.times

    def values(self, measure: str, segment: str = "") -> RuleSample:
        """The values given."""
        of = measure_of(measure)
        values = np.log(self.after) if of.aggregate == "geometric" else self.after
        low, high = range_of(measure)
        return RuleSample(measure, of.better, of.aggregate, self._ids, values, low=low, high=high)

    def changes(self, measure: str, segment: str = "") -> RuleSample:
        """The values given, of both sides."""
        if self.before is None:
            raise UsageError("There is no baseline.")
        of = measure_of(measure)
        sides = (self._ids, self.after, self.before, self.lost)
        low, high = range_of(measure)
        return RuleSample(measure, of.better, of.aggregate, *sides, gained=self.gained, low=low, high=high)

    def judged_rates(self, k: int, segment: str = "") -> dict[str, float]:
        """The means of the values given."""
        sides = {self.candidate: self.after, self.baseline: self.before}
        return {name: float(v.mean()) for name, v in sides.items() if name is not None and v is not None and len(v)}

    def findings(self, allow: Sequence[str], max_depth: int | None, strict: bool) -> Sequence[Finding]:
        """The findings given."""
        return self.check_findings

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
        """By the method named."""
        method = shelf.find("significance", self.significance)
        question = SignificanceRequest(level, alternative, null, low=low, high=high, sampling=sampling, binary=binary)
        return infer_by(method, values, question, of, seed=0)

    def sampling(self, query_ids: Sequence[str]) -> Sampling | None:
        """As given, by query: weights, strata and clusters."""
        if not self.drawn:
            return None
        columns = SamplingColumns(*(name if name in self.drawn else "" for name in ("weights", "strata", "clusters")))
        table = {
            query: {name: str(column[at]) for name, column in self.drawn.items()} for at, query in enumerate(self._ids)
        }
        return sampling_of(table, tuple(self.drawn), columns, query_ids)

    def same_rankings(self, measure: str, segment: str = "") -> bool:
        """As given: values say nothing about rankings."""
        return self.identical

    def agreement(
        self,
        human: Any,
        model: Any,
        statistic: str,
        threshold: float,
        relevant: tuple[int, int] | None,
        level: float,
    ) -> Answer:
        """The statistic given, with its bounds and p-value."""
        if self.agreed is None:
            return NotEstimable("all pairs belong to one query, and queries differ", "none", 0)
        return Estimate(*self.agreed, level, "given", 50, "less", threshold)

    def judge_bias(
        self,
        human: Any,
        model: Any,
        group: tuple[str, str] | None,
        k: int,
        threshold: float,
        relevant: tuple[int, int] | None,
        level: float,
    ) -> Answer:
        """The bias given, with its bounds and p-value."""
        if self.biased is None:
            return NotEstimable("all pairs belong to one query, and queries differ", "none", 0)
        return Estimate(*self.biased, level, "given", 50, "greater", threshold)

    def queries_needed(self, effect: float, level: float) -> int | None:
        """By the power of the t test."""
        return queries_needed(1.0, effect, level=level, power=POWER, alternative="greater")

    def answer_scores(
        self, score: str, answerable: str, relevant: int, segment: str = ""
    ) -> tuple[Mapping[str, float | None], Mapping[str, bool]]:
        """The values given are the scores; what has an answer is as given, or everything."""
        has_answer = self.answerable or [True] * len(self._ids)
        return dict(zip(self._ids, self.after.tolist(), strict=True)), dict(zip(self._ids, has_answer, strict=True))

    def rerank(self, first_stage: Any, depth: int) -> tuple[RerankAudit, tuple[str, ...]]:
        """The documents given, of the first stage and of the candidate, best first."""
        from rankproof.proving.audit.rerank import audit_rerank
        from rankproof.reading.collect import read_run

        sides = (self.first_stage, self.order)
        if not self.first_stage:
            return RerankAudit("clean", str(first_stage), self.candidate, depth, depth, None, 0, (), None), ()
        base, new = ({q: {doc: -float(at) for at, doc in enumerate(docs)} for q, docs in s.items()} for s in sides)
        audit = audit_rerank(read_run(base), read_run(new), depth, names=(str(first_stage), self.candidate))
        return audit, tuple(query for query in new if query not in base)

    def lines(self, path: str) -> tuple[str, ...]:
        """There are no files here."""
        raise UsageError(f"{path}: there are no files here.")

    def text(self, query_id: str) -> str:
        """There are no topics here."""
        return ""

    @property
    def _ids(self) -> tuple[str, ...]:
        return tuple(f"q{i}" for i in range(1, len(self.after) + 1))


def case_of(
    values: Sequence[float] = (),
    *,
    baseline: Sequence[float] | None = None,
    latencies: Sequence[float] | None = None,
    **more: Any,
) -> SmallCase:
    """A case whose candidate has these values, in whatever measure is requested."""

    def numbers(given: Sequence[float] | None) -> Numbers | None:
        return None if given is None else np.array(given, dtype=np.float64)

    return SmallCase(np.array(values, dtype=np.float64), numbers(baseline), numbers(latencies), **more)


def rule_on(case: SmallCase, rule: str, **values: Any) -> Ruling:
    """The ruling of a rule on a case; the values are those of a policy."""
    clause = read_clause({"rule": rule, **values}, "this rule")
    ruling: Ruling = shelf.find("rules", rule).decide(case, clause.values)
    return ruling


Lines = str | bytes | Sequence[str]

# How wide a page shows a finding.
WIDTH = 100

RUN_SHAPE = "a TREC run has 6: query_id Q0 doc_id rank score tag"
QRELS_SHAPE = "TREC qrels have 4: query_id subtopic doc_id grade"


def run_rows(lines: Lines, most: int = 0) -> Rows:
    """Rows of a TREC run."""
    return Rows.from_text(_bytes(lines), " ", 0, 2, number=4, rank=3, label=5, least=6, most=most)


def qrels_rows(lines: Lines, most: int = 0) -> Rows:
    """Rows of TREC qrels."""
    return Rows.from_text(_bytes(lines), " ", 0, 2, number=3, label=1, least=4, most=most)


def findings(code: str, *, run: Lines | None = None, qrels: Lines | None = None, **options: Any) -> tuple[Finding, ...]:
    """The findings of one check in the lines of a run (compared with qrels, when given) or of qrels alone."""
    judgments = None if qrels is None else qrels_rows(qrels)
    if run is not None:
        subject = Subject(
            run_rows(run), "run", "example.run",
            qrels=judgments, shape=RUN_SHAPE, again=lambda: run_rows(run, most=6), **options,
        )  # fmt: skip
    else:
        assert qrels is not None, "give run= or qrels="
        assert judgments is not None
        subject = Subject(
            judgments,
            "qrels",
            "example.qrels",
            shape=QRELS_SHAPE,
            again=lambda: qrels_rows(qrels, most=4),
            **options,
        )
    check: Check = shelf.find("checks", code)
    return check.findings(subject)


def show(code: str, **lines: Any) -> None:
    """Prints what one check finds, wrapped so that it fits a page."""
    for finding in findings(code, **lines):
        print(fill(str(finding), WIDTH, break_long_words=False, break_on_hyphens=False))


def _bytes(lines: Lines) -> bytes:
    if isinstance(lines, bytes):
        return lines
    return (lines if isinstance(lines, str) else "\n".join(lines) + "\n").encode()
