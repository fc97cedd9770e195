"""INST: the gain per document of a reader who came for T documents and adapts to what is found.

A reader goes on from rank i to the next with chance ((i + T + T_i - 1) / (i + T + T_i))^2, where T_i is T
minus the gain met so far: who came for more, or has found less, reads on. Rank i is then looked at with
chance W_i, the product of those chances above it, and the value is the sum of W_i x gain over the sum of
all W_i. Gain is grade / top grade. The sum of all W_i runs over endless ranks (it has a closed form);
`horizon=1000` ends it there, as cwl_eval and ir_measures do. Unjudged documents and all ranks after the
last have gain 0: the value is the lower end of the residual, inst_eval's `inst_min`.

range: 0 to 1
undefined: the query has no document with a grade above 0; counts as 0
source: Moffat, Bailey, Scholer and Thomas, INST: an adaptive metric for information retrieval evaluation,
    ADCS 2015; Bailey, Moffat, Scholer and Thomas, User variability and IR system evaluation, SIGIR 2015

One relevant document, at rank 1: W is 1, 1/4, 1/9, ..., whose sum is pi^2 / 6, so the value is 6 / pi^2:

>>> from rankproof.testing import value
>>> value("INST", ranking=[1])
0.6079
>>> value("INST(T=2)", ranking=[0, 1, 2])
0.1971
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import Number, Optional, Param, Whole
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._cascade import MAX_GRADE, say_top_grade, top_grade
from rankproof.measuring.measures.contract import Measure, Values, Variant
from rankproof.measuring.measures.err import nothing_graded

# At T = 0.5 and below, the probability of going on can pass through 0 and rise again: no reader does that.
GOAL = Param("T", Number(0.5, open_low=True), 1.0, "how many relevant documents the reader came for")
HORIZON = Param("horizon", Optional(Whole(1), "endless"), None, "the last rank that anyone looks at")


def inst(table: JudgedTable, variant: Variant) -> Values:
    """Gain per document looked at.

    Between two documents with a gain, T_i stays as it is and the product of probabilities telescopes: W_i = W_s
    ((s + a - 1) / (i + a - 1))^2 from rank s on, with a = T + T_i. So each stretch of ranks is one step,
    and its sum of W is W_s (s + a - 1)^2 times a difference of two trigamma values.
    """
    top = max(top_grade(table.pool, variant), 1)
    gain = np.clip(table.grade, 0, top) / top
    seen = gain > 0
    if variant["horizon"] is not None:
        seen &= table.rank <= variant["horizon"]
    rows = np.flatnonzero(seen)
    turn = table.running(seen)[rows]
    rows = rows[np.argsort(turn, kind="stable")]  # first gains of all queries, then second gains, ...
    probability, since, sought = np.ones(len(table)), np.ones(len(table)), np.full(len(table), 2.0 * variant["T"])
    looked, gained = np.zeros(len(table)), np.zeros(len(table))
    for part in np.split(rows, np.cumsum(np.bincount(turn)[1:])[:-1]):
        q, rank = table.query[part], table.rank[part]
        here, there = since[q] + sought[q] - 1.0, rank + sought[q] - 1.0
        looked[q] += probability[q] * here**2 * (trigamma(here) - trigamma(there))
        probability[q] *= (here / there) ** 2
        gained[q] += probability[q] * gain[part]
        sought[q] -= gain[part]
        since[q] = rank
    here = since + sought - 1.0
    left = trigamma(here)
    if variant["horizon"] is not None:
        left = left - trigamma(variant["horizon"] + sought)
    looked += probability * here**2 * left
    return gained / looked


def trigamma(x: NDArray[Any]) -> Values:
    """The sum of 1 / (x + n)^2 over n = 0, 1, 2, ..., for x > 0."""
    x = np.asarray(x, dtype=np.float64)
    total = np.zeros(x.shape)
    for _ in range(10):
        total += 1.0 / x**2
        x = x + 1.0
    # Abramowitz and Stegun, 6.4.12; the first term left out is below 1e-15 for x >= 10.
    y = 1.0 / x**2
    series = 1 / 6 - y * (1 / 30 - y * (1 / 42 - y * (1 / 30 - y * (5 / 66 - y * 691 / 2730))))
    total += 1.0 / x + y / 2.0 + y / x * series
    return total


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """T, the top grade and what unjudged documents count as."""
    return f"T={variant['T']:g}, {say_top_grade(table, variant)}, unjudged has gain 0"


OFFERS = (
    Measure(
        name="INST",
        page=__doc__,
        formula=(
            r"\mathrm{INST} = \frac{\sum_{i} W_i \, g_i / g_{\max}}{\sum_{i} W_i}, \qquad W_{i+1} = W_i "
            r"\left( \frac{i + T + T_i - 1}{i + T + T_i} \right)^2, \quad W_1 = 1, \quad T_i = T - "
            r"\sum_{j=1}^{i} \frac{g_j}{g_{\max}}"
        ),
        compute=inst,
        params=(GOAL, MAX_GRADE, HORIZON),
        cutoff="none",
        undefined=nothing_graded,
        fine_print=fine_print,
        prefers="nothing known",
        spellings=("inst",),
    ),
)
