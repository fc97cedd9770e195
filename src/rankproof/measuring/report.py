"""EvaluationReport: an evaluation stored on disk with its targets, and an Evaluation restored from it.

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

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.atomic import replace_file
from rankproof.kernel.documents import Upgrades, now, plain, read, require_sha256, versions
from rankproof.kernel.jsontext import from_json, to_json
from rankproof.kernel.manifest import ExperimentManifest
from rankproof.kernel.version import __version__
from rankproof.measuring.conversions import query_ids
from rankproof.measuring.names import canonical, canonical_at
from rankproof.measuring.records import Evaluation, Population, Result, Settings, aggregate
from rankproof.reading.source import open_source


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What one rule of the diagnoses shelf noticed in one run."""

    code: str
    run: str
    message: str  # what was seen, with the numbers: a sentence
    reason: str  # why it means something: a sentence
    remedy: str  # what to try
    severity: str = "note"  # or "warning"


SCHEMA = "evaluation-report/1"
UPGRADES: Upgrades = ()


# How far a stored mean may be from that of the stored values: another processor may round a sum otherwise.
AGREEMENT = 1e-9
# Of a mean in a dialect that is not installed here: other tools print four decimal places, or more.
UNKNOWN_ROUNDING = 0.5e-4


def rounding_of(dialect: str) -> float:
    """How far a dialect's rounding may move a mean."""
    try:
        places = shelf.find("dialects", dialect).round_mean
    except UnknownName:
        return UNKNOWN_ROUNDING
    return 0.0 if places is None else float(0.5 * 10.0**-places)


def totals_of(dialect: str) -> frozenset[str]:
    """The measures whose number for all queries a dialect does not make from those of the queries, where all count."""
    try:
        return frozenset(shelf.find("dialects", dialect).totals)
    except UnknownName:
        return frozenset()


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

    def require_agreement(self, text: str, error: float) -> None:
        """Refuses a value that is not the aggregate of the values by query, and a `passed` that is not true.

        `error` is how far rounding may have moved the mean.
        """
        counted = list(self.by_query.values())
        if any(isinstance(value, str) for value in counted):
            return  # texts have no mean
        mean = aggregate(np.array([math.nan if v is None else v for v in counted], dtype=np.float64), self.aggregate)
        value = math.nan if self.value is None else self.value
        apart = abs(value - mean) > error + AGREEMENT * max(1.0, abs(mean))
        if math.isnan(value) != math.isnan(mean) or apart:
            raise ValueError(
                f"the value of {text} is {self.value}, but the {self.aggregate} of its by_query is {mean:.10g}"
            )
        if self.target is not None and self.better != "neither":
            met = value >= self.target if self.better == "higher" else value <= self.target
            if met != self.passed:
                raise ValueError(
                    f"passed of {text} is {self.passed}, but its value is {self.value} and its target {self.target}"
                )


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What was noticed, and the versions of the tools that noticed it."""

    versions: Mapping[str, str]
    diagnoses: tuple[Diagnosis, ...] = ()
    fine_print: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """A stored evaluation. `report_of` makes it from an Evaluation, and `evaluation_of` restores one from it.

    judgments_sha256   of the grades that the measures saw: reports with another one cannot be compared
    run_sha256         of the rankings as measured, the same in every format; None for a run so large that reading it
                       again would take longer than measuring it
    query_ids          every query that some measure has an entry for
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
    qrels: str = ""  # the name of the judgments
    warnings: tuple[str, ...] = ()
    observed: Mapping[str, Any] = field(default_factory=dict)
    rankproof: str = ""  # the version that wrote it

    def __post_init__(self) -> None:
        require_sha256("judgments_sha256", self.judgments_sha256)
        require_sha256("run_sha256", self.run_sha256)
        error, apart = rounding_of(self.dialect), totals_of(self.dialect) if self.settings.complete else frozenset()
        for text, measure in self.measures.items():
            if text not in apart:
                measure.require_agreement(text, error)

    @property
    def passed(self) -> bool | None:
        """Whether every target is met; None without targets."""
        met = [measure.passed for measure in self.measures.values() if measure.passed is not None]
        return all(met) if met else None

    def to_dict(self) -> dict[str, Any]:
        """The document, as plain dicts, lists, numbers and texts."""
        body = plain(self)
        return {"rankproof": body.pop("rankproof"), "schema": SCHEMA, **body}

    @classmethod
    def from_dict(cls, document: Any, source: str = "the document") -> EvaluationReport:
        """The report in a document of any version; refused, naming the field, when it holds none."""
        return read(document, cls, SCHEMA, UPGRADES, source)


