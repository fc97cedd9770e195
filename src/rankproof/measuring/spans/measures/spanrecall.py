"""Span recall: the share of the gold text that the retrieved chunks hold.

Characters (or tokens) of the gold that lie in some chunk up to the cutoff, over all of the gold. Each counts once,
however many chunks hold it. Gold spans that overlap are one range. At a cutoff of k chunks, chunks twice as long read
twice as much: compare chunkers at a budget of text, `SpanRecall@4000tokens`.

range: 0 to 1
undefined: the query has no gold span; left out of the mean
source: Smith and Troynikov, Evaluating chunking strategies for retrieval, Chroma technical report, 2024

Gold is 0 to 40 of one document. The first chunk holds 10 to 30 of it, the second 0 to 20: together 30 of 40.

>>> from rankproof.testing import spanned
>>> spanned("SpanRecall@2", gold=[(0, 40)], chunks=[(10, 30), (0, 20)])
0.75

With a budget of 25 characters the second chunk is cut after 5: 10 to 30 and 0 to 5; with `whole` it is left out.

>>> spanned("SpanRecall@25chars", gold=[(0, 40)], chunks=[(10, 30), (0, 20)])
0.625
>>> spanned("SpanRecall(whole=true)@25chars", gold=[(0, 40)], chunks=[(10, 30), (0, 20)])
0.5
"""

from __future__ import annotations

from rankproof.measuring.spans.coverage import ReadText
from rankproof.measuring.spans.measures.contract import SpanMeasure, SpanVariant, Values, ratio


def recall(read: ReadText, variant: SpanVariant) -> Values:
    """Gold that was read, over gold."""
    return ratio(read.covered, read.gold)


OFFERS = (SpanMeasure(name="SpanRecall", page=__doc__, compute=recall, spellings=("span_recall",)),)
