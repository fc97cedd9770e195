"""Pooling and batches, by hand."""

from __future__ import annotations

import numpy as np

from rankproof.stack.models.encoder import Tokenized, pooled, unit
from rankproof.stack.models.transformer import batches, spread

# One text of four tokens with two numbers each.
TOKENS = np.array([[[1, 0], [3, 0], [-5, 4], [5, 8]]], dtype=np.float32)


def test_every_way_by_hand() -> None:
    assert pooled(TOKENS, ("cls_token",)).tolist() == [[1, 0]]
    assert pooled(TOKENS, ("lasttoken",)).tolist() == [[5, 8]]
    assert pooled(TOKENS, ("max_tokens",)).tolist() == [[5, 8]]
    assert pooled(TOKENS, ("mean_tokens",)).tolist() == [[1, 3]]  # 4 / 4, 12 / 4
    assert pooled(TOKENS, ("mean_sqrt_len_tokens",)).tolist() == [[2, 6]]  # 4 / 2, 12 / 2


def test_two_ways_stand_side_by_side() -> None:
    assert pooled(TOKENS, ("mean_tokens", "cls_token")).tolist() == [[1, 0, 1, 3]]


def test_unit_leaves_zeros() -> None:
    assert unit(np.array([[3, 4], [0, 0]], np.float32)).round(6).tolist() == [
        [0.6000000238418579, 0.800000011920929],
        [0, 0],
    ]


def _texts(*lengths: int) -> list[Tokenized]:
    return [Tokenized(np.full(n, i, np.int64), np.ones(n, bool)) for i, n in enumerate(lengths)]


def test_batches_hold_texts_of_one_length_and_at_most_so_many_tokens() -> None:
    cut = list(batches(_texts(2, 3, 2, 2, 9), tokens=4))
    assert [(places, tokens.shape) for places, tokens in cut] == [
        ([4], (1, 9)),  # longer than a batch may be, and still encoded
        ([1], (1, 3)),
        ([0, 2], (2, 2)),
        ([3], (1, 2)),
    ]


def test_threads_change_nothing() -> None:
    texts = _texts(*([3, 1, 2] * 20))

    def doubled(tokens: np.ndarray) -> np.ndarray:
        return tokens * 2

    alone = [(places, rows.tolist()) for places, rows in spread(doubled, texts, 1)]
    assert alone == [(places, rows.tolist()) for places, rows in spread(doubled, texts, 4)]
    assert sorted(place for places, _ in alone for place in places) == list(range(60))
