"""Shared by the dataset commands: options of reading, and writing a dataset to a new folder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.dataset.text import survey_text, written
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, answer_options, refuse_outputs, together
from rankproof.cli.shared.output import document

if TYPE_CHECKING:
    from rankproof.reading.datasets.records import Dataset, Survey

# The options of every command here: how the dataset is read and where the answer goes.
reading_options = together(
    [
        click.option("--split", help="Read this split, or 'all'."),
        click.option(
            "--sample", type=click.IntRange(1), metavar="N", help="Draw N queries that have text and judgments."
        ),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything drawn."),
        click.option(
            "--documents",
            type=click.Choice(["all", "judged"]),
            default="all",
            show_default=True,
            help="All documents, or only those judged for the queries read.",
        ),
        click.option(
            "--field", "fields", metavar="NAME", multiple=True, help="Keep this field of documents; repeatable."
        ),
        click.option("--locale", help="ESCI: read this locale, such as us."),
        click.option("--version", type=click.Choice(["small", "large"]), help="ESCI: read this version."),
        click.option("--topic-field", metavar="NAME", help="TREC topics: title, desc, narr, or several joined by '+'."),
        click.option("--kind", metavar="LAYOUT", help="The layout; detected by the files that are there otherwise."),
        click.option(
            "--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault."
        ),
        answer_options,
    ]
)


def refuse(output: str | None, folder: str | None = None) -> None:
    """An error where the answer or the new folder cannot be written."""
    refuse_outputs(output)
    if folder is not None:
        from rankproof.kernel.atomic import refuse_folder

        refuse_folder(folder)


def read(dataset: str, choices: Mapping[str, Any]) -> Dataset:
    """The dataset, read as the options say."""
    from rankproof.reading.datasets.read import read_dataset

    options = {**choices, "fields": choices["fields"] or None, "field": choices["topic_field"]}
    del options["topic_field"]
    return read_dataset(dataset, **options)


def write_prepared(
    dataset: Dataset,
    report: Survey,
    folder: str,
    as_json: bool,
    output: str | None,
    more: Mapping[str, Any] | None = None,
) -> None:
    """Writes a dataset to a new folder, and what is in it to the answer."""
    from rankproof.reading.datasets.store import write_dataset

    manifest = write_dataset(folder, dataset, report, more)
    if as_json:
        body = {name: value for name, value in manifest.items() if name not in ("rankproof", "schema")}
        text = document("dataset/1", {**body, "folder": folder})
    else:
        text = f"{survey_text(report)}\n{written(folder, manifest)}"
    _output.give(text, output)
