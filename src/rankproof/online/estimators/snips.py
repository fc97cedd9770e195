"""Self-normalized: inverse propensity scoring divided by what the weights came to, instead of what they should come to.

Weights sum to the number of pages only on average. Dividing by their sum takes that chance out of the estimate, which
then stays between the least and the greatest reward and is most often nearer to the truth. Decisions are normalized in
groups: all of them together where a list or another action was chosen, those of one rank where a document was placed.
Where documents are moved by examination, a group is a pair, and its clicks are divided by the looks that it got. The
estimate has a bias that vanishes as pages grow in number; its interval is by the delta method.

needs: true propensities, above 0 wherever the new system would go; what it never saw counts as the rest of its group
clip: also in the sum that is divided by; the bias this makes may have either sign
source: Swaminathan and Joachims, The self-normalized estimator for counterfactual learning, NIPS 2015

Four pages; the new system would always show what the first and the third page showed, which the log did with
probabilities 1/2 and 1/4. Rewards 1, 0, 0, 1: (2 x 1 + 4 x 0) / (2 + 4).

>>> from rankproof.testing.statistics import logged_decisions, valued
>>> log = logged_decisions(propensities=[0.5, 0.5, 0.25, 0.75], rewards=[1, 0, 0, 1], new=[1, 0, 1, 0])
>>> round(valued("snips", log), 6)
0.333333
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankproof.online.counterfactual.records import Decisions, Influence
from rankproof.online.estimators.contract import Estimator, with_clip


def estimate(decisions: Decisions, values: Mapping[str, float | None]) -> Influence:
    """What each page of the new system is worth by the ratios of its groups, in the mean."""
    clipped = with_clip(decisions, values)
    own = clipped.weights if clipped.norms is None else clipped.norms
    counted = own * clipped.rewards / clipped.looked
    groups, target = clipped.group_of[clipped.cells], clipped.target
    n_groups = int(clipped.group_of.max()) + 1
    norms = np.bincount(groups, own, n_groups)
    norms[norms <= 0] = 1.0  # a group that was never shown has no rewards either
    ratios = np.bincount(groups, counted, n_groups) / norms
    pages_of = clipped.pages_of_queries
    of_wanted = clipped.group_of[target.cells]
    worth = np.bincount(target.queries, target.amounts * ratios[of_wanted], len(pages_of))[clipped.queries]
    value = float(worth.mean())
    amounts = np.bincount(of_wanted, target.amounts * pages_of[target.queries], n_groups)
    pulls = (amounts / norms)[groups] * (counted - ratios[groups] * own)
    return Influence(value, worth - value + clipped.by_page(pulls))


OFFERS = (Estimator(name="snips", page=__doc__, estimate=estimate),)
