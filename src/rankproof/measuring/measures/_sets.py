"""Counts of an unranked set: what measures of the whole list, without ranks, are made from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.measures.contract import Values


def share(part: NDArray[Any], whole: NDArray[Any]) -> Values:
    """A part over its whole, by query; 0 where there is no whole."""
    found: Values = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return found
