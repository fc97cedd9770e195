"""One verdict over datasets, by hand: means of the same weight, who is shipped, who disagrees, what is left open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.benchmark.several import MEASURE, several, with_failed

from rankproof.errors import InputError
from rankproof.proving.records import ALL_QUERIES
from rankproof.stack.benchmark.datasets.over import over_datasets
from rankproof.stack.benchmark.datasets.records import MultiBenchmark
from rankproof.stack.benchmark.datasets.sections import datasets_sections, datasets_summary, verdict_over, warnings_over
from rankproof.stack.benchmark.reranks import RerankCheck


def wave(size: int, mean: float, seed: int = 0, spread: float = 0.1) -> list[float]:
    """Values with exactly this mean."""
    values = np.random.default_rng(seed).normal(0, spread, size)
    return list(mean + values - values.mean())


def world(**effects: float) -> MultiBenchmark:
    """By dataset what `new` adds to `old`; of 24 queries, and of 400 where the name begins with "large"."""
    values = {}
    for seed, (name, effect) in enumerate(effects.items()):
        size = 400 if name.startswith("large") else 24
        values[name] = {"old": wave(size, 0.4, 2 * seed, 0.05), "new": wave(size, 0.4 + effect, 2 * seed + 1, 0.05)}
    return several(values)


def test_every_dataset_has_the_same_weight() -> None:
    found = world(one=0.1, two=-0.02, large=0.01)
    means = found.means[MEASURE]
    assert means["old"] == pytest.approx(0.4)
    assert means["new"] == pytest.approx(0.4 + (0.1 - 0.02 + 0.01) / 3)
    held = found.held(MEASURE, "new", "old")
    assert held.difference == pytest.approx(0.03)
    by = found.by_dataset(MEASURE, "new", "old")
    assert held.difference == pytest.approx(sum(own.difference or 0 for own in by.values()) / 3)
    turned = found.held(MEASURE, "old", "new")
    assert (turned.difference, turned.shown) == (
        pytest.approx(-0.03),
        "worse" if held.shown == "better" else held.shown,
    )
    assert found.value(MEASURE, "new", "two") == pytest.approx(0.38)


def test_the_largest_dataset_does_not_decide() -> None:
    """Over all queries together new would be better: 400 of 448 are of the large one."""
    found = world(one=-0.1, two=-0.1, large=0.1)
    values = np.concatenate([part.comparison.contrasts[0].by_query for part in found.parts.values()])
    assert values.mean() > 5 * values.std(ddof=1) / len(values) ** 0.5
    assert found.held(MEASURE, "new", "old").shown == "worse"
    assert found.advice.ship == "old"
    assert found.best == {MEASURE: "old"}


def test_what_is_better_over_the_datasets_is_shipped_and_of_what_is_said() -> None:
    found = world(one=0.1, two=0.1, three=0.12)
    assert (found.advice.ship, found.advice.path) == ("new", ("old", "new"))
    assert found.disagreements == ()
    sentence = verdict_over(found)
    assert sentence.startswith("Ship new. It is significantly better than old.")
    assert "mean over these 3 datasets, each of the same weight; of others it says nothing" in sentence
    assert found.comparison.contrast(MEASURE).segment == ALL_QUERIES
    assert len(found.comparison.query_ids) == 72


@pytest.mark.parametrize(
    ("effects", "overall", "better", "worse"),
    [
        ({"one": 0.1, "two": 0.1, "three": -0.1}, "better", ("one", "two"), ("three",)),
        ({"one": 0.1, "two": -0.1}, "not shown", ("one",), ("two",)),
        # Significant over them all, and significantly worse on one: nobody else has to be significantly better.
        ({"one": 0.025, "two": 0.025, "three": 0.025, "four": 0.025, "five": 0.025, "six": 0.025, "worse": -0.04},
         "better", (), ("worse",)),
    ],
)  # fmt: skip
def test_datasets_that_disagree_reach_the_verdict(
    effects: dict[str, float], overall: str, better: tuple[str, ...], worse: tuple[str, ...]
) -> None:
    found = world(**effects)
    (disagreement,) = found.disagreements
    assert disagreement.overall == overall
    assert disagreement.worse == worse
    assert set(better) <= set(disagreement.better)
    assert warnings_over(found)[0] == [disagreement.sentence]
    for parts in (datasets_summary(found, False, 80), datasets_sections(found)[:1]):
        lines = [line for part in parts for line in part.lines]
        assert f"Warning: {disagreement.sentence}" in lines


def test_datasets_that_only_differ_in_size_do_not_disagree() -> None:
    assert world(one=0.1, two=0.0).disagreements == ()


def test_a_dataset_without_which_it_would_be_another_verdict_is_named() -> None:
    found = world(one=0.2, two=0.0, three=-0.005)
    assert found.advice.ship == "new"
    lines = [line for part in datasets_summary(found, False, 80) for line in part.lines]
    assert "Without one new would not be significantly better than old over the others." in lines


def test_failed_queries_of_one_dataset_leave_the_whole_open() -> None:
    whole = with_failed(world(one=0.1, two=0.1), "two", "new", "old", -0.2, 0.3)
    assert whole.undecided == ("two",)
    assert whole.advice.ship is None
    assert whole.advice.path == ()
    assert whole.best == {MEASURE: None}
    assert whole.held(MEASURE, "new", "old").shown == "undecided"
    assert verdict_over(whole).startswith(
        "UNDECIDED: queries failed on two (two: 1 of 9 queries has no answer (new 1))."
    )
    low, high = whole.bound(MEASURE, "new", "old") or (0, 0)
    assert (low, high) == (pytest.approx((0.1 - 0.2) / 2), pytest.approx((0.1 + 0.3) / 2))
    assert whole.bound(MEASURE, "old", "new") == (pytest.approx(-high), pytest.approx(-low))
    text = " ".join(str(part) for part in datasets_sections(whole))
    assert "better" not in text.replace("significantly better", "")


def test_nothing_is_bounded_where_nothing_failed_or_no_bound_is_known() -> None:
    assert world(one=0.1, two=0.1).bound(MEASURE, "new", "old") is None
    found = with_failed(world(one=0.1, two=0.1), "two", "new", "old", 0.0, 0.1)
    part = found.parts["two"]
    assert part.failed is not None
    bare = replace(part, failed=replace(part.failed, bounds=()))
    assert over_datasets(found.config, {**found.parts, "two": bare}).bound(MEASURE, "new", "old") is None


def test_a_mode_that_is_broken_on_one_dataset_is_never_shipped() -> None:
    found = world(one=0.1, two=0.1)
    part = found.parts["two"]
    checked = {
        name: replace(own, rows=(own.rows[0], replace(own.rows[1], rerank=check)))
        for name, own, check in (
            ("one", found.parts["one"], RerankCheck("old", 5, "held", 24)),
            ("two", part, RerankCheck("old", 5, "broken", 24, 3, ("query q1",), "")),
        )
    }
    again = over_datasets(found.config, checked)
    assert (again.advice.ship, again.advice.broken) == ("old", ("new",))
    assert "Left out as BROKEN: new." in verdict_over(again)
    assert any(line.startswith("two: new is BROKEN") for line in warnings_over(again)[0])


def test_the_same_content_under_two_names_is_refused() -> None:
    found = world(one=0.1, two=0.1)
    same = {name: replace(part, dataset_hash="0" * 64) for name, part in found.parts.items()}
    with raises(InputError, "one and two", "twice"):
        over_datasets(found.config, same)


def test_queries_that_datasets_share_are_warned_of() -> None:
    found = world(one=0.1, two=0.1)
    again = over_datasets(found.config, found.parts, ("3 queries are in one and in two",))
    assert warnings_over(again)[1][0] == "3 queries are in one and in two"


def test_few_queries_are_warned_of() -> None:
    found = several({n: {"old": wave(9, 0.4, i), "new": wave(9, 0.5, i + 5)} for i, n in enumerate(("a", "b"))})
    assert any("fewer than 20 queries: a (9), b (9)" in text for text in warnings_over(found)[1])


def test_a_dataset_that_tells_nothing_is_warned_of() -> None:
    same = wave(24, 0.4)
    found = several({"one": {"old": same, "new": wave(24, 0.5, 3)}, "flat": {"old": same, "new": same}})
    (told,) = (text for text in warnings_over(found)[1] if "tells nothing" in text)
    assert told.startswith("flat tells nothing")


def test_many_datasets_are_cut_in_the_short_form_and_counted() -> None:
    found = world(**{f"set{number}": 0.1 for number in range(18)})
    parts = datasets_summary(found, False, 80)
    table = parts[1]
    assert [row[0] for row in table.table][-1] == "mean"
    left = 18 - (len(table.table) - 2)
    assert left > 0
    assert isinstance(table.lines[0], str)
    assert table.lines[0].startswith(f"{left} more dataset")
    whole = next(part for part in datasets_sections(found) if part.title.endswith("by dataset"))
    assert len(whole.table) == 20


def test_it_is_a_table_and_a_line() -> None:
    found = world(one=0.1, two=0.1)
    assert repr(found) == "<MultiBenchmark several: 2 modes on 2 datasets; ship new by nDCG@10>"
    columns = {column.name: list(column.values) for column in found._table(None).columns}
    assert columns["dataset"] == ["one", "one", "two", "two", "mean", "mean"]
    assert columns[MEASURE][-1] == pytest.approx(0.5)


def test_the_document_has_each_part_and_the_whole() -> None:
    document = world(one=0.1, two=-0.1).to_dict()
    assert document["disagreements"] == [
        {"mode": "new", "against": "old", "overall": "not shown", "better": ["one"], "worse": ["two"]}
    ]
    assert (document["weights"], document["inference"]) == ("each dataset the same", "these datasets")
    assert list(document["datasets"]) == ["one", "two"]  # type: ignore[call-overload]
