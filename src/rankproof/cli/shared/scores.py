"""Scores of any tool in the place of runs: the options of `--scores`, and which others it makes meaningless."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from rankproof.cli.shared.options import ShelfName, together
from rankproof.errors import UsageError

# Names of parameters: those that are for --scores alone, and those that read or measure rankings.
OF_SCORES = ("unit", "system", "repeats", "lower", "ranges", "missing", "dataset", "scores_format")
OF_RANKINGS = (
    "saved", "corpus", "pool", "open_universe", "no_beyond", "reuse_check", "pool_depth", "complete", "depth", "level",
    "judged_only", "dialect", "undefined", "order", "lower_is_better", "collapse", "unmapped",
    "collapse_qrels", "drop_self", "allow", "columns", "qrels_format", "run_format", "threads", "memory", "engine",
    "master", "manifest", "experiment", "dataset_version", "notes",
)  # fmt: skip

scores = together(
    [
        click.option(
            "--scores",
            "as_scores",
            is_flag=True,
            help="The files are tables of scores by unit (CSV, TSV, JSON lines), a system each, without QRELS.",
        ),
        click.option("--unit", metavar="COLUMN", help="With --scores: the column of the unit (query, task, user)."),
        click.option(
            "--system", metavar="COLUMN", help="With --scores: the column of the system, where a file has several."
        ),
        click.option(
            "--repeats", is_flag=True, help="With --scores: units were asked several times; values are averaged."
        ),
        click.option(
            "--lower", multiple=True, metavar="SCORE", help="With --scores: less of it is better; may be repeated."
        ),
        click.option(
            "--range",
            "ranges",
            multiple=True,
            metavar="SCORE=LOW:HIGH",
            help="With --scores: between which values a score lies by its definition; may be repeated.",
        ),
        click.option(
            "--missing",
            type=click.Choice(["worst", "drop"]),
            help="With --scores: a missing value counts as the worst of the score's range, by default, or its unit is "
            "left out for all systems.",
        ),
        click.option(
            "--scores-format",
            type=ShelfName("formats", "scores"),
            help="With --scores: the format of another tool's records, with its options, such as 'mteb(split=test)'; "
            "found by content otherwise.",
        ),
    ]
)

# How units were drawn, for a command that takes it of scores alone.
drawn = together(
    [
        click.option(
            "--queries",
            type=click.Path(),
            help="With --scores: columns about the units, where the tables have none: CSV, TSV or JSON lines.",
        ),
        click.option("--weights", default="", metavar="COLUMN", help="With --scores: what each unit counts."),
        click.option("--strata", default="", metavar="COLUMN", help="With --scores: kinds of units, each sampled."),
        click.option(
            "--clusters", default="", metavar="COLUMN", help="With --scores: units that came together: of one user, ..."
        ),
    ]
)
OF_DRAWN = ("queries", "weights", "strata", "clusters")


def score_choices(choices: Mapping[str, Any]) -> dict[str, Any]:
    """The options of scores as `compare_scores` takes them."""
    return {
        "unit": choices["unit"],
        "system": choices["system"],
        "repeats": choices["repeats"],
        "lower_is_better": tuple(choices["lower"]),
        "ranges": dict(map(_range, choices["ranges"])),
        "missing": choices["missing"] or "worst",
        "format": choices["scores_format"],
    }


def _range(text: str) -> tuple[str, tuple[float, float]]:
    score, sign, ends = text.rpartition("=")
    low, colon, high = ends.partition(":")
    try:
        least, greatest = float(low), float(high)
    except ValueError:
        least = greatest = math.nan
    if not (score and sign and colon and math.isfinite(least) and math.isfinite(greatest)):
        raise UsageError(f"--range is SCORE=LOW:HIGH, such as faithfulness=0:1; got {text!r}.")
    return score, (least, greatest)


def refuse_other_input(as_scores: bool, further: Sequence[str] = ()) -> None:
    """UsageError for options of the current command that are for the other kind of input.

    `further` are options that the command takes for scores alone, besides those that every command does.
    """
    wrong = _given(OF_RANKINGS if as_scores else (*OF_SCORES, *further))
    if wrong and as_scores:
        hint = " For scores of which less is better: --lower SCORE." if "--lower-is-better" in wrong else ""
        raise UsageError(
            f"{', '.join(wrong)}: for rankings, and with --scores the files hold values. Leave it out.{hint}"
        )
    if wrong:
        raise UsageError(f"{', '.join(wrong)}: for tables of scores. Add --scores, or leave it out.")


def _given(names: Collection[str]) -> Sequence[str]:
    """The options among these that stand on the command line, as they are typed there."""
    context = click.get_current_context()
    return [
        max(param.opts, key=len)
        for param in context.command.params
        if param.name in names and context.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
    ]
