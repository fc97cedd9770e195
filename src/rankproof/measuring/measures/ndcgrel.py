"""nDCG averaged over the ranks of the relevant documents.

nDCG at the rank of each retrieved document with a gain above 0, each cut there; a document with a gain that was not
retrieved counts with the nDCG of the whole ranking. The mean over all documents with a gain: G of them, and G_n
retrieved.

range: 0 to 1
undefined: no judged document of the query has a gain above 0; counts as 0
source: Buckley, trec_eval's ndcg_rel (experimental there)

One relevant document, at rank 2: 1/log2(3) over 1; then of two relevant documents the second is never found, and both
count with (1/log2(3)) / (1 + 1/log2(3)):

>>> from rankproof.testing import value
>>> value("nDCGrel", ranking=[0, 1])
0.6309
>>> value("nDCGrel", ranking=[0, 1], pool=[1, 1, 0])
0.3869
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring import gain as d
from rankproof.measuring.gain import gain_of
from rankproof.measuring.judged_table import JudgedTable, share
from rankproof.measuring.measures._running import running_ideal, running_sum
from rankproof.measuring.measures.contract import Measure, Values, Variant
from rankproof.measuring.measures.g import fine_print, undefined
from rankproof.measuring.measures.ndcg import GAIN


def ndcg_at_relevant(table: JudgedTable, variant: Variant) -> Values:
    """nDCG at each relevant rank, averaged."""
    gain, pool = variant["gain"], table.pool
    worth = gain_of(table.grade, gain)
    hit = worth > 0
    best = d.best_gains(pool, gain)
    ideal = running_ideal(pool, best / d.discount(pool.position, "log2"))
    last = pool.start[:-1][table.query] + np.minimum(table.rank, pool.size[table.query]) - 1
    so_far = running_sum(table, worth / d.discount(table.rank, "log2"))
    at_hits = table.sum(np.divide(so_far, ideal[last], out=np.zeros(len(hit)), where=hit))
    whole = share(d.dcg(table, None, gain, 0, "log2"), d.ideal_dcg(pool, None, gain, 0, "log2"))
    relevant = pool.count(best > 0)
    total = at_hits + (relevant - table.count(hit)) * whole
    return share(np.maximum(total, 0.0), relevant)


OFFERS = (
    Measure(
        name="nDCGrel",
        page=__doc__,
        formula=(
            r"\mathrm{nDCGrel} = \frac{1}{G} \left( \sum_{i \,:\, \mathrm{gain}(g_i) > 0} \mathrm{nDCG@}i + "
            r"(G - G_n) \, \mathrm{nDCG} \right)"
        ),
        compute=ndcg_at_relevant,
        params=(GAIN,),
        cutoff="none",
        undefined=undefined,
        fine_print=fine_print,
        prefers="nothing known",
        spellings=("ndcgrel",),
    ),
)
