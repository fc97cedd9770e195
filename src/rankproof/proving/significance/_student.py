"""Student's distribution for many sets of differences at once: what the methods that rest on it share."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.sampling import Sampling
from rankproof.proving.significance._skewness import stretched, without_tail
from rankproof.proving.significance.contract import SAME, Differences, SignificanceRequest, not_estimable_rows


def by_columns(
    differences: Differences,
    question: SignificanceRequest,
    name: str,
    most: NDArray[np.float64],
    skewness: NDArray[np.float64] | None = None,
) -> list[Answer]:
    """Every column against Student's distribution, under a method's name.

    Each has its own degrees of freedom, `most` at most: fewer where the queries are no simple random sample. With the
    `skewness` of each mean, bounds on the side of the longer tail reach further (`_skewness.py`).
    """
    from scipy.special import stdtr, stdtrit  # imported here: only tests need scipy

    n = len(differences)
    rows = np.ascontiguousarray(differences.T)  # summed in one order, whatever stands beside a column
    answers: list[Answer | None] = [*not_estimable_rows(rows, name)]
    sampling = question.sampling
    if n > 1 and sampling is not None and (why := sampling.why_no_error):
        means = (sampling.mean(row) for row in rows)
        return [answer or NotEstimable(why, name, n, mean) for answer, mean in zip(answers, means, strict=True)]
    if n < 2:
        return [answer for answer in answers if answer is not None]
    sure = np.array([i for i, answer in enumerate(answers) if answer is None], dtype=np.int64)
    degrees = most[sure]
    leaning = np.zeros(len(sure)) if skewness is None else skewness[sure]
    notes: list[tuple[str, ...]] = [()] * len(sure)
    if sampling is None:
        mean = rows.mean(axis=1)[sure]
        error = rows.std(axis=1, ddof=1)[sure] / math.sqrt(n)
        if question.repeated and (few := few_note("units", n - 1.0, question.alternative != "two-sided")):
            notes = [(few,)] * len(sure)
    else:
        sampled = sampling.means(differences[:, sure])
        mean, error, degrees = sampled.mean, sampled.error, np.minimum(degrees, sampled.degrees)
        one_sided = question.alternative != "two-sided"
        told = zip(sampled.effect.tolist(), sampled.alike.tolist(), sampled.degrees.tolist(), strict=True)
        notes = [(design_note(sampling, effect, alike, df, one_sided),) for effect, alike, df in told]
        still = error <= SAME * np.abs(rows[sure]).max(axis=1, initial=0.0)
        for i, value in zip(sure[still].tolist(), mean[still].tolist(), strict=True):
            reason = f"within strata every {sampling.noun} differs by the same: nothing says what chance can do"
            answers[i] = NotEstimable(reason, name, n, value)
        moving = ~still
        sure, mean, error, degrees = sure[moving], mean[moving], error[moving], degrees[moving]
        leaning = leaning[moving]
        notes = [note for note, moves in zip(notes, moving.tolist(), strict=True) if moves]
    tail = (1 - question.level) / (2 if question.alternative == "two-sided" else 1)
    t = (mean - question.null) / error
    below = above = -stdtrit(degrees, tail)
    p_greater, p_less = stdtr(degrees, -t), stdtr(degrees, t)
    if skewness is not None:
        # Few clusters that weigh much make few degrees of freedom, which is not added to what a tail asks for.
        own = most[sure]
        further = [stretched(-stdtrit(own, tail), long) for long in (-leaning, leaning)]
        below, above = (np.maximum(below, reach) for reach in further)
        p_greater = np.maximum(p_greater, stdtr(own, -without_tail(t, -leaning)))
        p_less = np.maximum(p_less, stdtr(own, -without_tail(-t, leaning)))
    low, high = mean - below * error, mean + above * error
    if question.alternative == "greater":
        p, high = p_greater, np.full(len(sure), math.inf)
    elif question.alternative == "less":
        p, low = p_less, np.full(len(sure), -math.inf)
    else:
        p = np.minimum(1.0, 2 * np.minimum(p_greater, p_less))
    columns = (column.tolist() for column in (sure, mean, low, high, p))
    for i, value, least, greatest, p_value, said in zip(*columns, notes, strict=True):
        answers[i] = Estimate(
            value, least, greatest, p_value, question.level, name, n,
            alternative=question.alternative, null=question.null, notes=said,
        )  # fmt: skip
    return [answer for answer in answers if answer is not None]


# How the note on what a design does to the number of queries begins.
DESIGN_EFFECT = "design effect"
# With fewer degrees of freedom an interval is told to be as long as it is for that reason.
FEW_DEGREES = 4.0
# With fewer degrees of freedom than so many clusters or units have, a one-sided bound and an interval err too often
# where few of them have a large loss, which many samples do not show (docs/statistics.md, section Units).
FEW_FOR_ONE_SIDE, FEW_FOR_BOTH = 50, 30


def design_note(
    sampling: Sampling, effect: float, alike: float = 0.0, degrees: float = math.inf, one_sided: bool = False
) -> str:
    """What the design effect means for the number of queries, and what bounds of few clusters rest on."""
    n, clusters = len(sampling), len(sampling.sizes)
    design = str(sampling)
    clustered = bool(sampling.columns.clusters)
    if clustered and clusters < n:
        design += f", intraclass correlation {alike:.2f}"
    parts = [f"{n} queries tell as much as {n / effect:.0f} drawn one by one"] if effect >= 1.0 else []
    if clustered and degrees < FEW_DEGREES:
        parts.append(f"t has {degrees:.1f} degrees of freedom")
    if few := few_note("clusters" if clustered else "queries", degrees, one_sided):
        parts.append(few)
    return f"{DESIGN_EFFECT} {effect:.2f} ({design})" + (f": {'; '.join(parts)}" if parts else "")


def few_note(what: str, degrees: float, one_sided: bool) -> str:
    """What bounds cannot promise with so few degrees of freedom, whatever the sample looks like; "" with enough.

    A sample that missed the tail looks as if there were none: the note does not depend on what was seen.

    >>> few_note("clusters", 24.0, one_sided=True)
    'fewer than 50 clusters: rare losses that none shows can make a one-sided bound err in 20 of 100 cases, not 5'
    >>> few_note("clusters", 49.0, one_sided=True)
    ''
    """
    least = FEW_FOR_ONE_SIDE if one_sided else FEW_FOR_BOTH
    if degrees >= least - 1:
        return ""
    end = "can make a one-sided bound err in 20 of 100 cases, not 5"
    if not one_sided:
        end = "can leave an interval that holds in 83 of 100 cases, not 95"
    return f"fewer than {least} {what}: rare losses that none shows {end}"
