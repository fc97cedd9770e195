"""The contract of the estimators shelf: what every way to value a new ranking promises, run over every one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import check_page, check_params, files_of
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.counterfactual.records import Decisions, Influence, PredictedRewards, TargetDisplay
from rankproof.online.estimators.contract import Estimator

ITEMS: dict[str, Estimator] = dict(shelf.offered("estimators"))
ASKED = ("ips", "ips(clip=1.5)", "snips", "snips(clip=1.5)", "dr", "dr(clip=1.5)")
every_way = pytest.mark.parametrize("text", ASKED)
unclipped = pytest.mark.parametrize("text", [text for text in ASKED if "clip" not in text])
quick = settings(max_examples=examples(40), deadline=None)


def drawn(seed: int, pages: int = 12, as_logged: bool = False) -> Decisions:
    """Two decisions on each page, of two queries with three cells each in two groups."""
    rng = np.random.default_rng(seed)
    queries = rng.integers(2, size=pages)
    of = np.repeat(np.arange(pages), 2)
    cells = queries[of] * 3 + rng.integers(3, size=2 * pages)
    rewards = rng.integers(3, size=2 * pages).astype(float)
    weights = np.ones(2 * pages) if as_logged else rng.uniform(0, 3, 2 * pages)
    believed = rng.random(6)
    wanted = TargetDisplay(np.repeat([0, 1], 3), np.arange(6), rng.random(6))
    worth = np.bincount(wanted.queries, wanted.amounts * believed, 2)
    return Decisions(
        queries=queries,
        units=np.arange(pages),
        logged=np.bincount(of, rewards, pages),
        pages=of,
        cells=cells,
        rewards=rewards,
        weights=weights,
        looked=np.ones(2 * pages),
        norms=None,
        group_of=np.array([0, 0, 1, 0, 0, 1]),
        target=wanted,
        balanced=True,
        believed=PredictedRewards(believed[cells], worth[queries]),
    )


def ask(text: str, decisions: Decisions) -> Influence:
    call = read_configured("estimators", text)
    found = call.item.estimate(decisions, call.values)
    assert isinstance(found, Influence)
    return found


def pages_again(decisions: Decisions, pages: np.ndarray) -> Decisions:
    """The log of these pages, some of them repeated."""
    rows = np.concatenate([np.flatnonzero(decisions.pages == page) for page in pages])
    believed = decisions.believed
    assert believed is not None
    return replace(
        decisions,
        queries=decisions.queries[pages],
        units=np.arange(len(pages)),
        logged=decisions.logged[pages],
        pages=np.repeat(np.arange(len(pages)), 2),
        **{name: getattr(decisions, name)[rows] for name in ("cells", "rewards", "weights", "looked")},
        believed=PredictedRewards(believed.rewards[rows], believed.of_pages[pages]),
    )


def test_every_item_is_in_a_group() -> None:
    assert {text.partition("(")[0] for text in ASKED} == set(ITEMS) == {file.stem for file in files_of("estimators")}
    assert {name for name, item in ITEMS.items() if item.believes} == {"dr"}


@pytest.mark.parametrize("file", files_of("estimators"), ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("estimators", file)


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
def test_parameters_are_explained(item: Estimator) -> None:
    check_params(item)
    assert item.summary.endswith(".")


@every_way
def test_its_text_reads_back_to_itself(text: str) -> None:
    assert read_configured("estimators", text).text == text


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_pages_pull_both_ways_alike(text: str, seed: int) -> None:
    found = ask(text, drawn(seed))
    assert len(found.of_pages) == 12
    assert found.of_pages.mean() == pytest.approx(0, abs=1e-9)


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_neither_the_order_of_pages_nor_a_log_twice_changes_the_estimate(text: str, seed: int) -> None:
    log = drawn(seed)
    value = ask(text, log).value
    turned = np.random.default_rng(seed).permutation(12)
    assert ask(text, pages_again(log, turned)).value == pytest.approx(value)
    assert ask(text, pages_again(log, np.tile(np.arange(12), 2))).value == pytest.approx(value)


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_rewards_counted_in_cents_give_the_value_in_cents(text: str, seed: int) -> None:
    log = drawn(seed)
    assert log.believed is not None
    cents = replace(
        log,
        rewards=100 * log.rewards,
        believed=PredictedRewards(100 * log.believed.rewards, 100 * log.believed.of_pages),
    )
    assert ask(text, cents).value == pytest.approx(100 * ask(text, log).value)


@every_way
@given(seed=st.integers(0, 10_000), page=st.integers(0, 11))
@quick
def test_a_page_pulls_as_far_as_one_more_of_it_moves_the_estimate(text: str, seed: int, page: int) -> None:
    """With the log 300 times and this page once more, the estimate moves by the page's pull over the pages."""
    log = drawn(seed)
    many = np.tile(np.arange(12), 300)
    before, after = (ask(text, pages_again(log, pages)).value for pages in (many, np.append(many, page)))
    assert (after - before) * 3_601 == pytest.approx(ask(text, log).of_pages[page], rel=0.01, abs=0.01)


@unclipped
def test_what_was_logged_is_worth_what_it_earned(text: str) -> None:
    """The new system is the logged one: every weight is 1, and what is wanted is what was shown, on average."""
    log = drawn(3, as_logged=True)
    shown = np.bincount(log.cells, minlength=6) / np.repeat(np.bincount(log.queries, minlength=2), 3)
    log = replace(log, target=TargetDisplay(np.repeat([0, 1], 3), np.arange(6), shown))
    assert log.believed is not None
    # What the model says of all that is wanted is, in the mean over pages, what it says of all that was shown.
    log = replace(log, believed=PredictedRewards(log.believed.rewards, log.by_page(log.believed.rewards)))
    assert ask(text, log).value == pytest.approx(log.logged.mean())


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_a_limit_that_no_weight_reaches_changes_nothing(name: str) -> None:
    assert ask(f"{name}(clip=3.0)", drawn(5)).value == ask(name, drawn(5)).value
    assert ask(f"{name}(clip=1.0)", drawn(5)).value != ask(name, drawn(5)).value


def test_loading_the_shelf_loads_no_library() -> None:
    program = (
        "import sys; from rankproof.kernel import shelf; shelf.offered('estimators'); "
        "print([name for name in ('scipy', 'rich') if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
