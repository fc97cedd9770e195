"""Grade chart: what the first k documents of each system are made of, one bar per system."""

from __future__ import annotations

from rankproof.records.gradeshares import NOT_RETURNED, UNJUDGED, GradeShares
from rankproof.reports._charts.drawn import KEY
from rankproof.reports._charts.frame import Look, Spec, framed, labels, rows_axis
from rankproof.reports._charts.palette import Palette

# A part must be this wide to hold its own number.
ROOM = 0.055
NARROW_ROOM = 0.12


def share_chart(shares: GradeShares, look: Look) -> Spec:
    """Stacked bars, the greatest grade first. A part carries its system's number."""
    colors = look.palette
    names = [_name(part) for part in shares.parts]
    paints = [_paint(part, shares.parts, colors) for part in shares.parts]
    data = []
    for number, (system, row) in enumerate(zip(labels(shares.systems), shares.shares, strict=True)):
        start = 0.0
        for name, (_, on), share in zip(names, paints, row, strict=True):
            end = start + share
            room = NARROW_ROOM if look.narrow else ROOM
            told = f"{100 * share:.0f}%" if share >= room else ""
            data.append({"system": system, "part": name, "from": start, "to": end, "middle": (start + end) / 2,
                         "text": told, "on": on, "key": f"{KEY}{number}"})  # fmt: skip
            start = end
    used = [i for i in range(len(names)) if any(row[i] >= 0.0005 for row in shares.shares)]
    data = [row for row in data if row["part"] in {names[i] for i in used}]
    y = {"field": "system", "type": "nominal", "sort": None, "axis": rows_axis(look)}
    x = {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False},
         "axis": {"format": ".0%", "title": f"share of the first {shares.depth}", "grid": False,
                  "tickCount": 4 if look.narrow else 6}}  # fmt: skip
    legend = {"title": None, "orient": "top", "columns": 3 if look.narrow else 8, "symbolType": "square", "offset": 12}
    layers: list[Spec] = [
        {
            "mark": {"type": "bar", "stroke": colors.page, "strokeWidth": 1.5, "height": {"band": 0.72}},
            "encoding": {
                "y": y,
                "x": {"field": "from", **x},
                "x2": {"field": "to"},
                "color": {
                    "field": "part", "type": "nominal", "sort": None, "legend": legend,
                    "scale": {"domain": [names[i] for i in used], "range": [paints[i][0] for i in used]},
                },
                "description": {"field": "key", "type": "nominal"},
            },
        },
        *(
            {
                "transform": [{"filter": {"field": "on", "equal": on}}],
                "mark": {"type": "text", "baseline": "middle", "color": on},
                "encoding": {"y": y, "x": {"field": "middle", **x}, "text": {"field": "text"}},
            }
            for on in dict.fromkeys(str(row["on"]) for row in data if row["text"])
        ),
    ]  # fmt: skip
    title = f"Grades in the first {shares.depth}"
    spec = framed(look, title, "Mean over queries", layers, height={"step": 34})
    spec["data"] = {"values": data}
    return spec


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
    # A few grades are spread over the ramp, so that neighbors are told apart; many share its steps.
    step = round(above.index(part) * (len(colors.ramp) - 1) / max(len(above) - 1, 1)) if len(above) > 1 else 1
    return colors.ramp[step], colors.on_ramp[step]
