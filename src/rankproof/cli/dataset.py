"""Look at, prepare and split datasets: documents, queries and judgments of any layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._types import ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.records.dataset import Dataset
    from rankproof.records.survey import Survey

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
def show(dataset: str, as_json: bool, output: str | None, **asked: Any) -> None:
    """Show what is in DATASET: counts, grades, joins, duplicates, leaks between splits.

    \b
    rankproof dataset show my-collection
    rankproof dataset show scifact --split test
    rankproof dataset show esci --locale us --version small --split test --sample 500
    """
    _refuse(output)
    from rankproof.cli._dataset_text import as_text
    from rankproof.flow.datasets import survey

    found = survey(_read(dataset, {**asked, "split": asked["split"] or "all"}))
    _output.give(document("dataset/1", found.to_dict()) if as_json else as_text(found), output)


@command.command("prepare")
@click.argument("dataset", type=click.Path())
@click.argument("folder", type=click.Path())
@reading
def prepare(dataset: str, folder: str, as_json: bool, output: str | None, **asked: Any) -> None:
    """Write DATASET to a new FOLDER: corpus.jsonl, queries.jsonl, qrels.trec, manifest.json with hashes.

    \b
    rankproof dataset prepare esci shop-us --locale us --version small --split test --sample 500
    rankproof dataset prepare irds:beir/scifact/test scifact
    """
    _refuse(output, folder)
    from rankproof.flow.datasets import survey

    found = _read(dataset, {**asked, "split": asked["split"] or "all"})
    _write(found, survey(found), folder, as_json, output)


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
    **asked: Any,
) -> None:
    """Split the queries of DATASET into parts, in a new FOLDER. Queries with the same text stay together.

    \b
    rankproof dataset split my-collection parts --by kind
    rankproof dataset split scifact scifact-split --part dev=100 --part test=200 --seed 7
    """
    _refuse(output, folder)
    sizes = _parts(parts or ("dev=0.5", "test=0.5"))
    from rankproof.flow.datasets import split as share_out
    from rankproof.flow.datasets import survey, with_splits

    whole = _read(dataset, asked)
    found = with_splits(whole, share_out(whole, sizes, by, asked["seed"]))
    left = len(whole.queries) - len(found.queries)
    splitting = {"parts": sizes, "by": list(by), "seed": asked["seed"], "left_out": left}
    _write(found, survey(found), folder, as_json, output, {"splitting": splitting})


def _refuse(output: str | None, folder: str | None = None) -> None:
    if output is not None and output != "-":
        refuse_path(output)
    if folder is not None:
        from rankproof.store.folders import refuse_folder

        refuse_folder(folder)


def _read(dataset: str, asked: Mapping[str, Any]) -> Dataset:
    from rankproof.flow.datasets import read_dataset

    options = {**asked, "fields": asked["fields"] or None, "field": asked["topic_field"]}
    del options["topic_field"]
    return read_dataset(dataset, **options)


def _parts(said: Sequence[str]) -> dict[str, float]:
    parts: dict[str, float] = {}
    for part in said:
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
    found: Survey,
    folder: str,
    as_json: bool,
    output: str | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    from rankproof.cli._dataset_text import as_text, written
    from rankproof.store.datasets import write_dataset

    manifest = write_dataset(folder, dataset, found, more)
    if as_json:
        body = {name: value for name, value in manifest.items() if name not in ("rankproof", "schema")}
        text = document("dataset/1", {**body, "folder": folder})
    else:
        text = f"{as_text(found)}\n{written(folder, manifest)}"
    _output.give(text, output)
