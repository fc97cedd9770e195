"""The configuration of a benchmark: read, checked, and refused with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from tests.flow.pipelines.items import on_shelves

from rankproof.errors import InputError, UsageError
from rankproof.flow.asking.limits import PARAMS, Limits
from rankproof.flow.benchmarking.config import config_of, read_config

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
    ("document", "message"),
    [
        ({"modes": MODES}, "b.toml names no dataset"),
        ({"benchmark": {"dataset": "x"}}, "b.toml names no mode"),
        ({"benchmark": {"dataset": "x", "baselin": "a"}, "modes": MODES}, "Did you mean 'baseline'?"),
        ({"benchmark": {"dataset": "x", "baseline": "plane"}, "modes": MODES}, "Did you mean 'plain'?"),
        ({"benchmark": {"dataset": "x", "depth": 0}, "modes": MODES}, "depth must be a whole number"),
        ({"benchmark": {"dataset": "x"}, "modes": {"a b": "letters()"}}, "needs a name of letters"),
        ({"benchmark": {"dataset": "x"}, "modes": {"a": 3}}, "must be a pipeline"),
        ({"benchmark": {"dataset": "x"}, "modes": {"a": "lettres()"}}, "b.toml, mode a: No engine, stage or mode"),
        ({"benchmark": {"dataset": "x", "significance": "tt"}, "modes": MODES}, "No significance method"),
        ({"benchmarks": {}}, "Did you mean 'benchmark'?"),
        ({"limits": {"retries": 3}}, "No key of [limits] in b.toml is called 'retries'"),
        ({"limits": {"rate": 0}}, "b.toml, [limits]: rate must be a number above 0"),
        ({"limits": {"concurrency": 1.5}}, "b.toml, [limits]: concurrency must be a whole number, 1 or more"),
        ({"limits": 3}, "[limits] must be a table"),
        ({"cost": {}}, "[cost] names no price"),
        ({"cost": {"steps": {"lettres": 1}}}, "Did you mean 'letters'?"),
        ({"cost": {"modes": {"plane": 1}}}, "Did you mean 'plain'?"),
        ({"cost": {"steps": {"letters": -1}}}, "b.toml, [cost.steps]: letters must be a number from 0 on"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(document: dict[str, Any], message: str) -> None:
    whole = document if "benchmark" in document or "modes" in document else {**GOOD, **document}
    with pytest.raises(UsageError) as refused:
        config_of(whole, "b.toml")
    assert message in str(refused.value)


def test_what_is_not_toml_says_so(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text("[benchmark\n")
    with pytest.raises(InputError, match="is not TOML"):
        read_config(str(path))
