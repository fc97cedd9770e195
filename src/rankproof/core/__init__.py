"""The compiled core: text, dicts or Arrow in; rows and judged tables out. See core/*.hpp for each part."""

from rankproof.core._core import (
    Bm25,
    DamagedIndex,
    Joined,
    Judgments,
    Rows,
    TermIndex,
    TextFile,
    WordCounter,
    by_rank,
    descending_places,
    find_words,
    join_arrays,
    random_orders,
    ranked_ids,
)

__all__ = [
    "Bm25",
    "DamagedIndex",
    "Joined",
    "Judgments",
    "Rows",
    "TermIndex",
    "TextFile",
    "WordCounter",
    "by_rank",
    "descending_places",
    "find_words",
    "join_arrays",
    "random_orders",
    "ranked_ids",
]
