"""Name of the run, as trec_eval prints it; the number is of the queries that the run answers.

A text and not a measure of quality: trec_eval lists `runid` among its measures, and `--format trec` prints the tag of
the run in its place. The value is 1 for each scored query that the run answers, and 0 for one that it lacks. All
queries together are the sum.

range: 0 to 1
undefined: never; a query missing from the run has 0
source: trec_eval's runid

>>> from rankproof.testing import value
>>> value("RunID", ranking=[1, 0])
1.0
"""

from __future__ import annotations

import numpy as np

from rankproof.measuring.dependence import fixed
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Measure, Values, Variant, never


def answered(table: JudgedTable, variant: Variant) -> Values:
    """1 where the run has the query."""
    return table.in_run.astype(np.float64)


OFFERS = (
    Measure(
        name="RunID",
        page=__doc__,
        compute=answered,
        cutoff="none",
        undefined=never,
        aggregate="sum",
        better="neither",
        whole=True,
        expected=answered,  # no order changes a set
        depends=fixed("counts queries"),
    ),
)
