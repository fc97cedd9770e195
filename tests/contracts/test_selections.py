"""The contract of the selections shelf: what every way to choose pairs promises, run over every one."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import check_page, check_params, files_of
from tests.effort import examples
from tests.raising import raises

from rankproof.judging.records import SCALES, Judgment, JudgmentSource
from rankproof.judging.rounds.pool import material_of
from rankproof.judging.selections.contract import SelectedPair, Selection
from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import read_configured

ITEMS: dict[str, Selection] = dict(shelf.offered("selections"))
ASKED = (
    "depth_pool",
    "depth_pool(depth=3)",
    "near_cutoff",
    "near_cutoff(k=3, within=2)",
    "disagreement",
    "disagreement(between='people', judges=2)",
    "disagreement(between='model_and_person')",
    "influence",
    "influence(measure='P@5', baseline='b')",
    "influence(candidates=['c'])",
)
every_way = pytest.mark.parametrize("text", ASKED)
quick = settings(max_examples=examples(25), deadline=None)


def chosen(text: str, seed: int, wanted: int = 1) -> tuple[list[SelectedPair], dict, list[Judgment]]:
    """What a selection makes of three made-up runs and a few judgments; the runs and judgments themselves."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(12)]
    # A run without a single row is refused, so the first query always has a document.
    runs = {name: {f"q{i}": rng.sample(docs, rng.randint(i == 0, 8)) for i in range(4)} for name in "abc"}
    judgments = [
        Judgment(f"{judge}{query}{doc}", judge, query, doc, rng.randrange(4), source=source)
        for judge, source in (
            ("ann", JudgmentSource()),
            ("bob", JudgmentSource()),
            ("gpt", JudgmentSource("model", "made up")),
        )
        for query in ("q0", "q1")
        for doc in rng.sample(docs, 4)
    ]
    asked = read_configured("selections", text)
    found = asked.item.select(material_of(runs, judgments, SCALES["graded"], wanted), asked.values)
    return list(found), runs, judgments


def test_every_item_is_in_a_group() -> None:
    assert {text.partition("(")[0] for text in ASKED} == set(ITEMS)
    assert {file.stem for file in files_of("selections")} == set(ITEMS)


@pytest.mark.parametrize("file", files_of("selections"), ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("selections", file)


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
def test_parameters_are_explained(item: Selection) -> None:
    check_params(item)
    assert "pairs" in {param.name for param in item.params}


@every_way
def test_its_text_reads_back_to_itself(text: str) -> None:
    assert read_configured("selections", text).text == text


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_the_same_material_gives_the_same_pairs_each_once_with_a_weight_above_0(text: str, seed: int) -> None:
    found, _, _ = chosen(text, seed)
    assert found == chosen(text, seed)[0]
    assert len({one.pair for one in found}) == len(found)
    assert all(one.weight > 0 for one in found)
    assert all(one.wanted >= 0 for one in found)


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_pairs_are_ranked_or_judged(text: str, seed: int) -> None:
    found, runs, judgments = chosen(text, seed)
    ranked = {(query, doc) for run in runs.values() for query, docs in run.items() for doc in docs}
    assert {one.pair for one in found} <= ranked | {(act.query_id, act.doc_id) for act in judgments}


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_by_weight_means_that_no_pair_is_heavier_than_the_one_before(text: str, seed: int) -> None:
    found, _, _ = chosen(text, seed)
    weights = [one.weight for one in found]
    if ITEMS[text.partition("(")[0]].by == "weight":
        assert weights == sorted(weights, reverse=True)
    else:
        queries = [one.query_id for one in found]
        assert len(set(queries)) == sum(a != b for a, b in zip(["", *queries], queries, strict=False))


@every_way
@given(seed=st.integers(0, 10_000), n=st.integers(1, 12))
@quick
def test_fewer_pairs_are_pairs_of_the_whole(text: str, seed: int, n: int) -> None:
    whole, _, _ = chosen(text, seed)
    name, _, rest = text.partition("(")
    fewer, _, _ = chosen(f"{name}(pairs={n}, {rest or ')'}", seed)
    assert len(fewer) == min(n, len(whole))
    assert {one.pair for one in fewer} <= {one.pair for one in whole}
    if ITEMS[name].by == "weight":
        assert fewer == whole[:n]


@every_way
@given(seed=st.integers(0, 10_000))
@quick
def test_only_a_selection_that_follows_judgments_is_changed_by_them(text: str, seed: int) -> None:
    found, runs, _ = chosen(text, seed)
    asked = read_configured("selections", text)
    without = list(asked.item.select(material_of(runs, [], SCALES["graded"]), asked.values))
    if not asked.item.follows:
        assert without == found


@every_way
def test_no_runs_are_no_pairs_or_a_clear_error(text: str) -> None:
    from rankproof.errors import UsageError

    asked = read_configured("selections", text)
    material = material_of({}, [], SCALES["graded"])
    if text.startswith("influence"):
        with raises(UsageError, "influence", "depth_pool"):
            asked.item.select(material, asked.values)
    else:
        assert list(asked.item.select(material, asked.values)) == []


def test_importing_the_shelf_loads_no_database() -> None:
    code = (
        "import sys; from rankproof.kernel import shelf; shelf.offered('selections'); "
        "print([m for m in ('sqlalchemy', 'starlette', 'scipy') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.strip() == "[]"
