"""Threshold sensitivity: one comparison of chunkers at several overlap thresholds, and whether its verdict holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import Section, confidence_interval, interval, number, p_text, signed, verdict_word
from rankproof.measuring.spans.evaluate import evaluate
from rankproof.measuring.spans.measures.contract import SpanVariant, parse
from rankproof.measuring.spans.read import read_gold
from rankproof.proving.compare import compare_evaluations
from rankproof.proving.records import DEFAULT_DESIGN, Adjusted, Comparison, Contrast, Design

THRESHOLDS = (0.1, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """A comparison in which the same measure stands once for each threshold; all tests are one family.

    measures   threshold -> the measure's text
    """

    comparison: Comparison
    measures: Mapping[float, str]

    def directions(self, candidate: str) -> dict[float, str]:
        """What is shown for a candidate at each threshold: "better", "worse" or "not shown"."""
        return {at: self.contrast(at, candidate).direction for at in self.measures}

    def contrast(self, threshold: float, candidate: str) -> Contrast:
        """The contrast of a candidate with the baseline at one threshold."""
        return self.comparison.contrast(self.measures[threshold], candidate)

    @property
    def stable(self) -> dict[str, bool]:
        """Of each candidate, whether every threshold gives the same verdict."""
        return {name: len(set(self.directions(name).values())) == 1 for name in self.comparison.systems[1:]}

    def section(self) -> Section:
        """A table for reports: each candidate at each threshold, and a sentence for each."""
        told = self.comparison
        adjusted = told.correction != "none"
        ci = f"{'adjusted ' if adjusted else ''}{confidence_interval(told.level, short=True)}"
        rows: list[tuple[str, ...]] = [
            (
                "candidate",
                "overlap",
                "baseline",
                "mean",
                "difference",
                ci,
                f"p ({told.correction})" if adjusted else "p",
                "verdict",
            )
        ]
        for name in self.comparison.systems[1:]:
            rows += [_row(at, self.contrast(at, name)) for at in self.measures]
        return Section(
            "Overlap thresholds",
            tuple(self._sentence(name) for name in self.comparison.systems[1:]),
            tuple(rows),
        )

    def _sentence(self, name: str) -> str:
        shown = self.directions(name)
        if self.stable[name]:
            return f"{name}: {verdict_word(next(iter(shown.values())))} at every threshold tried"
        parts = ", ".join(f"{verdict_word(word)} at {at:g}" for at, word in shown.items())
        return f"{name}: the verdict depends on the threshold: {parts}"


def threshold_sensitivity(
    gold: object,
    systems: Mapping[str, object],
    measure: str = "SpanFound@4000chars",
    *,
    thresholds: Sequence[float] = THRESHOLDS,
    design: Design = DEFAULT_DESIGN,
    **reading: Any,
) -> Sensitivity:
    """`systems`, chunks by name with the baseline first, compared in a measure with `overlap` at each threshold.

    `reading` is what `rankproof.spans.evaluate` takes: unit, texts, tokens.
    """
    (variant, *others) = parse(measure)
    if others or "overlap" not in variant.values:
        raise UsageError(f"{measure}: one measure with an overlap threshold is needed, such as SpanFound@4000chars.")
    if len(systems) < 2:
        raise UsageError("A comparison needs a baseline and at least one candidate, by name.")
    measures = at_thresholds(variant, thresholds)
    spans = read_gold(gold, unit=reading.get("unit", "chars"))
    made = [evaluate(spans, chunks, list(measures.values()), name=name, **reading) for name, chunks in systems.items()]
    # No threshold comes first: with a primary one, what it does not show would hold back all others.
    design = replace(design, primary="all")
    return Sensitivity(compare_evaluations(made, design), {at: str(each) for at, each in measures.items()})


def at_thresholds(variant: SpanVariant, thresholds: Sequence[float]) -> dict[float, SpanVariant]:
    """A measure with `overlap` at each threshold."""
    (overlap,) = (param for param in variant.measure.params if param.name == "overlap")
    measures: dict[float, SpanVariant] = {}
    for threshold in thresholds:
        try:
            value = overlap.kind.read(threshold)
        except ValueError as error:
            raise UsageError(f"A threshold {error}.") from None
        measures[value] = SpanVariant(variant.measure, {**variant.values, "overlap": value}, variant.at)
    if not measures:
        raise UsageError("No threshold was given. Give one or more, such as 0.25, 0.5 and 0.75.")
    return measures


def _row(threshold: float, contrast: Contrast) -> tuple[str, ...]:
    bounds = contrast.adjusted or contrast.difference
    return (
        contrast.candidate,
        f"{threshold:g}",
        number(contrast.baseline_mean),
        number(contrast.candidate_mean),
        signed(contrast.candidate_mean - contrast.baseline_mean),
        interval(bounds.low, bounds.high) if isinstance(bounds, Adjusted | Estimate) else "none",
        p_text(contrast.p_value),
        verdict_word(contrast.direction),
    )
