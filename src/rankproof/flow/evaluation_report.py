"""Evaluation reports: an Evaluation put on record with its targets, and an Evaluation made of the record again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rankproof import __version__
from rankproof.errors import UsageError
from rankproof.flow.source import open_source
from rankproof.flow.targets import meets
from rankproof.flow.versions import now, versions
from rankproof.measures._text import canonical
from rankproof.records import show
from rankproof.records.diagnosis import Diagnosis
from rankproof.records.evaluation import Evaluation, Result
from rankproof.records.evaluation_report import Diagnostics, EvaluationReport, MeasureValue
from rankproof.records.jsontext import from_json


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
        query_ids=tuple(show.query_ids(evaluation)),
        judgments_sha256=evaluation.judgments_hash(),
        run_sha256=run_sha256,
        diagnostics=Diagnostics(versions(), tuple(diagnoses), tuple(evaluation.fine_print)),
        qrels=qrels,
        warnings=tuple(str(finding) for finding in evaluation.findings),
        observed={"time": now(), **(observed or {})},
        rankproof=__version__,
    )


def evaluation_of(report: EvaluationReport) -> Evaluation:
    """The Evaluation that was put on record, as far as it was kept: tied documents and fine print by query are not."""
    return Evaluation(
        {text: _result(text, measure) for text, measure in report.measures.items()}, report.population,
        report.diagnostics.fine_print, report.run, report.dialect, settings=report.settings, canonical=canonical,
        judgments_hash=partial(str, report.judgments_sha256),
    )  # fmt: skip


def read_report(what: Any) -> EvaluationReport:
    """The report in a file, of any version that was ever released."""
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
