"""Contrasts: every difference in a table, and as a forest plot."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.records.comparison import ALL_QUERIES, Comparison, Contrast
from rankproof.records.estimate import Estimate
from rankproof.records.show import number
from rankproof.records.words import percent
from rankproof.reports._charts.forest import Panel, forest, panels
from rankproof.reports._html.claims import MARK, TONE, called, claim, difference, minus, numbers, p_value, span
from rankproof.reports._html.figure import figure
from rankproof.reports._html.markup import Safe, join, tag
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Cell, Column, stacked, table

# More plots than this are folded away: they can be opened, and the table has the same numbers.
OPEN_PLOTS = 4


def section(comparison: Comparison) -> Section:
    """The forest plots, then the table."""
    whole = [c for c in comparison.contrasts if c.segment == ALL_QUERIES]
    plots = [plot(panel, comparison, explained=i == 0) for i, panel in enumerate(panels(comparison))]
    folded = plots[OPEN_PLOTS:]
    return Section(
        "differences",
        "Differences",
        "How large is each difference, and how sure is it?",
        (
            *plots[:OPEN_PLOTS],
            tag("details", tag("summary", f"{len(folded)} more plots"), *folded) if folded else None,
            contrast_table("Differences, over all queries", comparison, whole),
            _legend(comparison),
        ),
    )


def plot(panel: Panel, comparison: Comparison, explained: bool) -> Safe:
    """One forest plot; the first of several says how to read them."""
    thin = "; the thin line is the interval that holds together with all others" if _adjusted(panel.contrasts) else ""
    margin = "; dashed lines are the margins asked for" if any(c.equivalence for c in panel.contrasts) else ""
    caption = (
        f"The dot is the mean difference over queries and the thick line its {percent(comparison.level)} "
        f"interval{thin}{margin}. Blue is shown to be better, orange to be worse, gray is not shown."
    )
    tips = [[claim(c), numbers(c)] for c in panel.contrasts]
    label = f"Forest plot. {' '.join(f'{claim(c)}: {numbers(c)}.' for c in panel.contrasts)}"
    return figure(lambda look: forest(panel, look), label, caption if explained else None, title=panel.title, tips=tips)


def contrast_table(caption: str, comparison: Comparison, contrasts: Sequence[Contrast]) -> Safe:
    """Means, difference, interval, p-values, effect, wins: a row for each contrast."""
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
        Column("Shown", "label", "text"),
        Column(f"{percent(comparison.level)} interval" + (", simultaneous below" if adjusted else ""), "number"),
        Column("p, adjusted below" if adjusted else "p", "number", "number"),
        Column("Effect", "number", "number"),
        Column("Won/same/lost", "number"),
    ]
    rows = [_row(c, parts, several, pairs) for c in contrasts]
    return table(caption, columns, rows)


def _row(contrast: Contrast, parts: bool, several: bool, pairs: bool) -> list[Cell]:
    answer, together = contrast.difference, contrast.adjusted
    names = [contrast.measure]
    names += [f"{contrast.segment or 'all'} ({len(contrast.query_ids)})"] if parts else []
    names += [contrast.candidate] if several else []
    names += [contrast.baseline] if pairs else []
    if isinstance(answer, Estimate):
        shown = Cell(MARK[contrast.direction], tone=TONE[contrast.direction])
        interval = Cell(stacked(span(answer.low, answer.high), span(together.low, together.high) if together else None))
        p = Cell(stacked(p_value(answer.p_value), p_value(together.p_value) if together else None), answer.p_value)
    else:
        shown = Cell(tag("span", "no test", title=answer.reason), tone=TONE["not shown"])
        interval, p = Cell("none"), Cell("none")
    effect = contrast.effect
    return [
        *(Cell(name) for name in names),
        Cell(number(contrast.baseline_mean), contrast.baseline_mean),
        Cell(number(contrast.candidate_mean), contrast.candidate_mean),
        Cell(tag("strong", difference(answer.value)), answer.value),
        shown,
        interval,
        p,
        Cell("none" if effect is None else minus(f"{effect:+.2f}"), effect),
        Cell(f"{contrast.wins}/{contrast.ties}/{contrast.losses}"),
    ]


def _legend(comparison: Comparison) -> Safe:
    """What the columns mean, once."""
    lines = [
        "Difference: candidate minus baseline, whichever side is better.",
        "Effect: mean over standard deviation of the differences by query.",
        f"Shown: the p-value that decides is at most {1 - comparison.level:.2g}.",
    ]
    if _adjusted(comparison.contrasts):
        kinds = dict.fromkeys(c.adjusted.kind for c in comparison.contrasts if c.adjusted is not None)
        by = called("corrections", comparison.correction)
        lines.insert(
            1,
            f"Adjusted p: {by} over {comparison.family}; it decides, also where a simultaneous "
            "interval, which is wider, still holds 0.",
        )
        lines.insert(2, f"Simultaneous interval: {', '.join(kinds)}.")
    untested: dict[tuple[str, str], list[str]] = {}
    for c in comparison.contrasts:
        if not isinstance(c.difference, Estimate):
            where = f"{c.measure}, {c.segment}" if c.segment else c.measure
            untested.setdefault((where, c.difference.reason), []).append(c.candidate)
    lines += [f"No test of {where} for {', '.join(who)}: {why.rstrip('.')}." for (where, why), who in untested.items()]
    return tag("p", join(lines, " "), class_="note")


def _adjusted(contrasts: Sequence[Contrast]) -> bool:
    return any(c.adjusted is not None for c in contrasts)
