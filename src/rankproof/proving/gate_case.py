"""GateCase: what the rules of a policy look at, read and computed when first used."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import Any, Literal

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Answer
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedQrels, PreparedRun, called, join_run, prepare_qrels
from rankproof.measuring.records import Evaluation, Settings
from rankproof.measuring.run_sources import comparable, settle_reading
from rankproof.proving.audit.claims import RerankAudit
from rankproof.proving.audit.rerank import declared_rerank
from rankproof.proving.mean_rule import infer_by
from rankproof.proving.per_unit import PerUnit, from_evaluations, refuse_other_ground
from rankproof.proving.policy import Policy
from rankproof.proving.power import queries_needed
from rankproof.proving.rules.contract import POWER, Numbers, RuleSample, measure_named
from rankproof.proving.sampling import Sampling, SamplingColumns, sampling_of
from rankproof.proving.significance.contract import Significance, SignificanceRequest, refuse_unsampled
from rankproof.reading.collect import read_run
from rankproof.reading.finding import Finding
from rankproof.reading.naming import distinct_names
from rankproof.reading.records import DEFAULT_ORDER, Run
from rankproof.reading.segments import Table
from rankproof.reading.source import open_source, require_text

_OF_SETTINGS = {field.name for field in fields(Settings)}


class GateCase:
    """A policy's inputs as its rules ask for them. Satisfies the Case that proving/rules/contract.py describes."""

    # Whether rankings are behind the values (proving/values_case.py: none), and whether units were asked repeatedly.
    ranked, repeated = True, False

    def __init__(self, policy: Policy) -> None:
        from rankproof.reading.source import once

        if policy.candidate == policy.baseline == "-":
            raise UsageError("Standard input (-) can be read only once. Give the other run as a file.")
        self.policy = policy
        self._candidate, self._baseline = once(policy.candidate), once(policy.baseline)
        self.level = policy.confidence

    # ---- inputs ----------------------------------------------------------------------------------

    @cached_property
    def qrels(self) -> PreparedQrels:
        """The judgments."""
        choices = self.policy.choices
        judged = self._needed("qrels", self.policy.qrels)
        return prepare_qrels(judged, choices.get("qrels_format"), choices.get("allow", ()), **self._reading[1])

    @cached_property
    def _reading(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The options that runs are read with, and those of the judgments besides their format."""
        reading = {k: v for k, v in self.policy.choices.items() if k not in _OF_SETTINGS and k != "qrels_format"}
        gold = settle_reading(reading)
        return {"format": reading.pop("run_format", None), **reading}, gold

    @property
    def query_ids(self) -> Sequence[str]:
        """The queries that rules are about: the judged ones."""
        return self.qrels.query_ids

    @property
    def ground_hash(self) -> str:
        """What attempts that a ledger counts have in common: the judgments."""
        return self.qrels.content_hash()

    @cached_property
    def runs(self) -> tuple[PreparedRun, ...]:
        """The candidate's run, and the baseline's where there is one."""
        sources = [self._needed("candidate", self._candidate)]
        if self._baseline is not None:
            sources.append(self._baseline)
        return tuple(self._joined(source) for source in sources)

    def _joined(self, source: object) -> PreparedRun:
        if isinstance(source, PreparedRun):
            return source
        return join_run(self.qrels, source, **self._reading[0])

    def _needed(self, what: str, given: Any) -> Any:
        if given is None:
            noun = "judgments" if what == "qrels" else f"{what} run" if what in ("candidate", "baseline") else what
            raise UsageError(
                f'The policy names no {noun}. Add {what} = "..." to its [policy] table, or give --{what} '
                f"(in Python: {what}=)."
            )
        return given

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What candidate and baseline are called: their paths where both would have one name."""
        given = [("candidate", self.policy.candidate)]
        if self.policy.baseline is not None:
            given.append(("baseline", self.policy.baseline))
        names = [called(source, side) for side, source in given]
        paths = [os.fspath(s) if isinstance(s, str | os.PathLike) else side for side, s in given]
        return distinct_names(names, paths, ("candidate", "baseline"))

    @property
    def candidate(self) -> str:
        """What the candidate is called."""
        return self.names[0]

    @property
    def baseline(self) -> str | None:
        """What the baseline is called."""
        return self.names[1] if self._baseline is not None else None

    @cached_property
    def topics(self) -> Mapping[str, str]:
        """Query id -> text; nothing where the policy names no topics."""
        if self.policy.topics is None:
            return {}
        from rankproof.reading.collect import read_topics

        return read_topics(self.policy.topics)

    def text(self, query_id: str) -> str:
        """The query's own words."""
        return self.topics.get(query_id, "")

    @cached_property
    def latencies(self) -> Numbers:
        """Milliseconds, one per request."""
        from rankproof.proving.percentile import read_latencies

        return read_latencies(self._needed("latency", self.policy.latency))

    def lines(self, path: str) -> tuple[str, ...]:
        """The lines of a list; `#` begins a comment."""

        source = open_source(path)
        require_text(source)
        entries = (line.partition("#")[0].strip() for line in source.text().splitlines())
        queries = tuple(dict.fromkeys(line for line in entries if line))
        if not queries:
            raise UsageError(f"{path} names nothing. Write one query id per line")
        return queries

    # ---- values ----------------------------------------------------------------------------------

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """Every measure that a rule names, once."""
        named = [text for clause in self.policy.clauses for text in measure_named(clause.values)]
        return parse(list(dict.fromkeys(named))) if named else ()

    @property
    def measures(self) -> tuple[str, ...]:
        """The canonical texts of these measures."""
        return tuple(variant.text for variant in self.variants)

    @cached_property
    def settings(self) -> Settings:
        """The choices that belong to measuring."""
        return Settings(**{k: v for k, v in self.policy.choices.items() if k in _OF_SETTINGS})

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The candidate's values, and the baseline's."""
        found = [
            replace(measure_run(run, self.variants, self.settings), run_name=name)
            for run, name in zip(self.runs, self.names, strict=True)
        ]
        if len(found) > 1:
            refuse_other_ground(found)
        return tuple(found)

    def values(self, measure: str, segment: str = "") -> RuleSample:
        """The candidate's values."""
        table = self._inside(from_evaluations(self.evaluations[:1], measure), segment)
        return RuleSample(
            table.measure, table.better, table.aggregate, table.unit_ids, table.column(0), low=table.low,
            high=table.high,
        )  # fmt: skip

    def changes(self, measure: str, segment: str = "") -> RuleSample:
        """The values of both sides on the queries where both have one, and those where only one has."""
        if len(self.evaluations) < 2:
            self._needed("baseline", None)
        after, before = (evaluation[measure].by_query for evaluation in self.evaluations)
        inside = self._segment(segment) if segment else None
        both = from_evaluations(self.evaluations, measure).select(
            {query for query in after if query in before and (inside is None or query in inside)}
        )

        def only(ours: Mapping[str, float], theirs: Mapping[str, float]) -> dict[str, float]:
            return {q: v for q, v in ours.items() if q not in theirs and (inside is None or q in inside)}

        return RuleSample(
            both.measure, both.better, both.aggregate, both.unit_ids, both.column(0), both.column(1),
            lost=only(before, after), gained=only(after, before),
            without=tuple(query for query in self.query_ids if query not in after and query not in before),
            low=both.low, high=both.high,
        )  # fmt: skip

    def _inside(self, table: PerUnit, segment: str) -> PerUnit:
        """The table, or the part of it that belongs to a segment."""
        return table.select(self._segment(segment)) if segment else table

    def judged_rates(self, k: int, segment: str = "") -> dict[str, float]:
        """The means of Judged@k; in condensed rankings everything is judged, so they are looked at whole."""
        inside = self._segment(segment) if segment else None
        settings = replace(self.settings, judged_only=False, ties="rule")
        rates = {}
        for name, run in zip(self.names, self.runs, strict=True):
            result = measure_run(run, parse(f"Judged@{k}"), settings)[f"Judged@{k}"]
            values = result.values
            if inside is not None:
                values = values[[query in inside for query in result.query_ids]]
            if len(values):
                rates[name] = float(values.mean())
        return rates

    def findings(self, allow: Sequence[str], max_depth: int | None, strict: bool) -> tuple[Finding, ...]:
        """What the checks find in the candidate's run, then in the baseline's."""
        sides = range(1 if self._baseline is None else 2)
        return tuple(finding for side in sides for finding in self.findings_in(side, allow, max_depth, strict))

    def findings_in(self, side: int, allow: Sequence[str], max_depth: int | None, strict: bool) -> tuple[Finding, ...]:
        """What the checks find in one run: 0 is the candidate's, 1 the baseline's."""
        from rankproof.reading.check import MAX_DEPTH, check_run
        from rankproof.reading.validate import RunReference, validate_run

        cutoffs = tuple(sorted({variant.k for variant in self.variants if variant.k is not None}))
        deepest = max_depth or max((MAX_DEPTH, *cutoffs))
        allow = (*self.policy.choices.get("allow", ()), *allow)
        known = tuple(self.topics) or None
        source = self._baseline if side else self._needed("candidate", self._candidate)
        if isinstance(source, PreparedRun | Run):
            rows = source.rows if isinstance(source, Run) else source.rows()
            return check_run(
                rows, source.name, qrels=self.qrels.rows(), topics=known, cutoffs=cutoffs, max_depth=deepest,
                unit="row", allow=allow, strict=strict,
            )  # fmt: skip
        reference = RunReference(self.qrels.rows(), known, cutoffs, deepest, allow, strict)
        choices = self.policy.choices
        reading = {key: choices.get(key) for key in ("order", "lower_is_better", "columns")}
        return validate_run(source, reference, choices.get("run_format"), **reading).findings

    # ---- segments --------------------------------------------------------------------------------

    @cached_property
    def _columns(self) -> tuple[Table, tuple[str, ...]]:
        from rankproof.reading.segments import read_columns

        return read_columns(self._needed("queries", self.policy.queries))

    def segments(self, column: str) -> dict[str, tuple[str, ...]]:
        """`column=value` -> its queries, for every value of a column."""
        from rankproof.reading.segments import segments

        table, columns = self._columns
        return segments(table, columns, [column], self.query_ids)

    def queries_in(self, segment: str) -> frozenset[str]:
        """The judged queries of a segment; all of them for ""."""
        return self._segment(segment) if segment else frozenset(self.query_ids)

    def _segment(self, segment: str) -> frozenset[str]:
        found = self.segments(segment.partition("=")[0])
        if segment not in found:
            raise UnknownName("segment of the query file", segment, found)
        return frozenset(found[segment])

    # ---- chance ----------------------------------------------------------------------------------

    @cached_property
    def _method(self) -> Significance:
        method: Significance = shelf.find("significance", self.policy.significance)
        if method.about != "mean":
            able = [item.name for item in shelf.offered("significance").values() if item.about == "mean"]
            raise UsageError(
                f"The rules of a gate speak of means, the method {method.name!r} of another thing ({method.about}). "
                f"Possible: {', '.join(able)}."
            )
        if self._sampling_columns:
            refuse_unsampled(method)
        return method

    @property
    def _sampling_columns(self) -> SamplingColumns:
        return SamplingColumns(self.policy.weights, self.policy.strata, self.policy.clusters)

    def sampling(self, query_ids: Sequence[str]) -> Sampling | None:
        """By the columns that the policy names."""
        if not self._sampling_columns:
            return None
        return sampling_of(*self._columns, self._sampling_columns, query_ids)

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
        """By the policy's method. The same seed gives the same bounds, whatever else the policy asks."""
        by, kind = self.policy, (binary, self.repeated)
        question = SignificanceRequest(level, alternative, null, by.resamples, low, high, sampling, *kind)
        return infer_by(self._method, values, question, of, by.seed)

    @property
    def unchanged(self) -> Literal["pass", "undecided"]:
        """What identical rankings mean for a rule against a regression."""
        return self.policy.unchanged

    def same_rankings(self, measure: str, segment: str = "") -> bool:
        """Whether both runs rank the same documents in the same order, as deep as the measure looks."""
        (variant,) = parse(measure)
        by_rank = variant.measure.cutoff in ("optional", "required")
        depths = [depth for depth in (variant.k if by_rank else None, self.settings.depth) if depth is not None]
        candidate, baseline = comparable(self.runs, min(depths) if depths else None)
        return all(candidate.get(query) == baseline.get(query) for query in self.queries_in(segment))

    def agreement(
        self,
        human: object,
        model: object,
        statistic: str,
        threshold: float,
        relevant: tuple[int, int] | None,
        level: float,
    ) -> Answer:
        """By the pairs that people and the judge both graded."""
        from rankproof.proving.agreement import agreement_holds

        judge = self._needed("qrels", self.policy.qrels) if model is None else model
        return agreement_holds(human, judge, statistic, threshold, relevant, level)

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
        """By the pairs that people and the judge both graded, among the runs' first `k`."""
        from rankproof.proving.judge_bias import bias_between, favored_group

        judge = self._needed("qrels", self.policy.qrels) if model is None else model
        if group is not None:
            runs, members = favored_group(*group)
        else:
            sources = (self._needed("candidate", self._candidate), self._needed("baseline", self._baseline))
            runs = {name: self._ranked(source) for name, source in zip(self.names, sources, strict=True)}
            members = self.names[:1]
        return bias_between(human, judge, runs, members, k, threshold, relevant, level)

    def answer_scores(
        self, score: str, answerable: str, relevant: int, segment: str = ""
    ) -> tuple[Mapping[str, float | None], Mapping[str, bool]]:
        """By the first document of each judged query, and by the judgments."""
        if score:
            raise UsageError(
                "score_column names a column of a table of scores, and the candidate is a run. Leave it out"
            )
        run, inside = self._ranked(self._needed("candidate", self._candidate)), self.queries_in(segment)
        if run.kind != "score":
            raise UsageError(f"A threshold is of scores of which more is better; those of {run.name} are by {run.kind}")
        first = {query: scores[0] for query, _, scores in run.rankings() if query in inside and len(scores)}
        has_answer = zip(self.qrels.query_ids, (self.qrels.pool.relevant(relevant) > 0).tolist(), strict=True)
        return first, {query: has for query, has in has_answer if query in inside}

    def rerank(self, first_stage: object, depth: int) -> tuple[RerankAudit, tuple[str, ...]]:
        """On the judged queries; on all of the first stage's where there are no judgments."""
        runs = (self._ranked(first_stage), self._ranked(self._needed("candidate", self._candidate)))
        return declared_rerank(*runs, depth, None if self.policy.qrels is None else self.query_ids)

    def _ranked(self, source: object) -> Run:
        """A run in the order that the policy asks for."""
        if isinstance(source, PreparedRun):
            return Run.of(source.rows(), source.order(DEFAULT_ORDER), source.name)
        return read_run(source, **self._reading[0])

    def queries_needed(self, effect: float, level: float) -> int | None:
        """By the power of a one-sided t test."""
        return queries_needed(1.0, effect, level=level, power=POWER, alternative="greater")
