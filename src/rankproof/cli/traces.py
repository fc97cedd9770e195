"""Read production traces: topics, a run, calls of tasks, and times."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared.options import refuse_second_stdin
from rankproof.cli.shared.output import document, say, watched

if TYPE_CHECKING:
    from rankproof.reading.traces.files import Written


@click.command("traces")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option("--out", metavar="DIR", type=click.Path(), help="Write the files into this folder, which must be new.")
@click.option(
    "--stage",
    type=click.Choice(["last", "retriever", "reranker"]),
    default="last",
    show_default=True,
    help="Which ranking counts where a reranker follows a retriever: last is what the application got.",
)
@click.option(
    "--repeats",
    type=click.Choice(["last", "first"]),
    default="last",
    show_default=True,
    help="Which ranking counts where a query was searched several times.",
)
@click.option(
    "--unit",
    type=click.Choice(["session", "trace"]),
    default="session",
    show_default=True,
    help="What the calls of one task have in common; a trace without a session is a task of its own.",
)
@click.option("--source", metavar="ID", help="Only searches in this data source (gen_ai.data_source.id).")
@click.option("--doc-id", metavar="FIELD", help="Take the documents' ids from this field of their metadata.")
@click.option("--json", "as_json", is_flag=True, help="Say what was read and written as JSON.")
def command(files: Sequence[str], out: str | None, as_json: bool, **choices: Any) -> None:
    """Read the searches in FILE..., traces of production, and write them as files that the other commands read.

    FILE is OTLP JSON, in OpenTelemetry's GenAI or OpenInference's conventions, or spans as SDKs write them in JSON;
    compressed or not. Spans of one trace may stand in several files. Without --out the summary alone is shown. With it
    DIR has topics.jsonl, run.jsonl, calls.jsonl, latencies.tsv, sessions.jsonl and left_out.jsonl, as far as there is
    something to write, and manifest.json. The texts of queries stand in topics.jsonl as users typed them.

    \b
    rankproof traces traces.jsonl
    rankproof traces monday.jsonl.gz tuesday.jsonl.gz --out week
    rankproof traces traces.jsonl --out first-stage --stage retriever --doc-id source
    """
    from rankproof.kernel.atomic import refuse_folder
    from rankproof.reading.traces.files import write_traces
    from rankproof.reading.traces.gather import gather_traces
    from rankproof.reading.traces.notes import notes_of, summary_of
    from rankproof.reading.traces.records import TraceOptions

    refuse_second_stdin(files)
    if out is not None:
        refuse_folder(out)
    began = time.perf_counter()
    read: list[dict[str, object]] = []
    with closing(gather_traces(_chunks(files, read), TraceOptions.of(choices))) as traces:
        summary, notes = summary_of(traces), notes_of(traces)

        def answer(written: Written) -> str:
            body = {"files": read, "options": choices, **summary, "out": out, "written": written, "notes": notes}
            return document("traces/1", body, time.perf_counter() - began)

        written = {} if out is None else write_traces(traces, out, answer)
    if as_json:
        click.echo(answer(written), nl=False)
        return
    say("\n".join([*_lines(summary), *(f"  {note}" for note in notes), *_ending(out, written)]) + "\n")


def _chunks(files: Sequence[str], read: list[dict[str, object]]) -> Iterator[tuple[str, Iterator[bytes]]]:
    """Each file with its plain bytes, a piece at a time; `read` gets its name, its size and its hash."""
    from rankproof.reading.source import STDIN

    for path in watched(files, "reading"):
        name = "<stdin>" if path == STDIN else path
        yield name, _pieces(path, name, read)


def _pieces(path: str, name: str, read: list[dict[str, object]]) -> Iterator[bytes]:
    from hashlib import sha256

    from rankproof.reading.stream import plain_stream
    from rankproof.reading.traces.read import CHUNK

    size, digest = 0, sha256()
    with plain_stream(path, name) as stream:
        while piece := stream.read(CHUNK):
            size += len(piece)
            digest.update(piece)
            yield piece
    read.append({"name": name, "bytes": size, "sha256": digest.hexdigest()})


def _lines(summary: Mapping[str, Any]) -> list[str]:
    """The summary in a few lines."""
    from rankproof.kernel.sections import counted

    def count(name: str, one: str, many: str = "") -> str:
        return counted(summary[name], one, many or f"{one}s")

    lines = [
        f"{count('spans', 'span')} in {count('traces', 'trace')}: {count('retrievers', 'retriever')}, "
        f"{count('rerankers', 'reranker')}",
        f"{count('searches', 'search', 'searches')}: {count('queries', 'query', 'queries')}, "
        f"{count('calls', 'call')} of {count('tasks', 'task')}, {count('sessions', 'session')}, "
        f"{count('users', 'user')}",
    ]
    times = dict(summary["latency"])
    requests = times.pop("requests")
    if requests:
        percentiles = ", ".join(f"{name.removesuffix('_ms')} {ms:.4g} ms" for name, ms in times.items())
        lines.append(f"{counted(requests, 'time')}: {percentiles}")
    return lines


def _ending(out: str | None, written: Written) -> list[str]:
    if out is None:
        return ["Write them with --out DIR."]
    names = ", ".join([*written, "manifest.json"])
    return [f"{out} written: {names}", f"  judge {os.path.join(out, 'topics.jsonl')}, then compare runs"]
