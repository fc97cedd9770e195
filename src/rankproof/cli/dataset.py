"""Look at, prepare and split datasets: documents, queries and judgments of any layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.findings import listed
from rankproof.cli.shared.options import ShelfName
from rankproof.cli.shared.output import document
from rankproof.cli.shared.usage import refuse_outputs
from rankproof.errors import UsageError
from rankproof.kernel.sections import aligned, printable
from rankproof.reading.datasets.records import DocumentSurvey, Join, JudgmentSurvey, QuerySurvey, Survey
from rankproof.reading.finding import count

if TYPE_CHECKING:
    from rankproof.reading.datasets.records import Dataset, Survey


F = TypeVar("F", bound=Callable[..., Any])

_READING = (
    click.option("--split", help="Read this split, or 'all'."),
    click.option("--sample", type=click.IntRange(1), metavar="N", help="Draw N queries that have text and judgments."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything drawn."),
    click.option(
        "--documents",
        type=click.Choice(["all", "judged"]),
        default="all",
        show_default=True,
        help="All documents, or only those judged for the queries read.",
    ),
    click.option("--field", "fields", metavar="NAME", multiple=True, help="Keep this field of documents; repeatable."),
    click.option("--locale", help="ESCI: read this locale, such as us."),
    click.option("--version", type=click.Choice(["small", "large"]), help="ESCI: read this version."),
    click.option("--topic-field", metavar="NAME", help="TREC topics: title, desc, narr, or several joined by '+'."),
    click.option("--kind", metavar="LAYOUT", help="The layout; found out by the files that are there otherwise."),
    click.option(
        "--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault."
    ),
    click.option("--json", "as_json", is_flag=True, help="Answer as JSON."),
    click.option("-o", "--output", type=click.Path(), help="Write the answer to this file, whole or not at all."),
)


def reading(command: F) -> F:
    """The options of every command here: how the dataset is read and where the answer goes."""
    for option in reversed(_READING):
        command = option(command)
    return command


@click.group("dataset")
def command() -> None:
    """Look at datasets, write them anew in one plain layout, split them into dev and test.

    DATASET is a BEIR folder, a folder of ESCI Parquet files, of MS MARCO's or TREC files or of WANDS, a file of
    ground-truth test cases or of queries alone, irds:NAME (ir_datasets) or sample:NAME (bundled).
    """


@command.command("show")
@click.argument("dataset", type=click.Path())
@reading
def show(dataset: str, as_json: bool, output: str | None, **options: Any) -> None:
    """Show what is in DATASET: counts, grades, joins, duplicates, leaks between splits.

    \b
    rankproof dataset show my-collection
    rankproof dataset show scifact --split test
    rankproof dataset show esci --locale us --version small --split test --sample 500
    """
    _refuse(output)
    from rankproof.reading.datasets.survey import survey

    report = survey(_read(dataset, {**options, "split": options["split"] or "all"}))
    _output.give(document("dataset/1", report.to_dict()) if as_json else as_text(report), output)


@command.command("prepare")
@click.argument("dataset", type=click.Path())
@click.argument("folder", type=click.Path())
@reading
def prepare(dataset: str, folder: str, as_json: bool, output: str | None, **options: Any) -> None:
    """Write DATASET to a new FOLDER: corpus.jsonl, queries.jsonl, qrels.trec, manifest.json with hashes.

    \b
    rankproof dataset prepare esci shop-us --locale us --version small --split test --sample 500
    rankproof dataset prepare irds:beir/scifact/test scifact
    """
    _refuse(output, folder)
    from rankproof.reading.datasets.survey import survey

    data = _read(dataset, {**options, "split": options["split"] or "all"})
    _write(data, survey(data), folder, as_json, output)


@command.command("split")
@click.argument("dataset", type=click.Path())
@click.argument("folder", type=click.Path())
@click.option(
    "--part",
    "parts",
    metavar="NAME=SIZE",
    multiple=True,
    help="A part and its share (0.5) or number of queries (50); repeatable. Default: dev=0.5 and test=0.5.",
)
@click.option("--by", metavar="COLUMN", multiple=True, help="Keep the values of this column balanced; repeatable.")
@reading
def split(
    dataset: str,
    folder: str,
    parts: Sequence[str],
    by: Sequence[str],
    as_json: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Split the queries of DATASET into parts, in a new FOLDER. Queries with the same text stay together.

    \b
    rankproof dataset split my-collection parts --by kind
    rankproof dataset split scifact scifact-split --part dev=100 --part test=200 --seed 7
    """
    _refuse(output, folder)
    sizes = _parts(parts or ("dev=0.5", "test=0.5"))
    from rankproof.reading.datasets.split import split as share_out
    from rankproof.reading.datasets.split import with_splits
    from rankproof.reading.datasets.survey import survey

    whole = _read(dataset, options)
    divided = with_splits(whole, share_out(whole, sizes, by, options["seed"]))
    left = len(whole.queries) - len(divided.queries)
    splitting = {"parts": sizes, "by": list(by), "seed": options["seed"], "left_out": left}
    _write(divided, survey(divided), folder, as_json, output, {"splitting": splitting})


def _refuse(output: str | None, folder: str | None = None) -> None:
    refuse_outputs(output)
    if folder is not None:
        from rankproof.kernel.atomic import refuse_folder

        refuse_folder(folder)


