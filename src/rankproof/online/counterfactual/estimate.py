"""Counterfactual estimates: the reward a new system would have earned on a log, in one of four settings.

action        one logged action for each page, with its propensity
list          the whole list of a page as one action, with its propensity
placement     a document for each rank, with the propensity of that document at that rank
examination   a rank for each document, with a curve of how likely users look at ranks
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.sections import p_phrase
from rankproof.online.clicks.examination import FEW, Proportions
from rankproof.online.counterfactual.estimators import LearnedCurve, estimates, read_estimators
from rankproof.online.counterfactual.overlap import (
    APART,
    TOGETHER,
    UNLIKELY,
    dependence_of,
    note_on,
    overlap_of,
    warnings_on,
)
from rankproof.online.counterfactual.policies import Policy, Rankings
from rankproof.online.counterfactual.records import (
    Choices,
    Counterfactual,
    Decisions,
    Dependence,
    Floats,
    PlacedPages,
    Setting,
)
from rankproof.online.counterfactual.settings import (
    choices_of_lists,
    decisions_by_examination,
    decisions_of_actions,
    decisions_of_placements,
    queries_of,
    units_of,
)
from rankproof.online.impressions import Impressions

NOT_RANKED = "pages of queries that the new system does not answer"
KNOWN_CURVE = "the examination curve is taken as known: the intervals leave out its own error"
EQUAL_DR = "dr is ips where every page shows all that the new ranking has: there it needs no model"


@dataclass(frozen=True, slots=True)
class CounterfactualRequest:
    """The request: estimators, level and seed, and the names of the log and of the new system.

    left_out   pages that were left out on reading, by the reason
    """

    estimators: Sequence[str] = ("ips", "snips", "dr")
    level: float = 0.95
    seed: int = 0
    log: str = "log"
    policy: str = "new"
    left_out: Mapping[str, int] = field(default_factory=dict)


def of_actions(log: Choices, policy: Policy, ask: CounterfactualRequest) -> Counterfactual:
    """What a policy would earn, from one action for each page."""
    rows = _answered(log.queries, [query in policy for query in log.query_ids], ask)
    answered = _chosen(log, rows)
    return _report(
        "action", decisions_of_actions(answered, policy), len(log) - len(rows), ask, log.units is not None, "reward"
    )


def of_lists(log: PlacedPages, rankings: Rankings, ask: CounterfactualRequest) -> Counterfactual:
    """What rankings would earn, from pages whose whole lists were chosen at random."""
    assert log.propensities is not None
    same = np.where(log.pages.there, log.propensities, log.propensities[:, :1]) == log.propensities[:, :1]
    if not same.all():
        raise InputError(
            f"{ask.log}: rows of one page have different propensities, and a list has one. Write it in every row of "
            "the page; or use --setting placement, where each propensity is of its document at its rank."
        )
    rows = _pages_answered(log.pages, rankings, ask)
    choices, policy = choices_of_lists(_taken(log, rows), rankings)
    return _report(
        "list",
        decisions_of_actions(choices, policy),
        len(log.pages) - len(rows),
        ask,
        log.pages.sessions is not None,
        "clicks",
    )


def of_placements(
    log: PlacedPages, rankings: Rankings, ask: CounterfactualRequest, depth: int | None = None
) -> Counterfactual:
    """What rankings would earn, from pages whose documents were placed with known probabilities."""
    rows = _pages_answered(log.pages, rankings, ask)
    answered = _taken(log, rows)
    longest = int(answered.pages.lengths.max())
    decided = decisions_of_placements(answered, rankings, min(depth or longest, longest))
    return _report("placement", decided, len(log.pages) - len(rows), ask, log.pages.sessions is not None, "clicks")


def of_examination(
    pages: Impressions,
    rankings: Rankings,
    curve: Floats | Proportions,
    ask: CounterfactualRequest,
    depth: int | None = None,
) -> Counterfactual:
    """What rankings would earn, from pages whose documents are moved along a curve of examination.

    curve   by rank, taken as known; or as learned from these very pages, so that its error is in the intervals
    """
    rows = _pages_answered(pages, rankings, ask)
    answered = pages.take(rows)
    known = not isinstance(curve, Proportions)
    looked = np.asarray(curve.values[: _depth(curve)] if isinstance(curve, Proportions) else curve, dtype=np.float64)
    longest = int(answered.lengths.max())
    reach = min(longest, len(looked))
    looked = looked[:reach]
    decide = decisions_by_examination(answered, rankings, reach, depth)
    learned = None
    notes = [KNOWN_CURVE] if known else []
    if isinstance(curve, Proportions):
        learned = LearnedCurve(looked, curve.influences[:, :reach], units_of(pages), rows, decide)
        few = [rank for rank in range(1, reach + 1) if curve.telling[rank - 1] < FEW]
        if few:
            ranks = ", ".join(map(str, few))
            notes.append(
                f"fewer than {FEW} clicks compare these ranks with others, so that the curve is unsure: {ranks}"
            )
    if reach < min(depth or longest, longest):
        notes.append(f"only ranks 1 to {reach} count: the examination curve says nothing of ranks below")
    report = _report(
        "examination",
        decide(looked),
        len(pages) - len(rows),
        ask,
        pages.sessions is not None,
        "clicks",
        learned,
    )
    if any(one.estimator.startswith("dr") for one in report.estimates) and report.overlap.absent == 0:
        notes.append(EQUAL_DR)
    return replace(report, notes=(*report.notes, *notes))


def _report(
    setting: Setting,
    decisions: Decisions,
    unanswered: int,
    ask: CounterfactualRequest,
    by_session: bool,
    reward: str,
    learned: LearnedCurve | None = None,
) -> Counterfactual:
    calls = read_estimators(ask.estimators)
    logged, results = estimates(decisions, calls, ask.level, ask.seed, learned)
    overlap = overlap_of(decisions)
    dependent = dependence_of(decisions) if setting in ("placement", "examination") else None
    unit = "session" if by_session else "page"
    left_out = {**ask.left_out, **({NOT_RANKED: unanswered} if unanswered else {})}
    return Counterfactual(
        log=ask.log,
        policy=ask.policy,
        setting=setting,
        reward=reward,
        pages=len(decisions),
        queries=len(np.unique(decisions.queries)),
        unit=unit,
        units=decisions.numbered_units[0],
        level=ask.level,
        left_out=left_out,
        logged=logged,
        estimates=results,
        overlap=overlap,
        dependence=dependent,
        warnings=(
            *warnings_on(overlap, unit, [call.item.name for call in calls]),
            *_dependence_texts(dependent, apart=True),
        ),
        notes=(*note_on(overlap), *_dependence_texts(dependent, apart=False)),
    )


def _dependence_texts(dependence: Dependence | None, apart: bool) -> tuple[str, ...]:
    """The warning (`apart`) or the note about clicks of one page that are not independent."""
    if dependence is None or dependence.p_value >= UNLIKELY or (dependence.share < 0) != apart:
        return ()
    return ((APART if apart else TOGETHER).format(share=abs(dependence.share), p=p_phrase(dependence.p_value)),)


def _answered(queries: np.ndarray, has: Sequence[bool], ask: CounterfactualRequest) -> np.ndarray:
    """The rows of pages whose query the new system answers."""
    rows = np.flatnonzero(np.array(has, dtype=np.bool_)[queries])
    if not len(rows):
        raise InputError(
            f"{ask.policy} has no answer for any query of {ask.log}: no page can be counted. Check that both name "
            "queries by the same ids."
        )
    return rows


def _pages_answered(pages: Impressions, rankings: Rankings, ask: CounterfactualRequest) -> np.ndarray:
    return _answered(queries_of(pages), [bool(rankings.get(query)) for query in pages.pairs.query_ids], ask)


def _chosen(log: Choices, rows: np.ndarray) -> Choices:
    return replace(
        log,
        queries=log.queries[rows],
        actions=log.actions[rows],
        propensities=log.propensities[rows],
        rewards=log.rewards[rows],
        units=None if log.units is None else log.units[rows],
    )


def _taken(log: PlacedPages, rows: np.ndarray) -> PlacedPages:
    return PlacedPages(log.pages.take(rows), None if log.propensities is None else log.propensities[rows])


def _depth(curve: Proportions) -> int:
    """The ranks from 1 on that are all tied to rank 1."""
    apart = np.flatnonzero(~curve.tied)
    return int(apart[0]) if len(apart) else len(curve.tied)
