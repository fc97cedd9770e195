"""Can these judgments be reused? Each group's own judgments left out, the systems compared again.

Judgments of a pool are kind to the systems that contributed to it: each of them had its first documents judged, while
what a new system retrieves may be relevant, unjudged, and so count as not relevant. The leave-one-group-out test asks
what would have come out if one team had not taken part: the judgments that it alone contributed are left out, and
every contrast is made again. Where a verdict changes, it rests on who took part in the pool.

J. Zobel. How reliable are the results of large-scale information retrieval experiments? SIGIR 1998.
C. Buckley, D. Dimmick, I. Soboroff, E. Voorhees. Bias and the limits of pooling for large collections. Information
Retrieval 10(6), 2007: what the test cannot see, where all systems of a pool share a bias.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.sections import counted
from rankproof.measuring.dialects.contract import Dialect
from rankproof.measuring.evaluate import evaluate_tables, speak
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.prepare import PreparedQrels, PreparedRun
from rankproof.measuring.records import Evaluation, Settings
from rankproof.measuring.views import unjudged
from rankproof.proving.contrasts import contrasts
from rankproof.proving.per_unit import from_evaluations, refuse_other_ground
from rankproof.proving.records import Comparison, Contrast, Design
from rankproof.proving.reuse_records import ReuseCheck, ReuseContrast, ReuseGroup, ReuseResult, reuse_warnings
from rankproof.reading.pool_groups import PoolGroups
from rankproof.reading.records import Order

# ---- who contributed what -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Of each pooled document the only group that contributed it, or NOBODY, or SEVERAL."""

    groups: PoolGroups
    depth: int
    owner: NDArray[np.int64]

    NOBODY = -1
    SEVERAL = -2


def contributions(
    runs: Mapping[str, PreparedRun],
    groups: PoolGroups,
    depth: int | None,
    variants: Sequence[Variant],
    settings: Settings,
) -> Contributions:
    """Which group contributed which judgments: a run contributed those of its first `depth` documents.

    `runs` are the compared and the further ones, all joined with the same judgments; documents stand in the order in
    which the first measure reads them.
    """
    qrels = next(iter(runs.values())).qrels
    for name, run in runs.items():
        if run.qrels is not qrels:
            raise UsageError(
                f"{name!r} was prepared with other judgments ({run.qrels.name}) than the first run ({qrels.name}). "
                "Prepare all runs with the same ones: `prepared = rankproof.prepare(qrels)`."
            )
    order = _order(variants, settings)
    tables = {name: run.table(order) for name, run in runs.items()}
    if depth is None:
        raise UsageError(_needs_depth(tables.values(), qrels))
    if depth < 1:
        raise UsageError(f"The depth of a pool is 1 or more; got {depth}.")
    owner = np.full(len(qrels.pool.grade), Contributions.NOBODY, dtype=np.int64)
    for at, group in enumerate(groups.names):
        mine = np.zeros(len(owner), dtype=bool)
        for name, table in tables.items():
            if groups.group_of[name] == group:
                mine[table.doc[table.rank <= depth]] = True
        owner[mine] = np.where(owner[mine] == Contributions.NOBODY, at, Contributions.SEVERAL)
    if not (owner >= 0).any():
        shared = int((owner == Contributions.SEVERAL).sum())
        raise UsageError(
            f"No judgment was contributed by one group alone: of {counted(len(owner), 'judgment')} in {qrels.name}, "
            f"{shared:,} are in the first {depth} of several groups and {len(owner) - shared:,} of none, so there is "
            f"nothing to leave out. Check the pool depth, or give each system of {groups.source} a group of its own."
        )
    return Contributions(groups, depth, owner)


def _order(variants: Sequence[Variant], settings: Settings) -> Order:
    dialect: Dialect = shelf.find("dialects", settings.dialect)
    return dialect.read(speak(variants[0], dialect, settings), settings.complete).order


def _needs_depth(tables: Iterable[JudgedTable], qrels: PreparedQrels) -> str:
    """What the data show about the depth of the pool: too little to guess it."""
    judged = np.zeros(len(qrels.pool.grade), dtype=bool)
    always, deepest = [], 0
    for table in tables:
        judged[table.doc] = True
        deepest = max(deepest, int(table.rank.max(initial=0)))
        place = np.arange(1, len(table.rank) + 1) - table.start[:-1][table.query]
        leading = table.count(table.rank == place)
        always += leading[table.in_run & (leading < table.retrieved)].tolist()
    judged_first = min(always, default=None)
    if judged_first is None:
        first = "every document is judged"
    elif judged_first == 0:
        first = "some rankings begin with a document that is not judged"
    else:
        first = f"every ranking begins with {counted(judged_first, 'judged document')} or more"
    return (
        "How deep was the pool? Say how many documents of each run were judged (--pool-depth K; in Python "
        f"pool_depth=K): the paper or the plan of the collection says it. In these runs {first}, and the "
        f"{int(judged.sum()):,} of {len(judged):,} judged documents that they retrieved stand down to rank {deepest}."
    )


