"""The contract of the corrections shelf: what every correction promises, run over every one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import is_item
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.proving.corrections import contract
from rankproof.proving.corrections.contract import Correction
from rankproof.testing.statistics import all_pairs, family

ITEMS: dict[str, Correction] = dict(shelf.offered("corrections"))
FILES = sorted(p for p in Path(inspect.getfile(contract)).parent.glob("*.py") if is_item(p))
CONTROLS = {
    "none": "nothing",
    "holm": "family-wise error",
    "bh": "false discovery rate",
    "max_t": "family-wise error",
    "tukey": "family-wise error",
}
FROM_P_VALUES = [ITEMS[name] for name in ("none", "holm", "bh")]

every_correction = pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
from_p_values = pytest.mark.parametrize("item", FROM_P_VALUES, ids=lambda item: item.name)
p_values = st.lists(st.sampled_from([1e-9, 0.001, 0.01, 0.02, 0.04, 0.05, 0.3, 1.0]), min_size=1, max_size=8)
quick = settings(max_examples=examples(60), deadline=None)


def table(seed: int, queries: int = 25, systems: int = 4) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    scores = rng.random((queries, 1)) + 0.4 * rng.random((queries, systems)) + 0.05 * np.arange(systems)
    return scores.tolist()


def adjust(item: Correction, tests: contract.Tests, seed: int = 0) -> list:
    return item.adjust(tests, np.random.default_rng(seed))


def test_every_correction_is_in_a_group() -> None:
    assert {name: item.controls for name, item in ITEMS.items()} == CONTROLS
    assert {file.stem for file in FILES} == set(ITEMS)
    assert [name for name, item in ITEMS.items() if item.needs_all_pairs] == ["tukey"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    module = importlib.import_module(f"rankproof.proving.corrections.{file.stem}")
    (item,) = module.OFFERS
    assert item.name == file.stem
    assert item.page == module.__doc__
    assert item.summary.endswith(".")
    assert re.search(rf"^controls: {item.controls}", item.page, re.MULTILINE)
    assert len(re.findall(r"^source: \S", item.page, re.MULTILINE)) == 1
    told = doctest.testmod(module)
    assert told.attempted >= 2
    assert told.failed == 0


@every_correction
def test_every_test_has_its_entry_and_chance_comes_from_the_seed(item: Correction) -> None:
    tests = all_pairs([table(0), table(1), table(2, queries=10)], resamples=499)
    found = adjust(item, tests)
    assert found == adjust(item, tests)
    assert len(found) == len(tests.answers) == 18
    for answer, adjusted in zip(tests.answers, found, strict=True):
        assert isinstance(answer, Estimate)
        assert answer.p_value <= adjusted.p_value <= 1 or item.name == "tukey"
        assert adjusted.low <= answer.value <= adjusted.high
        assert adjusted.low <= answer.low or item.name == "tukey"
        assert adjusted.kind


@every_correction
def test_a_test_that_was_not_made_is_left_out_and_not_counted(item: Correction) -> None:
    """The first two systems are the same: there are five tests, not six."""
    scores = np.array(table(3))
    scores[:, 1] = scores[:, 0]
    tests = all_pairs([scores.tolist()], resamples=499)
    found = adjust(item, tests)
    assert found[0] is None
    assert None not in found[1:]
    if item.name == "holm":
        assert found[1].kind == "simultaneous 95% (Bonferroni, 99% each)"


@every_correction
def test_nothing_made_is_nothing_adjusted(item: Correction) -> None:
    assert adjust(item, family([None, None])) == [None, None]


@from_p_values
@given(p=p_values, seed=st.integers(0, 9))
@quick
def test_the_order_of_tests_does_not_matter(item: Correction, p: list[float], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(p))
    there, back = adjust(item, family(p)), adjust(item, family([p[i] for i in order]))
    assert [there[i] for i in order] == back


@from_p_values
@given(p=p_values)
@quick
def test_a_smaller_p_value_stays_smaller(item: Correction, p: list[float]) -> None:
    adjusted = [one.p_value for one in adjust(item, family(p))]
    for a, b in zip(p, adjusted, strict=True):
        assert all(b <= other for mine, other in zip(p, adjusted, strict=True) if a < mine)


@every_correction
def test_one_test_alone_needs_no_correction(item: Correction) -> None:
    tests = all_pairs([[row[:2] for row in table(4)]], resamples=9_999)
    (answer,), (adjusted,) = tests.answers, adjust(item, tests)
    near = 0.02 if item.name == "tukey" else 1e-12  # Tukey's shuffles of two systems are a sign-flip test
    assert adjusted.p_value == pytest.approx(answer.p_value, abs=near)
    assert (adjusted.low, adjusted.high) == pytest.approx((answer.low, answer.high), abs=near)
