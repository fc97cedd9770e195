"""Plots of intervals: the differences of contrasts in a forest plot, and the ranges that unjudged documents leave open.

A forest plot has each difference with its confidence interval, around a line at zero. A plot of bounds has each value
or difference with the range over all grades that unjudged documents could have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import confidence_interval, interval, printable, signed
from rankproof.proving.holes.bounds import Bound, MeasureBounds
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.reports.charts.frame import ChartStyle, Palette, labels
from rankproof.reports.charts.layout import domain
from rankproof.reports.charts.plot import Axis, BoxMark, DotMark, Plot, RuleMark

# Differences up to this share one axis: measures on a larger scale would flatten them.
UNIT = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """Contrasts that share an axis. `rows` names them, `title` says what the axis is."""

    name: str
    title: str
    rows: tuple[str, ...]
    contrasts: tuple[Contrast, ...]


def panels(comparison: Comparison) -> list[Panel]:
    """One panel per measure, a row for each pair; with a single pair, one panel with a row for each measure."""
    whole = [c for c in comparison.contrasts if c.segment == ALL_QUERIES]
    first = comparison.systems[0]
    if len({(c.baseline, c.candidate) for c in whole}) > 1:
        only = all(c.baseline == first for c in whole)
        return [
            Panel(
                measure,
                f"Difference in {measure}" + (f" from {first}" if only else ""),
                tuple(c.candidate if only else f"{c.candidate} − {c.baseline}" for c in of),
                tuple(of),
            )
            for measure in comparison.measures
            if (of := [c for c in whole if c.measure == measure])
        ]
    alike = [c for c in whole if not c.scale and _size(c) <= UNIT]
    others = [c for c in whole if c not in alike]
    groups = ([alike] if alike else []) + [[c] for c in others]
    name = f"{whole[0].candidate} minus {whole[0].baseline}" if whole else ""
    return [Panel(g[0].measure, name, tuple(c.measure for c in g), tuple(g)) for g in groups]


def segment_panels(comparison: Comparison) -> list[Panel]:
    """One panel per measure and pair: all queries, then each segment."""
    by_pair: dict[tuple[str, str, str], list[Contrast]] = {}
    for contrast in comparison.contrasts:
        by_pair.setdefault((contrast.measure, contrast.baseline, contrast.candidate), []).append(contrast)
    several = len({pair[1:] for pair in by_pair}) > 1
    return [
        Panel(
            f"{measure} {candidate}" if several else measure,
            f"Difference in {measure}, {candidate} minus {baseline}",
            tuple(c.segment or "all queries" for c in of),
            tuple(of),
        )
        for (measure, baseline, candidate), of in by_pair.items()
        if len(of) > 1
    ]


def forest(panel: Panel, look: ChartStyle) -> Plot:
    """The plot of one panel. Marks of a row carry its number."""
    colors = look.palette
    margins = sorted({m for c in panel.contrasts for m in _margins(c)})
    marks: list[RuleMark | DotMark] = [RuleMark(0.0, None, colors.muted)]
    marks += [RuleMark(margin, None, colors.muted, dash="4 3") for margin in margins]
    dots: list[DotMark] = []
    thick: list[RuleMark] = []
    for i, contrast in enumerate(panel.contrasts):
        answer, color = contrast.difference, _tone(contrast, colors)
        if isinstance(answer, Estimate):
            if contrast.adjusted is not None:
                ends = (contrast.adjusted.low, contrast.adjusted.high)
                marks.append(RuleMark(ends, i, color, 1.5, opacity=0.75, row=i))
            thick.append(RuleMark((answer.low, answer.high), i, color, 5, opacity=0.9, row=i))
        if answer.value is not None:
            dots.append(DotMark(answer.value, i, color, row=i))
    return Plot(
        look,
        panel.title,
        _reading(panel),
        values=Axis(
            _axis_title(panel),
            domain([0.0, *margins, *(v for c in panel.contrasts for v in _ends(c))]),
            form="signed",
        ),
        across=Axis(names=tuple(labels(panel.rows))),
        marks=(*marks, *thick, *dots),
        beside=tuple((i, _written(contrast)) for i, contrast in enumerate(panel.contrasts)),
    )


def _tone(contrast: Contrast, colors: Palette) -> str:
    return {"better": colors.better, "worse": colors.worse}.get(contrast.direction, colors.neutral)


def _written(contrast: Contrast) -> tuple[str, str]:
    """The difference with its interval, and alone where there is little room."""
    answer = contrast.difference
    if answer.value is None:
        return "not estimable", "none"
    value = _minus(signed(answer.value))
    if not isinstance(answer, Estimate):
        return f"{value}  no interval", value
    return f"{value}  ({_minus(interval(answer.low, answer.high))})", value


def _ends(contrast: Contrast) -> list[float]:
    answer = contrast.difference
    ends = [answer.value] if answer.value is not None else []
    if isinstance(answer, Estimate):
        ends += [answer.low, answer.high]
        if contrast.adjusted is not None:
            ends += [contrast.adjusted.low, contrast.adjusted.high]
    return ends


def _margins(contrast: Contrast) -> list[float]:
    """Where the margins lie: on both sides for equivalence, on the side that is worse for non-inferiority."""
    equivalence = contrast.equivalence
    if equivalence is None:
        return []
    margin = equivalence.margin
    if equivalence.kind == "equivalence":
        return [-margin, margin]
    return [margin if contrast.better == "lower" else -margin]


def _size(contrast: Contrast) -> float:
    return max((abs(v) for v in (*_ends(contrast), contrast.baseline_mean, contrast.candidate_mean)), default=0.0)


def _axis_title(panel: Panel) -> str:
    sides = {c.better for c in panel.contrasts}
    scale = next((f" in {c.scale}" for c in panel.contrasts if c.scale), "")
    side = {"higher": "right is better", "lower": "left is better"}.get(sides.pop()) if len(sides) == 1 else None
    return printable(f"difference{scale}" + (f" ({side})" if side else ""))


def _reading(panel: Panel) -> str:
    level = next((c.difference.level for c in panel.contrasts if isinstance(c.difference, Estimate)), 0.95)
    kinds = dict.fromkeys(c.adjusted.kind for c in panel.contrasts if c.adjusted is not None)
    thin = f"; thin line: {', '.join(kinds)}" if kinds else ""
    margin = "; dashed: the margin" if any(c.equivalence for c in panel.contrasts) else ""
    return f"Dot: mean over queries; thick line: {confidence_interval(level)}{thin}{margin}"


def _minus(text: str) -> str:
    return text.replace("-", "−")


# ---- bounds over unjudged documents --------------------------------------------------------------


def bounded(comparison: Comparison) -> list[MeasureBounds]:
    """The bounds of measures that were compared; some measures are texts and have no difference."""
    all_bounds = comparison.holes.bounds if comparison.holes is not None else ()
    return [bounds for bounds in all_bounds if bounds.measure in comparison.measures]


def value_bounds(comparison: Comparison, bounds: MeasureBounds, look: ChartStyle) -> Plot:
    """Each system's value, and the range it could have."""
    colors = look.palette
    means = [evaluation[bounds.measure].mean for evaluation in comparison.evaluations]
    return Plot(
        look,
        f"{bounds.measure}: what unjudged documents could make of it",
        "Dot: value as judged; bar: from the least to the greatest value over all possible grades",
        values=Axis(bounds.measure, domain([v for b in bounds.values for v in (b.least, b.greatest)] + means)),
        across=Axis(names=tuple(labels(comparison.systems))),
        marks=(*_reaches(bounds.values, colors), *(DotMark(m, i, colors.ink, row=i) for i, m in enumerate(means))),
    )


