"""`rankproof dataset prepare`: a dataset written anew in one plain layout, with hashes."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.dataset.shared import read, reading_options, refuse, write_prepared


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
