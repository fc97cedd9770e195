"""Options that make documents of chunks, for every command that reads runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

COLLAPSE = (
    "Chunks to documents: a separator such as '#', a regular expression whose group finds the document's id, or a file "
    "with chunk_id and doc_id (CSV, TSV, JSON, JSON lines); the best chunk counts."
)


def collapse_options(judgments: bool = True) -> Callable[[F], F]:
    """`--collapse`, `--unmapped` and, where a command reads judgments beside runs, `--collapse-qrels`."""
    options = [
        click.option("--collapse", metavar="PATTERN|FILE", help=COLLAPSE),
        click.option(
            "--unmapped",
            type=click.Choice(["refuse", "keep", "drop"]),
            help="Chunks that --collapse finds no document for: by default a pattern keeps them as documents of their "
            "own, and a file refuses them.",
        ),
    ]
    if judgments:
        options.append(
            click.option(
                "--collapse-qrels", is_flag=True, help="QRELS judge chunks too: of a document's grades the best counts."
            )
        )

    def decorate(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate
