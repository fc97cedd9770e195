"""The design of a trial: TOML becomes a checked record, and what is wrong is said with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.online.trial.design import READY, read_design

TOML = """
[trial]
name = "hybrid"
control = "old"
shares = {old = 0.5, new = 0.5}
method = "sequence(units=20000)"

[columns]
unit = "user"
strata = ["device"]

[[metric]]
ready = "clicks_per_search"
covariate = "clicks_before"

[[metric]]
ready = "latency"
role = "guardrail"
margin = 0.02

[[metric]]
name = "revenue"
value = "revenue"
role = "watch"
"""
HEAD = {"control": "old", "shares": {"old": 0.5, "new": 0.5}}


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "trial.toml"
    path.write_text(TOML)
    design = read_design(path)
    assert (design.name, design.treatments, design.confidence, design.source) == ("hybrid", ("new",), 0.95, str(path))
    assert (design.columns.unit, design.columns.variant, design.columns.strata) == ("user", "variant", ("device",))
    clicks, latency, revenue = design.metrics
    assert (clicks.metric.kind, clicks.value, clicks.denominator) == ("ratio", "clicks", "searches")
    assert (clicks.metric.covariate, clicks.goal, clicks.threshold) == ("clicks_before", "better", 0.0)
    assert (latency.goal, latency.each, latency.digits, latency.metric.at) == ("not_worse", "mean", 3, 0.95)
    assert latency.threshold == 0.02  # lower is better: 2% more is what may be
    assert (revenue.metric.kind, revenue.each, revenue.role) == ("mean", "sum", "watch")
    assert read_design(design) is design


def test_a_file_names_the_trial_where_it_does_not_say(tmp_path: Path) -> None:
    path = tmp_path / "autumn.toml"
    path.write_text(TOML.replace('name = "hybrid"\n', ""))
    assert read_design(path).name == "autumn"
    path.write_text("[trial\n")
    with raises(InputError, path, "TOML", "line 1", "rankproof trial init"):
        read_design(path)


@pytest.mark.parametrize("name", READY)
def test_what_is_ready_is_whole(name: str) -> None:
    (metric,) = read_design({"trial": HEAD, "metric": [{"ready": name}]}).metrics
    assert metric.name == name
    assert bool(metric.denominator) == (metric.metric.kind == "ratio")


def test_what_is_ready_can_be_changed() -> None:
    entry = {"ready": "abandonment", "denominator": "*", "name": "left", "scale": "absolute", "margin": 0.01}
    (metric,) = read_design({"trial": HEAD, "metric": [entry]}).metrics
    assert (metric.name, metric.denominator, metric.scale) == ("left", "*", "absolute")
    assert metric.threshold == -0.01  # lower is better: at least one point less


@pytest.mark.parametrize(
    ("head", "metric", "kind", "values"),
    [
        ({"contrl": "old"}, {}, UnknownName, ["[trial]", "'contrl'", "'control'"]),
        ({"shares": {"old": 0.5, "new": 0.4}}, {}, UsageError, ["[trial]", "shares", "0.9"]),
        ({"shares": {"old": 1.0}}, {}, UsageError, ["[trial]", "shares", "{'old': 1.0}"]),
        ({"shares": {"old": 0, "new": 1}}, {}, UsageError, ["[trial]", "shares", "old", "got 0"]),
        ({"control": "c"}, {}, UsageError, ["[trial]", "'c'", "old, new"]),
        ({"method": "sequens"}, {}, UsageError, ["[trial]", "'sequens'", "'sequence'"]),
        ({"method": "welch"}, {}, UsageError, ["[trial]", "welch", "units", "rankproof trial plan"]),
        ({"correction": "tukey"}, {}, UsageError, ["[trial]", "tukey", "holm"]),
        ({"confidence": 95}, {}, UsageError, ["[trial]", "confidence", "0.5", "95"]),
        ({}, {"role": "guardrail"}, UsageError, ["metric 1 (clicks)", "margin", "missing"]),
        (
            {},
            {"role": "guardrail", "goal": "better"},
            UsageError,
            ["metric 1 (clicks)", "guardrail", 'role = "decision"'],
        ),
        ({}, {"role": "watch"}, UsageError, ["metric", "watched", 'role = "decision"']),
        ({}, {"kind": "ratio"}, UsageError, ["metric 1 (clicks)", "ratio", "denominator"]),
        ({}, {"denominator": "n", "each": "mean"}, UsageError, ["metric 1 (clicks)", "ratio", 'each = "sum"']),
        ({}, {"digits": 3}, UsageError, ["metric 1 (clicks)", "digits", "quantile", "mean"]),
        ({}, {"at": 0.5, "digits": 400}, UsageError, ["metric 1 (clicks)", "digits", "15"]),
        ({}, {"kind": "proportion", "each": "sum"}, UsageError, ["metric 1 (clicks)", "proportion", 'each = "any"']),
        ({}, {"betterr": "lower"}, UnknownName, ["metric 1", "'betterr'", "'better'"]),
        ({}, {"better": "more"}, UsageError, ["metric 1", "better", "'higher'", "'lower'", "'more'"]),
    ],
)
def test_what_is_wrong_is_said(
    head: dict[str, Any], metric: dict[str, Any], kind: type[UsageError], values: list[str]
) -> None:
    document = {"trial": {**HEAD, **head}, "metric": [{"name": "clicks", "value": "clicks", **metric}]}
    with raises(kind, *values):
        read_design(document)


def test_tables_and_days_that_contradict() -> None:
    with raises(UnknownName) as unknown:
        read_design({"trial": HEAD, "metrics": []})
    assert (unknown.value.name, unknown.value.near) == ("metrics", ["metric"])
    with raises(UsageError, "[[metric]]", "rankproof trial init"):
        read_design({"trial": HEAD})
    twice = [{"ready": "success"}, {"ready": "success"}]
    with raises(UsageError, "'success'", "two"):
        read_design({"trial": HEAD, "metric": twice})
    entered = {"trial": HEAD, "columns": {"entered": "first_seen"}, "metric": twice[:1]}
    with raises(UsageError, "[columns]", "entered", "day"):
        read_design(entered)
    every = {**entered, "trial": {**HEAD, "enter": "every_day"}, "columns": {"entered": "first_seen", "day": "day"}}
    with raises(UsageError, 'enter = "every_day"', "columns.entered"):
        read_design(every)