# ---- compared again without one group -------------------------------------------------------------


def reuse_check(
    comparison: Comparison,
    runs: Mapping[str, PreparedRun],
    given: Contributions,
    variants: tuple[Variant, ...],
    settings: Settings,
    design: Design,
) -> Comparison:
    """The comparison with its reuse check, and a warning where a verdict does not stand. `runs` are the compared ones.

    A run is not read again: its table is taken as if the judgments had never been made.
    """
    if shelf.find("dialects", settings.dialect).drops_self:
        runs = {name: run.without_self() for name, run in runs.items()}
    pool = next(iter(runs.values())).qrels.pool
    relevant = pool.grade >= (1 if settings.level is None else settings.level)
    checked = []
    for at, group in enumerate(given.groups.names):
        drop = given.owner == at
        left = pool.without(drop)
        answer = _without(comparison, runs, drop, left, variants, settings, design)
        still = set(left.query_ids)
        checked.append(
            ReuseGroup(
                group,
                tuple(run for run, of in given.groups.group_of.items() if of == group),
                int(drop.sum()),
                int((drop & relevant).sum()),
                tuple(query for query in pool.query_ids if query not in still),
                tuple(_both(contrast, answer, given.groups.group_of, group) for contrast in comparison.contrasts),
            )
        )
    several = int((given.owner == Contributions.SEVERAL).sum())
    check = ReuseCheck(given.depth, len(given.owner), int((given.owner >= 0).sum()), several, tuple(checked))
    return replace(comparison, reuse=check, warnings=(*comparison.warnings, *reuse_warnings(check)))


def _without(
    comparison: Comparison,
    runs: Mapping[str, PreparedRun],
    drop: NDArray[np.bool_],
    left: Pool,
    variants: tuple[Variant, ...],
    settings: Settings,
    design: Design,
) -> Mapping[tuple[str, ...], Contrast] | str:
    """The contrasts on the judgments that are left, by what they compare; or why there are none."""
    if not len(left):
        return "no query has a judgment left"
    subtopics = any(variant.measure.needs_subtopics for variant in variants)

    def table(run: PreparedRun, order: Order) -> JudgedTable:
        return unjudged(run.table(order, subtopics), drop, left)

    try:
        evaluations: list[Evaluation] = [
            evaluate_tables(partial(table, run), variants, settings, run_name=name) for name, run in runs.items()
        ]
        refuse_other_ground(evaluations)
    except InputError as error:  # what is left may lie outside a dialect, or leave runs with different queries
        return str(error)
    measured = [from_evaluations(evaluations, text) for text in comparison.measures]
    if comparison.sampling is not None:
        drawn = comparison.sampling
        measured = [replace(values, sampling=drawn.of(values.unit_ids)) for values in measured]
    units = {unit for values in measured for unit in values.unit_ids}
    segments = {
        name: kept
        for name, queries in comparison.segments.items()
        if (kept := tuple(query for query in queries if query in units))
    }
    again, _ = contrasts(comparison.systems, measured, segments, design)
    return {_key(contrast): contrast for contrast in again}


def _key(contrast: Contrast) -> tuple[str, ...]:
    return contrast.measure, contrast.baseline, contrast.candidate, contrast.segment


def _both(
    contrast: Contrast, again: Mapping[tuple[str, ...], Contrast] | str, group_of: Mapping[str, str], group: str
) -> ReuseContrast:
    other = None if isinstance(again, str) else again.get(_key(contrast))
    reason = again if isinstance(again, str) else f"no query of {contrast.segment} has a judgment left"
    return ReuseContrast(
        measure=contrast.measure,
        baseline=contrast.baseline,
        candidate=contrast.candidate,
        segment=contrast.segment,
        own=(group_of[contrast.baseline] == group) != (group_of[contrast.candidate] == group),
        whole=_result(contrast),
        without=None if other is None else _result(other),
        reason=reason if other is None else "",
    )


def _result(contrast: Contrast) -> ReuseResult:
    margin = None if contrast.equivalence is None else contrast.equivalence.holds
    difference = contrast.difference.value
    finite = difference if difference is not None and math.isfinite(difference) else None
    return ReuseResult(finite, contrast.p_value, contrast.direction, contrast.difference.method, margin)
