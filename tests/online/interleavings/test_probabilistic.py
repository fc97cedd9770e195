"""Probabilistic interleaving against every way a list can come about, summed by hand."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import pytest

from rankproof.online.interleaving.show import interleave


def chances(ranking: str, doc: str, above: str, decay: float) -> float:
    """The chance of a document at the next rank, if this ranking has its turn."""
    weights = {d: (i + 1) ** -decay for i, d in enumerate(ranking) if d not in above}
    return weights.get(doc, 0.0) / sum(weights.values())


def joint(rankings: dict[str, str], docs: str, turns: tuple[str, ...], decay: float) -> float:
    """The chance of a list together with whose turn each rank was."""
    found = 1.0
    for at, (doc, turn) in enumerate(zip(docs, turns, strict=True)):
        found *= chances(rankings[turn], doc, docs[:at], decay) / len(rankings)
    return found


@pytest.mark.parametrize(
    "rankings", [{"s": "abc", "t": "bca"}, {"s": "abc", "t": "dba"}, {"s": "ab", "t": "bc", "u": "ca"}]
)
@pytest.mark.parametrize("decay", [3.0, 1.0])
def test_credit_is_the_chance_of_the_turn_given_the_whole_list(rankings: dict[str, str], decay: float) -> None:
    ranked = {name: list(docs) for name, docs in rankings.items()}
    for key in range(30):
        shown = interleave(ranked, str(key), f"probabilistic(decay={decay})", len(rankings["s"]))
        docs = "".join(shown.docs)
        every = {turns: joint(rankings, docs, turns, decay) for turns in product(rankings, repeat=len(docs))}
        whole = sum(every.values())
        for at in range(len(docs)):
            for i, name in enumerate(shown.systems):
                expected = sum(p for turns, p in every.items() if turns[at] == name) / whole
                assert shown.credits[at][i] == pytest.approx(expected, abs=1e-12)


def test_lists_come_as_often_as_they_should() -> None:
    rankings = {"s": "abc", "t": "bca"}
    counts = Counter("".join(interleave({n: list(r) for n, r in rankings.items()}, str(key), "probabilistic").docs)
                     for key in range(4000))  # fmt: skip
    for order in permutations("abc"):
        docs = "".join(order)
        expected = sum(joint(rankings, docs, turns, 3.0) for turns in product(rankings, repeat=3))
        error = (4000 * expected * (1 - expected)) ** 0.5
        assert abs(counts[docs] - 4000 * expected) < 4 * error


def test_a_document_that_both_rank_alike_is_worth_the_same_to_both() -> None:
    shown = interleave({"s": ["a", "b"], "t": ["a", "b"]}, "key", "probabilistic")
    assert shown.credits == ((0.5, 0.5), (0.5, 0.5))


def test_long_rankings_with_a_steep_decay_keep_their_tail() -> None:
    """After the top is gone, what is left still adds up to a chance of 1."""
    ranking = [f"d{i}" for i in range(1000)]
    shown = interleave({"s": ranking, "t": ranking[::-1]}, "key", "probabilistic(decay=10.0)", 1000)
    assert sorted(shown.docs) == sorted(ranking)
    assert all(sum(each) == pytest.approx(1.0) for each in shown.credits)
