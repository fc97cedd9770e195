"""A Comparison at a prompt, in a rich console and in a notebook: its headlines and its table."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from rankproof.records.estimate import Estimate
from rankproof.records.notebook import BOX, CELL, FINE, TABLE, charts
from rankproof.records.show import number
from rankproof.records.words import headline, interval, p_text, percent, signed

if TYPE_CHECKING:
    from rankproof.records.comparison import Comparison, Contrast


def line(comparison: Comparison) -> str:
    """One line: the systems, the queries, and what each measure shows."""
    told = ", ".join(
        f"{c.measure} {c.candidate} {signed(c.difference.value)} ({c.direction})"
        for c in comparison.contrasts
        if not c.segment and isinstance(c.difference, Estimate)
    )
    return f"<comparison with {comparison.systems[0]}, {len(comparison.query_ids)} queries: {told or 'nothing shown'}>"


def header(comparison: Comparison) -> list[str]:
    """The columns of the table of contrasts."""
    columns = ["measure", "candidate", "baseline", "difference", f"{percent(comparison.level)} interval", "p"]
    if comparison.segments:
        columns.insert(1, "queries")
    if comparison.correction != "none":
        columns += ["simultaneous", f"p ({comparison.correction})"]
    return [*columns, "effect", "won/same/lost", "shown"]


def row(comparison: Comparison, contrast: Contrast) -> list[str]:
    """One contrast, in the columns of `header`."""
    answer = contrast.difference
    several = len(comparison.systems) > 2
    cells = [
        contrast.measure,
        f"{contrast.candidate} {number(contrast.candidate_mean)}" if several else number(contrast.candidate_mean),
        f"{contrast.baseline} {number(contrast.baseline_mean)}" if several else number(contrast.baseline_mean),
    ]
    if comparison.segments:
        cells.insert(1, contrast.segment or "all")
    if isinstance(answer, Estimate):
        cells += [signed(answer.value), interval(answer.low, answer.high), p_text(answer.p_value)]
    else:
        cells += ["none" if answer.value is None else signed(answer.value), "none", "none"]
    if comparison.correction != "none":
        beside = contrast.adjusted
        cells += ["none", "none"] if beside is None else [interval(beside.low, beside.high), p_text(beside.p_value)]
    return [
        *cells,
        "none" if contrast.effect is None else f"{contrast.effect:+.2f}",
        f"{contrast.wins}/{contrast.ties}/{contrast.losses}",
        contrast.direction,
    ]


def title(comparison: Comparison) -> str:
    """Who is compared with whom, on how many queries."""
    others = ", ".join(comparison.systems[1:])
    return f"{others} against {comparison.systems[0]}, {len(comparison.query_ids)} queries"


def html(comparison: Comparison) -> str:
    """HTML with every text escaped: names of runs and queries come from files."""
    columns = "".join(f'<th scope="col" style="{CELL};text-align:left">{escape(c)}</th>' for c in header(comparison))
    rows = "".join(
        "<tr>"
        + "".join(f'<td style="{CELL};text-align:left">{escape(cell)}</td>' for cell in row(comparison, contrast))
        + "</tr>"
        for contrast in comparison.contrasts
    )
    said = [headline(c) for c in comparison.contrasts if not c.segment]
    notes = "".join(f"<li>{escape(text)}</li>" for text in (*said, *comparison.warnings))
    return (
        f'<div class="rankproof-comparison" style="{BOX}"><table style="{TABLE}">'
        f'<caption style="text-align:left;color:inherit"><strong>{escape(title(comparison))}</strong></caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>"
        f'<ul style="{FINE}">{notes}</ul>{charts(comparison)}</div>'
    )


def rich(comparison: Comparison) -> Any:
    """A rich table; texts are put in as texts, so that brackets in names are not read as markup."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title(comparison)))
    for column in header(comparison):
        table.add_column(column)
    for contrast in comparison.contrasts:
        table.add_row(*(Text(cell) for cell in row(comparison, contrast)))
    return Group(table, *(Text(warning, style="yellow") for warning in comparison.warnings))
