"""Estimate from logged clicks what a new ranking would earn: by propensities, or by how users look at ranks."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._types import ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

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
    help="What was decided by chance, as listed above.",
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
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
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
    if [log, run, policy, examination].count("-") > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")
    if output is not None and output != "-":
        refuse_path(output)
    from rankproof.cli._progress import watched
    from rankproof.flow.collect import read_run
    from rankproof.flow.counterfactual.answering import Ask
    from rankproof.flow.counterfactual.columns import read_columns
    from rankproof.flow.counterfactual.estimating import read_estimators
    from rankproof.flow.counterfactual.settling import estimate_log, setting_of

    began = time.perf_counter()
    if propensity is not None and examination is not None:
        raise UsageError(
            "--examination needs no propensities, and --propensity came with it. Leave out one of the two."
        )
    said = [*columns, *([] if propensity is None else [f"propensity={propensity}"])]
    names = [part.strip() for text in estimators for part in BETWEEN.split(text) if part.strip()]
    asked = [call.text for call in read_estimators(names)]
    named = read_columns(tuple(said))
    which = setting_of(log, named, setting, examination, policy)
    new = None if run is None else read_run(run, run_format)
    ask = Ask(asked, level, seed, log, policy or (new.name if new is not None else "new"))
    (found,) = (
        estimate_log(one, named, which, ask, run=new, policy=policy, examination=examination, depth=depth)
        for one in watched([log], "reading and estimating")
    )
    if as_json:
        text = document(SCHEMA, found.to_dict(), time.perf_counter() - began)
    else:
        from rankproof.cli import _clicks_estimate_text

        text = _clicks_estimate_text.shown(found)
    _output.give(text, output)
