"""An Evaluation in a notebook or a rich console: the values, and the fine print below them."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from rankproof.records import show

if TYPE_CHECKING:
    from rankproof.records.comparison import Comparison
    from rankproof.records.evaluation import Evaluation

# No color of its own: text and lines take the page's, so light and dark notebooks both stay readable.
BOX = "color:inherit;background:transparent;font-variant-numeric:tabular-nums"
TABLE = "border-collapse:collapse;background:transparent;color:inherit;margin:0.3em 0"
CELL = "padding:0.15em 0.9em;border-bottom:1px solid rgba(128,128,128,0.4);background:transparent"
FINE = "font-size:0.85em;opacity:0.8;margin:0.3em 0 0;padding-left:1.2em"


def html(evaluation: Evaluation) -> str:
    """HTML with every text escaped: names of runs and queries come from files."""
    as_range = evaluation.settings.ties == "range"
    rows = "".join(
        f'<tr><th scope="row" style="{CELL};text-align:left">{escape(text)}</th>'
        f'<td style="{CELL};text-align:right">{escape(show.overall(result, as_range))}</td></tr>'
        for text, result in evaluation.results.items()
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in evaluation.fine_print)
    return (
        f'<div class="rankproof-evaluation" style="{BOX}"><table style="{TABLE}">'
        f'<caption style="text-align:left;color:inherit"><strong>{escape(evaluation.run_name)}</strong>, '
        f"{evaluation.population.scored} queries</caption>"
        f"<tbody>{rows}</tbody></table>"
        + (f'<ul style="{FINE}">{notes}</ul>' if notes else "")
        + f"{charts(evaluation)}</div>"
    )


def charts(shown: Evaluation | Comparison) -> str:
    """Charts by the HTML report, which the shelf finds by its name: a record knows no other way to it."""
    from rankproof import shelf

    drawn: str = shelf.find("reports", "html").cell(shown)
    return drawn


def rich(evaluation: Evaluation) -> Any:
    """A rich table; texts are put in as texts, so that brackets in names are not read as markup."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    as_range = evaluation.settings.ties == "range"
    table = Table(title=Text(f"{evaluation.run_name}, {evaluation.population.scored} queries"))
    table.add_column("measure")
    table.add_column("value", justify="right")
    for text, result in evaluation.results.items():
        table.add_row(Text(text), Text(show.overall(result, as_range)))
    return Group(table, *(Text(note, style="dim") for note in evaluation.fine_print))
