"""Files in and out of a project: `judgments export`, `import` and `keep`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.judgments.settle import adjudicated_project, method_option
from rankproof.cli.judgments.sheet import sheet_lines
from rankproof.cli.judgments.store import SOURCES, chosen, counted_kind, opened, project_option, sources_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, printable

if TYPE_CHECKING:
    from rankproof.judging.adjudicate import Adjudicated
    from rankproof.judging.files import ActFile
    from rankproof.judging.records import Project
    from rankproof.judging.store.store import Store
    from rankproof.reading.collection import Query
    from rankproof.reading.records import Qrels


@click.command("import")
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
) -> int:
    """Add FILE to the judgments: qrels of any format, judgments, flags, picks and preferences as exported, or a sheet.

    A table or JSON lines with the columns judge, query_id, doc_id and grade will do too. The same file adds nothing
    the second time. Of a sheet (`judgments sheet`) what is filled counts, and the other rows are listed by number;
    exit status 1 where some of them do not count.

    \b
    rankproof judgments import judging.db qrels.trec --judge ann
    rankproof judgments import judging.db judgments.csv
    rankproof judgments import judging.db tojudge.xlsx --judge ann
    """
    refuse_outputs(output)
    from rankproof.cli.judgments.sheet import import_sheet
    from rankproof.judging.sheets import read_sheet

    filled = read_sheet(file) if form is None else None
    if filled is not None:
        with opened(store) as opened_store:
            told = import_sheet(opened_store, chosen(opened_store, project), *filled, judge)
        _output.give(document("judgments-import/1", told) if as_json else imported(told), output)
        return int(bool(told["refused"]))
    read = read_file(file, judge, source, model, form, allow)
    with opened(store) as opened_store:
        summary = import_acts(opened_store, chosen(opened_store, project), read)
    _output.give(document("judgments-import/1", summary) if as_json else imported(summary), output)
    return 0


@click.command("export")
@click.argument("store")
@click.argument("target", type=click.Path())
@project_option
@click.option(
    "--what",
    type=click.Choice(["qrels", "topics", "judgments", "flags", "picks", "preferences"]),
    default="qrels",
    show_default=True,
    help="Settled grades, the queries that have one, or the acts of judges.",
)
@click.option(
    "--to", help="The format; by the ending of TARGET otherwise. Qrels and topics: any format; acts: csv or json."
)
@click.option("--history", is_flag=True, help="What was taken back or replaced too, not only what holds.")
@method_option
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
    """Write qrels, topics, judgments, flags, picks or preferences to TARGET; `-` is standard output.

    Topics are the queries that have a settled grade: nobody has judged a document for the others, drafts among them.

    In CSV a text that a spreadsheet would take for a formula has a ' in front, which importing takes off again.

    \b
    rankproof judgments export judging.db qrels.trec
    rankproof judgments export judging.db topics.tsv --what topics
    rankproof judgments export judging.db judgments.csv --what judgments --history
    rankproof judgments export judging.db - --what flags --to json
    """
    if what in ("qrels", "topics"):
        if history:
            raise UsageError(
                f"--history exports all acts of judges; {what} are of settled grades. Leave out one of the two."
            )
        adjudicated, name = adjudicated_project(store, project, method, sources)
        if what == "qrels":
            summary = write_qrels(adjudicated, name, target, to)
        else:
            with opened(store) as opened_store:
                every = opened_store.items.queries(name)
            summary = write_topics(adjudicated, every, name, target, to)
    else:
        with opened(store) as opened_store:
            summary = write_acts(opened_store, chosen(opened_store, project).slug, what, history, target, to)
    show_export(summary, as_json)


@click.command("keep")
@click.argument("store")
@click.argument("reports", type=click.Path(), nargs=-1, required=True)
@project_option
@answer_options
def keep(store: str, reports: Sequence[str], project: str | None, as_json: bool, output: str | None) -> None:
    """Keep REPORTS in a project, to look at them under Explore: what evaluate, compare and gate wrote as JSON.

    All of them are stored or none; the same report again is stored once.

    \b
    rankproof evaluate qrels.trec bm25.run --save bm25.json
    rankproof gate policy.toml --json -o verdict.json
    rankproof judgments keep judging.db bm25.json verdict.json
    """
    refuse_outputs(output)
    from rankproof.cli.judgments.store import who
    from rankproof.judging.explore import parse_report
    from rankproof.kernel.sections import printable
    from rankproof.reading.source import open_source

    read = [(path, *parse_report(open_source(path).text(), path)) for path in reports]
    with opened(store) as opened_store:
        into = chosen(opened_store, project)
        there = {one.sha256 for one in opened_store.experiments.all(into.slug)}
        summaries = []
        for path, body, report in read:
            digest = opened_store.experiments.add(into.slug, report.kind, report.name[:200], body, who())
            summaries.append(
                {"file": path, "kind": report.kind, "name": report.name, "sha256": digest, "added": digest not in there}
            )
            there.add(digest)
        address = opened_store.address
    if as_json:
        _output.give(document("kept-reports/1", {"store": address, "project": into.slug, "reports": summaries}), output)
        return
    lines = [
        f"{one['file']}: {one['kind']} of {one['name']}, SHA-256 {str(one['sha256'])[:12]}"
        + ("" if one["added"] else " (there already)")
        for one in summaries
    ]
    _output.give("".join(f"{printable(line)}\n" for line in lines), output)


def write_qrels(adjudicated: Adjudicated, project: str, target: str, to: str | None) -> dict[str, Any]:
    """Writes the settled grades."""
    name = _written(adjudicated.qrels, target, to, "qrels.trec")
    notes = [f"method: {adjudicated.method}", f"acts: SHA-256 {adjudicated.acts}"]
    notes += (
        [f"unresolved and left out: {counted(len(adjudicated.unresolved), 'pair')}"] if adjudicated.unresolved else []
    )
    return _export_summary(project, "qrels", target, name, len(adjudicated.qrels.rows), notes)


def write_topics(
    adjudicated: Adjudicated, queries: Sequence[Query], project: str, target: str, to: str | None
) -> dict[str, Any]:
    """Writes the queries that have a settled grade."""
    settled = frozenset(adjudicated.qrels)
    topics = {query.query_id: query.text for query in queries if query.query_id in settled}
    if not topics:
        raise InputError(f"The project {project} has no query with a settled grade yet. Judge documents first.")
    name = _written(topics, target, to, "topics.tsv")
    left = len(queries) - len(topics)
    notes = [f"without a settled grade and left out: {counted(left, 'query', 'queries')}"] if left else []
    return _export_summary(project, "topics", target, name, len(topics), notes)


def _written(record: Qrels | Mapping[str, str], target: str, to: str | None, usual: str) -> str:
    """Writes a record to a file, or to standard output in the format of the usual name; the format's name."""
    from rankproof.reading.write import format_for, noun_of, pieces, write

    if target != "-":
        return write(record, target, to)
    form = format_for(usual, noun_of(record), to)
    stream = _output.output()
    for piece in pieces(record, form):
        stream.write(piece)
    stream.flush()
    return form.name


