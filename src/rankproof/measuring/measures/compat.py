"""Compatibility: how far the ranking overlaps with the ideal ranking that it is nearest to.

The ideal ranking has the documents with a grade above 0 by descending grade; among equal grades it takes
the order of the run, and those that the run lacks last: of all ideal rankings the one nearest to the run.
The value is the rank-biased overlap of run and ideal, the sum over depths d of p^(d-1) x (documents both
have in their first d, A_d and I_d) / d, over the same sum for the ideal with itself. Both sums go to the greater of the
two lengths.

range: 0 to 1
undefined: the query has no document with a grade above 0; counts as 0
source: Clarke, Vtyurina and Smucker, Assessing top-k preferences, TOIS 39(3), 2021

Run 0, 1 against the ideal 1, with p = 0.5: they share nothing to depth 1 and 1 of 2 at depth 2:
0.5 x 1/2 against 1 + 0.5 x 1/2:

>>> from rankproof.testing import value
>>> value("Compat(p=0.5)", ranking=[0, 1])
0.2
>>> value("Compat", ranking=[1, 3, None, 2])
0.492
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure, Values, Variant
from rankproof.measuring.measures.err import nothing_graded

PATIENCE = Param("p", Number(0, 1, open_low=True, open_high=True), 0.95, "the chance of going on to the next rank")


def ideal_position(table: JudgedTable) -> Values:
    """For each row with a grade above 0, its place in the ideal ranking nearest to the run; else 0."""
    place = np.zeros(len(table.rank))
    for level in np.unique(table.grade[table.grade > 0]):
        here = table.grade == level
        better = table.pool.relevant(int(level) + 1)[table.query]
        place = np.where(here, better + table.running(here), place)
    return place


def compatibility(table: JudgedTable, variant: Variant) -> Values:
    """Overlap with the ideal, over the ideal's overlap with itself."""
    size = table.pool.relevant(1)
    depth = np.maximum(table.retrieved, size)
    d = np.arange(1.0, 1.0 + int(depth.max(initial=0)))
    upto = np.concatenate(([0.0], np.cumsum(np.power(variant["p"], d - 1.0) / d)))
    # A document that both have at rank m or better is in the overlap at every depth from m on.
    is_relevant = table.grade > 0
    met = np.maximum(table.rank, ideal_position(table).astype(np.int64))
    overlap = table.sum(np.where(is_relevant, upto[depth][table.query] - upto[met - 1], 0.0))
    itself = size * upto[depth] - np.concatenate(([0.0], np.cumsum(upto)))[size]
    return np.divide(overlap, itself, out=np.zeros(len(table)), where=size > 0)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The patience."""
    return f"patience p={variant['p']:g}, over the ideal's overlap with itself"


OFFERS = (
    Measure(
        name="Compat",
        page=__doc__,
        formula=(
            r"\mathrm{Compat} = \frac{\sum_{d=1}^{m} p^{d-1} \, |A_d \cap I_d| / d}{\sum_{d=1}^{m} p^{d-1} "
            r"\, |I_d| / d}"
        ),
        compute=compatibility,
        params=(PATIENCE,),
        cutoff="none",
        undefined=nothing_graded,
        fine_print=fine_print,
        spellings=("compat", "compatibility"),
    ),
)
