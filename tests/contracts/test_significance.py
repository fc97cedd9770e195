"""The contract of the significance shelf: what every method promises, run over every one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.contracts.items import is_item
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.significance import contract
from rankproof.proving.significance.contract import Significance, SignificanceRequest

ITEMS: dict[str, Significance] = dict(shelf.offered("significance"))
FILES = sorted(p for p in Path(inspect.getfile(contract)).parent.glob("*.py") if is_item(p))
OF_THE_MEAN = {
    "t",
    "randomization",
    "bca",
    "studentized",
    "gaffke",
    "betting",
    "t_or_gaffke",
    "mcnemar",
}
OF_SOMETHING_ELSE = {"wilcoxon", "sign"}
RANDOM = {"randomization", "bca", "studentized"}
# They know the range of one difference, and so need no spread.
BOUNDED = {"gaffke", "betting", "t_or_gaffke", "mcnemar"}
# Differences of values of 0 and 1 are all that it takes.
OF_ZERO_AND_ONE = {"mcnemar"}

RANGE = {"low": -3.0, "high": 3.0}
every_method = pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
# Eighths have ties and zeros, and sums without rounding; other numbers have neither.
eighths = st.lists(st.integers(-16, 16).map(lambda i: i / 8), min_size=3, max_size=25)
others = st.lists(st.floats(-1, 1).map(lambda x: round(x, 6)), min_size=3, max_size=25)
differences = (eighths | others).filter(lambda d: max(d) > min(d)).map(np.array)
questions = st.builds(
    SignificanceRequest,
    level=st.sampled_from([0.8, 0.95, 0.99]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    null=st.sampled_from([0.0, 0.125, -0.25]),
    resamples=st.just(999),
    low=st.just(-3.0),
    high=st.just(3.0),
)
quick = settings(max_examples=examples(60), deadline=None)


def ask(item: Significance, d: np.ndarray, question: SignificanceRequest, seed: int = 0) -> Answer:
    return item.infer(d, question, np.random.default_rng(seed))


def suited(item: Significance, d: np.ndarray, question: SignificanceRequest) -> tuple[np.ndarray, SignificanceRequest]:
    """Differences and range as a method takes them: rounded to -1, 0 and 1 where it is for values of 0 and 1."""
    if item.name not in OF_ZERO_AND_ONE:
        return d, question
    return np.clip(np.rint(d), -1.0, 1.0), replace(question, low=-1.0, high=1.0)


def estimate(item: Significance, d: np.ndarray, question: SignificanceRequest) -> Estimate:
    found = ask(item, d, question)
    assume(isinstance(found, Estimate))
    assert isinstance(found, Estimate)
    return found


def methods(item: Significance) -> tuple[str, ...]:
    """What an answer may name as its method."""
    return ("t", "gaffke", "t_or_gaffke") if item.name == "t_or_gaffke" else (item.name,)


def test_every_method_is_in_a_group() -> None:
    assert OF_THE_MEAN | OF_SOMETHING_ELSE == set(ITEMS) == {file.stem for file in FILES}
    for name, item in ITEMS.items():
        assert (item.about == "mean") == (name in OF_THE_MEAN)
        assert bool(item.warning) == (name in OF_SOMETHING_ELSE)
        assert item.random == (name in RANDOM)
        assert item.bounded == (name in BOUNDED)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    module = importlib.import_module(f"rankproof.proving.significance.{file.stem}")
    (item,) = module.OFFERS
    assert item.name == file.stem
    assert item.page == module.__doc__
    assert item.summary.endswith(".")
    for heading in ("about:", "source:"):
        assert len(re.findall(rf"^{heading} \S", item.page, re.MULTILINE)) == 1, heading
    told = doctest.testmod(module)
    assert told.attempted >= 2
    assert told.failed == 0


@every_method
@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ([], "no query"),
        ([0.3], "one query only"),
        ([0.0] * 9, "no query differs"),
        ([0.1] * 9, "every query differs by the same 0.1"),
        ([0.3 - 0.1, 0.2, 0.2, 0.2], "every query differs by the same 0.2"),
    ],
)
def test_where_nothing_can_be_said_it_says_why(item: Significance, given: list[float], reason: str) -> None:
    d = np.array(given, dtype=np.float64)
    if item.bounded and len(d) > 1:
        d, question = suited(item, d, SignificanceRequest(**RANGE))
        found = ask(item, d, question)
        assert isinstance(found, Estimate)
        assert found.low < d.mean() < found.high
        return
    alone = ask(item, d, SignificanceRequest(resamples=999, **RANGE))
    assert isinstance(alone, NotEstimable)
    assert reason in alone.reason
    assert alone.method in methods(item)
    assert alone.n == len(given)
    assert alone.value == (None if not given else pytest.approx(d.mean()))
    beside = np.column_stack([d, np.arange(len(d), dtype=np.float64)])
    assert item.many(beside, SignificanceRequest(resamples=999, **RANGE), np.random.default_rng(0))[0] == alone


@every_method
@given(d=differences, question=questions)
@quick
def test_interval_and_p_value_never_contradict(
    item: Significance, d: np.ndarray, question: SignificanceRequest
) -> None:
    d, question = suited(item, d, question)
    found = estimate(item, d, question)
    assert 0 < found.p_value <= 1
    assert found.low <= found.high
    if item.name in ("t", "bca", *BOUNDED):  # on the end itself rounding decides; the others count
        assume(abs(found.p_value - (1 - question.level)) > 1e-9)
    inside = found.low <= question.null <= found.high
    assert inside == (found.p_value > 1 - question.level)


@every_method
@given(d=differences, question=questions)
@quick
def test_an_answer_repeats_what_was_asked(item: Significance, d: np.ndarray, question: SignificanceRequest) -> None:
    d, question = suited(item, d, question)
    found = estimate(item, d, question)
    assert found == ask(item, d, question)
    assert found.value == pytest.approx(d.mean())
    told = (found.level, found.alternative, found.null, found.n)
    assert told == (question.level, question.alternative, question.null, len(d))
    assert found.method in methods(item)
    assert found.resamples is None or item.random
    if question.alternative == "greater":
        assert found.high == math.inf
    if question.alternative == "less":
        assert found.low == -math.inf
    if question.alternative == "two-sided" and math.isinf(found.low) and math.isinf(found.high):
        assert any("no bound" in note or "open interval" in note for note in found.notes)


@every_method
@given(d=differences, question=questions)
@quick
def test_the_other_direction_is_the_mirror_image(
    item: Significance, d: np.ndarray, question: SignificanceRequest
) -> None:
    d, question = suited(item, d, question)
    swapped = {"greater": "less", "less": "greater", "two-sided": "two-sided"}[question.alternative]
    there = estimate(item, d, question)
    back = estimate(item, -d, replace(question, alternative=swapped, null=-question.null))
    assert back.p_value == pytest.approx(there.p_value, rel=1e-6)
    assert (-back.high, -back.low) == pytest.approx((there.low, there.high), abs=1e-9)


@pytest.mark.parametrize("item", [item for name, item in ITEMS.items() if name not in OF_ZERO_AND_ONE])
@given(d=eighths.filter(lambda d: max(d) > min(d)).map(np.array), question=questions)
@quick
def test_moving_differences_and_null_together_moves_the_interval(
    item: Significance, d: np.ndarray, question: SignificanceRequest
) -> None:
    assume(np.ptp(d) > 0)
    here = estimate(item, d, question)
    moved = replace(question, null=question.null + 0.5, low=question.low + 0.5, high=question.high + 0.5)
    if item.name == "t_or_gaffke":  # what changed is told by zeros
        d = d + 4.0 * (d == 0)
        here = estimate(item, d, question)
        assume(not (d + 0.5 == 0).any())
    there = estimate(item, d + 0.5, moved)
    assert there.p_value == pytest.approx(here.p_value, rel=1e-6)
    assert (there.low - 0.5, there.high - 0.5) == pytest.approx((here.low, here.high), abs=1e-9)


@every_method
@given(d=differences, question=questions)
@quick
def test_a_higher_level_has_the_longer_interval(
    item: Significance, d: np.ndarray, question: SignificanceRequest
) -> None:
    d, question = suited(item, d, question)
    short = estimate(item, d, replace(question, level=0.8))
    long = estimate(item, d, replace(question, level=0.95))
    assert long.low <= short.low
    assert short.high <= long.high
    assert long.p_value == short.p_value


@every_method
@given(d=differences, seed=st.integers(0, 9))
@quick
def test_the_order_of_queries_does_not_matter(item: Significance, d: np.ndarray, seed: int) -> None:
    if item.name in ("bca", "studentized"):
        # Other resamples: equal up to what 9,999 of them leave to chance. On a handful of equal numbers a single
        # resample moves these methods far, so they are asked about 40 different ones.
        d = np.random.default_rng(seed).normal(0.2, 1, 40)
        question = SignificanceRequest(resamples=9_999, **RANGE)
        one = estimate(item, d, question)
        other = estimate(item, np.random.default_rng(seed).permutation(d), question)
        near = 8 * math.sqrt(max(one.p_value, 0.001) / 9_999)
        assert other.p_value == pytest.approx(one.p_value, abs=max(near, 0.6 * one.p_value))
        return
    d, question = suited(item, d[:9], SignificanceRequest(resamples=999, **RANGE))
    shuffled = np.random.default_rng(seed).permutation(d)
    assume(np.ptp(d) > 0)
    one, other = (estimate(item, x, question) for x in (d, shuffled))
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-12)


@every_method
def test_alone_or_together_the_answer_is_the_same(item: Significance) -> None:
    d = np.random.default_rng(5).integers(-8, 9, (30, 4)) / 8
    d = np.column_stack([d, d[:, 1] - d[:, 0], np.zeros(30)])
    d, question = suited(item, d, SignificanceRequest(resamples=2_000, **RANGE))
    together = item.many(d, question, np.random.default_rng(7))
    for column, found in zip(d.T, together, strict=True):
        alone = item.infer(column, question, np.random.default_rng(7))
        if isinstance(found, Estimate) and isinstance(alone, Estimate):
            assert found.p_value == alone.p_value
            assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
        else:
            assert found == alone


@every_method
def test_chance_moves_on(item: Significance) -> None:
    """One generator asked twice gives other resamples: a simulation that shares it is not fooled."""
    d = np.random.default_rng(5).normal(0.2, 1, 40)
    d, question = suited(item, d, SignificanceRequest(resamples=500, **RANGE))
    rng = np.random.default_rng(0)
    first, second = (item.infer(d, question, rng) for _ in range(2))
    assert (first != second) == item.random
