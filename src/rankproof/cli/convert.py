"""Convert runs, qrels and topics from any format to any other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli.shared.collapsing import collapse_options
from rankproof.cli.shared.options import ShelfName
from rankproof.cli.shared.options import columns as columns_option
from rankproof.cli.shared.output import document, output
from rankproof.errors import UsageError

NOUNS = ("run", "qrels", "topics")


@click.command("convert")
@click.argument("source")
@click.argument("target", type=click.Path())
@click.option(
    "--from",
    "--format",
    "from_",
    type=ShelfName("formats"),
    help="The format of SOURCE; by content otherwise.",
)
@click.option("--to", type=ShelfName("formats"), help="The format of TARGET; by the ending of its name otherwise.")
@click.option("--noun", type=click.Choice(NOUNS), help="What SOURCE holds; detected by content where that is possible.")
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts a run's documents in order. By default scores, else ranks, else the order given.",
)
@click.option(
    "--lower-is-better/--higher-is-better",
    default=None,
    help="Whether scores are distances. By default only where the column is called so.",
)
@collapse_options(judgments=False)
@click.option("--drop-self", is_flag=True, help="Remove a document whose id is the query's own.")
@click.option("--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault.")
@click.option(
    "-O",
    "--option",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    help="An option of the source's format, such as locale=us for esci; may be repeated.",
)
@columns_option
@click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON.")
def command(
    source: str,
    target: str,
    from_: str | None,
    to: str | None,
    noun: str | None,
    order: str | None,
    lower_is_better: bool | None,
    collapse: str | None,
    unmapped: str | None,
    drop_self: bool,
    allow: Sequence[str],
    options: Sequence[str],
    columns: Sequence[str],
    as_json: bool,
) -> None:
    """Write SOURCE anew as TARGET. `-` stands for standard input or output.

    \b
    rankproof convert bm25.run bm25.json
    rankproof convert dense.csv dense.run.gz --to trec --lower-is-better
    rankproof convert esci.parquet qrels.trec -O locale=us -O split=test
    rankproof convert irds:cranfield cranfield.qrels --noun qrels
    """
    reading: dict[str, Any] = {"format": from_, **_options(options)}
    opened, source = _open(source)
    if noun is None:
        from rankproof.reading.detect import noun_of

        noun = noun_of(opened, source, from_, hints=(source, target), columns=columns)
    if noun == "run":
        reading |= {"order": order, "lower_is_better": lower_is_better, "drop_self": drop_self}
    elif order is not None or lower_is_better is not None or drop_self:
        raise UsageError(f"--order, --lower-is-better and --drop-self speak of runs; this is {noun}.")
    if noun != "topics":
        reading |= {"collapse": collapse, "unmapped": unmapped, "allow": allow}
        reading |= _named(columns, opened, noun)
    elif collapse is not None or columns:
        raise UsageError("--collapse and --columns speak of runs and qrels; these are topics.")
    if unmapped is not None and collapse is None:
        raise UsageError("--unmapped is about chunks that --collapse finds no document for. Add --collapse.")
    record, summary = _read(opened, noun, reading)
    form = _write(record, target, to)
    _tell({"source": source, "target": target, "noun": noun, "to": form, **summary}, as_json)


def _named(columns: Sequence[str], opened: Any, noun: str) -> dict[str, Any]:
    """The columns that were named, which the source must have."""
    from rankproof.reading.collect import named_columns

    return named_columns(columns, *((opened, ()) if noun == "qrels" else (None, (opened,))))


def _options(texts: Sequence[str]) -> dict[str, str]:
    options = {}
    for option in texts:
        name, equals, value = option.partition("=")
        if not equals or not name:
            raise UsageError(f"-O {option}: an option is NAME=VALUE, such as locale=us.")
        options[name.strip()] = value.strip()
    return options


def _open(source: str) -> tuple[Any, str]:
    """What to read, and what to call it."""
    from rankproof.reading.source import STDIN, once

    return once(source), "<stdin>" if source == STDIN else source


def _read(source: Any, noun: str, reading: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The record, and what there is to tell about it."""
    from rankproof.reading.collect import read_qrels, read_run, read_topics

    if noun == "topics":
        topics = read_topics(source, **reading)
        return topics, {"queries": len(topics), "rows": len(topics), "notes": []}
    record = read_run(source, **reading) if noun == "run" else read_qrels(source, **reading)
    summary = {"queries": len(record), "rows": len(record.rows), "notes": list(record.notes)}
    return record, summary | {"content_hash": record.content_hash}


def _write(record: Any, target: str, to: str | None) -> str:
    """Writes, and says in which format."""
    from rankproof.reading.write import format_for, noun_of, pieces, write

    if target != "-":
        return write(record, target, to)
    if to is None:
        raise UsageError("Standard output has no name that says the format. Name it with --to.")
    form = format_for(target, noun_of(record), to)
    stream = output()
    for piece in pieces(record, form):
        stream.write(piece)
    stream.flush()
    return form.name


def _tell(summary: dict[str, Any], as_json: bool) -> None:
    """What was done: on standard error when the data itself goes to standard output."""
    if as_json:
        text = document("conversion/1", summary, indent=None).rstrip("\n")
    else:
        from rankproof.kernel.sections import counted

        size = counted(summary["queries"], "query", "queries")
        size += "" if summary["noun"] == "topics" else f", {counted(summary['rows'], 'row')}"
        done = f"{summary['source']} -> {summary['target']} ({summary['to']}): {summary['noun']}, {size}"
        text = "\n".join([done, *(f"  {note}" for note in summary["notes"])])
    click.echo(text, err=summary["target"] == "-")
