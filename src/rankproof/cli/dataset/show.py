"""`rankproof dataset show`: counts, grades, joins, duplicates and leaks of a dataset."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.dataset.shared import read, reading_options, refuse
from rankproof.cli.dataset.text import survey_text
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.output import document


@click.command("show")
@click.argument("dataset", type=click.Path())
@reading_options
def command(dataset: str, as_json: bool, output: str | None, **options: Any) -> None:
    """Show what is in DATASET: counts, grades, joins, duplicates, leaks between splits.

    \b
    rankproof dataset show my-collection
    rankproof dataset show scifact --split test
    rankproof dataset show esci --locale us --version small --split test --sample 500
    """
    refuse(output)
    from rankproof.reading.datasets.survey import survey

    report = survey(read(dataset, {**options, "split": options["split"] or "all"}))
    _output.give(document("dataset/1", report.to_dict()) if as_json else survey_text(report), output)
