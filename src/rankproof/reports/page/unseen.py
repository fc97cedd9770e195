"""What the measures do not see: blind spots, ties, unjudged documents, diagnoses and grades."""

from __future__ import annotations

from rankproof.kernel.sections import counted, number
from rankproof.measuring.report import Diagnosis
from rankproof.proving.holes.bounds import Bound, Holes, MeasureBounds
from rankproof.proving.movement_records import BlindSpot
from rankproof.proving.records import Comparison
from rankproof.reports.charts.intervals import bounded, difference_bounds, value_bounds
from rankproof.reports.charts.values import share_chart
from rankproof.reports.page.elements import (
    Column,
    PageCell,
    PageSection,
    Piece,
    Safe,
    bullets,
    figure,
    fold,
    section_body,
    section_table,
    table,
    tag,
)
from rankproof.reports.page.verdict import difference, span

# How many queries or measures a cell names before it only counts.
NAMED = 3


def blind_spots(comparison: Comparison) -> PageSection | None:
    """For each measure: rankings that changed while the value did not, and who sees them."""
    if not comparison.blind_spots:
        return None
    spots = [spot for spot in comparison.blind_spots if spot.unseen]
    columns = [
        Column("Measure", "name", "text"),
        Column("Candidate", "name", "text"),
        Column("Rankings changed", sort="number"),
        Column("Value the same", sort="number"),
        Column("Share unseen", sort="number"),
        Column("Seen by", "words"),
        Column("For example", "words"),
    ]
    clear: dict[str, list[str]] = {}
    for spot in comparison.blind_spots:
        if not spot.unseen:
            clear.setdefault(spot.measure, []).append(spot.candidate)
    seen = "; ".join(f"{measure} of {', '.join(candidates)}" for measure, candidates in clear.items())
    return PageSection(
        "blind-spots",
        "Blind spots",
        "Where did the ranking change although the measure says that nothing did?",
        (
            table("Changes that a measure does not show", columns, [_row(spot) for spot in spots]) if spots else None,
            tag("p", f"Every change is seen: {seen}.", class_="note") if clear else None,
        ),
    )


def _row(spot: BlindSpot) -> list[PageCell]:
    seen = [f"{measure} ({count})" for measure, count in spot.seen_by.items() if count][:NAMED]
    return [
        PageCell(spot.measure),
        PageCell(spot.candidate),
        PageCell(f"{spot.changed} of {spot.queries}", spot.changed),
        PageCell(str(len(spot.unseen)), len(spot.unseen)),
        PageCell(f"{spot.share:.0%}", spot.share),
        PageCell(", ".join(seen) or "no measure of this report"),
        PageCell(", ".join(spot.unseen[:NAMED])),
    ]


def ties(comparison: Comparison) -> PageSection | None:
    """How far the order of tied documents could move each difference."""
    risks = [r for r in comparison.tie_risks if r.changes or difference(r.least) != difference(r.greatest)]
    if not risks:
        return None
    columns = [
        Column("Measure", "name", "text"),
        Column("Candidate", "name", "text"),
        Column("Difference", sort="number"),
        Column("Over all orders of ties"),
        Column("Found by", "label"),
        Column("Could change the verdict", "label", "text"),
    ]
    rows = [
        [
            PageCell(risk.measure),
            PageCell(risk.candidate),
            PageCell(difference(risk.observed), risk.observed),
            PageCell(span(risk.least, risk.greatest)),
            PageCell("all orders" if risk.exact else "random orders"),
            PageCell("yes" if risk.changes else "no", tone="worse" if risk.changes else ""),
        ]
        for risk in risks
    ]
    notes: list[Piece] = [risk.note for risk in risks if risk.note and (risk.changes or not risk.exact)]
    return PageSection(
        "ties",
        "Ties",
        "Could another order of documents with the same score change the result?",
        (table("Differences over all orders of tied documents", columns, rows), bullets(notes, "fine")),
    )


def reuse(comparison: Comparison) -> PageSection | None:
    """The groups of the pool, and the verdicts without what one group alone contributed."""
    if comparison.reuse is None:
        return None
    from rankproof.proving.reuse_records import reuse_sections

    groups, changes = reuse_sections(comparison.reuse, most_rows=None)
    return PageSection(
        "reuse",
        groups.title,
        "Do the verdicts rest on who took part in the pool?",
        (*section_body(groups), section_table(changes) if changes.table else None),
    )


def overlaps(comparison: Comparison) -> PageSection | None:
    """The comparison of spans at several overlap thresholds."""
    if comparison.overlaps is None:
        return None
    table = comparison.overlaps.section()
    return PageSection(
        "overlaps", table.title, "Does the verdict depend on how much of a gold span is enough?", section_body(table)
    )


# The plots of the first measure are open, some more can be opened; the table has all.
OPEN_PLOTS = 2
MOST_PLOTS = 20


