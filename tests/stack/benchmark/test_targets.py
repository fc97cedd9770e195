"""Targets: read as rules of a policy are, decided by mode as the gate decides, told on every page and by the status."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.raising import raises
from tests.stack.benchmark.test_withheld import FORMS, failing, told
from tests.stack.pipeline.items import on_shelves

from rankproof.cli.shared.benchmarking import only
from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.schema_files import bundled
from rankproof.reading.collect import read_qrels, read_run
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.run import benchmark, measured
from rankproof.stack.benchmark.targets import exit_status
from rankproof.stack.benchmark.times import ModeTimes, latency_of
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground

# `letters` answers a, b, c, ...: RR of `plain` is 1/3 everywhere, and of `turned` 1.
QUERIES = [Query(f"q{i:02}", f"query {i}") for i in range(80)]
GRADES = {query.query_id: {"c": 1} for query in QUERIES}
MODES: dict[str, Any] = {"plain": "letters()", "turned": "plain >> turn(depth=3)"}
GOOD_RR = {"rule": "least_value", "measure": "RR", "at_least": 0.9}
FAST = {"rule": "latency", "percentile": 50, "budget_ms": 100}


def run(
    *targets: dict[str, Any], fails: str = "", chosen: tuple[str, ...] = (), times: dict[str, ModeTimes] | None = None,
    **keys: Any,
) -> Benchmark:  # fmt: skip
    table = {"dataset": "x", "measures": ["R@5"], "depth": 5, "latency_queries": 0, **keys}
    with on_shelves():
        config = only(config_of({"benchmark": table, "modes": MODES, "target": list(targets)}, "b.toml"), chosen)
        runner = Runner(QUERIES, 5, Ground())
        found, outcomes = benchmark(config, QUERIES, read_qrels(GRADES), runner, "0" * 64, 26)
        if fails or times:
            outcomes = {name: failing(o) if name == fails else o for name, o in outcomes.items()}
            found = measured(config, QUERIES, read_qrels(GRADES), outcomes, "0" * 64, 26, times=times)
    return found


def statuses(found: Benchmark) -> list[tuple[str, str]]:
    return [(result.mode, result.status) for result in found.targets]


def test_every_mode_or_those_that_are_named_must_reach_a_target() -> None:
    found = run(GOOD_RR)
    assert statuses(found) == [("plain", "FAIL"), ("turned", "PASS")]
    assert exit_status(found.targets) == 1
    named = run({**GOOD_RR, "modes": ["turned"]})
    assert (statuses(named), exit_status(named.targets)) == ([("turned", "PASS")], 0)
    assert exit_status(run().targets) == 0


def test_values_that_could_be_either_are_undecided() -> None:
    """RR of `turned` is 1 in 80 queries: a bound of 0.9999 is out of reach, and so is its refutation."""
    found = run({**GOOD_RR, "at_least": 0.9999, "modes": ["turned"]})
    assert (statuses(found), exit_status(found.targets)) == ([("turned", "UNDECIDED")], 3)


def test_targets_stand_in_every_form_and_at_the_verdict() -> None:
    found = run(GOOD_RR, measures=["R@5"])
    texts = told(found)
    for form in (*FORMS, "short"):
        assert "RR at least 0.9" in texts[form].replace("<wbr>", "")
        assert "FAIL" in texts[form]
    assert found.advice is not None
    assert found.advice.ship == "plain"
    assert "But plain does not reach its targets (RR at least 0.9: FAIL)." in texts["short"]
    document = json.loads(texts["json"])
    assert [e.message for e in Draft202012Validator(bundled("benchmark/1")).iter_errors(document)] == []
    assert [(t["mode"], t["status"], t["about"]) for t in document["targets"]] == [
        ("plain", "FAIL", "values"), ("turned", "PASS", "values"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("choice", "statuses_of", "status"),
    [
        ("undecided", [("plain", "FAIL"), ("turned", "UNDECIDED")], 1),
        ("drop", [("plain", "FAIL"), ("turned", "PASS")], 1),
        ("zero", [("plain", "FAIL"), ("turned", "PASS")], 1),
    ],
)
def test_a_mode_that_failed_on_a_query(choice: str, statuses_of: list[tuple[str, str]], status: int) -> None:
    found = run(GOOD_RR, fails="turned", failed=choice)
    assert (statuses(found), exit_status(found.targets)) == (statuses_of, status)
    assert "1 of 80 queries has no answer" in found.targets[1].reason
    assert "no answer" not in found.targets[0].reason


def test_a_zero_counts() -> None:
    """79 of 80 queries at 1: the mean 0.9875 stands in the reason, and 1 without the failed one."""
    assert "0.9875" in run(GOOD_RR, fails="turned", failed="zero").targets[1].reason
    assert "1.0000" in run(GOOD_RR, fails="turned", failed="drop").targets[1].reason


def test_other_modes_decide_nothing() -> None:
    """Neither those that are left out nor those that fail."""
    for other in (run(GOOD_RR, fails="plain"), run(GOOD_RR, chosen=("turned",))):
        (own,) = [result for result in other.targets if result.mode == "turned"]
        assert own in run(GOOD_RR).targets


def timed(*, milliseconds: float, failures: int = 0) -> dict[str, ModeTimes]:
    times = {query.query_id: milliseconds for query in QUERIES}
    latency = latency_of(times, failures={"timeout": failures} if failures else None)
    return {"plain": ModeTimes(latency), "turned": ModeTimes(latency)}


@pytest.mark.parametrize(
    ("times", "status"),
    [
        (timed(milliseconds=20.0), "PASS"),
        (timed(milliseconds=200.0), "FAIL"),
        (timed(milliseconds=20.0, failures=1), "UNDECIDED"),
        (timed(milliseconds=200.0, failures=1), "FAIL"),
        (None, "UNDECIDED"),
    ],
)
def test_times(times: dict[str, ModeTimes] | None, status: str) -> None:
    found = run({**FAST, "modes": ["turned"]}, times=times)
    assert statuses(found) == [("turned", status)]
    document = json.loads(told(found)["json"])
    assert document["targets"] == []
    assert [(t["mode"], t["status"]) for t in document["observed"]["targets"]] == [("turned", status)]


def test_a_broken_mode_misses_its_targets(tmp_path: Path) -> None:
    for name, order in (("first", "abc"), ("merged", "xab")):
        lines = [f"{q.query_id} Q0 {doc} 0 {3 - at} x\n" for q in QUERIES for at, doc in enumerate(order)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    merged = {"pipeline": "replay(path='merged.run')", "rerank_of": "first", "depth": 2}
    config = config_of(
        {
            "benchmark": {"dataset": "x", "measures": ["RR"]},
            "modes": {"first": "replay(path='first.run')", "merged": merged},
            "target": [{**GOOD_RR, "at_least": 0.01}],
        },
        "b.toml",
    )
    runner = Runner(QUERIES, 5, Ground(folder=str(tmp_path), read_run=read_run))
    found, _ = benchmark(replace(config, depth=5), QUERIES, read_qrels(GRADES), runner, "0" * 64, 3)
    assert statuses(found) == [("first", "PASS"), ("merged", "FAIL")]
    assert "BROKEN" in found.targets[1].reason


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ({"rule": "no_regression", "measure": "RR"}, ("b.toml, target 1", "no_regression")),
        ({"rule": "least_value", "measure": "RR"}, ("b.toml, target 1", "at_least")),
        ({**GOOD_RR, "segment": "kind"}, ("b.toml, target 1", "policy")),
        ({"rule": "latency", "percentile": 95}, ("b.toml, target 1", "budget_ms")),
        ({**GOOD_RR, "measure": "nDGC@10"}, ("b.toml, target 1", "nDCG")),
        (3, ("b.toml, target 1", "3")),
    ],
)
def test_what_is_no_target(target: Any, words: tuple[str, ...]) -> None:
    with raises(UsageError, *words):
        run(target)


@pytest.mark.parametrize("target", [{**GOOD_RR, "modes": ["trned"]}, {"rule": "least_vale"}])
def test_unknown_names_have_neighbors(target: Any) -> None:
    with pytest.raises(UnknownName):
        run(target)


def test_one_bracket_is_no_list() -> None:
    with raises(UsageError, "b.toml", "[[target]]"), on_shelves():
        config_of({"benchmark": {"dataset": "x"}, "modes": MODES, "target": GOOD_RR}, "b.toml")
