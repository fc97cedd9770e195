"""Equivalence: two one-sided tests against a margin (Schuirmann 1987), by the method of the comparison."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.records.comparison import Equivalence
from rankproof.records.design import Design
from rankproof.records.estimate import Alternative, Estimate
from rankproof.significance._contract import Question, Significance


def equivalence(
    differences: NDArray[np.float64],
    better: str,
    method: Significance,
    design: Design,
    chance: np.random.Generator,
) -> Equivalence | None:
    """Whether the mean difference lies within the margin; None where the method can say nothing.

    Each one-sided test is made at 1 - level: both must reject, so no correction is needed between them, and
    the interval that matches is the one at 1 - 2 (1 - level).
    """

    assert design.margin is not None  # whoever asks has one
    kind, margin = design.margin

    def one_sided(null: float, alternative: Alternative) -> Estimate | None:
        question = Question(design.confidence, alternative, null, design.resamples)
        answer = method.infer(differences, question, chance)
        return answer if isinstance(answer, Estimate) else None

    not_lower = one_sided(-margin, "greater")
    not_higher = one_sided(margin, "less")
    if not_lower is None or not_higher is None:
        return None
    alpha = 1 - design.confidence
    if kind == "equivalence":
        p = max(not_lower.p_value, not_higher.p_value)
        return Equivalence(kind, margin, p <= alpha, p, not_lower.low, not_higher.high)
    # Not worse by the margin: which side is worse, the measure says.
    matters = not_higher if better == "lower" else not_lower
    return Equivalence(kind, margin, matters.p_value <= alpha, matters.p_value, matters.low, matters.high)
