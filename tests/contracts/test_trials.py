"""The contract of the trials shelf: what every way of inference promises, run over every one."""

from __future__ import annotations

import math
import subprocess
import sys
from dataclasses import replace
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import check_page, check_params, files_of
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trials.contract import Effect, EffectLook, EffectRequest, Inference, VariancePart

ITEMS: dict[str, Inference] = dict(shelf.offered("trials"))
PLANNED = ("obrien_fleming(days=4)", "pocock(days=4)", "pocock(days=9, units=3000)")
ASKED = ("welch", "sequence", "sequence(units=200)", "msprt(effect=0.5)", "msprt(effect=0.01)", *PLANNED)
ALWAYS_VALID = {"sequence", "msprt"}
every_way = pytest.mark.parametrize("text", ASKED)
quick = settings(max_examples=examples(60), deadline=None)
parts = st.lists(st.builds(VariancePart, st.floats(1e-6, 10), st.integers(2, 100_000)), min_size=2, max_size=6)
# One to four looks at growing numbers of units, some of which saw nothing new.
looks = st.lists(st.integers(0, 900), min_size=1, max_size=4).map(
    lambda new: tuple(EffectLook(units, float(units)) for units in accumulate(new, initial=50))[-len(new) :]
)
effects = st.builds(
    lambda value, parts, looks: Effect(value, tuple(parts), sum(part.n for part in parts), looks=looks),
    st.floats(-5, 5),
    parts,
    st.just(()) | looks,
)
questions = st.builds(
    EffectRequest,
    level=st.sampled_from([0.8, 0.95, 0.999]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    null=st.sampled_from([0.0, 0.125, -2.0]),
)


def ask(text: str, effect: Effect, asked: EffectRequest) -> Estimate:
    call = read_configured("trials", text)
    answer = call.item.answer(effect, asked, call.values)
    assert isinstance(answer, Estimate)
    return answer


def test_every_item_is_in_a_group() -> None:
    assert {text.partition("(")[0] for text in ASKED} == set(ITEMS) == {file.stem for file in files_of("trials")}
    assert {name for name, item in ITEMS.items() if item.always_valid} == ALWAYS_VALID
    assert {name for name, item in ITEMS.items() if item.planned_looks} == {"obrien_fleming", "pocock"}


@pytest.mark.parametrize("file", files_of("trials"), ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("trials", file)


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
def test_parameters_are_explained(item: Inference) -> None:
    check_params(item)


@every_way
@given(effect=effects, asked=questions)
@quick
def test_interval_and_p_value_never_contradict(text: str, effect: Effect, asked: EffectRequest) -> None:
    found = ask(text, effect, asked)
    assert 0 <= found.p_value <= 1
    assert found.low < found.value < found.high
    if math.isinf(found.high - found.low) and asked.alternative == "two-sided":
        assert text in PLANNED  # a look that may spend nothing yet
        assert found.p_value > 1 - asked.level
        return
    outside = max(found.low - asked.null, asked.null - found.high)
    if abs(outside) > 1e-9 * max(1.0, abs(found.value)):
        assert (outside > 0) == (found.p_value < 1 - asked.level)
    assert math.isinf(found.high) >= (asked.alternative == "greater")
    assert math.isinf(found.low) >= (asked.alternative == "less")
    if text not in PLANNED:
        assert math.isinf(found.high) + math.isinf(found.low) == (asked.alternative != "two-sided")


@every_way
@given(effect=effects, asked=questions)
@quick
def test_the_other_side_is_the_mirror(text: str, effect: Effect, asked: EffectRequest) -> None:
    mirror = {"two-sided": "two-sided", "greater": "less", "less": "greater"}
    found = ask(text, effect, asked)
    assert effect.value is not None
    turned = replace(asked, null=-asked.null, alternative=mirror[asked.alternative])
    other = ask(text, replace(effect, value=-effect.value), turned)
    assert (other.low, other.high, other.p_value) == (-found.high, -found.low, found.p_value)


@every_way
@given(effect=effects)
@quick
def test_a_greater_level_is_a_wider_interval(text: str, effect: Effect) -> None:
    narrow, wide = (ask(text, effect, EffectRequest(level)) for level in (0.9, 0.99))
    if math.isinf(narrow.low):
        assert math.isinf(wide.low)
        return
    assert wide.low < narrow.low
    assert narrow.high < wide.high


@pytest.mark.parametrize("text", [text for text in ASKED if text not in ("welch", *PLANNED)])
@given(effect=effects)
@quick
def test_looking_always_costs_width(text: str, effect: Effect) -> None:
    big = replace(effect, parts=tuple(VariancePart(part.variance, 100_000) for part in effect.parts))
    assert ask(text, big, EffectRequest()).low < ask("welch", big, EffectRequest()).low


@every_way
def test_what_cannot_be_estimated_says_why(text: str) -> None:
    call = read_configured("trials", text)
    for effect, why in (
        (Effect(None, (), 7, "no control"), "no control"),
        (Effect(1.0, (VariancePart(0.0, 1), VariancePart(1.0, 5)), 6), "fewer than two units"),
        (Effect(1.0, (VariancePart(0.0, 4), VariancePart(0.0, 5)), 9), "without spread"),
    ):
        answer = call.item.answer(effect, EffectRequest(), call.values)
        assert isinstance(answer, NotEstimable)
        assert why in answer.reason
        assert (answer.n, answer.value, answer.method) == (effect.n, effect.value, call.item.name)


def test_importing_the_shelf_loads_no_scipy() -> None:
    code = "import sys; from rankproof.kernel import shelf; shelf.offered('trials'); print('scipy' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.strip() == "False"
