"""Comma-separated values for a spreadsheet or a script: full precision, a row per run, query or contrast.

Columns: `run`, with `per_query` also `query_id`, then one column per measure. With `per_query` there is no
row for all queries, so that nobody counts it as one more. Where a measure has no value stands `undefined`,
never a number. A range over tied documents takes two columns, `least` and `greatest`. Fine print has no
place in this form: take `json` for it.

A comparison has a row per contrast: measure, segment (empty for all queries), baseline, candidate, queries, means,
difference with its confidence interval and p-value, those that the correction makes of them, effect size, wins, ties,
losses and verdict. Where a test cannot be made its columns are empty and `not_estimable` says why. With `per_query` it
has a row per contrast and query instead, with the difference.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.sections import UNDEFINED, verdict_word
from rankproof.measuring.conversions import query_ids
from rankproof.measuring.records import Evaluation, Result
from rankproof.proving.records import Comparison, Contrast
from rankproof.reports.forms.contract import Report
from rankproof.reports.grid import as_range


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """A header and the rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    first = evaluations[0]
    ends = (" least", " greatest") if as_range(first) else ("",)
    measures = [f"{text}{end}" for text in first.results for end in ends]
    writer.writerow(["run", *(["query_id"] if per_query else []), *measures])
    for run in evaluations:
        if per_query:
            writer.writerows(_queries(run))
        else:
            writer.writerow([run.run_name, *(c for r in run.results.values() for c in _overall(run, r))])
    return out.getvalue()


# A row of a comparison; `level` is that of both intervals.
CONTRAST = (
    "measure", "segment", "baseline", "candidate", "queries", "baseline_mean", "candidate_mean", "difference", "low",
    "high", "level", "p_value", "adjusted_low", "adjusted_high", "adjusted_p_value", "method", "correction",
    "effect_size", "wins", "ties", "losses", "verdict", "not_estimable",
)  # fmt: skip
CONTRAST_QUERY = ("measure", "segment", "baseline", "candidate", "query_id", "difference")


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """A header and a row per contrast, or per contrast and query."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CONTRAST_QUERY if per_query else CONTRAST)
    for contrast in comparison.contrasts:
        pair = [contrast.measure, contrast.segment, contrast.baseline, contrast.candidate]
        if per_query:
            values = zip(contrast.query_ids, contrast.by_query.tolist(), strict=True)
            writer.writerows([*pair, query, _exact(value)] for query, value in values)
        else:
            writer.writerow([*pair, *_contrast(contrast, comparison)])
    return out.getvalue()


def _contrast(contrast: Contrast, comparison: Comparison) -> list[str]:
    answer, adjusted = contrast.difference, contrast.adjusted
    estimate = (answer.low, answer.high, answer.level, answer.p_value) if isinstance(answer, Estimate) else (None,) * 4
    corrected = (None,) * 3 if adjusted is None else (adjusted.low, adjusted.high, adjusted.p_value)
    numbers = (contrast.baseline_mean, contrast.candidate_mean, answer.value, *estimate, *corrected)
    return [
        str(len(contrast.query_ids)),
        *("" if number is None else _exact(number) for number in numbers),
        answer.method,
        comparison.correction,
        "" if contrast.effect is None else _exact(contrast.effect),
        *map(str, (contrast.wins, contrast.ties, contrast.losses)),
        verdict_word(contrast.direction),
        answer.reason if isinstance(answer, NotEstimable) else "",
    ]


def _overall(run: Evaluation, result: Result) -> list[str]:
    if as_range(run) and result.ties is not None:
        return [_exact(result.ties.least), _exact(result.ties.greatest)]
    return [_exact(result.mean)] if result.labels is None else [""]


def _queries(run: Evaluation) -> Iterator[list[str]]:
    columns = [column for result in run.results.values() for column in _columns(run, result)]
    for query in query_ids(run):
        yield [run.run_name, query, *(column.get(query, UNDEFINED) for column in columns)]


def _columns(run: Evaluation, result: Result) -> list[dict[str, str]]:
    """One column, or two for a range; queries where the measure is undefined are left out."""
    if result.labels is not None:
        return [dict(result.labels)]
    values = [result.values]
    if as_range(run) and result.ties is not None:
        values = [result.ties.by_query[:, 0], result.ties.by_query[:, 2]]
    undefined = set(result.undefined)
    return [
        {
            query: _exact(value)
            for query, value in zip(result.query_ids, column.tolist(), strict=True)
            if query not in undefined
        }
        for column in values
    ]


def _exact(value: float) -> str:
    """The shortest text that reads back to the same number."""
    return UNDEFINED if math.isnan(value) else repr(float(value))


OFFERS = (Report("csv", __doc__, render, ".csv", "text/csv", comparison),)
