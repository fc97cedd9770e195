"""Span precision: the share of the retrieved text that is gold.

Gold characters (or tokens) in the chunks up to the cutoff, each once, over all that was retrieved. Text that two chunks
hold counts twice in what was retrieved, since a model reads it twice; `repeats=once` counts it once. A query with gold
for which nothing was retrieved has 0: who finds nothing is not precise.

range: 0 to 1
undefined: the query has no gold span; left out of the mean
source: Smith and Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024

Chunks 0 to 20 and 10 to 30 hold the gold 0 to 15, and 10 to 20 is read twice: 15 of 40, or of 30 different ones.

>>> from rankproof.testing import spanned
>>> spanned("SpanPrecision@2", gold=[(0, 15)], chunks=[(0, 20), (10, 30)])
0.375
>>> spanned("SpanPrecision(repeats=once)@2", gold=[(0, 15)], chunks=[(0, 20), (10, 30)])
0.5
"""

from __future__ import annotations

from rankproof.measuring.spans.coverage import ReadText
from rankproof.measuring.spans.measures.contract import GRADE, REPEATS, WHOLE, SpanMeasure, SpanVariant, Values, ratio


def precision(read: ReadText, variant: SpanVariant) -> Values:
    """Gold that was read, over all that was read."""
    return ratio(read.covered, read.distinct if variant["repeats"] == "once" else read.units)


OFFERS = (
    SpanMeasure(
        name="SpanPrecision",
        page=__doc__,
        compute=precision,
        params=(GRADE, REPEATS, WHOLE),
        spellings=("span_precision",),
    ),
)
