"""Pooling: one vector for a text from the vectors of its tokens, as 1_Pooling/config.json names the ways.

Batches hold texts of the same number of tokens, so nothing here is padding and every token counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from rankproof.models.encoder import Vectors

Tokens = NDArray[np.float32]  # texts x tokens x dimensions


def _cls(tokens: Tokens) -> Vectors:
    return tokens[:, 0]


def _last(tokens: Tokens) -> Vectors:
    return tokens[:, -1]


def _max(tokens: Tokens) -> Vectors:
    return np.asarray(tokens.max(axis=1), dtype=np.float32)


def _mean(tokens: Tokens) -> Vectors:
    return np.asarray(tokens.mean(axis=1), dtype=np.float32)


def _mean_sqrt_len(tokens: Tokens) -> Vectors:
    return np.asarray(tokens.sum(axis=1) / np.sqrt(tokens.shape[1]), dtype=np.float32)


POOLINGS: Mapping[str, Callable[[Tokens], Vectors]] = {
    "cls_token": _cls,
    "mean_tokens": _mean,
    "max_tokens": _max,
    "mean_sqrt_len_tokens": _mean_sqrt_len,
    "lasttoken": _last,
}


def pooled(tokens: Tokens, ways: tuple[str, ...]) -> Vectors:
    """A row for each text; several ways stand side by side, in the order of POOLINGS."""
    return np.concatenate([pool(tokens) for name, pool in POOLINGS.items() if name in ways], axis=1)