def holes_section(comparison: Comparison) -> PageSection | None:
    """Judged rates, the charts of the first measures, and a table with all bounds."""
    holes = comparison.holes
    if holes is None:
        return None
    rates = ", ".join(f"{s} {rate:.1%}" for s, rate in zip(comparison.systems, holes.judged_rates, strict=True))
    summary = (
        f"Judged among the first {holes.judged_at}: {rates}. {counted(holes.documents, 'unjudged document')} could be "
        f"relevant ({holes.universe})."
    )
    plots = [plot(comparison, b) for b in bounded(comparison) for plot in (_differences, _values)][:MOST_PLOTS]
    folded = plots[OPEN_PLOTS:]
    return PageSection(
        "unjudged",
        "Unjudged documents",
        "How far could documents that nobody judged move the numbers?",
        (
            tag("p", summary),
            tag("p", holes.outside) if holes.outside else None,
            tag("p", holes.warning, class_="warning") if holes.warning else None,
            tag("p", f"There are {holes.note}.") if holes.note else None,
            *plots[:OPEN_PLOTS],
            fold(counted(len(folded), "more plot"), *folded),
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
    rows: list[list[PageCell]] = []
    for bounds in bounded(comparison):
        for i, (system, bound) in enumerate(zip(comparison.systems, bounds.values, strict=True)):
            value = comparison.evaluations[i][bounds.measure].mean
            cells = [PageCell(bounds.measure), PageCell(system), PageCell(number(value)),
                     PageCell(_range(bound))]  # fmt: skip
            if i == 0:
                cells += [PageCell("baseline"), PageCell(""), PageCell(_kind(bound)), PageCell("")]
            else:
                moved = bounds.differences[i - 1]
                observed = comparison.contrast(bounds.measure, system).difference.value
                cells += [PageCell(difference(observed)), PageCell(_range(moved, signed=True)),
                          PageCell(_kind(moved)), PageCell(_sign(moved))]  # fmt: skip
            rows.append(cells)
    return table("Values and differences over all grades that unjudged documents could have", columns, rows)


def _range(bound: Bound, signed: bool = False) -> str:
    """Both ends; one number where they are the same."""
    written = difference if signed else number
    low, high = written(bound.least), written(bound.greatest)
    return low if low == high else f"{low} to {high}"


def _kind(bound: Bound) -> str:
    return "exact" if bound.exact else "outer bound"


def _sign(bound: Bound) -> str:
    if bound.least == bound.greatest == 0:
        return "no difference"
    return "yes" if bound.least > 0 or bound.greatest < 0 else "no"


def _notes(holes: Holes) -> list[str]:
    """What the bounds' own notes say, once for each measure."""
    notes = dict.fromkeys(
        f"{bounds.measure}: {bound.note}" for bounds in holes.bounds for bound in (*bounds.values, *bounds.differences)
        if bound.note
    )  # fmt: skip
    return list(notes)


def diagnoses_section(comparison: Comparison) -> PageSection | None:
    """What was seen, why it matters and what to try; what holds for several systems once."""
    if not comparison.diagnoses:
        return None
    by_message: dict[tuple[str, str, str], list[Diagnosis]] = {}
    for diagnosis in comparison.diagnoses:
        by_message.setdefault((diagnosis.message, diagnosis.reason, diagnosis.remedy), []).append(diagnosis)
    items = [_item([d.run for d in same], same[0], len(comparison.systems)) for same in by_message.values()]
    inside = tag("ul", *items, class_="diagnoses")
    return PageSection("diagnoses", "Diagnosis", "What is wrong with each system, and what to try?", (inside,))


def _item(runs: list[str], diagnosis: Diagnosis, systems: int) -> Safe:
    who = "Every system" if len(runs) == systems > 1 else ", ".join(runs)
    return tag("li", tag("strong", f"{who}:"), f" {diagnosis.message} {diagnosis.reason} ", tag("em", diagnosis.remedy))


def grades_section(comparison: Comparison) -> PageSection | None:
    """The stacked bars and their numbers."""
    shares = comparison.grade_shares
    if shares is None:
        return None
    used = [i for i in range(len(shares.parts)) if any(row[i] >= 0.0005 for row in shares.shares)]
    parts = [p if isinstance(p, str) else f"grade {p}" for p in shares.parts]
    rows = [
        [PageCell(system), *(PageCell(f"{row[i]:.1%}", row[i]) for i in used)]
        for system, row in zip(shares.systems, shares.shares, strict=True)
    ]
    tips = [
        [system, *(f"{parts[i]}: {row[i]:.1%}" for i in used)]
        for system, row in zip(shares.systems, shares.shares, strict=True)
    ]
    columns = [Column("System", "name", "text"), *(Column(parts[i].capitalize(), sort="number") for i in used)]
    label = f"Share of each grade in the first {shares.depth}: the table below has the numbers."
    return PageSection(
        "grades",
        f"Grades in the first {shares.depth}",
        "What does a user see on the first page?",
        (
            figure(lambda look: share_chart(shares, look), label, "Mean over queries.", tips=tips),
            table(f"Share of each grade in the first {shares.depth}, mean over queries", columns, rows),
        ),
    )
