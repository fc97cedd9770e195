"""Vectors that are kept: nothing is encoded twice, nothing stale is found, what is damaged is made anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from rankproof.stack.models.encoder import TOGETHER, kept_token_vectors, kept_vectors


class Kept(dict[str, bytes]):
    """A cache in memory."""

    def put(self, key: str, data: bytes) -> None:
        self[key] = data


class Letters:
    """Counts letters: a vector for a text is how often it has a, b and c. Remembers what it was asked."""

    def __init__(self, identity: str = "letters", breaks_after: int = 10**9) -> None:
        self.identity, self.left, self.prompts = identity, breaks_after, {"query": "", "document": ""}
        self.asked: list[str] = []

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        if self.left <= 0:
            raise KeyboardInterrupt
        self.left -= 1
        self.asked += texts
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], np.float32)

    def token_vectors(self, texts: Sequence[str]) -> list[np.ndarray]:
        self.asked += texts
        return [np.array([[1, text.count("a")]] * len(text.split()), np.float32).reshape(-1, 2) for text in texts]


def some(count: int) -> list[str]:
    return [f"{'a' * (i % 7)} {'b' * (i % 5)} number {i}" for i in range(count)]


def test_rows_stand_in_the_order_of_the_texts_and_doubles_are_encoded_once() -> None:
    encoder, cache = Letters(), Kept()
    assert kept_vectors(encoder, ["aab", "c", "aab", ""], cache).tolist() == [
        [2, 1, 0],
        [0, 0, 1],
        [2, 1, 0],
        [0, 0, 0],
    ]
    assert sorted(encoder.asked) == ["", "aab", "c"]


def test_a_second_time_asks_nothing() -> None:
    cache, texts = Kept(), some(1000)
    first = kept_vectors(Letters(), texts, cache)
    again = Letters()
    assert (kept_vectors(again, texts, cache) == first).all()
    assert again.asked == []
    assert (first == Letters().vectors(texts)).all()


def test_order_does_not_matter() -> None:
    cache, texts = Kept(), some(300)
    kept_vectors(Letters(), texts, cache)
    again = Letters()
    kept_vectors(again, texts[::-1], cache)
    assert again.asked == []


@pytest.mark.parametrize("change", ["changed", "added", "removed"])
def test_a_changed_corpus_meets_no_stale_vector_and_costs_its_own_chunks_only(change: str) -> None:
    cache, texts = Kept(), some(3000)
    kept_vectors(Letters(), texts, cache)
    new = {
        "changed": [*texts[:7], texts[7] + " ccc", *texts[8:]],
        "added": ["ccc", *texts],
        "removed": texts[1:],
    }[change]
    again = Letters()
    assert (kept_vectors(again, new, cache) == Letters().vectors(new)).all()
    assert len(again.asked) < 1500  # a chunk or two of 64 on average; all 3,000 would be asked if chunks shifted


def test_another_model_shares_nothing() -> None:
    cache = Kept()
    kept_vectors(Letters("one"), ["a"], cache)
    other = Letters("two")
    kept_vectors(other, ["a"], cache)
    assert other.asked == ["a"]


def test_vectors_and_token_vectors_share_nothing() -> None:
    cache = Kept()
    kept_vectors(Letters(), ["a b"], cache)
    (rows,) = kept_token_vectors(Letters(), ["a b"], cache)
    assert rows.tolist() == [[1, 1], [1, 1]]
    assert len(cache) == 2


def test_an_interrupted_encoding_keeps_what_was_done() -> None:
    cache, texts = Kept(), some(4 * TOGETHER)
    with pytest.raises(KeyboardInterrupt):
        kept_vectors(Letters(breaks_after=2), texts, cache)
    rest = Letters()
    kept_vectors(rest, texts, cache)
    assert 0 < len(rest.asked) <= 2 * TOGETHER


@pytest.mark.parametrize("damage", [b"", b"x", b"abcd" * 5])
def test_an_entry_of_another_size_is_made_anew(damage: bytes) -> None:
    cache = Kept()
    kept_vectors(Letters(), ["a", "b"], cache)
    kept_token_vectors(Letters(), ["a b"], cache)
    for key in cache:
        cache[key] = damage
    encoder = Letters()
    assert kept_vectors(encoder, ["a", "b"], cache).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert kept_token_vectors(encoder, ["a b"], cache)[0].tolist() == [[1, 1], [1, 1]]
    assert sorted(encoder.asked) == ["a", "a b", "b"]


def test_token_vectors_are_kept_text_by_text() -> None:
    cache = Kept()
    kept_token_vectors(Letters(), ["a b", "c"], cache)
    encoder = Letters()
    rows = kept_token_vectors(encoder, ["c", "", "a b"], cache)
    assert encoder.asked == [""]
    assert [row.tolist() for row in rows] == [[[1, 0]], [], [[1, 1], [1, 1]]]
    assert rows[1].shape == (0, 2)


def test_no_texts_give_no_rows() -> None:
    assert len(kept_vectors(Letters(), [], Kept())) == 0
    assert kept_token_vectors(Letters(), [], Kept()) == []


def test_what_is_encoded_is_told_and_what_was_kept_is_not() -> None:
    texts = [f"{number:05d} a" for number in range(2 * TOGETHER)]
    cache, told = Kept(), []
    kept_vectors(Letters(), texts, cache, lambda done, total: told.append((done, total)))
    assert told[0] == (0, len(texts))
    assert told[-1] == (len(texts), len(texts))
    assert len(told) >= 3  # the beginning, and each group
    told.clear()
    kept_vectors(Letters(), texts, cache, lambda done, total: told.append((done, total)))
    assert told == []
