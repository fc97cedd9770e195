"""Unjudged documents: how much of each side is judged, and how far the rest could move values and differences."""

from __future__ import annotations

from rankproof.records.bounds import Bound, Holes, MeasureBounds
from rankproof.records.comparison import Comparison
from rankproof.records.show import number
from rankproof.reports._charts.bounds import bounded, difference_bounds, value_bounds
from rankproof.reports._html.claims import difference
from rankproof.reports._html.figure import figure
from rankproof.reports._html.markup import Safe, tag
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Cell, Column, bullets, table

# The plots of the first measure are open, some more can be opened; the table has all.
OPEN_PLOTS = 2
MOST_PLOTS = 20


def section(comparison: Comparison) -> Section | None:
    """Judged rates, the charts of the first measures, and a table with all bounds."""
    holes = comparison.holes
    if holes is None:
        return None
    rates = ", ".join(f"{s} {rate:.1%}" for s, rate in zip(comparison.systems, holes.judged_rates, strict=True))
    said = (
        f"Judged among the first {holes.judged_at}: {rates}. {holes.documents:,} unjudged documents could be relevant "
        f"({holes.universe})."
    )
    plots = [plot(comparison, b) for b in bounded(comparison) for plot in (_differences, _values)][:MOST_PLOTS]
    folded = plots[OPEN_PLOTS:]
    return Section(
        "unjudged",
        "Unjudged documents",
        "How far could documents that nobody judged move the numbers?",
        (
            tag("p", said),
            tag("p", holes.warning, class_="warning") if holes.warning else None,
            tag("p", f"There are {holes.note}.") if holes.note else None,
            *plots[:OPEN_PLOTS],
            tag("details", tag("summary", f"{len(folded)} more plots"), *folded) if folded else None,
            _table(comparison) if plots else None,
            bullets(_notes(holes), "fine"),
        ),
    )


def _differences(comparison: Comparison, bounds: MeasureBounds) -> Safe:
    baseline = comparison.systems[0]
    tips = [
        [f"{candidate} minus {baseline}", f"{bounds.measure}: {_range(bound, signed=True)}", _kind(bound)]
        for candidate, bound in zip(comparison.systems[1:], bounds.differences, strict=True)
    ]
    label = "Ranges of differences. " + " ".join(f"{tip[0]}, {tip[1]}." for tip in tips)
    caption = (
        "The wide bar is every difference that some grades of the unjudged documents would give; the dot and its line "
        "are the difference as judged and what chance leaves open."
    )
    return figure(
        lambda look: difference_bounds(comparison, bounds, look), label, caption,
        title=f"Difference in {bounds.measure} from {baseline}", tips=tips,
    )  # fmt: skip


def _values(comparison: Comparison, bounds: MeasureBounds) -> Safe:
    tips = [
        [system, f"{bounds.measure}: {_range(bound)}", _kind(bound)]
        for system, bound in zip(comparison.systems, bounds.values, strict=True)
    ]
    label = "Ranges of values. " + " ".join(f"{tip[0]}, {tip[1]}." for tip in tips)
    caption = "The dot is the value as judged; the bar is every value that some grades would give."
    return figure(lambda look: value_bounds(comparison, bounds, look), label, caption, title=bounds.measure, tips=tips)


def _table(comparison: Comparison) -> Safe:
    columns = [
        Column("Measure", "name", "text"), Column("System", "name", "text"), Column("Value"), Column("Could be"),
        Column("Difference"), Column("Could be"), Column("Bound", "label"), Column("Sign certain", "label"),
    ]  # fmt: skip
    rows: list[list[Cell]] = []
    for bounds in bounded(comparison):
        for i, (system, bound) in enumerate(zip(comparison.systems, bounds.values, strict=True)):
            value = comparison.evaluations[i][bounds.measure].mean
            cells = [Cell(bounds.measure), Cell(system), Cell(number(value)),
                     Cell(_range(bound))]  # fmt: skip
            if i == 0:
                cells += [Cell("baseline"), Cell(""), Cell(_kind(bound)), Cell("")]
            else:
                moved = bounds.differences[i - 1]
                observed = comparison.contrast(bounds.measure, system).difference.value
                cells += [Cell(difference(observed)), Cell(_range(moved, signed=True)),
                          Cell(_kind(moved)), Cell(_sign(moved))]  # fmt: skip
            rows.append(cells)
    return table("Values and differences over all grades that unjudged documents could have", columns, rows)


def _range(bound: Bound, signed: bool = False) -> str:
    """Both ends; one number where they are the same."""
    shown = difference if signed else number
    low, high = shown(bound.least), shown(bound.greatest)
    return low if low == high else f"{low} to {high}"


def _kind(bound: Bound) -> str:
    return "exact" if bound.exact else "outer bound"


def _sign(bound: Bound) -> str:
    if bound.least == bound.greatest == 0:
        return "no difference"
    return "yes" if bound.least > 0 or bound.greatest < 0 else "no"


def _notes(holes: Holes) -> list[str]:
    """What the bounds' own notes say, once for each measure."""
    found = dict.fromkeys(
        f"{bounds.measure}: {bound.note}" for bounds in holes.bounds for bound in (*bounds.values, *bounds.differences)
        if bound.note
    )  # fmt: skip
    return list(found)
