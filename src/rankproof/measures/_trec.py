"""trec_eval's names for measures: `ndcg_cut_10`, `map_cut.100`, `recip_rank`, the sets `official` and `all_trec`."""

from __future__ import annotations

from rankproof.measures._contract import Variant


def trec_variants(token: str) -> tuple[Variant, ...] | None:
    """The variants that a trec_eval name stands for, or None when it is not one of its names."""
    return None
