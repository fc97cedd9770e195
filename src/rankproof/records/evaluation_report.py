"""EvaluationReport: the evaluation of one run, kept: values against targets, and what they stand on.

{
  "rankproof": "0.1.0",               the version that wrote it
  "schema": "evaluation-report/1",
  "run": "bm25",
  "dialect": "rankproof",
  "settings": {...},                  as in evaluation/1
  "measures": {
    "nDCG@10": {"value", "target", "passed", "aggregate", "better", "whole", "undefined", "by_query"}
  },
  "population": {...},                as in evaluation/1
  "query_ids": ["q1"],
  "judgments_sha256": "...",
  "run_sha256": "...",
  "diagnostics": {"versions", "diagnoses", "fine_print"},
  "warnings": [],
  "qrels": "qrels.trec",
  "observed": {"seconds": 0.2, "time": "2026-01-02T03:04:05Z"}
}

Two reports can be compared later, without the runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.records import lasting
from rankproof.records.diagnosis import Diagnosis
from rankproof.records.evaluation import Population
from rankproof.records.settings import Settings

SCHEMA = "evaluation-report/1"
UPGRADES: lasting.Upgrades = ()


@dataclass(frozen=True, slots=True)
class MeasureValue:
    """One measure's value, its target and whether that is met; None where there is no value or no target.

    by_query   the values that count in `value`; texts for the measures whose values are text
    """

    value: float | None
    aggregate: str
    better: str
    whole: bool
    by_query: Mapping[str, float | str | None]
    target: float | None = None
    passed: bool | None = None
    undefined: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.target is None) != (self.passed is None):
            raise ValueError("target and passed: both are there, or neither is")


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What was noticed, and the versions of the tools that noticed it."""

    versions: Mapping[str, str]
    diagnoses: tuple[Diagnosis, ...] = ()
    fine_print: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """An evaluation on record. `flow.evaluation_report` makes it, and makes an Evaluation of it again.

    judgments_sha256   of the grades that the measures saw: reports with another one cannot be compared
    run_sha256         of the rankings as measured, the same in every format; None for a run so large that reading it
                       again would take longer than measuring it
    query_ids          every query that some measure speaks of
    """

    run: str
    dialect: str
    settings: Settings
    measures: Mapping[str, MeasureValue]
    population: Population
    query_ids: tuple[str, ...]
    judgments_sha256: str
    run_sha256: str | None
    diagnostics: Diagnostics
    qrels: str = ""  # what the judgments are called
    warnings: tuple[str, ...] = ()
    observed: Mapping[str, Any] = field(default_factory=dict)
    rankproof: str = ""  # the version that wrote it

    def __post_init__(self) -> None:
        lasting.require_sha256("judgments_sha256", self.judgments_sha256)
        lasting.require_sha256("run_sha256", self.run_sha256)

    @property
    def passed(self) -> bool | None:
        """Whether every target is met; None without targets."""
        met = [measure.passed for measure in self.measures.values() if measure.passed is not None]
        return all(met) if met else None

    def to_dict(self) -> dict[str, Any]:
        """The document, as plain dicts, lists, numbers and texts."""
        body = lasting.plain(self)
        return {"rankproof": body.pop("rankproof"), "schema": SCHEMA, **body}

    @classmethod
    def from_dict(cls, document: Any, source: str = "the document") -> EvaluationReport:
        """The report in a document of any version; refused, naming the field, when it holds none."""
        return lasting.read(document, cls, SCHEMA, UPGRADES, source)
