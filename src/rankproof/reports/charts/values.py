"""Charts of values: each run's value over its queries, grades in the first k, and the difference of every query."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankproof.kernel.sections import number, signed
from rankproof.measuring.grade_shares import NOT_RETURNED, UNJUDGED, GradeShares
from rankproof.measuring.records import Evaluation
from rankproof.proving.records import Contrast
from rankproof.reports.charts.frame import ChartStyle, Palette, labels
from rankproof.reports.charts.layout import domain
from rankproof.reports.charts.plot import Axis, BarsMark, BoxMark, DotMark, Plot, RuleMark, TicksMark


def can_draw(evaluations: Sequence[Evaluation], measure: str) -> bool:
    """Whether the measure has numbers to draw: some are texts, and some have no value here."""
    results = [evaluation.results[measure] for evaluation in evaluations]
    return all(result.labels is None and math.isfinite(result.mean) for result in results)


def value_chart(evaluations: Sequence[Evaluation], measure: str, look: ChartStyle) -> Plot:
    """A dot for the value, a tick for each query."""
    results = [evaluation.results[measure] for evaluation in evaluations]
    colors = look.palette
    # A sum or a geometric mean does not lie among the values of single queries.
    queries = [result.values.tolist() if result.aggregate == "mean" else [] for result in results]
    ends = domain([0.0, *(result.mean for result in results), *(value for values in queries for value in values)])
    marks = [TicksMark(values, i, colors.neutral) for i, values in enumerate(queries)]
    dots = [DotMark(result.mean, i, colors.better, row=i) for i, result in enumerate(results)]
    explained = f"Dot: {results[0].aggregate} of all queries" + ("; ticks: single queries" if any(queries) else "")
    return Plot(
        look,
        measure,
        explained,
        values=Axis(measure, (min(ends[0], 0.0), ends[1])),
        across=Axis(names=tuple(labels(evaluation.run_name for evaluation in evaluations))),
        marks=(*marks, *dots),
        beside=tuple((i, (number(result.mean, result.whole),)) for i, result in enumerate(results)),
    )


# Half the height of a bar, and the gap between two parts of it, on their axes.
HALF_BAR = 0.36
GAP = 0.001


def share_chart(shares: GradeShares, look: ChartStyle) -> Plot:
    """Stacked bars, the greatest grade first. A part carries its system's number, and its own where it has room."""
    colors = look.palette
    used = [i for i in range(len(shares.parts)) if any(row[i] >= 0.0005 for row in shares.shares)]
    paints = [_paint(part, shares.parts, colors) for part in shares.parts]
    boxes = []
    for place, row in enumerate(shares.shares):
        start = 0.0
        for i, share in enumerate(row):
            end = start + share
            if i in used and share > 0:
                paint, ink = paints[i]
                span = (start + GAP, end - GAP) if share > 4 * GAP else (start, end)
                text = f"{100 * share:.0f}%"
                boxes.append(BoxMark(span, (place - HALF_BAR, place + HALF_BAR), paint, place, text, ink))
            start = end
    return Plot(
        look,
        f"Grades in the first {shares.depth}",
        "Mean over queries",
        values=Axis(f"share of the first {shares.depth}", form="percent", grid=False),
        across=Axis(names=tuple(labels(shares.systems))),
        marks=tuple(boxes),
        legend=tuple((_name(shares.parts[i]), paints[i][0]) for i in used),
    )


def _name(part: int | str) -> str:
    return part if isinstance(part, str) else f"grade {part}"


def _paint(part: int | str, parts: tuple[int | str, ...], colors: Palette) -> tuple[str, str]:
    """The color of a part, and the one that is readable on it."""
    if part == UNJUDGED:
        return colors.unjudged, colors.on_unjudged
    if part == NOT_RETURNED:
        return colors.grid, colors.ink
    if isinstance(part, str) or part <= 0:
        return colors.nothing, colors.on_nothing
    above = [p for p in parts if isinstance(p, int) and p > 0]
    # A few grades are spread over the ramp, so that neighbors differ; many share its steps.
    step = round(above.index(part) * (len(colors.ramp) - 1) / max(len(above) - 1, 1)) if len(above) > 1 else 1
    return colors.ramp[step], colors.on_ramp[step]


def order(contrast: Contrast) -> list[int]:
    """Places in `query_ids`, best difference first, by the measure's own direction; equal ones as they come."""
    sign = 1.0 if contrast.better == "lower" else -1.0
    return sorted(range(len(contrast.query_ids)), key=lambda i: sign * float(contrast.by_query[i]))


def query_chart(contrast: Contrast, look: ChartStyle) -> Plot:
    """Bars from best to worst, and the mean. A bar carries the query's place in `contrast.query_ids`."""
    places = order(contrast)
    differences = [float(contrast.by_query[i]) for i in places]
    colors = look.palette
    paints = {"better": colors.better, "worse": colors.worse, "same": colors.neutral}
    mean = contrast.difference.value
    marks: list[BarsMark | RuleMark] = [
        BarsMark(differences, [paints[_tone(d, contrast.better)] for d in differences], places),
        RuleMark(0.0, None, colors.muted),
    ]
    if mean is not None:
        marks.append(RuleMark(mean, None, colors.ink, dash="4 3"))
    ends = domain([0.0, *differences, *([mean] if mean is not None else [])])
    # Bars begin at zero: no room below it where none goes there.
    ends = (min(ends[0], 0.0) if min(differences, default=0.0) < 0 else 0.0, ends[1])
    ends = ends if max(differences, default=0.0) > 0 or ends[0] == 0.0 else (ends[0], 0.0)
    return Plot(
        look,
        f"{contrast.candidate} minus {contrast.baseline} in {contrast.measure}, by query",
        f"{contrast.wins} better, {contrast.ties} the same, {contrast.losses} worse; best first",
        values=Axis(
            "difference" + (f" in {contrast.scale}" if contrast.scale else ""),
            ends, form="signed", rounded=True,
        ),
        across=Axis(shown=False),
        marks=tuple(marks),
        down=False,
        height=200 if look.narrow else 240,
        beside=() if mean is None else ((mean, (f"mean\n{signed(mean)}".replace("-", "−"),)),),
    )  # fmt: skip


def _tone(difference: float, better: str) -> str:
    if difference == 0 or better == "neither":
        return "same"
    return "better" if (difference > 0) == (better == "higher") else "worse"
