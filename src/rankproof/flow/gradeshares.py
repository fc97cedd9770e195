"""Grade shares: what the first k documents of each system are made of, by the measure GradeShare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.flow.measuring import measure_run
from rankproof.flow.prepared import PreparedRun
from rankproof.measures._contract import Variant
from rankproof.measures._text import parse
from rankproof.records.gradeshares import NOT_RETURNED, UNJUDGED, GradeShares
from rankproof.records.settings import DEFAULT_SETTINGS, Settings

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
    asked = parse([f"GradeShare(grade={part})@{k}" for part in (*grades, UNJUDGED)])
    shares = []
    for run in runs.values():
        found = measure_run(run, asked, settings)
        row = [found[variant.text].mean for variant in asked]
        shares.append((*row, max(0.0, 1.0 - sum(row))))
    return GradeShares(k, tuple(runs), (*grades, UNJUDGED, NOT_RETURNED), tuple(shares))
