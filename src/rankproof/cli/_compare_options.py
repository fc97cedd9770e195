"""The options of `rankproof compare`, by what they are about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import click

from rankproof.cli._types import Measures, ShelfName
from rankproof.records.settings import MOST_THREADS

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT_MEASURES = "nDCG@10 RR@10 AP R@100 P@10"


class Decorator(Protocol):
    """Adds options to a command and leaves it what it is."""

    def __call__(self, function: F) -> F:
        """The command with its options."""


def together(options: list[Any]) -> Decorator:
    """One decorator for several options; in the help they stand in the order given."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


statistics = together(
    [
        click.option(
            "-m",
            "--measures",
            multiple=True,
            type=Measures(),
            help=f"What to compare, in any accepted spelling; may be repeated. Default: {DEFAULT_MEASURES}.",
        ),
        click.option(
            "--significance",
            type=ShelfName("significance"),
            default="t",
            show_default=True,
            help="The method of intervals and p-values.",
        ),
        click.option(
            "--correction",
            type=ShelfName("corrections"),
            default="holm",
            show_default=True,
            help="What keeps the whole family of tests honest.",
        ),
        click.option("--confidence", type=float, default=0.95, show_default=True, help="The level of the intervals."),
        click.option(
            "--resamples",
            type=int,
            default=100_000,
            show_default=True,
            help="Random resamples, where a method draws any.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, help="Where chance comes from."),
        click.option("--all-pairs", is_flag=True, help="Compare every pair, not only candidates with the baseline."),
        click.option(
            "--equivalence", type=float, metavar="MARGIN", help="Test whether the systems are the same up to MARGIN."
        ),
        click.option(
            "--non-inferiority", type=float, metavar="MARGIN", help="Test whether a candidate is not worse by MARGIN."
        ),
    ]
)

queries = together(
    [
        click.option("--topics", type=click.Path(), help="The queries' texts, to show beside their ids."),
        click.option(
            "--queries", type=click.Path(), help="A file with columns about the queries: CSV, TSV or JSON lines."
        ),
        click.option(
            "--by", multiple=True, metavar="COLUMN", help="Compare on each value of this column too; may be repeated."
        ),
    ]
)

record = together(
    [
        click.option("--manifest", type=click.Path(), help="Write what was compared, and how, for `rankproof verify`."),
        click.option("--experiment", default="", metavar="NAME", help="What the manifest calls the experiment."),
        click.option(
            "--dataset-version", default="", metavar="TEXT", help="Which version of the data; for the manifest."
        ),
        click.option(
            "--note", "notes", multiple=True, metavar="TEXT", help="A note for the manifest; may be repeated."
        ),
    ]
)

holes = together(
    [
        click.option(
            "--pool",
            type=click.Path(),
            help="Further documents that could be relevant: a run or qrels. The compared runs' documents always are.",
        ),
        click.option(
            "--open",
            "open_universe",
            is_flag=True,
            help="Bound values as if any document, retrieved or not, could be relevant.",
        ),
        click.option("--no-beyond", is_flag=True, help="Leave out blind spots, bounds, ties and diagnoses."),
    ]
)

reading = together(
    [
        click.option("-c", "--complete", is_flag=True, help="Score judged queries that a run lacks in every dialect."),
        click.option("-M", "--depth", type=click.IntRange(1), help="Look only at the first DEPTH documents."),
        click.option("-l", "--level", type=click.IntRange(0), help="The least grade that counts as relevant."),
        click.option("-J", "--judged-only", is_flag=True, help="Remove unjudged documents from the rankings first."),
        click.option("--dialect", type=ShelfName("dialects"), default="rankproof", help="Whose conventions to follow."),
        click.option(
            "--undefined",
            type=click.Choice(["zero", "skip"]),
            default="zero",
            show_default=True,
            help="Queries where a measure is undefined count as it says, or are left out of all.",
        ),
        click.option("--order", type=click.Choice(["score", "rank", "given"]), help="What puts documents in order."),
        click.option("--lower-is-better", is_flag=True, help="Scores are distances: the least comes first."),
        click.option("--collapse", metavar="PATTERN", help="Passages to documents, as in `rankproof evaluate`."),
        click.option("--drop-self", is_flag=True, help="Remove a document whose id is the query's own."),
        click.option(
            "--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of a fault."
        ),
        click.option("--qrels-format", type=ShelfName("formats", "qrels"), help="The format of QRELS."),
        click.option("--run-format", type=ShelfName("formats", "run"), help="The format of every run."),
        click.option(
            "--threads", type=click.IntRange(0, MOST_THREADS), default=0, help="How many threads read; 0 for all cores."
        ),
    ]
)
