"""The compiled core: text, dicts or Arrow in; rows and judged tables out. See core/*.hpp for each part."""

from rankproof.core._core import (
    Joined,
    Judgments,
    Rows,
    TextFile,
    by_rank,
    join_arrays,
    random_orders,
    ranked_ids,
)

__all__ = [
    "Joined",
    "Judgments",
    "Rows",
    "TextFile",
    "by_rank",
    "join_arrays",
    "random_orders",
    "ranked_ids",
]
