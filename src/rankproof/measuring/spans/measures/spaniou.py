"""Intersection over union of the retrieved text and the gold, in characters or tokens.

Gold that was retrieved, over gold and retrieved text together: it falls with gold that is missed and with text that is
read in vain. Text that two chunks hold counts twice in what was retrieved, as in the source; with `repeats=once` the
value is the Jaccard index of two sets of characters.

range: 0 to 1
undefined: the query has no gold span; left out of the mean
source: Smith and Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024

Gold 0 to 15; chunks 0 to 20 and 10 to 30: 15 in common, 15 + 40 - 15 in all, or 15 + 30 - 15.

>>> from rankproof.testing import spanned
>>> spanned("SpanIoU@2", gold=[(0, 15)], chunks=[(0, 20), (10, 30)])
0.375
>>> spanned("SpanIoU(repeats=once)@2", gold=[(0, 15)], chunks=[(0, 20), (10, 30)])
0.5
>>> spanned("SpanIoU@2", gold=[(0, 15), (40, 50)], chunks=[(0, 20), (10, 30)])
0.3
"""

from __future__ import annotations

from rankproof.measuring.spans.coverage import ReadText
from rankproof.measuring.spans.measures.contract import GRADE, REPEATS, WHOLE, SpanMeasure, SpanVariant, Values, ratio


def intersection_over_union(read: ReadText, variant: SpanVariant) -> Values:
    """Gold that was read, over gold and all that was read."""
    units = read.distinct if variant["repeats"] == "once" else read.units
    return ratio(read.covered, read.gold + units - read.covered)


OFFERS = (
    SpanMeasure(
        name="SpanIoU",
        page=__doc__,
        compute=intersection_over_union,
        params=(GRADE, REPEATS, WHOLE),
        spellings=("span_iou", "token_iou"),
    ),
)
