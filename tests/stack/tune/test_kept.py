"""What is kept: a search that goes on asks nothing again, and one that is long holds little in memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.stack.tune.made import ASKED, RELEVANT, SPLITS, at_hand, collection, config, opener, tuned

from rankproof.stack.tune.parameters import modes_of, with_values
from rankproof.stack.tune.search import REMEMBERED, Measurer


class Shelf:
    """A cache in memory."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def get(self, key: str) -> bytes | None:
        return self.held.get(key)

    def put(self, key: str, data: bytes) -> None:
        self.held[key] = data


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    with at_hand():
        yield


def test_a_second_search_asks_nothing_and_says_the_same() -> None:
    cache = Shelf()
    first, ran = tuned(config(), cache=cache)
    # dev: a, b, c, d; test: the winner, as written, and three other modes of which two are new.
    assert ran == 4 + 5
    ASKED.clear()
    second, ran = tuned(config(), cache=cache)
    assert ran == 0
    assert ASKED == []
    assert second.dev.answer == first.dev.answer
    assert second.test is not None
    assert first.test is not None
    assert second.test.answer == first.test.answer


def test_one_more_value_costs_one_more_pipeline() -> None:
    cache = Shelf()
    tuned(config(), cache=cache)
    ASKED.clear()
    tuned(config(dials={"plain": {"first": list("abcde")}}), cache=cache)
    assert {first for first, _ in ASKED} == {"e"}


@pytest.mark.parametrize("table", [{"measure": "P@1"}, {"dev": "test", "test": "dev"}])
def test_another_measure_or_other_queries_are_not_what_was_kept(table: dict[str, str]) -> None:
    cache = Shelf()
    tuned(config(), cache=cache)
    _, ran = tuned(config(**table), cache=cache)
    assert ran >= 4


def test_other_judgments_are_not_what_was_kept() -> None:
    cache = Shelf()
    tuned(config(), cache=cache)
    found, ran = tuned(config(), collection({**RELEVANT, "d0": "b"}, SPLITS), cache)
    assert ran == 4
    # b is second where c was third: (3/3 + 1/2 + 1/2 + 1/4) / 6.
    assert found.settings[0].mean == pytest.approx((1 + 1 / 2 + 1 / 2 + 1 / 4) / 6)


def test_what_failed_is_not_kept() -> None:
    cache = Shelf()
    failing = config(dials={"final": {"depth": [1, 2, 6]}})
    texts = {**failing.texts, "final": "plain >> turn(depth=2, also='fails')"}
    dataset = collection(RELEVANT, SPLITS).part("dev")
    with opener(failing, cache)(dataset) as runner:
        measured = Measurer(runner, dataset, "RR", modes_of(texts)["final"])
        assert measured(modes_of(texts)["final"]).failures == 6
    assert cache.held == {}


def test_a_long_search_holds_the_last_pipelines_and_the_one_as_written() -> None:
    found = config(dials={"plain": {"effort": {"low": 1, "high": 40, "step": 1}}})
    dataset = collection(RELEVANT, SPLITS).part("dev")
    home = modes_of(found.texts)["final"]
    with opener(found)(dataset) as runner:
        measured = Measurer(runner, dataset, "RR", home)
        for value in found.parameters[0].choices:
            measured(modes_of(with_values(found.texts, found.parameters, {"plain.effort": value}))["final"])
        # Two steps each.
        assert len(runner._done) <= 2 * (REMEMBERED + 1)
        assert len(runner._opened) <= REMEMBERED + 2
        assert measured.computed == 40


def test_a_later_parameter_does_not_ask_the_engine_again() -> None:
    tuned(config(dials={"final": {"depth": [1, 2, 3, 6]}}))
    dev = [asked for asked in ASKED if asked[1] in SPLITS["dev"]]
    assert len(dev) == 6 + 1  # each query once, and the first to warm the engine
