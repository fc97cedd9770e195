"""Counterfactual estimates from files: which setting applies, the log read for it, and its examination curve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import get_args

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.specs.kinds import finite
from rankproof.online.clicks.examination import POSITION_BASED, Proportions, proportions
from rankproof.online.clicks.logs.layout import LogDescription
from rankproof.online.clicks.read import read_log
from rankproof.online.counterfactual.estimate import (
    CounterfactualRequest,
    of_actions,
    of_examination,
    of_lists,
    of_placements,
)
from rankproof.online.counterfactual.logs import NAMES, read_choices, read_placed
from rankproof.online.counterfactual.policies import Policy, first_documents, rankings_of, read_policy
from rankproof.online.counterfactual.records import Counterfactual, Floats, Setting
from rankproof.online.impressions import Impressions
from rankproof.reading.records import Run
from rankproof.reading.row_batches import header, stream
from rankproof.reading.source import STDIN, open_source


def read_curve(path: str) -> Floats:
    """Examination by rank, over that of rank 1: JSON that has a list of rank and value, or a table of these columns.

    JSON is what `rankproof clicks fit --json` writes, or such a list alone; a table has rank and examination. The curve
    ends before the first rank that is missing.
    """
    text = open_source(path).data
    if text.lstrip()[:1] in (b"{", b"["):
        document = from_json(text.decode("utf-8", "surrogateescape"), path)
        rows = next(_curves(document.get("curve", document) if isinstance(document, dict) else document), None)
        if rows is None:
            raise InputError(f"{path} has no list of objects with rank and value. Give what clicks fit --json wrote.")
    else:
        rows = [
            (rank, value)
            for batch in stream(path, ("rank", "examination"))
            for rank, value in zip(batch.numbers("rank").tolist(), batch.numbers("examination").tolist(), strict=True)
        ]
    by_rank = dict(rows)
    if len(by_rank) < len(rows) or 1 not in by_rank:
        raise InputError(f"{path}: an examination curve must have rank 1, and every rank once.")
    missing = next(rank for rank in range(1, len(by_rank) + 2) if rank not in by_rank)
    looked = np.array([by_rank[rank] for rank in range(1, missing)], dtype=np.float64)
    if not (looked > 0).all():
        raise InputError(
            f"{path}: examination must be above 0 at every rank. Leave out the ranks that nobody looks at."
        )
    return np.asarray(looked / looked[0])


def learned_curve(pages: Impressions, source: str) -> Proportions:
    """The examination curve of the position-based model, learned from the pages themselves."""
    if not pages.clicks[:, 0].any():
        raise InputError(f"{source}: there is no click at rank 1, so no examination curve can be learned.")
    curve = proportions(pages)
    if not curve.tied[1:].any():
        raise InputError(
            f"{source}: no document was shown and clicked at several ranks, so no examination curve can be "
            "learned. Show some documents at random ranks, or give a curve with --examination FILE."
        )
    return curve


def _curves(value: object) -> Iterator[list[tuple[float, float]]]:
    """Every list of objects with rank and value, wherever in the document it stands."""
    if isinstance(value, list):
        rows = [(finite(one.get("rank")), finite(one.get("value"))) for one in value if isinstance(one, dict)]
        known = [(rank, looked) for rank, looked in rows if rank is not None and looked is not None]
        if value and len(known) == len(value):
            yield known
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _curves(below)


def setting_of(
    log: str, columns: Mapping[str, str], setting: Setting | None, examination: str | None, policy: str | None
) -> Setting:
    """The given setting, or the only one that fits the options and the columns."""
    if setting is not None and setting not in get_args(Setting):
        raise UsageError(f"A setting must be one of {', '.join(get_args(Setting))}; got {setting!r}.")
    if examination is not None:
        if setting not in (None, "examination"):
            raise UsageError(
                f"--examination belongs to the setting examination, not to --setting {setting}. Leave one of them out."
            )
        setting = "examination"
    if policy is not None:
        if setting not in (None, "action"):
            raise UsageError(
                f"--policy has probabilities of actions, and the setting {setting} takes a ranking. Give --run."
            )
        setting = "action"
    if setting is not None:
        return setting
    known = () if log == STDIN else header(log)
    rank = columns.get("rank") or next((name for name in NAMES["rank"] if name in known), None)
    if log != STDIN and rank is None:
        return "action"
    why = (
        "the columns of standard input are not known before it is read"
        if log == STDIN
        else f"{log} has ranks in the column {rank}"
    )
    raise UsageError(
        f"The setting is ambiguous: {why}. Give --setting placement where each row has that of its document at its "
        "rank, --setting list where it is that of the whole page, --setting action for one row a page; or "
        f"--examination {POSITION_BASED}, which needs no propensities."
    )


def estimate_log(
    log: str,
    columns: Mapping[str, str],
    setting: Setting,
    ask: CounterfactualRequest,
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
        raise UsageError(
            f"--depth is for the settings placement and examination; the setting is {setting}. Leave --depth out."
        )
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
    log: str, columns: Mapping[str, str], ask: CounterfactualRequest, run: Run, examination: str, depth: int | None
) -> Counterfactual:
    """The estimate by an examination curve. No propensities are needed, so every log of pages can be used."""
    curve = None if examination == POSITION_BASED else read_curve(examination)
    click_log = read_log([log], LogDescription("documents", dict(columns)) if columns else None)
    left_out = {one.why: one.pages for one in click_log.dropped if one.pages}
    pages = click_log.pages
    return of_examination(
        pages,
        rankings_of(run, pages.pairs.query_ids),
        learned_curve(pages, log) if curve is None else curve,
        replace(ask, left_out=left_out),
        depth,
    )
