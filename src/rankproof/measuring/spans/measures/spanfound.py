"""Spans found: the share of the gold spans of which enough was retrieved.

A gold span is found when the chunks up to the cutoff, all together, hold at least the share `overlap` of it. Half is a
convention, and a verdict that depends on it is no verdict: `rankproof.spans.threshold_sensitivity` compares at several.
Gold spans that overlap are one.

range: 0 to 1
undefined: the query has no gold span; left out of the mean
source: recall of spans at an overlap threshold; the chunks together decide here, not the best one of them

Two gold spans of 10 characters; the chunk holds 5 of the first and 4 of the second:

>>> from rankproof.testing import spanned
>>> spanned("SpanFound@1", gold=[(0, 10), (20, 30)], chunks=[(5, 24)])
0.5
>>> spanned("SpanFound(overlap=0.4)@1", gold=[(0, 10), (20, 30)], chunks=[(5, 24)])
1.0
"""

from __future__ import annotations

import numpy as np

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.measuring.spans.coverage import ReadText, reaches
from rankproof.measuring.spans.measures.contract import GRADE, WHOLE, SpanMeasure, SpanVariant, Values, ratio

OVERLAP = Param("overlap", Number(0, 1, open_low=True), 0.5, "the share of a gold span that must be retrieved")


def found(read: ReadText, variant: SpanVariant) -> Values:
    """Gold ranges of which enough was read, over gold ranges."""
    queries = len(read.gold)
    enough = reaches(read.found, read.ranges.length, variant["overlap"])
    return ratio(
        np.bincount(read.ranges.query[enough], minlength=queries), np.bincount(read.ranges.query, minlength=queries)
    )


def fine_print(variant: SpanVariant) -> str:
    """The threshold, which is a convention."""
    return f"a gold span is found where {variant['overlap']:g} or more of it was retrieved; see how other shares decide"


OFFERS = (
    SpanMeasure(
        name="SpanFound",
        page=__doc__,
        compute=found,
        params=(GRADE, OVERLAP, WHOLE),
        fine_print=fine_print,
        spellings=("span_found",),
    ),
)
