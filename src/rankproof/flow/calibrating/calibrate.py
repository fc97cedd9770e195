"""Calibrate: one or more judges against people's grades on an anchor set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.flow.agreement.gathering import Grades, ratings_of
from rankproof.flow.agreement.judges import LEVEL, two
from rankproof.flow.calibrating.ordering import order_of_systems, values_of
from rankproof.flow.calibrating.repeating import stability
from rankproof.measures._text import parse
from rankproof.records.calibration import Calibration, JudgeCalibration

HUMAN = "human"


def calibrate(
    human: Grades,
    judges: Mapping[str, Sequence[Grades]],
    *,
    name: str = HUMAN,
    runs: Mapping[str, Any] | None = None,
    measures: str | Sequence[str] = "nDCG@10",
    relevant: int | None = None,
    model_relevant: int | None = None,
    level: float = LEVEL,
    resamples: int = 2_000,
    seed: int = 0,
) -> Calibration:
    """Each judge's grades against people's; the first pass of a judge that gave several is its word.

    runs       systems whose order is compared under both sets of grades, as `evaluate` takes them
    relevant   people's least grade that counts as relevant: grades become relevant or not before they are compared
    model_relevant   the judge's, where its scale is another
    """
    if model_relevant is not None and relevant is None:
        raise UsageError("The judge's least relevant grade says nothing without people's. Say both.")
    sets = {}
    for judge, passes in judges.items():
        if not passes:
            raise UsageError(f"The judge {judge!r} has no grades. Give its qrels.")
        common = {q: {d: g for d, g in docs.items() if d in passes[0].get(q, {})} for q, docs in human.items()}
        if not any(common.values()):
            raise InputError(
                f"{judge}: none of its pairs of query and document has a grade in {name}. "
                "Give grades of the same queries and documents."
            )
        sets[judge] = {q: docs for q, docs in common.items() if docs}
    threshold = None if relevant is None else (relevant, relevant if model_relevant is None else model_relevant)
    variants = parse(measures) if runs else ()
    found = []
    for judge, passes in judges.items():
        common = sets[judge]
        theirs = {q: {d: passes[0][q][d] for d in docs} for q, docs in common.items()}
        people = common
        if threshold is not None:
            people, theirs = relevant_or_not(common, threshold[0]), relevant_or_not(theirs, threshold[1])
        called = judge if judge != HUMAN else f"{judge} (judge)"
        ratings = ratings_of({HUMAN: people, called: theirs}, common=True)
        orders = []
        for variant in variants:
            here = {system: values_of(people, run, variant) for system, run in (runs or {}).items()}
            there = {system: values_of(theirs, run, variant) for system, run in (runs or {}).items()}
            orders.append(order_of_systems(str(variant), here, there, variant.measure.better, level, resamples, seed))
        found.append(
            JudgeCalibration(
                judge,
                two(ratings, HUMAN, called, level),
                sum(map(len, human.values())) - sum(map(len, common.values())),
                threshold,
                stability(passes, level) if len(passes) > 1 else None,
                tuple(orders),
            )
        )
    return Calibration(name, sum(map(len, human.values())), len(human), level, tuple(found))


def relevant_or_not(grades: Grades, least: int) -> dict[str, dict[str, int]]:
    """1 from the least relevant grade on, 0 below."""
    return {q: {d: int(g >= least) for d, g in docs.items()} for q, docs in grades.items()}
