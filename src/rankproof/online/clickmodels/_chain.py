"""Models in which users read from the top and stop at some point: what follows from attraction and going on.

At an examined rank a user clicks with the attractiveness of the document. Without a click the user goes on to the next
rank; after a click with the probability that the model gives (cascade: never; dependent click: by rank; dynamic
Bayesian: unless the document satisfied). Both arrays are pages x ranks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.online.clickmodels.contract import Floats


def examined(attraction: Floats, goes_on: Floats) -> Floats:
    """The probability that each rank is looked at, before anything is clicked."""
    steps = 1 - attraction[:, :-1] * (1 - goes_on[:, :-1])
    probabilities = np.ones_like(attraction)
    probabilities[:, 1:] = np.cumprod(steps, axis=1)
    return probabilities


def examined_given(attraction: Floats, goes_on: Floats, clicks: NDArray[np.bool_]) -> Floats:
    """The probability that each rank is looked at, given the clicks at the ranks above it."""
    probabilities = np.ones_like(attraction)
    for rank in range(1, attraction.shape[1]):
        before, drawn = probabilities[:, rank - 1], attraction[:, rank - 1]
        # Bayes: a rank without a click was passed over, or not reached.
        click = before * drawn
        with np.errstate(invalid="ignore"):
            reached = np.where(click < 1, (before - click) / (1 - click), 0.0)
        probabilities[:, rank] = np.where(clicks[:, rank - 1], goes_on[:, rank - 1], reached)
    return probabilities
