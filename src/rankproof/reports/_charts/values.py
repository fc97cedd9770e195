"""Value chart: one measure's value for each run, over the values of the single queries."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankproof.records import show
from rankproof.records.evaluation import Evaluation
from rankproof.reports._charts.drawn import KEY
from rankproof.reports._charts.frame import Look, Spec, domain, framed, labels, rows_axis

# More marks than this make a gray bar and a heavy file: the means stand alone then.
MOST_MARKS = 1_500


def can_draw(evaluations: Sequence[Evaluation], measure: str) -> bool:
    """Whether the measure has numbers to draw: some are texts, and some have no value here."""
    results = [evaluation.results[measure] for evaluation in evaluations]
    return all(result.labels is None and math.isfinite(result.mean) for result in results)


def value_chart(evaluations: Sequence[Evaluation], measure: str, look: Look) -> Spec:
    """A dot for the value, a tick for each query."""
    results = [evaluation.results[measure] for evaluation in evaluations]
    names = labels(evaluation.run_name for evaluation in evaluations)
    means = [
        {"row": name, "key": f"{KEY}{i}", "value": result.mean, "text": show.number(result.mean, result.whole)}
        for i, (name, result) in enumerate(zip(names, results, strict=True))
    ]
    queries = [
        {"row": name, "value": value}
        for name, result in zip(names, results, strict=True)
        if result.aggregate == "mean"  # a sum or a geometric mean does not lie among the values of single queries
        for value in result.values.tolist()
        if math.isfinite(value)
    ]
    queries = queries if len(queries) <= MOST_MARKS else []
    colors = look.palette
    ends = domain([0.0, *(result.mean for result in results), *(float(str(row["value"])) for row in queries)])
    y = {"field": "row", "type": "nominal", "sort": None, "axis": rows_axis(look)}
    x = {"type": "quantitative", "scale": {"domain": [min(ends[0], 0.0), ends[1]], "nice": False},
         "axis": {"title": measure, "tickCount": 4 if look.narrow else 6}}  # fmt: skip
    layers: list[Spec] = [
        {
            "data": {"values": queries},
            "mark": {"type": "tick", "color": colors.neutral, "opacity": 0.35, "thickness": 1.5, "height": 15},
            "encoding": {"y": y, "x": {"field": "value", **x}},
        },
        {
            "data": {"values": means},
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1, "color": colors.better,
                     "stroke": colors.page, "strokeWidth": 1.5},
            "encoding": {"y": y, "x": {"field": "value", **x}, "description": {"field": "key", "type": "nominal"}},
        },
        {
            "data": {"values": means},
            "mark": {"type": "text", "align": "left", "x": {"expr": "width + 12"}, "color": colors.ink},
            "encoding": {"y": y, "text": {"field": "text"}},
        },
    ]  # fmt: skip
    said = f"Dot: {results[0].aggregate} of all queries" + ("; ticks: single queries" if queries else "")
    return framed(look, measure, said, layers, height={"step": 30})
