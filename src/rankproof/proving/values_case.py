"""Cases of a gate that rest on values by unit: tables of scores, and evaluations that were made before.

Rules ask such a case as they ask one of rankings. What only rankings tell is missing here: nothing is checked, no tie
and no unjudged document is looked for, and equal values are no proof that nothing changed.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.sections import some
from rankproof.kernel.verdict import Ruling
from rankproof.measuring.records import Evaluation
from rankproof.proving.gate_case import GateCase
from rankproof.proving.per_unit import kind_of, refuse_other_ground, warnings_of_evaluations
from rankproof.proving.policy import Policy, bind_clause
from rankproof.proving.rule_params import ValueName
from rankproof.proving.rules.contract import Rule, RuleValues
from rankproof.proving.rules.contract import measure_named as measures_of_rule
from rankproof.proving.supposed import Risk
from rankproof.reading.naming import distinct_names

if TYPE_CHECKING:
    from rankproof.proving.manifest import Given
    from rankproof.proving.records import Comparison, Design


@dataclass(frozen=True, slots=True)
class HeldValues:
    """What a manifest asks of an input that holds values: the hash of those that rules are about."""

    values: Mapping[str, object]

    def content_hash(self) -> str:
        """SHA-256 of the values by measure and unit, whatever order they stand in."""
        return digest(self.values)


def digest(value: object) -> str:
    """SHA-256 of plain values, in one fixed spelling."""
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class ValuesCase(GateCase, ABC):
    """What both kinds have in common; `policy` gets its rules bound to the values that they name."""

    ranked = False
    _names: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What candidate and baseline are called."""
        return self._names

    @property
    def baseline(self) -> str | None:
        """What the baseline is called; a column may name it where the policy names no file of its own."""
        return self.names[1] if len(self.names) > 1 else None

    @property
    def measures(self) -> tuple[str, ...]:
        """The values that rules name, each once."""
        named = (str(text) for clause in self.policy.clauses for text in measures_of_rule(clause.values))
        return tuple(dict.fromkeys(named))

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The units that some side has."""
        made = (result for evaluation in self.evaluations for result in evaluation.results.values())
        return tuple(dict.fromkeys(unit for result in made for unit in (*result.query_ids, *result.undefined)))

    def same_rankings(self, measure: str, segment: str = "") -> bool:
        """Never known: different answers can have equal values."""
        return False

    def answer_scores(
        self, score: str, answerable: str, relevant: int, segment: str = ""
    ) -> tuple[Mapping[str, float | None], Mapping[str, bool]]:
        """Evaluations have no scores of answers; tables of scores may have them."""
        raise UsageError("evaluations hold no score of a query's first document. Gate the runs, or a table of scores")

    def risks(self, rule: Rule, values: RuleValues, ruling: Ruling) -> Iterator[Risk]:
        """What could give a rule another answer; nothing that evaluations tell."""
        yield from ()

    def warnings(self) -> tuple[list[str], list[str]]:
        """What a reader should know of the values: warnings, and notes for the fine print."""
        hashes = {given.prepared.content_hash() for given in self.given}
        if len(self.given) < 2 or len(hashes) > 1:
            return [], []
        both = " and ".join(self.names)
        return [f"{both} hold the same values: check that two different inputs were given."], []

    @property
    @abstractmethod
    def given(self) -> tuple[Given, ...]:
        """The inputs as a manifest names them: the candidate's, then the baseline's."""

    @abstractmethod
    def compared(self, design: Design, by: tuple[str, ...]) -> Comparison:
        """Both sides compared in the measures of the policy."""


# ---- evaluations ---------------------------------------------------------------------------------


class EvaluationsCase(ValuesCase):
    """Evaluations that were made before: of rankings, of spans, of tasks; in memory or from kept reports."""

    def __init__(self, policy: Policy, names: tuple[str, ...] | None = None) -> None:
        super().__init__(policy)
        sources = [self._needed("candidate", self._candidate)]
        sources += [] if self._baseline is None else [self._baseline]
        made = [_evaluation(source) for source in sources]
        paths = [
            os.fspath(s) if isinstance(s, str | os.PathLike) else e.run_name for s, e in zip(sources, made, strict=True)
        ]
        own = [evaluation.run_name for evaluation in made]
        self._names = names or distinct_names(own, paths, ("candidate", "baseline")[: len(own)])
        self._made = tuple(replace(e, run_name=name) for e, name in zip(made, self._names, strict=True))
        if len(self._made) > 1:
            refuse_other_ground(self._made)
        clauses = tuple(bind_clause(clause, self._named) for clause in policy.clauses)
        self.policy = replace(policy, clauses=clauses)

    def _named(self, text: str, place: str) -> ValueName:
        """What the evaluations say of a measure, in any spelling that they know."""
        for evaluation in self._made:
            if text not in evaluation or evaluation[text].labels is not None:
                able = [name for name, result in evaluation.results.items() if result.labels is None]
                raise UnknownName(f"measure of the evaluation {evaluation.run_name} ({place})", text, able)
        result = self._made[0][text]
        kind = kind_of(result)
        low, high = (-np.inf, np.inf) if kind is None else (kind.low, kind.high)
        return ValueName(result.text, result.better, low, high, result.aggregate)

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The candidate's and the baseline's, with the measures of the policy."""
        return tuple(replace(e, results={text: e.results[text] for text in self.measures}) for e in self._made)

    def warnings(self) -> tuple[list[str], list[str]]:
        """What is amiss with the evaluations, and units that a measure leaves out of its mean."""
        warnings, notes = super().warnings()
        for evaluation in self._made:
            missing, judged = evaluation.population.missing, evaluation.population.judged
            if missing:
                fate = "are left out" if evaluation.population.missing_policy == "drop" else "count as nothing found"
                warnings.append(
                    f"{evaluation.run_name} lacks {len(missing)} of {judged} judged queries, which {fate} "
                    f"({some(missing)})."
                )
        warnings += warnings_of_evaluations(self._made)
        for text in self.measures:
            result = self._made[0].results[text]
            left = tuple(unit for unit in result.undefined if unit not in result.by_query)
            if left:
                warnings.append(
                    f"{text}: {len(left)} {'query has' if len(left) == 1 else 'queries have'} no value for "
                    f"{self.candidate} and {'is' if len(left) == 1 else 'are'} left out of its mean ({some(left)})."
                )
        return list(dict.fromkeys(warnings)), notes

    @cached_property
    def given(self) -> tuple[Given, ...]:
        """Each evaluation with the hash of its judgments and values."""
        from rankproof.proving.manifest import Given

        sources = (self.policy.candidate, self.policy.baseline)
        held = [
            {"judgments": e.judgments_hash(), "values": {text: e.results[text].by_query for text in self.measures}}
            for e in self._made
        ]
        return tuple(Given(source, HeldValues(values)) for source, values in zip(sources, held, strict=False))

    @property
    def ground_hash(self) -> str:
        """Of the judgments that the values were made with; of the units where that is not known."""
        return self._made[0].judgments_hash() or digest(sorted(self.query_ids))

    def compared(self, design: Design, by: tuple[str, ...]) -> Comparison:
        """By `compare_evaluations`."""
        from rankproof.proving.compare import compare_evaluations

        return compare_evaluations(self.evaluations[::-1], design, queries=self.policy.queries, by=by)


def _evaluation(source: object) -> Evaluation:
    """An evaluation in memory, or in a report."""
    from rankproof.measuring.report import EvaluationReport, evaluation_of, read_report

    if isinstance(source, Evaluation):
        return source
    return evaluation_of(source if isinstance(source, EvaluationReport) else read_report(source))
