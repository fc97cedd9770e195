"""Results: the numbers of an experiment that a manifest keeps, and how those computed again are held against them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankproof.records.comparison import Contrast
from rankproof.records.estimate import Estimate
from rankproof.records.evaluation import Evaluation
from rankproof.records.manifest import ContrastResult, Results
from rankproof.records.verification import Discrepancy

# Values nearer to 0 than this are compared as if they were this large: the rounding of a sum does not shrink with it.
SMALL = 1e-3


def results_of(evaluations: Sequence[Evaluation], contrasts: Sequence[Contrast]) -> Results:
    """The numbers that a manifest keeps, and that verifying computes again."""
    return Results(
        queries=evaluations[0].population.scored,
        means={e.run_name: {text: _real(result.mean) for text, result in e.results.items()} for e in evaluations},
        contrasts=tuple(_contrast(contrast) for contrast in contrasts),
    )


def _contrast(contrast: Contrast) -> ContrastResult:
    answer = contrast.difference
    where = (contrast.measure, contrast.baseline, contrast.candidate, contrast.segment, len(contrast.query_ids))
    if not isinstance(answer, Estimate):
        return ContrastResult(*where, difference=_real(answer.value), reason=answer.reason)
    adjusted = None if contrast.adjusted is None else _real(contrast.adjusted.p_value)
    return ContrastResult(
        *where, _real(answer.value), _real(answer.low), _real(answer.high), _real(answer.p_value), adjusted
    )


def _real(value: float | None) -> float | None:
    """JSON has neither NaN nor infinity: what is no number is None."""
    return float(value) if value is not None and math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Held:
    """How many values were compared, how many are equal, the largest relative difference of equals, and the others."""

    compared: int
    equal: int
    largest: float
    apart: tuple[Discrepancy, ...]


def compare_results(old: Results, new: Results, tolerance: float) -> Held:
    """Each value on record against the one computed again, by its relative difference."""
    before, after = dict(_values(old)), dict(_values(new))
    equal, largest, apart = 0, 0.0, []
    names = list(dict.fromkeys((*before, *after)))
    for name in names:
        was, now = before.get(name), after.get(name)
        distance = _distance(was, now)
        if distance <= tolerance:
            equal, largest = equal + 1, max(largest, distance)
            continue
        difference = now - was if isinstance(was, float) and isinstance(now, float) else None
        by = "" if difference is None else f" (by {difference:+.3g})"
        message = f"{name} is {_word(now)}, was {_word(was)}{by}."
        apart.append(Discrepancy("value_differs", name, message, was, now, difference))
    return Held(len(names), equal, largest, tuple(apart))


def _values(results: Results) -> Iterator[tuple[str, float | str | None]]:
    """Every number on record, by a name that tells a reader which it is."""
    yield "queries", float(results.queries)
    for run, means in results.means.items():
        for measure, value in means.items():
            yield f"{run} {measure}", value
    for found in results.contrasts:
        where = f"{found.candidate} - {found.baseline} {found.measure}"
        where += f" [{found.segment}]" if found.segment else ""
        yield where, found.difference
        yield f"{where}: queries", float(found.queries)
        if found.reason:
            yield f"{where}: no interval", found.reason
            continue
        yield f"{where}: low", found.low
        yield f"{where}: high", found.high
        yield f"{where}: p", found.p_value
        if found.adjusted_p_value is not None:
            yield f"{where}: adjusted p", found.adjusted_p_value


def _distance(was: float | str | None, now: float | str | None) -> float:
    """The relative difference: 0 for equals, infinite where one is a number and the other none."""
    if was == now:
        return 0.0
    if not isinstance(was, float) or not isinstance(now, float):
        return math.inf
    return abs(now - was) / max(abs(was), abs(now), SMALL)


def _word(value: float | str | None) -> str:
    return "missing" if value is None else value if isinstance(value, str) else f"{value:.10g}"
