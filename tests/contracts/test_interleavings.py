"""The contract of the interleavings shelf: what every way to make one list of several promises, run over every one."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import check_page, check_params, files_of
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.interleaving.show import interleave
from rankproof.online.interleavings.contract import Interleaving

ITEMS: dict[str, Interleaving] = dict(shelf.offered("interleavings"))
# The text that asks for it, and how many systems.
ASKED = (
    ("team_draft", 2),
    ("team_draft_multileave", 2),
    ("team_draft_multileave", 4),
    ("probabilistic", 2),
    ("probabilistic(decay=1.0)", 3),
    ("optimized", 2),
    ("optimized(credit='linear', top=4)", 2),
)
every_way = pytest.mark.parametrize(("text", "systems"), ASKED)
quick = settings(max_examples=examples(25), deadline=None)


def rankings_of(seed: int, systems: int, least: int = 0) -> dict[str, list[str]]:
    """Rankings that share some documents, of different lengths."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(9)]
    return {f"s{i}": rng.sample(docs, rng.randint(least, 7)) for i in range(systems)}


def test_every_item_is_in_a_group() -> None:
    assert {text.partition("(")[0] for text, _ in ASKED} == set(ITEMS)
    assert {file.stem for file in files_of("interleavings")} == set(ITEMS)


@pytest.mark.parametrize("file", files_of("interleavings"), ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("interleavings", file)


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
def test_parameters_are_explained(item: Interleaving) -> None:
    check_params(item)


@every_way
def test_its_text_reads_back_to_itself(text: str, systems: int) -> None:
    assert read_configured("interleavings", text).text == text


@every_way
@given(seed=st.integers(0, 10_000), depth=st.integers(1, 8))
@quick
def test_what_is_shown_was_ranked_and_is_shown_once(text: str, systems: int, seed: int, depth: int) -> None:
    rankings = rankings_of(seed, systems)
    shown = interleave(rankings, f"key {seed}", text, depth)
    ranked = {doc for ranking in rankings.values() for doc in ranking}
    assert len(set(shown.docs)) == len(shown.docs) == min(depth, len(ranked))
    assert set(shown.docs) <= ranked
    assert len(shown.credits) == len(shown.teams) == len(shown.docs)
    assert shown.systems == tuple(sorted(rankings))
    assert shown.credited <= min(map(len, rankings.values()))


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_credit_is_never_negative_and_filling_earns_nothing(text: str, systems: int, seed: int) -> None:
    shown = interleave(rankings_of(seed, systems), f"key {seed}", text, 8)
    assert all(len(each) == systems and min(each) >= 0 for each in shown.credits)
    assert all(not any(each) for each in shown.credits[shown.credited :])
    assert all(team is None for team in shown.teams[shown.credited :])


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_the_key_decides_and_the_order_of_the_systems_does_not(text: str, systems: int, seed: int) -> None:
    rankings = rankings_of(seed, systems)
    shown = interleave(rankings, f"key {seed}", text)
    assert interleave(dict(reversed(rankings.items())), f"key {seed}", text) == shown


@every_way
def test_keys_and_experiments_differ(text: str, systems: int) -> None:
    rng = random.Random(5)
    rankings = {f"s{i}": rng.sample([f"d{i}" for i in range(9)], 7) for i in range(systems)}
    assert len({interleave(rankings, f"key {i}", text) for i in range(40)}) > 1
    assert len({interleave(rankings, "key", text, experiment=f"e{i}") for i in range(40)}) > 1


@every_way
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_every_rank_the_expected_credit_is_the_same_for_all(text: str, systems: int, seed: int) -> None:
    """So that clicks without reading, at whatever rate for each rank, prefer nobody: over 3,000 keys, by 4.5 errors."""
    rankings = rankings_of(seed, systems, least=3)
    lists = [interleave(rankings, f"key {i}", text) for i in range(3000)]
    credits = np.array([shown.credits for shown in lists])[:, : lists[0].credited]
    leads = credits[:, :, 1:] - credits[:, :, :1]
    error = leads.std(axis=0, ddof=1) / np.sqrt(len(lists))
    assert np.all(np.abs(leads.mean(axis=0)) <= 4.5 * error + 1e-12)


@every_way
def test_equal_rankings_earn_alike_in_expectation(text: str, systems: int) -> None:
    rankings = {f"s{i}": ["a", "b", "c", "d"] for i in range(systems)}
    lists = [interleave(rankings, f"key {i}", text) for i in range(2000)]
    if not text.startswith("probabilistic"):
        assert {shown.docs for shown in lists} == {("a", "b", "c", "d")}
    first = np.array([shown.credits[0] for shown in lists])
    assert np.all(np.abs(first.mean(axis=0) - first.mean()) <= 4.5 * 0.5 / np.sqrt(2000))


@every_way
def test_a_system_that_found_nothing_leaves_the_page_to_the_others(text: str, systems: int) -> None:
    rankings = {f"s{i}": ["a", "b"] if i else [] for i in range(systems)}
    shown = interleave(rankings, "key", text)
    assert (shown.docs, shown.credited) == (("a", "b"), 0)


def test_importing_the_shelf_and_the_servers_function_loads_no_scipy() -> None:
    code = (
        "import sys; from rankproof.kernel import shelf; shelf.offered('interleavings'); "
        "from rankproof.online.interleaving.show import interleave; "
        "rankings = {'a': ['x', 'y'], 'b': ['y', 'x']}; "
        "[interleave(rankings, 'k', m) for m in ('team_draft', 'probabilistic', 'optimized')]; "
        "print([m for m in ('scipy', 'rich', 'msgspec') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.strip() == "[]"
