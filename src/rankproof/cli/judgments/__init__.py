"""Keep judgments in a store: make a project, import, look, settle them to qrels, export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.judgments.exchange import keep
from rankproof.cli.judgments.projects import add, init, invite, sizes
from rankproof.cli.judgments.rounds import agreement, assign, assignments_answered, gold, unassign
from rankproof.cli.judgments.settings import change
from rankproof.cli.judgments.store import (
    SOURCES,
    about,
    chosen,
    opened,
    project_option,
    sources_option,
)
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, answer_options
from rankproof.cli.shared.output import document
from rankproof.cli.shared.usage import refuse_outputs
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.judging.adjudicate import Adjudicated

_METHOD = click.option(
    "--method",
    default="settled",
    show_default=True,
    help="How several judgments become one grade, with its choices: settled (else the majority), majority, mean, "
    "median, newest, trusted(judges=['ann']).",
)


@click.group("judgments")
def command() -> None:
    """Keep judgments in a store, and make qrels of them.

    STORE is a file (SQLite), or the address of a PostgreSQL database: postgresql://user@host/database.
    """


for _one in (init, change, add, gold, assign, unassign, invite, agreement, keep):
    command.add_command(_one)


@command.command("import")
@click.argument("store")
@click.argument("file", type=click.Path())
@project_option
@click.option("--judge", metavar="NAME", help="Whose judgments these qrels are; needed where the file does not say.")
@click.option("--source", type=SOURCES, default="person", show_default=True, help="What the judge of qrels is.")
@click.option("--version", "model", default="", help="Which model, where the source is one.")
@click.option("--format", "form", type=ShelfName("formats", "qrels"), help="The format of qrels; by content otherwise.")
@click.option("--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault.")
@answer_options
def import_(
    store: str,
    file: str,
    project: str | None,
    judge: str | None,
    source: str,
    model: str,
    form: str | None,
    allow: Sequence[str],
    as_json: bool,
    output: str | None,
) -> None:
    """Add FILE to the judgments: qrels of any format, or judgments, flags, picks and preferences as exported.

    A table or JSON lines with the columns judge, query_id, doc_id and grade will do too. The same file adds nothing
    the second time.

    \b
    rankproof judgments import judging.db qrels.trec --judge ann
    rankproof judgments import judging.db judgments.csv
    """
    refuse_outputs(output)
    from rankproof.cli.judgments.exchange import import_acts, read_file
    from rankproof.cli.judgments.text import imported

    read = read_file(file, judge, source, model, form, allow)
    with opened(store) as kept:
        told = import_acts(kept, chosen(kept, project), read)
    _output.give(document("judgments-import/1", told) if as_json else imported(told), output)


@command.command("show")
@click.argument("store")
@project_option
@answer_options
def show(store: str, project: str | None, as_json: bool, output: str | None) -> None:
    """Show who judged how much, which grades they gave, and where they disagree.

    \b
    rankproof judgments show judging.db
    """
    refuse_outputs(output)
    from rankproof.cli.judgments import text as _judgments_text
    from rankproof.judging.adjudicate import summarize

    with opened(store) as kept:
        found = chosen(kept, project)
        summary = summarize(kept.judgments.current(found.slug))
        handed = assignments_answered(kept, found)
        counts = {
            **sizes(kept, found.slug),
            "flags": len(kept.marks.current(found.slug, kind="flag")),
            "picks": len(kept.marks.current(found.slug, kind="pick")),
            "preferences": len(kept.preferences.current(found.slug)),
            "failures": len(kept.failures.all(found.slug)),
        }
        if as_json:
            body = {"store": kept.address, "project": about(found), "counts": counts, **summary.to_dict()}
            text = document("judgments/1", {**body, "handed_out": [one.to_dict() for one in handed]})
        else:
            text = _judgments_text.show(found, summary, counts, handed)
    _output.give(text, output)


@command.command("adjudicate")
@click.argument("store")
@project_option
@_METHOD
@sources_option
@click.option("--qrels", "target", type=click.Path(), help="Write the settled grades to this file too, by its ending.")
@answer_options
def adjudicate(
    store: str,
    project: str | None,
    method: str,
    sources: Sequence[str],
    target: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Settle judgments to one grade for each pair; say how, and what stays unresolved.

    The same judgments and the same method give the same qrels. What is no grade ("cannot tell", "later") never becomes
    one.

    \b
    rankproof judgments adjudicate judging.db
    rankproof judgments adjudicate judging.db --method "trusted(judges=['ann'])" --qrels qrels.trec
    """
    refuse_outputs(output)
    from rankproof.cli.judgments import text as _judgments_text

    found, name = _adjudicated(store, project, method, sources)
    if target is not None:
        from rankproof.reading.write import write

        write(found.qrels, target)
    body = {"project": name, **found.to_dict()}
    _output.give(document("adjudication/1", body) if as_json else _judgments_text.adjudicated(found), output)


def _adjudicated(store: str, project: str | None, method: str, sources: Sequence[str]) -> tuple[Adjudicated, str]:
    from rankproof.judging.adjudicate import adjudicate as settle

    with opened(store) as kept:
        found = chosen(kept, project)
        acts = kept.judgments.current(found.slug)
    return settle(acts, found.scale, method, sources=sources or ("person",), name=found.slug), found.slug


@command.command("export")
@click.argument("store")
@click.argument("target", type=click.Path())
@project_option
@click.option(
    "--what",
    type=click.Choice(["qrels", "judgments", "flags", "picks", "preferences"]),
    default="qrels",
    show_default=True,
    help="Settled grades, or what judges said.",
)
@click.option("--to", help="The format; by the ending of TARGET otherwise. Qrels: any format; the others: csv or json.")
@click.option("--history", is_flag=True, help="What was taken back or replaced too, not only what holds.")
@_METHOD
@sources_option
@click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON.")
def export(
    store: str,
    target: str,
    project: str | None,
    what: str,
    to: str | None,
    history: bool,
    method: str,
    sources: Sequence[str],
    as_json: bool,
) -> None:
    """Write qrels, judgments, flags, picks or preferences to TARGET; `-` is standard output.

    In CSV a text that a spreadsheet would take for a formula has a ' in front, which importing takes off again.

    \b
    rankproof judgments export judging.db qrels.trec
    rankproof judgments export judging.db judgments.csv --what judgments --history
    rankproof judgments export judging.db - --what flags --to json
    """
    from rankproof.cli.judgments.exchange import acts_told, qrels_told, tell

    if what == "qrels":
        if history:
            raise UsageError("--history speaks of what judges said; qrels are what holds. Leave out one of the two.")
        found, name = _adjudicated(store, project, method, sources)
        told = qrels_told(found, name, target, to)
    else:
        with opened(store) as kept:
            told = acts_told(kept, chosen(kept, project).slug, what, history, target, to)
    tell(told, as_json)
