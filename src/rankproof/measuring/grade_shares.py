"""Grade shares: how much of each system's first k documents has which grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import DEFAULT_SETTINGS, Settings

UNJUDGED = "unjudged"
NOT_RETURNED = "not returned"


@dataclass(frozen=True, slots=True)
class GradeShares:
    """Shares of the first `depth` ranks, mean over queries. The shares of one system add up to 1.

    parts    the grades of the qrels, greatest first, then "unjudged" and "not returned"
    shares   one row per system, in the order of `systems`; columns as `parts`
    """

    depth: int
    systems: tuple[str, ...]
    parts: tuple[int | str, ...]
    shares: tuple[tuple[float, ...], ...]


# How deep to look where no measure has a cutoff: what a person sees on a first page.
USUAL_DEPTH = 10
# Kinds of cutoff that are a rank; the others are a share or a grade.
RANKS = ("optional", "required")
# Judgments on a scale with more steps are marks, not grades: a bar of that many parts shows nothing.
MOST_GRADES = 20


def grade_shares(
    runs: Mapping[str, PreparedRun],
    variants: Sequence[Variant] = (),
    settings: Settings = DEFAULT_SETTINGS,
    depth: int | None = None,
) -> GradeShares | None:
    """Shares of every grade in the first `depth`; None where the qrels have no grade, or too many for a picture.

    Without `depth`: the cutoff of the first measure that has one.
    """
    grades = sorted({int(grade) for run in runs.values() for grade in np.unique(run.qrels.pool.grade)}, reverse=True)
    if not 0 < len(grades) <= MOST_GRADES:
        return None
    k = depth or next((v.k for v in variants if v.k is not None and v.measure.cutoff in RANKS), USUAL_DEPTH)
    grade_variants = parse([f"GradeShare(grade={part})@{k}" for part in (*grades, UNJUDGED)])
    shares = []
    for run in runs.values():
        results = measure_run(run, grade_variants, settings)
        row = [results[variant.text].mean for variant in grade_variants]
        shares.append((*row, max(0.0, 1.0 - sum(row))))
    return GradeShares(k, tuple(runs), (*grades, UNJUDGED, NOT_RETURNED), tuple(shares))
