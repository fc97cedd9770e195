"""Five documents for tests of live engines, with places in a space of three dimensions."""

from __future__ import annotations

from rankproof.reading.collection import Corpus

SHOES = Corpus(
    ("d1", "d2", "d3", "d4", "d5"),
    {
        "title": ("red shoes", "blue shoes", "garden hose", "shoe polish", "umbrella"),
        "text": ("for running", "red laces", "red and green", "", "keeps the rain off"),
    },
)
# d1 and d2 lie near the first axis, d3 on the second, d4 on the third, d5 opposite of d1.
PLACES = [[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]