def parse_targets(texts: Iterable[str]) -> dict[str, float]:
    """{measure: target} by canonical text. Several in one text are parted by blanks."""
    targets: dict[str, float] = {}
    for entry in (word for text in texts for word in text.split()):
        measure, _, number = entry.rpartition("=")  # the last one: P(rel=2)@5=0.3
        try:
            target = float(number)
        except ValueError:
            target = math.nan
        if not measure or not math.isfinite(target):
            raise UsageError(f"{entry!r} is no target. Write a measure, '=' and a number, such as nDCG@10=0.35.")
        text = canonical(measure)
        if text in targets:
            raise UsageError(f"{text} has two targets: {targets[text]:g} and {target:g}. Keep one of them.")
        targets[text] = target
    return targets


def meets(result: Result, target: float) -> bool:
    """Whether the value itself, without its interval, reaches the target; a gate decides with an interval."""
    if result.better == "neither":
        raise UsageError(f"{result.text} has no better and no worse, so it can meet no target. Drop its target.")
    return result.mean >= target if result.better == "higher" else result.mean <= target  # undefined


def report_of(
    evaluation: Evaluation,
    *,
    targets: Mapping[str, float] | None = None,
    run_sha256: str | None = None,
    qrels: str = "",
    diagnoses: Sequence[Diagnosis] = (),
    observed: Mapping[str, Any] | None = None,
) -> EvaluationReport:
    """The report of an evaluation. `targets` are by canonical text; each needs its measure to be evaluated."""
    targets = targets or {}
    for measure in targets:
        if measure not in evaluation.results:
            raise UsageError(
                f"{measure} has a target and was not evaluated; evaluated: {', '.join(evaluation.results)}. "
                "Evaluate it too, or drop its target."
            )
    return EvaluationReport(
        run=evaluation.run_name,
        dialect=evaluation.dialect,
        settings=evaluation.settings,
        measures={text: _value(result, targets.get(text)) for text, result in evaluation.results.items()},
        population=evaluation.population,
        query_ids=tuple(query_ids(evaluation)),
        judgments_sha256=evaluation.judgments_hash(),
        run_sha256=run_sha256,
        diagnostics=Diagnostics(versions(), tuple(diagnoses), tuple(evaluation.fine_print)),
        qrels=qrels,
        warnings=tuple(str(finding) for finding in evaluation.findings),
        observed={"time": now(), **(observed or {})},
        rankproof=__version__,
    )


def evaluation_of(report: EvaluationReport) -> Evaluation:
    """The Evaluation in this report, without what a report does not store: tied documents and fine print by query."""
    naming: Callable[[str], str] = canonical
    noticed = (f"{d.run}: {d.message} {d.remedy}" for d in report.diagnostics.diagnoses if d.severity == "warning")
    measures = report.measures
    if report.settings.level not in (None, 1):
        plain = totals_of(report.dialect) if report.settings.complete else frozenset()
        naming = partial(canonical_at, report.settings.level, plain)
        # Reports of earlier versions say a relevance level in the settings alone.
        measures = {naming(text): measure for text, measure in measures.items()}
    return Evaluation(
        {text: _result(text, measure) for text, measure in measures.items()}, report.population,
        report.diagnostics.fine_print, report.run, report.dialect, settings=report.settings, canonical=naming,
        judgments_hash=partial(str, report.judgments_sha256), kept_warnings=(*report.warnings, *noticed),
        made_by=report.rankproof,
    )  # fmt: skip


def read_report(what: Any) -> EvaluationReport:
    """The report in a file of any released version."""
    source = open_source(what)
    return EvaluationReport.from_dict(from_json(source.text(), source.name), source.name)


def _value(result: Result, target: float | None) -> MeasureValue:
    by_query: Mapping[str, Any] = result.by_query if result.labels is None else result.labels
    return MeasureValue(
        value=None if math.isnan(result.mean) else result.mean,
        aggregate=result.aggregate,
        better=result.better,
        whole=result.whole,
        by_query={query: None if value != value else value for query, value in by_query.items()},
        target=target,
        passed=None if target is None else meets(result, target),
        undefined=result.undefined,
    )


def _result(text: str, measure: MeasureValue) -> Result:
    labels = {query: value for query, value in measure.by_query.items() if isinstance(value, str)}
    numbers = [value if isinstance(value, float) else math.nan for value in measure.by_query.values()]
    mean = math.nan if measure.value is None else measure.value
    return Result(
        text, mean, tuple(measure.by_query), np.array(numbers, dtype=np.float64), measure.undefined,
        measure.aggregate, measure.better, measure.whole, labels=labels or None,
    )  # fmt: skip


def write_report(path: str | os.PathLike[str], report: EvaluationReport) -> None:
    """Writes a report as JSON."""
    _write(os.fspath(path), report.to_dict())


def write_manifest(path: str | os.PathLike[str], manifest: ExperimentManifest) -> None:
    """Writes a manifest as JSON, the paths of its inputs as seen from its own folder: both can be moved together."""
    goal = os.fspath(path)
    _write(goal, manifest.beside(os.path.dirname(os.path.realpath(goal))).to_dict())


def _write(path: str, document: dict[str, Any]) -> None:
    replace_file(path, [f"{to_json(document, indent=2)}\n".encode()])
