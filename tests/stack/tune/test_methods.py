"""Methods: a grid tries everything once, cheap parameters fastest; the estimator is seeded and starts as written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from tests.raising import raises
from tests.stack.tune.made import at_hand, config, tuned

from rankproof.errors import MissingExtra
from rankproof.stack.tune.config import tune_config_of
from rankproof.stack.tune.records import TuneConfig
from rankproof.stack.tune.search import search


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    with at_hand():
        yield


def fused(method: str, **dials: Any) -> TuneConfig:
    document = {
        "benchmark": {"dataset": "here"},
        "modes": {"one": "bm25()", "two": "letters()", "both": "fuse_linear(one, two)"},
        "tune": {"method": method, "trials": 30, "dials": dials},
    }
    return tune_config_of(document, "t.toml")


def proposed(found: TuneConfig) -> list[dict[str, Any]]:
    """Settings that are proposed where the score is best at k1 = 0.7 and a second weight of 2."""
    said: list[dict[str, Any]] = []

    def score(values: Mapping[str, Any]) -> float:
        said.append(dict(values))
        return -((float(values["one.k1"]) - 0.7) ** 2) - (float(values["both.weights.two"]) - 2) ** 2

    search(found, score)
    return said


def test_a_grid_turns_what_comes_last_fastest() -> None:
    found = fused("grid", **{"both.weights.two": [1, 2], "one.k1": [0.5, 1.0]})
    assert [tuple(values.values()) for values in proposed(found)] == [(0.5, 1), (0.5, 2), (1.0, 1), (1.0, 2)]


DIALS: dict[str, Any] = {
    "one.k1": {"low": 0.1, "high": 2.0},
    "both.weights.two": {"low": 0.1, "high": 10.0, "log": True},
}


def test_the_estimator_begins_with_what_is_written_and_comes_near_the_best() -> None:
    first, *others = proposed(fused("optuna", **DIALS))
    assert first == {"one.k1": 1.5, "both.weights.two": 1.0}
    assert len(others) == 30
    best = min(others, key=lambda values: (values["one.k1"] - 0.7) ** 2 + (values["both.weights.two"] - 2) ** 2)
    assert best["one.k1"] == pytest.approx(0.7, abs=0.3)
    assert best["both.weights.two"] == pytest.approx(2, abs=0.5)
    assert all(0.1 <= values["one.k1"] <= 2.0 for values in others)


def test_the_same_seed_proposes_the_same() -> None:
    assert proposed(fused("optuna", **DIALS)) == proposed(fused("optuna", **DIALS))
    other = tune_config_of(
        {
            "benchmark": {"dataset": "here"},
            "modes": dict(fused("optuna", **DIALS).texts),
            "tune": {"method": "optuna", "trials": 30, "seed": 1, "dials": DIALS},
        },
        "t.toml",
    )
    assert proposed(other) != proposed(fused("optuna", **DIALS))


def test_what_is_written_is_tried_first_also_where_no_parameter_reaches_it() -> None:
    found, _ = tuned(config(method="optuna", trials=12, dials={"plain": {"first": ["b", "c", "d"]}}))
    assert found.settings[0].parameters == {"plain.first": "a"}
    assert found.proposed == 12
    assert len(found.settings) == 4  # what is proposed twice is tried once
    assert found.winner.parameters == {"plain.first": "c"}


def test_lists_and_whole_numbers_are_searched_too() -> None:
    found = fused("optuna", **{"both.weights": [[1, 1], [1, 2], [3, 1]], "one.k1": {"low": 1, "high": 2, "step": 0.5}})
    said: list[dict[str, Any]] = []

    def score(values: Mapping[str, Any]) -> float:
        said.append(dict(values))
        return 0.0

    search(found, score)
    assert {tuple(values["both.weights"]) for values in said} == {(1, 1), (1, 2), (3, 1)}
    assert {values["one.k1"] for values in said} == {1.0, 1.5, 2.0}


def test_without_the_library_the_install_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "optuna", None)
    with raises(MissingExtra, "pip install optuna"):
        tuned(config(method="optuna"))
