"""Estimate from logged clicks what a new ranking would earn: by propensities, or by how users look at ranks."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, answer_options, refuse_outputs, refuse_second_stdin
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.sections import aligned, counted, interval, number, p_phrase, p_text, percent, printable, signed
from rankproof.online.counterfactual.records import Counterfactual, MeanReward

SCHEMA = "counterfactual/1"
DEFAULT = "ips,snips,dr"
# Commas between estimators, not those between the choices of one.
BETWEEN = re.compile(r",(?![^(]*\))")


@click.command("estimate")
@click.argument("log", metavar="LOG", type=click.Path())
@click.option("--run", type=click.Path(), help="The new ranking, as a run.")
@click.option(
    "--policy",
    type=click.Path(),
    metavar="TABLE",
    help="In place of a run, where the log has actions: query_id, action, probability.",
)
@click.option(
    "--setting",
    type=click.Choice(["action", "list", "placement", "examination"]),
    help="What was decided at random, as listed above.",
)
@click.option("--propensity", metavar="COLUMN", help="The column of propensities. Default: propensity.")
@click.option(
    "--examination",
    metavar="CURVE",
    help="How likely users look at ranks: position_based, which learns it from LOG, or a file that has it.",
)
@click.option(
    "--estimator",
    "estimators",
    multiple=True,
    default=(DEFAULT,),
    show_default=True,
    metavar="NAME,...",
    help="Estimators, with their choices, such as 'ips(clip=50)'.",
)
@click.option(
    "--column", "columns", multiple=True, metavar="WHAT=NAME", help="Which column is what: doc=item; may be repeated."
)
@click.option("--depth", type=click.IntRange(1), help="The last rank that counts. Default: that of the longest page.")
@click.option("--level", type=float, default=0.95, show_default=True, help="The confidence level of intervals.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the folds of dr.")
@click.option("--run-format", type=ShelfName("formats", "run"), help="The format of the run.")
@answer_options
def command(
    log: str,
    run: str | None,
    policy: str | None,
    setting: Any,
    propensity: str | None,
    examination: str | None,
    estimators: Sequence[str],
    columns: Sequence[str],
    depth: int | None,
    level: float,
    seed: int,
    run_format: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Estimate what a new ranking would have earned on the pages of LOG.

    \b
    --setting action       one row a page: query_id, action, propensity, reward
    --setting list         a row for each document; the propensity is of the page's list
    --setting placement    a row for each document; the propensity is of it at its rank
    --examination CURVE    a row for each document; no propensities

    A run's action is its first document. Rows of documents have page, query_id, doc_id, rank and clicked; a session,
    where there is one, makes intervals that count sessions and not pages.

    \b
    rankproof clicks estimate shown.csv --run new.run --setting placement
    rankproof clicks estimate shown.csv --run new.run --examination position_based
    rankproof clicks estimate actions.csv --policy new.csv --estimator 'snips,ips(clip=50)'
    """
    refuse_second_stdin([log, run, policy, examination])
    refuse_outputs(output)
    from rankproof.cli.shared.output import watched
    from rankproof.online.counterfactual.estimate import CounterfactualRequest
    from rankproof.online.counterfactual.estimate_log import estimate_log, setting_of
    from rankproof.online.counterfactual.estimators import read_estimators
    from rankproof.online.counterfactual.logs import read_columns
    from rankproof.reading.collect import read_run

    began = time.perf_counter()
    if propensity is not None and examination is not None:
        raise UsageError(
            "--examination needs no propensities, and --propensity came with it. Leave out one of the two."
        )
    column_specs = [*columns, *([] if propensity is None else [f"propensity={propensity}"])]
    names = [part.strip() for text in estimators for part in BETWEEN.split(text) if part.strip()]
    estimator_texts = [call.text for call in read_estimators(names)]
    named = read_columns(tuple(column_specs))
    chosen_setting = setting_of(log, named, setting, examination, policy)
    new = None if run is None else read_run(run, run_format)
    ask = CounterfactualRequest(estimator_texts, level, seed, log, policy or (new.name if new is not None else "new"))
    (report,) = (
        estimate_log(one, named, chosen_setting, ask, run=new, policy=policy, examination=examination, depth=depth)
        for one in watched([log], "reading and estimating")
    )
    text = document(SCHEMA, report.to_dict(), time.perf_counter() - began) if as_json else shown(report)
    _output.give(text, output)


