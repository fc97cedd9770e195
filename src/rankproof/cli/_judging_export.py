"""Exporting from a project: the file, and what is told about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._judgments_text import many
from rankproof.errors import UsageError
from rankproof.reports._align import printable

if TYPE_CHECKING:
    from rankproof.records.adjudication import Adjudicated
    from rankproof.store.judging.store import Store


def qrels_told(found: Adjudicated, project: str, target: str, to: str | None) -> dict[str, Any]:
    """Writes the settled grades."""
    from rankproof.store.files import format_for, pieces, write

    if target == "-":
        form = format_for("qrels.trec", "qrels", to)
        stream = _output.output()
        for piece in pieces(found.qrels, form):
            stream.write(piece)
        stream.flush()
        name = form.name
    else:
        name = write(found.qrels, target, to)
    notes = [f"method: {found.method}", f"acts: SHA-256 {found.acts}"]
    notes += [f"unresolved and left out: {many(len(found.unresolved), 'pairs')}"] if found.unresolved else []
    return _told(project, "qrels", target, name, len(found.qrels.rows), notes)


def acts_told(kept: Store, slug: str, what: str, history: bool, target: str, to: str | None) -> dict[str, Any]:
    """Writes what judges said."""
    from rankproof.flow.actfiles import ACTS_SCHEMA, to_body, to_csv
    from rankproof.store.judging.taking import give

    form = to or ("json" if target == "-" else os.path.splitext(target)[1].lstrip(".").casefold())
    if form not in ("csv", "json"):
        raise UsageError(f"{what} are written as csv or json, and {target!r} says neither. Name one with --to.")
    kind: Any = what
    acts = give(kept, slug, kind, history)
    text = to_csv(kind, acts) if form == "csv" else document(ACTS_SCHEMA, to_body(kind, acts, slug))
    _output.give(text, target)
    return _told(slug, what, target, form, len(acts), [])


def _told(project: str, what: str, target: str, form: str, count: int, notes: list[str]) -> dict[str, Any]:
    return {"project": project, "what": what, "target": target, "format": form, "count": count, "notes": notes}


def tell(told: dict[str, Any], as_json: bool) -> None:
    """What was done: on standard error when the data itself goes to standard output."""
    if as_json:
        text = document("judgments-export/1", told, indent=None).rstrip("\n")
    else:
        noun = "settled pairs" if told["what"] == "qrels" else told["what"]
        done = f"{told['project']} -> {told['target']} ({told['format']}): {many(told['count'], noun)}"
        text = "\n".join(printable(line) for line in [done, *(f"  {note}" for note in told["notes"])])
    click.echo(text, err=told["target"] == "-")
