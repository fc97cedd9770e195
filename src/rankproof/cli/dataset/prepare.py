"""`rankproof dataset prepare`: a dataset written anew in one plain layout, with hashes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.dataset.shared import read, reading_options, refuse
from rankproof.cli.dataset.show import survey_text
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.output import document
from rankproof.kernel.sections import aligned

if TYPE_CHECKING:
    from rankproof.reading.datasets.records import Dataset, Survey


@click.command("prepare")
@click.argument("dataset", type=click.Path())
@click.argument("folder", type=click.Path())
@reading_options
def command(dataset: str, folder: str, as_json: bool, output: str | None, **options: Any) -> None:
    """Write DATASET to a new FOLDER: corpus.jsonl, queries.jsonl, qrels.trec, manifest.json with hashes.

    \b
    rankproof dataset prepare esci shop-us --locale us --version small --split test --sample 500
    rankproof dataset prepare irds:beir/scifact/test scifact
    """
    refuse(output, folder)
    from rankproof.reading.datasets.survey import survey

    data = read(dataset, {**options, "split": options["split"] or "all"})
    write_prepared(data, survey(data), folder, as_json, output)


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


def written(folder: str, manifest: Mapping[str, Any]) -> str:
    """What was written where."""
    files = [[name, f"{about['bytes']:,} bytes"] for name, about in manifest["files"].items()]
    return "\n".join([f"written: {folder}", *(f"  {line}" for line in aligned(files, 1))]) + "\n"