def _read(dataset: str, choices: Mapping[str, Any]) -> Dataset:
    from rankproof.reading.datasets.read import read_dataset

    options = {**choices, "fields": choices["fields"] or None, "field": choices["topic_field"]}
    del options["topic_field"]
    return read_dataset(dataset, **options)


def _parts(texts: Sequence[str]) -> dict[str, float]:
    parts: dict[str, float] = {}
    for part in texts:
        name, equals, size = part.partition("=")
        try:
            value = int(size) if size.isdecimal() else float(size)
        except ValueError:
            equals = ""
        if not equals or name in parts:
            raise UsageError(f"--part {part}: a part is NAME=SIZE, such as dev=0.5 or test=200, each name once.")
        parts[name] = value
    return parts


def _write(
    dataset: Dataset,
    report: Survey,
    folder: str,
    as_json: bool,
    output: str | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    from rankproof.reading.datasets.store import write_dataset

    manifest = write_dataset(folder, dataset, report, more)
    if as_json:
        body = {name: value for name, value in manifest.items() if name not in ("rankproof", "schema")}
        text = document("dataset/1", {**body, "folder": folder})
    else:
        text = f"{as_text(report)}\n{written(folder, manifest)}"
    _output.give(text, output)


# Values of a column that a line shows.
SHOWN = 12


def as_text(report: Survey) -> str:
    """The whole answer."""
    rows = [
        *_documents(report.documents),
        *_queries(report.queries),
        *_judgments(report.judgments),
        *([["joins", _join(report.join, report.documents is not None)]] if report.judgments.count else []),
        *_splits(report),
        ["content", f"sha256 {report.content_hash}"],
    ]
    lines = [f"{report.name}: {report.kind} dataset, {report.source}", "", *aligned(rows, 2), ""]
    if report.judgments.grades:
        lines += [*aligned(_grades(report.judgments), 0), ""]
    lines += [f"note: {printable(note)}" for note in report.notes]
    lines += [line.removeprefix("  ") for line in listed(report.findings)] or [
        "nothing found that would spoil a result"
    ]
    return "\n".join(lines) + "\n"


def written(folder: str, manifest: Mapping[str, Any]) -> str:
    """What was written where."""
    files = [[name, f"{about['bytes']:,} bytes"] for name, about in manifest["files"].items()]
    return "\n".join([f"written: {folder}", *(f"  {line}" for line in aligned(files, 1))]) + "\n"


def _documents(documents: DocumentSurvey | None) -> list[list[str]]:
    if documents is None:
        return [["documents", "none"]]
    fields = ", ".join(
        name if filled == documents.count else f"{name} ({filled:,} filled)"
        for name, filled in documents.fields.items()
    )
    rows = [["documents", f"{documents.count:,}; fields: {fields}"]]
    if documents.duplicate_groups:
        shared = f"{documents.duplicates:,} documents share {count(documents.duplicate_groups, 'text')}"
        rows.append(["", f"{shared}; judged differently for one query: {documents.judged_differently:,}"])
    return rows


def _queries(queries: QuerySurvey) -> list[list[str]]:
    text = f"{queries.count:,}; judged: {queries.judged:,}"
    if queries.without_text:
        text += f"; without text: {queries.without_text:,}"
    if queries.sharing_a_text:
        text += f"; with the same text as another: {queries.sharing_a_text:,}"
    rows = [["queries", text]]
    for column, values in queries.columns.items():
        if values is None:
            rows.append(["", f"{column}: too many values to make segments"])
            continue
        shown = ", ".join(f"{value} {n:,}" for value, n in list(values.items())[:SHOWN])
        rows.append(["", f"{column}: {shown}{', ...' if len(values) > SHOWN else ''}"])
    return rows


def _judgments(judgments: JudgmentSurvey) -> list[list[str]]:
    if not judgments.count:
        return [["judgments", "none"]]
    text = f"{judgments.count:,} for {count(judgments.queries, 'query', 'queries')}"
    per = judgments.per_query
    if per is not None:
        text += f"; per query {per.least:,} to {per.most:,}, median {per.median:g}, mean {per.mean:.1f}"
    return [["judgments", text]]


def _join(join: Join, corpus: bool) -> str:
    parts = [
        f"{count(join.queries_without_text, 'judged query', 'judged queries')} without text"
        if join.queries_without_text
        else "every judged query has its text"
    ]
    if corpus:
        parts.append(
            f"{join.judgments_without_document:,} judgments of {join.documents_missing:,} documents not in the corpus"
            if join.documents_missing
            else "every judged document is there"
        )
    return "; ".join(parts)


def _splits(report: Survey) -> list[list[str]]:
    if not report.splits:
        return []
    rows = [
        ["splits" if i == 0 else "", f"{name}: {part.queries:,} queries, {part.judgments:,} judgments"]
        for i, (name, part) in enumerate(report.splits.items())
    ]
    if not report.leaks:
        rows.append(["", "no query text in two of them"])
    return rows + [["", f"{leak.texts:,} query texts in both {' and '.join(leak.splits)}"] for leak in report.leaks]


def _grades(judgments: JudgmentSurvey) -> list[list[str]]:
    rows = [["grade", "judgments", "share"]]
    return rows + [[str(g.grade), f"{g.count:,}", f"{100 * g.share:.1f}%"] for g in judgments.grades]
