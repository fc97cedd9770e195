"""G: each document's gain counts the less, the further the ranking has fallen behind the ideal one.

A document at rank i adds gain / log2(2 + c - s), where s is the gain of the first i documents and c the sum over the
first i ideal documents of their gain, or of 1 where that is more. The sum, over the gain of all ideal documents.

range: 0 to 1
undefined: no judged document of the query has a gain above 0; counts as 0
source: Buckley, trec_eval's G, 2008 (experimental there)

Grades 0, 2 with an ideal of 2: at rank 2, c is 2 + 1 and s is 2, so 2 / log2(3) over 2:

>>> from rankproof.testing import value
>>> value("G", ranking=[0, 2])
0.6309
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring import gain as d
from rankproof.measuring.gain import describe_gain, gain_of
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures._running import running_ideal, running_sum
from rankproof.measuring.measures.contract import Mask, Measure, Values, Variant
from rankproof.measuring.measures.ndcg import GAIN


def graded_g(table: JudgedTable, variant: Variant) -> Values:
    """Gains discounted by how far behind, over the ideal gain."""
    gain, pool = variant["gain"], table.pool
    worth = gain_of(table.grade, gain)
    best = d.best_gains(pool, gain)
    # Every ideal place costs at least 1: what it costs beyond that runs out with the pool.
    extra = running_ideal(pool, np.maximum(best - 1.0, 0.0))
    last = pool.start[:-1][table.query] + np.minimum(table.rank, pool.size[table.query]) - 1
    behind = table.rank + extra[last] - running_sum(table, worth)
    return share(table.sum(worth / np.log2(2.0 + behind)), pool.sum(best))


def undefined(table: JudgedTable, variant: Variant) -> Mask:
    """Nothing in the pool is worth anything."""
    return table.pool.sum(d.best_gains(table.pool, variant["gain"])) <= 0


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """Gain in words."""
    return describe_gain(variant["gain"])


OFFERS = (
    Measure(
        name="G",
        page=__doc__,
        formula=(
            r"\mathrm{G} = \frac{\sum_{i=1}^{n} \mathrm{gain}(g_i) / \log_2 (2 + c_i - s_i)}{\sum_{i} "
            r"\mathrm{gain}(g^*_i)}, \qquad c_i = \sum_{j=1}^{i} \max(1, \mathrm{gain}(g^*_j)), \quad s_i = "
            r"\sum_{j=1}^{i} \mathrm{gain}(g_j)"
        ),
        compute=graded_g,
        params=(GAIN,),
        cutoff="none",
        undefined=undefined,
        fine_print=fine_print,
        prefers="nothing known",
    ),
)
