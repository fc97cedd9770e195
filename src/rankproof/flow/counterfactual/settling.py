"""Settling: which setting a request is of, and the log read for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from rankproof.errors import UsageError
from rankproof.flow.clicks.examination import POSITION_BASED
from rankproof.flow.clicks.logs.described import Described
from rankproof.flow.clicks.reading import read_log
from rankproof.flow.counterfactual.answering import Ask, of_actions, of_examination, of_lists, of_placements
from rankproof.flow.counterfactual.columns import NAMES
from rankproof.flow.counterfactual.curves import learned_curve, read_curve
from rankproof.flow.counterfactual.logs import read_choices, read_placed
from rankproof.flow.counterfactual.policies import Policy, first_documents, rankings_of, read_policy
from rankproof.flow.opening import STDIN
from rankproof.flow.rowstream import header
from rankproof.records.counterfactual import Counterfactual, Setting
from rankproof.records.run import Run


def setting_of(
    log: str, columns: Mapping[str, str], setting: Setting | None, examination: str | None, policy: str | None
) -> Setting:
    """The setting that was asked for, or the only one that can be meant."""
    if setting is not None and setting not in get_args(Setting):
        raise UsageError(f"A setting is one of {', '.join(get_args(Setting))}; {setting!r} came.")
    if examination is not None:
        if setting not in (None, "examination"):
            raise UsageError(f"--examination is for the setting examination, and --setting {setting} came with it.")
        setting = "examination"
    if policy is not None:
        if setting not in (None, "action"):
            raise UsageError(f"--policy has probabilities of actions; the setting {setting} takes --run.")
        setting = "action"
    if setting is not None:
        return setting
    known = () if log == STDIN else header(log)
    rank = columns.get("rank") or next((name for name in NAMES["rank"] if name in known), None)
    if log != STDIN and rank is None:
        return "action"
    why = "it cannot be seen beforehand what is in standard input" if log == STDIN else f"{log} has a column {rank}"
    raise UsageError(
        f"Say what the propensities are of: {why}. --setting placement where each row has that of its document at its "
        "rank, --setting list where it is that of the whole page, --setting action for one row a page; or "
        f"--examination {POSITION_BASED}, which needs no propensities."
    )


def estimate_log(
    log: str,
    columns: Mapping[str, str],
    setting: Setting,
    ask: Ask,
    *,
    run: Run | None = None,
    policy: str | None = None,
    examination: str | None = None,
    depth: int | None = None,
) -> Counterfactual:
    """What a run, or a table of probabilities, would have earned on a log."""
    if (run is None) == (policy is None):
        raise UsageError("The new system is a run or a policy: give --run RUN, or --policy TABLE for actions.")
    if depth is not None and setting not in ("placement", "examination"):
        raise UsageError(f"--depth counts ranks; the setting {setting} has none to leave out.")
    if setting == "action":
        choices = read_choices(log, columns)
        return of_actions(choices, _policy(run, policy, choices.query_ids), ask)
    assert run is not None  # setting_of: a policy is for actions
    if setting == "examination":
        return _by_examination(log, columns, ask, run, examination or POSITION_BASED, depth)
    placed, left_out = read_placed(log, columns, propensities=True)
    ask = replace(ask, left_out=left_out)
    rankings = rankings_of(run, placed.pages.pairs.query_ids)
    return of_lists(placed, rankings, ask) if setting == "list" else of_placements(placed, rankings, ask, depth)


def _policy(run: Run | None, policy: str | None, queries: tuple[str, ...]) -> Policy:
    if policy is not None:
        return read_policy(policy)
    assert run is not None
    return first_documents(rankings_of(run, queries))


def _by_examination(
    log: str, columns: Mapping[str, str], ask: Ask, run: Run, examination: str, depth: int | None
) -> Counterfactual:
    """Any log of pages will do, since no propensities are needed."""
    curve = None if examination == POSITION_BASED else read_curve(examination)
    read = read_log([log], Described("documents", dict(columns)) if columns else None)
    left_out = {one.why: one.pages for one in read.dropped if one.pages}
    pages = read.pages
    return of_examination(
        pages,
        rankings_of(run, pages.pairs.query_ids),
        learned_curve(pages, log) if curve is None else curve,
        replace(ask, left_out=left_out),
        depth,
    )
