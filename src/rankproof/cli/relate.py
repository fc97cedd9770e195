"""Say which offline measure predicted what users did."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import aligned, number, percent, printable, signed
from rankproof.online.relate.records import MeasureAndMetric, NeededDifference, OnlineOutcomes, Relation, Signs

SCHEMA = "relation/1"


@click.command("relate")
@click.argument("changes", type=click.Path())
@click.option(
    "--lower",
    multiple=True,
    metavar="NAME",
    help="A measure or metric of which less is better, such as abandonment; may be repeated.",
)
@click.option(
    "--by",
    type=click.Choice(["spearman", "pearson"]),
    default="spearman",
    show_default=True,
    help="The correlation that measures are ranked by.",
)
@click.option(
    "--confidence", type=float, default=0.95, show_default=True, help="The level of the confidence intervals."
)
@click.option(
    "--chance",
    type=click.FloatRange(0.01, 0.99),
    default=0.8,
    show_default=True,
    help="How likely a shown online gain must be for an offline difference to be enough.",
)
@answer_options
def command(
    changes: str,
    lower: Sequence[str],
    by: str,
    confidence: float,
    chance: float,
    as_json: bool,
    output: str | None,
) -> None:
    """Relate offline differences to online effects across past CHANGES, for every measure and metric.

    CHANGES is a table (CSV, TSV, JSON lines, Parquet) with the columns change, offline:MEASURE, online:METRIC, and
    their standard errors as offline:MEASURE:se and online:METRIC:se; or a TOML file that names, for each change, the
    JSON of its comparison and of its trial.

    \b
    rankproof relate changes.csv --lower abandonment
    rankproof relate changes.toml --json
    """
    refuse_outputs(output)
    from rankproof.online.relate.read import assemble, read_changes
    from rankproof.online.relate.relate import relate

    began = time.perf_counter()
    read = assemble(changes, lower) if changes.endswith(".toml") else read_changes(changes, lower)
    relation = relate(read, by=by, level=confidence, chance=chance)
    text = document(SCHEMA, relation.to_dict(), time.perf_counter() - began) if as_json else shown(relation)
    _output.give(text, output)


NONE = "-"
# The step of a measure that a slope is shown for: the one in which people speak of measures.
STEP = 0.01


def shown(relation: Relation) -> str:
    """The whole answer for a terminal."""
    parts = [[printable(ranked.sentence) for ranked in relation.ranked]]
    for metric in relation.metrics:
        related = [each for each in relation.related if each.metric == metric]
        metric_text = f"{printable(metric)} ({'less' if metric in relation.lower else 'more'} is better)"
        parts.append([f"{metric_text}: how well each measure told it", *_correlations(relation, related)])
        parts.append([f"{metric_text}: what an offline difference has meant", *_meanings(relation, related)])
    parts.append(_notes(relation))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _correlations(relation: Relation, related: list[MeasureAndMetric]) -> list[str]:
    span = f"{percent(relation.level)} interval"
    rows = [["measure", "changes", "Spearman", span, "Pearson", span, "Kendall", span, "without noise", span]]
    for each in related:
        cells = [each.measure, str(each.n)]
        for answer in (each.spearman, each.pearson, each.kendall, each.corrected):
            cells += _cells(answer)
        rows.append(cells)
    return aligned(rows, 1)


def _meanings(relation: Relation, related: list[MeasureAndMetric]) -> list[str]:
    span = f"{percent(relation.level)} interval"
    rows = [
        ["measure", "same sign", span, "where shown", span, f"per {STEP:g}", span, "enough", "gains offline, online"]
    ]
    for each in related:
        slope = each.slope
        scaled = (
            [signed(STEP * slope.value), f"{signed(STEP * slope.low)} to {signed(STEP * slope.high)}"]
            if isinstance(slope, Estimate)
            else [NONE if slope.value is None else signed(STEP * slope.value), NONE]
        )
        rows.append(
            [
                each.measure,
                *_signs(each.signs),
                *_signs(each.shown_signs),
                *scaled,
                _enough(each.enough),
                _foretold(each.foretold),
            ]
        )
    return aligned(rows, 1)


def _cells(answer: Answer) -> list[str]:
    if isinstance(answer, Estimate):
        return [_two(answer.value), f"{_two(answer.low)} to {_two(answer.high)}"]
    return [NONE if answer.value is None else _two(answer.value), NONE]


def _two(value: float) -> str:
    text = f"{value:.2f}"
    return text.removeprefix("-") if text.strip("-0.") == "" else text


def _signs(signs: Signs | None) -> list[str]:
    if signs is None or not isinstance(signs.share, Estimate):
        return [NONE, NONE]
    decided = signs.agree + signs.disagree
    return [f"{signs.agree} of {decided}", f"{100 * signs.share.low:.0f}% to {100 * signs.share.high:.0f}%"]


def _enough(needed: NeededDifference) -> str:
    return NONE if needed.difference is None else number(needed.difference)


def _foretold(outcomes: OnlineOutcomes | None) -> str:
    return NONE if outcomes is None else f"{outcomes.better} better, {outcomes.neither} open, {outcomes.worse} worse"


def _notes(relation: Relation) -> list[str]:
    notes = [f"warning: {warning}" for warning in relation.warnings]
    pairs = relation.related
    notes.append(f"changes: {len(relation.changes)}; measures are ranked by {relation.by}, with Holm's correction")
    sides = sorted({side for each in pairs for side in each.corrected_for})
    if sides:
        notes.append(f"without noise: Pearson's, corrected for the standard errors that are given ({', '.join(sides)})")
    notes += sorted(
        {
            f"{each.measure} and {each.metric}: without noise not estimable: {each.corrected.reason}"
            for each in pairs
            if sides and not isinstance(each.corrected, Estimate)
        }
    )
    notes.append("where shown: among changes whose online effect is shown to differ from 0")
    notes.append(f"per {STEP:g}: the online effect that goes with {STEP:g} more offline, as measured")
    probability = pairs[0].enough.chance
    notes.append(
        f"enough: the offline difference from which on a trial shows a gain with a chance of {percent(probability)}"
    )
    reasons = {each.enough.reason for each in pairs if each.enough.reason}
    notes += [f"  {NONE}: {reason}" for reason in sorted(reasons)]
    return [printable(note) for note in notes]
