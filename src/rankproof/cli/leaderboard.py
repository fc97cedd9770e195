"""Rank several runs in one table, with significance marks."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import options
from rankproof.cli.shared import output as _output
from rankproof.cli.shared import scores as _scores
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import (
    DEFAULT_MEASURES,
    Measures,
    ReadingOptions,
    ShelfName,
    chosen_form,
    from_options,
    refuse_outputs,
    refuse_second_stdin,
)
from rankproof.errors import UsageError
from rankproof.measuring.records import Settings

if TYPE_CHECKING:
    from rankproof.proving.leaderboard_records import Leaderboard


@click.command(
    "leaderboard", cls=long_help("measures", "baseline", "significance", "correction", "form", "as_json", "output")
)
@click.argument("files", metavar="QRELS RUN...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measures",
    multiple=True,
    type=Measures(),
    help=f"What to measure; the first one ranks. May be repeated. Default: {DEFAULT_MEASURES}.",
)
@click.option("--baseline", metavar="RUN", help="Take differences from this run, and not from the best.")
@click.option(
    "--significance",
    type=ShelfName("significance"),
    default="t_or_gaffke",
    show_default=True,
    help="The method of confidence intervals and p-values.",
)
@click.option(
    "--correction",
    type=ShelfName("corrections"),
    help="What keeps the family of tests honest. Default: max_t over three systems and more, holm over two.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="The level of confidence intervals.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random generator.")
@click.option(
    "--format",
    "form",
    type=ShelfName("reports", "leaderboard"),
    help="The form of the answer; table by default.",
)
@_scores.scores
@click.option(
    "--dataset",
    metavar="COLUMN",
    help="With --scores: the column of the dataset, where there are several; each counts the same.",
)
@_scores.drawn
@options.answer_options
@options.reading
def command(
    files: Sequence[str],
    as_scores: bool,
    dataset: str | None,
    measures: Sequence[str],
    baseline: str | None,
    significance: str,
    correction: str | None,
    confidence: float,
    seed: int,
    form: str | None,
    as_json: bool,
    output: str | None,
    **choices: Any,
) -> None:
    """Rank RUNs by the first measure on QRELS: files, or folders of runs.

    A mark says which differences are significant. All pairs of runs are one family of tests, so that the best may be
    compared with the second after seeing which they are; with --baseline, all runs are compared with that one.

    \b
    rankproof leaderboard qrels.trec bm25.run dense.run hybrid.run
    rankproof leaderboard qrels.trec runs/ -m "nDCG@10 RR@10" --baseline runs/bm25.run
    rankproof leaderboard qrels.trec runs/ --format markdown -o leaderboard.md
    rankproof leaderboard --scores a.csv b.csv c.csv -m faithfulness
    rankproof leaderboard --scores a.csv b.csv c.csv --clusters document
    rankproof leaderboard --scores all.csv --system model --dataset benchmark
    """
    form = chosen_form(form, as_json)
    refuse_outputs(output)
    if as_scores or dataset or any(map(choices.get, (*_scores.OF_SCORES, *_scores.OF_DRAWN))):
        _scores.refuse_other_input(as_scores, _scores.OF_DRAWN)
    refuse_second_stdin(files)
    from rankproof.kernel import shelf

    report = shelf.find("reports", form)
    began = time.perf_counter()
    statistics: dict[str, Any] = {
        "baseline": baseline, "significance": significance, "correction": correction, "confidence": confidence,
        "seed": seed,
    }  # fmt: skip
    if as_scores:
        from rankproof.proving.leaderboard_scores import leaderboard_scores

        own = _scores.score_choices(choices) | {name: choices[name] for name in _scores.OF_DRAWN}
        board = leaderboard_scores(list(files), measures or None, dataset=dataset, **own, **statistics)
    else:
        board = _of_runs(files, measures, statistics, choices, output)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    _output.give_report(report, "leaderboard", board, True, output, observed=observed)
    _output.name_files(form, output)


def _of_runs(
    files: Sequence[str],
    measures: Sequence[str],
    statistics: Mapping[str, Any],
    choices: Mapping[str, Any],
    output: str | None,
) -> Leaderboard:
    """The runs of QRELS RUN... ranked."""
    from rankproof.proving.leaderboard import leaderboard

    qrels, runs = files[0], files[1:]
    if not runs:
        raise UsageError("A leaderboard takes judgments and two or more runs: QRELS RUN...; got one file.")
    if not all(map(os.path.isfile, runs)):
        from rankproof.cli.shared.given import runs_and_measures

        runs, measures = runs_and_measures(runs, measures)
        refuse_outputs(output, read=runs)
    return leaderboard(
        qrels,
        list(runs),
        measures or DEFAULT_MEASURES,
        **statistics,
        **asdict(from_options(Settings, choices)),
        **asdict(from_options(ReadingOptions, choices)),
    )
