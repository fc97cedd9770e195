"""Look at, prepare, split and draft datasets of any layout."""

from __future__ import annotations

import click

from rankproof.cli.shared.groups import parts


@click.group("dataset", cls=parts("prepare", "show", "split", "draft"))
def command() -> None:
    """Look at datasets, write them anew in one plain layout, split them into dev and test, draft one.

    DATASET is a BEIR folder, a folder of ESCI Parquet files, of MS MARCO's or TREC files or of WANDS, a file of
    ground-truth test cases or of queries alone, irds:NAME (ir_datasets) or sample:NAME (bundled).
    """