def difference_bounds(comparison: Comparison, bounds: MeasureBounds, look: ChartStyle) -> Plot:
    """Each candidate's difference, its confidence interval, and the range that unjudged documents leave open."""
    colors = look.palette
    contrasts = [comparison.contrast(bounds.measure, candidate) for candidate in comparison.systems[1:]]
    answers = [contrast.difference for contrast in contrasts]
    spans = [(b.least, b.greatest) for b in bounds.differences]
    spans += [(a.low, a.high) for a in answers if isinstance(a, Estimate)]
    lines = [RuleMark((a.low, a.high), i, _tone(c, colors), 3)
             for i, (a, c) in enumerate(zip(answers, contrasts, strict=True)) if isinstance(a, Estimate)]  # fmt: skip
    dots = [DotMark(a.value, i, _tone(c, colors), row=i)
            for i, (a, c) in enumerate(zip(answers, contrasts, strict=True)) if a.value is not None]  # fmt: skip
    return Plot(
        look,
        f"{bounds.measure}: how far unjudged documents could move a difference from {comparison.systems[0]}",
        f"Dot: as judged; line: {confidence_interval(comparison.level)}; wide bar: over all possible grades",
        values=Axis(f"difference in {bounds.measure}", domain([0.0, *(v for s in spans for v in s)]), form="signed"),
        across=Axis(names=tuple(labels(comparison.systems[1:]))),
        marks=(*_reaches(bounds.differences, colors), RuleMark(0.0, None, colors.muted), *lines, *dots),
    )


def _reaches(bounds: Sequence[Bound], colors: Palette) -> list[BoxMark]:
    """A wide bar for each range; one that is no number is not drawn."""
    return [BoxMark((b.least, b.greatest), (i - 0.25, i + 0.25), colors.reach, i) for i, b in enumerate(bounds)]
