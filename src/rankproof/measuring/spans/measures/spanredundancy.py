"""Span redundancy: the share of the retrieved text that had been retrieved before.

Text up to the cutoff less the different text in it, over the text: what a model reads again. Chunks that overlap, and
one passage retrieved twice, raise it. Lower is better.

range: 0 to 1
undefined: nothing was retrieved; left out of the mean
source: what Smith and Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024, count
    twice in the text that was retrieved

Chunks 0 to 20 and 10 to 30 share 10 of the 40 that are read:

>>> from rankproof.testing import spanned
>>> spanned("SpanRedundancy@2", gold=[(0, 15)], chunks=[(0, 20), (10, 30)])
0.25
"""

from __future__ import annotations

from rankproof.measuring.spans.coverage import ReadText
from rankproof.measuring.spans.measures.contract import WHOLE, Mask, SpanMeasure, SpanVariant, Values, ratio


def redundancy(read: ReadText, variant: SpanVariant) -> Values:
    """What was read before, over what was read."""
    return ratio(read.units - read.distinct, read.units)


def nothing_read(read: ReadText, variant: SpanVariant) -> Mask:
    """No text was retrieved."""
    none: Mask = read.units == 0
    return none


OFFERS = (
    SpanMeasure(
        name="SpanRedundancy",
        page=__doc__,
        compute=redundancy,
        params=(WHOLE,),
        undefined=nothing_read,
        better="lower",
        spellings=("span_redundancy",),
    ),
)
