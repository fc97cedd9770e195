"""No correction: every p-value and interval stands by itself.

Of twenty tests of systems that are all alike, one is expected below 0.05. Right for a single comparison that was
planned as such.

controls: nothing over the family
source: Carterette, Multiple testing in statistical analysis of systems-based information retrieval experiments, TOIS
30(1), 2012, on what it costs

>>> from rankproof.testing.statistics import adjusted, family
>>> adjusted("none", family([0.01, 0.04, 0.03]))
[0.01, 0.04, 0.03]
"""

from __future__ import annotations

import numpy as np

from rankproof.proving.corrections._family import made, percent
from rankproof.proving.corrections.contract import Correction, Tests
from rankproof.proving.records import Adjusted


def adjust(tests: Tests, rng: np.random.Generator) -> list[Adjusted | None]:
    """The plain answers."""
    kind, estimates = f"{percent(tests.level)} each, by itself", made(tests)
    return [
        Adjusted(estimates[i].p_value, estimates[i].low, estimates[i].high, kind) if i in estimates else None
        for i in range(len(tests.answers))
    ]


OFFERS = (Correction(name="none", page=__doc__, adjust=adjust, controls="nothing"),)
