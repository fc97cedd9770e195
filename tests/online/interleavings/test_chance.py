"""Draws from a key: the same everywhere and for ever, since logs of lists shown must stay readable."""

from __future__ import annotations

import hashlib

from rankproof.online.interleavings._key_rng import KeyRng


def test_a_draw_is_the_upper_53_bits_of_the_hash() -> None:
    rng = KeyRng("session 1", "new ranker")
    for block in range(2):
        digest = hashlib.sha256(f"new ranker\0session 1\0{block}".encode()).digest()
        for at in range(0, 32, 8):
            assert rng.draw() == (int.from_bytes(digest[at : at + 8], "big") >> 11) / 2**53


def test_these_draws_never_change() -> None:
    rng = KeyRng("session 1")
    assert [round(rng.draw(), 6) for _ in range(5)] == [0.499798, 0.863253, 0.674581, 0.828109, 0.051043]


def test_draws_are_even() -> None:
    counts = [0] * 5
    for key in range(5000):
        counts[KeyRng(str(key)).below(5)] += 1
    # 1,000 of each are expected, with a standard deviation of sqrt(5000 * 0.2 * 0.8) = 28.
    assert all(abs(count - 1000) < 4 * 28.3 for count in counts)


def test_every_order_is_as_likely() -> None:
    counts: dict[tuple[int, ...], int] = {}
    for key in range(6000):
        order = tuple(KeyRng(str(key)).shuffled(3))
        counts[order] = counts.get(order, 0) + 1
    # Six orders, 1,000 of each, with a standard deviation of sqrt(6000 * 1/6 * 5/6) = 28.9.
    assert len(counts) == 6
    assert all(abs(count - 1000) < 4 * 28.9 for count in counts.values())


def test_a_key_that_is_no_valid_text_is_a_key() -> None:
    assert KeyRng("\ud800").draw() != KeyRng("\ud801").draw()
