"""Doubly robust: what a model of rewards foretells for the new system, corrected by weighted errors on the log.

A page is worth what the model foretells for all that the new system would show on it, plus the sum of weight times what
the model was wrong by on what was logged. Where the propensities are right, any model will do: a poor one costs
precision only. Where the model is right, the propensities may be wrong. With a fair model the interval is narrower than
without one.

The model here is the mean reward of a decision (of a pair, the clicks over the looks it got), pulled towards the mean
of all by a few made-up observations, and learned from other pages than those it is used on: pages are dealt into folds
by session or page, so that what it knows of a page does not come from that page.

needs: true propensities above 0, or a true model, where the new system would go
clip: where the model is right, no bias; elsewhere at most the mean weight cut off times the greatest error of the model
source: Dudik, Langford and Li, Doubly robust policy evaluation and learning, ICML 2011; folds: Chernozhukov and others,
    Double/debiased machine learning for treatment and structural parameters, Econometrics Journal 21, 2018

Four pages; the new system would always show what the first and the third page showed, which the log did with
probabilities 1/2 and 1/4. Rewards 1, 0, 1, 1. A model that says 1/2 of everything: 1/2 + (2 x 1/2 + 4 x 1/2) / 4.

>>> from rankproof.testing.statistics import logged_decisions, valued
>>> log = logged_decisions(propensities=[0.5, 0.5, 0.25, 0.75], rewards=[1, 0, 1, 1], new=[1, 0, 1, 0], believed=0.5)
>>> valued("dr", log)
1.25
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.online.counterfactual.records import Decisions, Influence
from rankproof.online.estimators.contract import Estimator, with_clip


def estimate(decisions: Decisions, values: Mapping[str, float | None]) -> Influence:
    """The mean over pages of what is believed and what corrects it."""
    clipped = with_clip(decisions, values)
    if clipped.believed is None:
        raise ValueError("a doubly robust estimate needs a model of rewards")
    worth = clipped.believed.of_pages + clipped.by_page(clipped.weights * (clipped.rewards - clipped.believed.rewards))
    value = float(worth.mean())
    return Influence(value, worth - value)


OFFERS = (Estimator(name="dr", page=__doc__, estimate=estimate, believes=True),)
