"""What the interleave commands share: the options that say how lists are made, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli._compare_options import together
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.flow.interleaving.rebuilding import Recipe

making = together(
    [
        click.option(
            "--run", "runs", metavar="[NAME=]RUN", multiple=True, help="The rankings of one system; for each system."
        ),
        click.option(
            "--method",
            default="team_draft",
            show_default=True,
            help="The interleaving, with its choices: \"optimized(credit='linear')\".",
        ),
        click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Documents on a page."),
        click.option("--experiment", default="", help="The experiment's name, if the server gives one."),
    ]
)


def recipe_of(
    runs: Sequence[str], method: str, depth: int, experiment: str, queries: Iterable[str] | None = None
) -> Recipe:
    """What lists are made from; only of these queries where some are named."""
    from rankproof.flow.collect import read_run
    from rankproof.flow.interleaving.rebuilding import Recipe

    if len(runs) < 2:
        raise UsageError(f"Interleaving takes the runs of two systems or more; {len(runs)} came. Give --run for each.")
    wanted = None if queries is None else set(queries)
    rankings = {}
    for given in runs:
        name, equals, path = given.partition("=")
        run = read_run(path, name=name) if equals else read_run(given)
        if run.name in rankings:
            raise UsageError(f"Two systems are called {run.name!r}. Give one of them another name: --run NAME=RUN.")
        kept = run if wanted is None else run.filter(wanted)
        rankings[run.name] = {query: docs for query, docs, _ in kept.rankings()}
    return Recipe(rankings, method, depth, experiment)
