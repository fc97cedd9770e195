"""Inverse propensity scoring: each logged reward counts by how much more the new system would have earned it.

A page is worth the sum of weight times reward over what was decided on it; the estimate is the mean over pages. A
weight is the new system's probability of a decision over the logged one's, or the examination of a document's new rank
over that of its logged rank (and over the share of pages that show it, where not all do). It needs no model and is
right on average as long as the propensities are right and the log shows all that the new system would show. Its error
grows with the largest weights.

needs: true propensities, above 0 wherever the new system would go
clip: a weight above the limit counts as the limit, which makes the estimate too low: by no more than the mean weight
    cut off times the greatest reward
source: Horvitz and Thompson, A generalization of sampling without replacement from a finite universe, Journal of the
    American Statistical Association 47, 1952; for rankings and examination: Joachims, Swaminathan and Schnabel,
    Unbiased learning-to-rank with biased feedback, WSDM 2017

Four pages; the new system would always show what the first and the third page showed, which the log did with
probabilities 1/2 and 1/4. Rewards 1, 0, 1, 1: (2 x 1 + 4 x 1) / 4.

>>> from rankproof.testing.statistics import logged_decisions, valued
>>> log = logged_decisions(propensities=[0.5, 0.5, 0.25, 0.75], rewards=[1, 0, 1, 1], new=[1, 0, 1, 0])
>>> valued("ips", log)
1.5

No weight above 2:

>>> valued("ips(clip=2)", log)
1.0
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.online.counterfactual.records import Decisions, Influence
from rankproof.online.estimators.contract import Estimator, with_clip


def estimate(decisions: Decisions, values: Mapping[str, float | None]) -> Influence:
    """The mean over pages of weighted rewards."""
    clipped = with_clip(decisions, values)
    worth = clipped.by_page(clipped.weights * clipped.rewards)
    value = float(worth.mean())
    return Influence(value, worth - value)


OFFERS = (Estimator(name="ips", page=__doc__, estimate=estimate),)
