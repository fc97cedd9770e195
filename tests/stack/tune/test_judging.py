"""Whether a search is flagged: by hand, and in simulations of parameters that matter little and much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.records import Design
from rankproof.stack.tune.assess import best, judge, out_of_bag
from rankproof.stack.tune.records import Gain, TuningRuling
from rankproof.stack.tune.tune import inference

INFER = inference(Design(), "nDCG@10")


def gain(value: float, half: float, queries: int = 50) -> Gain:
    return Gain(queries, 0.5, 0.5 + value, Estimate(value, value - half, value + half, 0.5, 0.95, "t", queries))


def test_a_gain_on_test_is_a_gain_however_it_was_found() -> None:
    ruling = judge(gain(0.10, 0.05), gain(0.01, 0.05), gain(0.05, 0.04), settings=20)
    assert (ruling.outcome, ruling.overfitted) == ("gain", False)
    # The dev gain is beyond 0.05 + 0.04: not overfitted, but not to be quoted.
    assert ruling.reasons == ("The gain on dev, +0.1000, is more than the test queries allow for: at most +0.0900.",)


@pytest.mark.parametrize(
    ("dev", "bag", "test", "words"),
    [
        (gain(0.02, 0.05), gain(0.02, 0.05), gain(-0.01, 0.05), "worse by 0.0100"),
        (gain(0.20, 0.05), gain(0.15, 0.05), gain(0.01, 0.05), "at most +0.0600"),
        (gain(0.04, 0.03), gain(0.01, 0.03), gain(0.02, 0.05), "leaves +0.0100 (-0.0200 to +0.0400)"),
    ],
)
def test_each_sign_of_picking_is_told(dev: Gain, bag: Gain, test: Gain, words: str) -> None:
    ruling = judge(dev, bag, test, settings=20)
    assert ruling.overfitted
    assert any(words in reason for reason in ruling.reasons)


def test_a_gain_that_is_only_not_shown_is_not_put_down_to_picking() -> None:
    ruling = judge(gain(0.03, 0.04), gain(0.025, 0.04), gain(0.02, 0.04), settings=20)
    assert ruling == TuningRuling("not shown", False, ())


def test_a_gain_that_not_even_dev_shows_is_told_to_be_picking_and_not_flagged() -> None:
    ruling = judge(gain(0.03, 0.04), gain(0.01, 0.04), gain(0.01, 0.04), settings=20)
    assert (ruling.outcome, ruling.overfitted) == ("not shown", False)
    assert ruling.reasons[0].endswith("leaves +0.0100 (-0.0300 to +0.0500).")


def test_a_winner_that_is_shown_to_be_worse() -> None:
    assert judge(gain(0.03, 0.02), gain(0.0, 0.04), gain(-0.05, 0.04), settings=20).outcome == "worse"


def test_what_is_written_and_many_settings_on_few_queries() -> None:
    ruling = judge(gain(0.0, 0.1, 12), gain(0.0, 0.1, 12), None, settings=40)
    assert (ruling.outcome, ruling.overfitted) == ("as written", False)
    assert ruling.reasons == ("40 settings were tried on 12 queries: more settings than queries.",)


def test_picking_among_equals_is_worth_nothing_and_one_that_is_better_is_worth_what_it_gains() -> None:
    """With two settings that differ by 1 on every query, every draw picks the second: 1 on each query left out."""
    sure = out_of_bag(np.stack([np.zeros(8), np.ones(8)]), 0.95, np.random.default_rng(0))
    assert isinstance(sure, NotEstimable)
    assert sure.value == 1.0
    # Half the queries gain and half lose the same: what a pick sees more of, the queries left out have less of.
    torn = out_of_bag(np.stack([np.zeros(8), [1, -1] * 4, [-1, 1] * 4]), 0.95, np.random.default_rng(0))
    assert isinstance(torn, Estimate)
    assert torn.value < 0


def test_the_first_of_equal_scores_is_picked() -> None:
    assert best(np.array([[0.1 + 0.2, 0.3, 0.2], [0.0, 0.5, 0.5]])).tolist() == [0, 1]


# ---- simulations: gains by query are normal with standard deviation 1 ----------------------------


@dataclass(frozen=True)
class Search:
    """A tenth of the settings gain `effect` on the whole, the others nothing; `common` is how alike they are."""

    settings: int
    queries: int
    effect: float
    common: float


def search(rng: np.random.Generator, how: Search) -> TuningRuling:
    """One search, judged."""
    settings, queries, effect, common = how.settings, how.queries, how.effect, how.common
    true = np.where(np.arange(settings + 1) > 0.9 * settings, effect, 0.0)

    def drawn() -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
        shared, own = rng.standard_normal((1, queries)), rng.standard_normal((settings + 1, queries))
        found = np.sqrt(common) * shared + np.sqrt(1 - common) * own + true[:, None]
        found[0] = 0.0
        return found

    dev, test = drawn(), drawn()
    winner = int(best(dev.mean(axis=1)[None, :])[0])
    bag: Answer = out_of_bag(dev, 0.95, rng)
    return judge(
        Gain(queries, 0.0, 0.0, INFER(dev[winner])),
        Gain(queries, None, None, bag),
        Gain(queries, 0.0, 0.0, INFER(test[winner])) if winner else None,
        settings + 1,
    )


def flagged(times: int, seed: int, how: Search) -> float:
    rng = np.random.default_rng(seed)
    return sum(search(rng, how).overfitted for _ in range(times)) / times


def test_parameters_that_do_nothing_are_flagged_most_of_the_time() -> None:
    assert flagged(60, 1, Search(200, 30, 0.0, 0.0)) > 0.85


def test_parameters_that_do_much_are_rarely_flagged() -> None:
    assert flagged(60, 2, Search(50, 30, 0.8, 0.5)) < 0.05


@pytest.mark.full
@pytest.mark.parametrize(
    ("how", "low", "high"),
    [
        (Search(50, 20, 0.0, 0.0), 0.72, 0.88),
        (Search(200, 30, 0.0, 0.0), 0.90, 1.0),
        (Search(50, 150, 0.0, 0.0), 0.76, 0.91),
        (Search(50, 30, 0.0, 0.5), 0.53, 0.71),
        (Search(50, 50, 0.8, 0.0), 0.0, 0.02),
        (Search(50, 30, 0.8, 0.5), 0.0, 0.04),
        (Search(50, 150, 0.4, 0.5), 0.0, 0.02),
    ],
)
def test_how_often_a_search_is_flagged(how: Search, low: float, high: float) -> None:
    """The figures of docs/tune.md, which are of 1,000 searches each."""
    assert low <= flagged(300, 3, how) <= high
