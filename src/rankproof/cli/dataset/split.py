"""`rankproof dataset split`: the queries of a dataset in parts, such as dev and test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli.dataset.shared import read, reading_options, refuse, write_prepared
from rankproof.errors import UsageError


@click.command("split")
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
@reading_options
def command(
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
    refuse(output, folder)
    sizes = _parts(parts or ("dev=0.5", "test=0.5"))
    from rankproof.reading.datasets.split import split as share_out
    from rankproof.reading.datasets.split import with_splits
    from rankproof.reading.datasets.survey import survey

    whole = read(dataset, options)
    divided = with_splits(whole, share_out(whole, sizes, by, options["seed"]))
    left = len(whole.queries) - len(divided.queries)
    splitting = {"parts": sizes, "by": list(by), "seed": options["seed"], "left_out": left}
    write_prepared(divided, survey(divided), folder, as_json, output, {"splitting": splitting})


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
