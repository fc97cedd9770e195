"""Grading: what a click model learned about each pair as a grade, with a count and a confidence.

The value of a pair is the chance that it is clicked when it stands at rank 1: attractiveness times the examination of
rank 1, which models fix between them where they fix neither alone. The grade is how many of the stated limits the value
reaches. The confidence is the probability of that grade under a Beta distribution whose mode is the value and whose
weight is the looks that the pair got, in looks at rank 1. It leaves out that examination itself is an estimate, and
means nothing where the model is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.clickmodels._contract import Fitted, per_pair
from rankproof.errors import UsageError
from rankproof.flow.clicks.examination import mean_examination
from rankproof.records.impressions import Impressions

LIMITS = (0.1, 0.3, 0.5)


@dataclass(frozen=True, slots=True)
class Graded:
    """A pair with its grade.

    value       the chance of a click at rank 1
    confidence  the probability that this is the grade, from 0 to 1
    showings    on how many pages it stood
    clicks      on how many of them it was clicked
    looks       how often it was looked at, by the model, in looks at rank 1
    """

    query_id: str
    doc_id: str
    grade: int
    value: float
    confidence: float
    showings: int
    clicks: int
    looks: float


def graded(fitted: Fitted, pages: Impressions, limits: Sequence[float] = LIMITS, least: int = 1) -> tuple[Graded, ...]:
    """The pairs that these pages showed `least` times or more, in the order of queries and documents as read."""
    from scipy.special import betainc  # here: loading scipy is for those who grade

    edges = np.array([0.0, *limits, 1.0])
    if not (np.diff(edges) > 0).all():
        raise UsageError(f"Limits of grades must rise, between 0 and 1; got {', '.join(map(str, limits))}.")
    if least < 1:
        raise UsageError(f"A pair that was never shown has no grade: least must be 1 or more; got {least}.")
    top = mean_examination(fitted, pages)
    first = 1.0 if top is None else float(top[0])
    examined = fitted.examination(pages)
    looked = np.ones(pages.shown.shape) if examined is None else examined / (first or 1.0)
    looks = np.bincount(pages.shown[pages.there], looked[pages.there], len(pages.pairs))
    values = fitted.attractiveness * first
    grades = np.searchsorted(edges[1:-1], values, side="right")
    a, b = 1 + values * looks, 1 + (1 - values) * looks
    sure = betainc(a, b, edges[grades + 1]) - betainc(a, b, edges[grades])
    showings, clicks = per_pair(pages, pages.there), per_pair(pages, pages.clicks)
    return tuple(
        Graded(
            *pages.pairs.named(pair),
            int(grades[pair]),
            float(values[pair]),
            float(sure[pair]),
            int(showings[pair]),
            int(clicks[pair]),
            float(looks[pair]),
        )
        for pair in np.flatnonzero(showings >= least).tolist()
    )
