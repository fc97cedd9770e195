"""The configuration of a benchmark: read, checked, and refused with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.stack.pipeline.items import on_shelves

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.stack.asking.limits import PARAMS, Limits
from rankproof.stack.benchmark.config import config_of, read_config

MODES = {
    "plain": "letters()",
    "turned": "plain >> turn(depth=2)",
    "both": "join(plain, turned)",
}

GOOD = {"benchmark": {"dataset": "x"}, "modes": MODES}


@pytest.fixture(autouse=True)
def items() -> Iterator[None]:
    with on_shelves():
        yield


def config(**benchmark: Any) -> Any:
    return config_of({"benchmark": {"dataset": "here", **benchmark}, "modes": MODES}, "b.toml")


def test_modes_build_on_modes() -> None:
    found = config()
    assert str(found.modes["both"]) == "join(letters(), letters() >> turn(depth=2))"
    assert found.before == {"turned": "plain", "both": "turned"}
    assert found.inputs == {"turned": ("plain",), "both": ("plain", "turned")}
    assert found.baseline == "plain"
    assert found.measures == ("nDCG@10", "RR@10", "AP", "R@100")
    assert found.design.all_pairs


def test_limits_are_those_of_asking() -> None:
    found = config_of({**GOOD, "limits": {"concurrency": 8, "timeout": 2, "rate": 5.5}}, "b.toml")
    limits = Limits(**found.limits)
    assert (limits.concurrency, limits.timeout, limits.rate) == (8, 2.0, 5.5)
    assert limits.attempts == Limits().attempts  # as usual where nothing is said
    assert {param.name for param in PARAMS} == {field.name for field in fields(Limits)}


def test_a_file_is_named_after_itself_and_paths_from_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "shop.toml"
    path.write_text('[benchmark]\ndataset = "data"\nmeasures = ["ndcg@5", "mrr@10"]\n[modes]\na = "letters()"\n')
    found = read_config(str(path))
    assert (found.name, found.folder, found.measures) == ("shop", str(tmp_path), ("nDCG@5", "RR@10"))


@pytest.mark.parametrize(
    ("document", "kind", "values"),
    [
        ({"modes": MODES}, UsageError, ["b.toml", "dataset", "[benchmark]"]),
        ({"benchmark": {"dataset": "x"}}, UsageError, ["b.toml", "mode", "[modes]"]),
        (
            {"benchmark": {"dataset": "x", "baselin": "a"}, "modes": MODES},
            UnknownName,
            ["[benchmark]", "b.toml", "'baselin'", "'baseline'"],
        ),
        (
            {"benchmark": {"dataset": "x", "baseline": "plane"}, "modes": MODES},
            UnknownName,
            ["mode", "b.toml", "'plane'", "'plain'"],
        ),
        (
            {"benchmark": {"dataset": "x", "depth": 0}, "modes": MODES},
            UsageError,
            ["b.toml", "[benchmark]", "depth", "0"],
        ),
        ({"benchmark": {"dataset": "x"}, "modes": {"a b": "letters()"}}, UsageError, ["b.toml", "'a b'"]),
        ({"benchmark": {"dataset": "x"}, "modes": {"a": 3}}, UsageError, ["b.toml", "mode a", "3"]),
        (
            {"benchmark": {"dataset": "x"}, "modes": {"a": "lettres()"}},
            UsageError,
            ["b.toml", "mode a", "'lettres'", "'letters'"],
        ),
        ({"benchmark": {"dataset": "x", "significance": "tt"}, "modes": MODES}, UnknownName, ["'tt'", "'t'"]),
        ({"benchmarks": {}}, UnknownName, ["b.toml", "'benchmarks'", "'benchmark'"]),
        ({"limits": {"retries": 3}}, UnknownName, ["[limits]", "b.toml", "'retries'", "attempts"]),
        ({"limits": {"rate": 0}}, UsageError, ["b.toml", "[limits]", "rate", "0"]),
        ({"limits": {"concurrency": 1.5}}, UsageError, ["b.toml", "[limits]", "concurrency", "1.5"]),
        ({"limits": 3}, UsageError, ["b.toml", "[limits]", "table"]),
        ({"cost": {}}, UsageError, ["b.toml", "[cost]", "[cost.steps]", "[cost.modes]"]),
        ({"cost": {"steps": {"lettres": 1}}}, UnknownName, ["[cost.steps]", "b.toml", "'lettres'", "'letters'"]),
        ({"cost": {"modes": {"plane": 1}}}, UnknownName, ["[cost.modes]", "b.toml", "'plane'", "'plain'"]),
        ({"cost": {"steps": {"letters": -1}}}, UsageError, ["b.toml", "[cost.steps]", "letters", "-1"]),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    document: dict[str, Any], kind: type[UsageError], values: list[str]
) -> None:
    whole = document if "benchmark" in document or "modes" in document else {**GOOD, **document}
    with raises(kind, *values):
        config_of(whole, "b.toml")


def test_what_is_not_toml_says_so(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text("[benchmark\n")
    with raises(InputError, path, "TOML", "line 1", "rankproof benchmark init"):
        read_config(str(path))