def write_acts(store: Store, slug: str, what: str, history: bool, target: str, to: str | None) -> dict[str, Any]:
    """Writes the acts of judges."""
    from rankproof.judging.files import ACTS_SCHEMA, to_body, to_csv
    from rankproof.judging.store.store import give

    form = to or ("json" if target == "-" else os.path.splitext(target)[1].lstrip(".").casefold())
    if form not in ("csv", "json"):
        raise UsageError(f"{what} are written as csv or json, and {target!r} says neither. Name one with --to.")
    kind: Any = what
    acts = give(store, slug, kind, history)
    text = to_csv(kind, acts) if form == "csv" else document(ACTS_SCHEMA, to_body(kind, acts, slug))
    _output.give(text, target, private=True)  # what judges said, by name, is not for everybody on the machine
    return _export_summary(slug, what, target, form, len(acts), [])


def _export_summary(project: str, what: str, target: str, form: str, count: int, notes: list[str]) -> dict[str, Any]:
    return {"project": project, "what": what, "target": target, "format": form, "count": count, "notes": notes}


def show_export(summary: dict[str, Any], as_json: bool) -> None:
    """What was done: on standard error when the data itself goes to standard output."""
    if as_json:
        text = document("judgments-export/1", summary, indent=None).rstrip("\n")
    else:
        noun = "settled pairs" if summary["what"] == "qrels" else summary["what"]
        done = (
            f"{summary['project']} -> {summary['target']} ({summary['format']}): {counted_kind(summary['count'], noun)}"
        )
        text = "\n".join(printable(line) for line in [done, *(f"  {note}" for note in summary["notes"])])
    click.echo(text, err=summary["target"] == "-")


def read_file(file: str, judge: str | None, source: str, model: str, form: str | None, allow: Sequence[str]) -> ActFile:
    """The acts in a file; those of qrels in the name of the judge."""
    from rankproof.judging.files import read_any
    from rankproof.judging.records import JudgmentSource

    kind: Any = source
    return read_any(file, judge or "", JudgmentSource(kind, model), form, allow)


def import_acts(store: Store, project: Project, read: ActFile) -> dict[str, Any]:
    """Adds what is not there yet, all or none; says what was added."""
    from rankproof.judging.files import takeable
    from rankproof.judging.store.store import take

    taken = takeable(read, project, {query.query_id for query in store.items.queries(project.slug)})
    added = take(store, project.slug, read.kind, taken)
    return {
        "store": store.address,
        "project": project.slug,
        "file": read.source,
        "kind": read.kind,
        "added": added,
        "there": len(taken) - added,
        "left_out": len(read.acts) - len(taken),
        "judges": dict(sorted(Counter(act.judge for act in taken).items())),
    }


def imported(summary: Mapping[str, Any]) -> str:
    """What was read and what of it was new."""
    lines = [f"{counted_kind(summary['added'], summary['kind'])} added to {summary['project']}"]
    lines += [f"  there already: {summary['there']:,}"] if summary["there"] else []
    lines += (
        [f"  left out, since the project does not have their queries: {summary['left_out']:,}"]
        if summary["left_out"]
        else []
    )
    lines += [f"  {judge}: {count:,}" for judge, count in summary["judges"].items()]
    lines += sheet_lines(summary.get("empty", ()), summary.get("refused", ()))
    return "\n".join(printable(line) for line in lines) + "\n"