DECIDED = {
    "action": "an action for each page, by its propensity",
    "list": "the list of each page as a whole, by its propensity",
    "placement": "a document for each rank, by its propensity there",
    "examination": "a rank for each document, by how likely users look at it",
}


def shown(report: Counterfactual) -> str:
    """The whole answer for a terminal."""
    counts = [counted(report.pages, "page"), counted(report.queries, "query", "queries")]
    if report.unit == "session":
        counts.insert(1, counted(report.units, "session"))
    head = [
        f"{report.policy} on {report.log}: {', '.join(counts)}",
        f"setting: {report.setting} ({DECIDED[report.setting]})",
    ]
    parts = [head, _table(report), _overlap(report), _notes(report)]
    return "\n\n".join("\n".join(map(printable, part)) for part in parts if part) + "\n"


def _table(report: Counterfactual) -> list[str]:
    ends = f"{percent(report.level)} interval"
    rows = [["", f"{report.reward} per page", ends, "new - logged", ends, "p"]]
    rows.append(["logged", *_value(report.logged), "", "", ""])
    for one in report.estimates:
        difference = one.difference
        if isinstance(difference, Estimate):
            apart = [signed(difference.value), interval(difference.low, difference.high), p_text(difference.p_value)]
        else:
            apart = ["" if difference.value is None else signed(difference.value), "not estimable", ""]
        rows.append([one.estimator, *_value(one.new), *apart])
    return aligned(rows, 1)


def _value(value: MeanReward | NotEstimable) -> list[str]:
    if isinstance(value, MeanReward):
        return [number(value.value), f"{number(value.low)} to {number(value.high)}"]
    return ["" if value.value is None else number(value.value), "not estimable"]


def _overlap(report: Counterfactual) -> list[str]:
    overlap = report.overlap
    rows = [
        [f"effective {report.unit}s", f"{overlap.effective:,.1f}", f"of {report.units:,}"],
        ["largest weight", f"{overlap.largest:,.2f}", f"{overlap.largest_share:.1%} of all weight"],
    ]
    if overlap.mean_weight is not None:
        test = "" if overlap.mean_p is None else f", {p_phrase(overlap.mean_p)}"
        rows.append(["mean weight", number(overlap.mean_weight), f"should be 1{test}"])
    rows.append(["never logged", f"{overlap.unsupported:.1%}", "of what the new system would show"])
    if overlap.absent is not None:
        rows.append(["not on the page", f"{overlap.absent:.1%}", "of what the new system would show there"])
    room = [max(len(row[column]) for row in rows) for column in range(2)]
    return ["Overlap", *(f"  {a:<{room[0]}}  {b:>{room[1]}}  {c}" for a, b, c in rows)]


def _notes(report: Counterfactual) -> list[str]:
    notes = [f"warning: {warning}" for warning in report.warnings]
    reasons = {one.difference.reason for one in report.estimates if isinstance(one.difference, NotEstimable)}
    notes += [f"not estimable: {reason}" for reason in sorted(reasons)]
    for one in report.estimates:
        if one.clipped is not None:
            clipped = one.clipped
            notes.append(
                f"{one.estimator}: {counted(clipped.weights, 'weight')} cut to {clipped.limit:g}, which may put it "
                "off by "
                f"{number(clipped.bias)} at most"
            )
    notes += [f"left out: {why}: {count:,}" for why, count in report.left_out.items()]
    return [*notes, *report.notes]
