"""Contrasts: every difference in a table and as a forest plot, by segment, and the power of the others."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import confidence_interval, counted, number, percent, verdict_word
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.proving.sections import claim, item_title, numbers
from rankproof.reports.charts.intervals import Panel, forest, panels, segment_panels
from rankproof.reports.page.elements import (
    MARK,
    TONE,
    Column,
    PageCell,
    PageSection,
    Safe,
    figure,
    fold,
    join,
    minus,
    stacked,
    table,
    tag,
)
from rankproof.reports.page.verdict import also, difference, p_value, spaced, span

# Rows of the chart in the head: it is read at a glance, with the verdict.
MOST_LEADING = 8


def lead_chart(comparison: Comparison) -> Safe | None:
    """The one chart of the first screen: the candidates in the first measure, or one candidate in every measure."""
    panel = _leading(comparison)
    return None if panel is None else plot(panel, comparison, explained=True, class_="lead")


def _leading(comparison: Comparison) -> Panel | None:
    first = panels(comparison)[:1]
    if not first:
        return None
    (panel,) = first
    chosen = [i for i, c in enumerate(panel.contrasts) if c.baseline == comparison.systems[0]]
    kept = (chosen or list(range(len(panel.contrasts))))[:MOST_LEADING]
    only = bool(chosen) and len(chosen) < len(panel.contrasts)
    return Panel(
        panel.name,
        f"{panel.title} from {comparison.systems[0]}" if only else panel.title,
        tuple(panel.contrasts[i].candidate if only else panel.rows[i] for i in kept),
        tuple(panel.contrasts[i] for i in kept),
    )


def contrasts_section(comparison: Comparison) -> PageSection:
    """What the other measures say, the table, and the forest plots that are not in the head."""
    whole = [c for c in comparison.contrasts if c.segment == ALL_QUERIES]
    leading = _leading(comparison)
    shown = None if leading is None else leading.contrasts
    plots = [plot(p, comparison) for p in panels(comparison) if p.contrasts != shown]
    return PageSection(
        "differences",
        "Differences",
        "How large is each difference, and how sure is it?",
        (
            also(comparison),
            contrast_table("Differences, over all queries", comparison, whole),
            _legend(comparison),
            fold(counted(len(plots), "more plot"), *plots),
        ),
    )


def plot(panel: Panel, comparison: Comparison, explained: bool = False, class_: str | None = None) -> Safe:
    """One forest plot; the first of several says how to read them."""
    thin = "; thin line: adjusted, so that all hold together" if _adjusted(panel.contrasts) else ""
    margin = "; dashed: the margin" if any(c.equivalence for c in panel.contrasts) else ""
    caption = (
        f"Dot: mean difference; thick line: {confidence_interval(comparison.level)}{thin}{margin}. "
        "Blue: significantly better; orange: significantly worse; gray: not significant."
    )
    tips = [[claim(c), spaced(numbers(c))] for c in panel.contrasts]
    label = f"Forest plot. {' '.join(f'{claim(c)}: {spaced(numbers(c))}.' for c in panel.contrasts)}"
    return figure(
        lambda look: forest(panel, look),
        label,
        caption if explained else None,
        title=panel.title,
        tips=tips,
        level="h2" if class_ else "h3",
        class_=class_,
    )


def contrast_table(caption: str, comparison: Comparison, contrasts: Sequence[Contrast]) -> Safe:
    """Means, difference, confidence interval, p-values, effect size, wins: a row for each contrast."""
    pairs = any(c.baseline != comparison.systems[0] for c in contrasts)
    several = len(comparison.systems) > 2
    parts = any(c.segment for c in contrasts)
    adjusted = _adjusted(contrasts)
    columns = [Column("Measure", "name", "text")]
    columns += [Column("Queries", "name", "text")] if parts else []
    columns += [Column("Candidate", "name", "text")] if several else []
    columns += [Column("Baseline", "name", "text")] if pairs else []
    columns += [
        Column("Baseline value" if several else comparison.systems[0], "number", "number"),
        Column("Candidate value" if several else comparison.systems[-1], "number", "number"),
        Column("Difference", "number", "number"),
        Column("Result", "label", "text"),
        Column(confidence_interval(comparison.level) + (", adjusted below" if adjusted else ""), "number"),
        Column("p, adjusted below" if adjusted else "p", "number", "number"),
        Column("Effect size", "number", "number"),
        Column("Won/same/lost", "number"),
    ]
    rows = [_row(c, parts, several, pairs) for c in contrasts]
    return table(caption, columns, rows)


def _row(contrast: Contrast, parts: bool, several: bool, pairs: bool) -> list[PageCell]:
    answer, together = contrast.difference, contrast.adjusted
    names = [contrast.measure]
    names += [f"{contrast.segment or 'all'} ({len(contrast.query_ids)})"] if parts else []
    names += [contrast.candidate] if several else []
    names += [contrast.baseline] if pairs else []
    if isinstance(answer, Estimate):
        word = verdict_word(contrast.direction)
        result = PageCell(MARK[word], tone=TONE[word])
        interval = PageCell(
            stacked(span(answer.low, answer.high), span(together.low, together.high) if together else None)
        )
        p = PageCell(stacked(p_value(answer.p_value), p_value(together.p_value) if together else None), answer.p_value)
    else:
        result = PageCell(tag("span", "no test", title=answer.reason), tone="open")
        interval, p = PageCell("none"), PageCell("none")
    effect = contrast.effect
    return [
        *(PageCell(name) for name in names),
        PageCell(number(contrast.baseline_mean), contrast.baseline_mean),
        PageCell(number(contrast.candidate_mean), contrast.candidate_mean),
        PageCell(tag("strong", difference(answer.value)), answer.value),
        result,
        interval,
        p,
        PageCell("none" if effect is None else minus(f"{effect:+.2f}"), effect),
        PageCell(f"{contrast.wins}/{contrast.ties}/{contrast.losses}"),
    ]


def _legend(comparison: Comparison) -> Safe:
    """What the columns mean, once."""
    lines = [
        "Difference: candidate minus baseline, whichever side is better.",
        "Effect size: Cohen's d_z, the mean over the standard deviation of the differences by query.",
        f"Better or worse: statistically significant, the p-value that decides is at most {1 - comparison.level:.2g}.",
    ]
    if _adjusted(comparison.contrasts):
        kinds = dict.fromkeys(c.adjusted.kind for c in comparison.contrasts if c.adjusted is not None)
        by = item_title("corrections", comparison.correction)
        lines.insert(
            1,
            f"Adjusted p: {by} over {comparison.family}; it decides, also where an adjusted "
            "confidence interval, which is wider, still holds 0.",
        )
        lines.insert(2, f"Adjusted confidence interval: {', '.join(kinds)}.")
    untested: dict[tuple[str, str], list[str]] = {}
    for c in comparison.contrasts:
        if not isinstance(c.difference, Estimate):
            where = f"{c.measure}, {c.segment}" if c.segment else c.measure
            untested.setdefault((where, c.difference.reason), []).append(c.candidate)
    lines += [f"No test of {where} for {', '.join(who)}: {why.rstrip('.')}." for (where, why), who in untested.items()]
    return tag("p", join(lines, " "), class_="note")


def _adjusted(contrasts: Sequence[Contrast]) -> bool:
    return any(c.adjusted is not None for c in contrasts)


def segments_section(comparison: Comparison) -> PageSection | None:
    """A plot for each measure and candidate, and a table; nothing without segments."""
    if not comparison.segments:
        return None
    plots = [plot(panel, comparison) for panel in segment_panels(comparison)]
    parts = [c for c in comparison.contrasts if c.segment]
    return PageSection(
        "segments",
        "Segments",
        "Does it hold for every kind of query, or does one kind pay for another?",
        (
            plots[0] if plots else None,
            contrast_table("Differences by segment", comparison, parts),
            fold(counted(len(plots) - 1, "more plot"), *plots[1:]),
        ),
    )


def power_section(comparison: Comparison) -> PageSection | None:
    """For each contrast that is not significant: the least detectable difference, and the queries that it needs."""
    not_significant = [(c, c.detectable) for c in comparison.contrasts if c.detectable is not None]
    if not not_significant:
        return None
    power = percent(not_significant[0][1].power)
    columns = [
        Column("Measure", "name", "text"),
        Column("Queries", "name"),
        Column("Candidate", "name", "text"),
        Column("Observed", sort="number"),
        Column("Detectable", sort="number"),
        Column("Queries needed", sort="number"),
    ]
    rows = [
        [
            PageCell(c.measure),
            PageCell(f"{c.segment or 'all'} ({len(c.query_ids)})"),
            PageCell(c.candidate),
            PageCell(difference(c.difference.value), c.difference.value),
            PageCell(number(able.difference), able.difference),
            PageCell(
                f"{able.queries_needed:,}" if able.queries_needed is not None else "none", able.queries_needed or 1e15
            ),
        ]
        for c, able in not_significant
    ]
    note = (
        f"Detectable: the least true difference that so many queries detect with {power} power. Queries needed: to "
        f"detect a difference as large as the observed one with {power} power."
    )
    inside = table("Differences that are not significant", columns, rows)
    return PageSection("power", "Power: what would have been detected", note, (inside,))
