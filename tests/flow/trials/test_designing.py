"""The design of a trial: TOML becomes a checked record, and what is wrong is said with its place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.flow.trials.designing import read_design
from rankproof.flow.trials.readymade import READY

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
    with pytest.raises(InputError, match=r"autumn\.toml is not TOML.*rankproof trial init"):
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
    ("head", "metric", "message"),
    [
        ({"contrl": "old"}, {}, r"No key of the design, \[trial\] is called 'contrl'"),
        ({"shares": {"old": 0.5, "new": 0.4}}, {}, "sum to 0.9, not to 1"),
        ({"shares": {"old": 1.0}}, {}, "two variants or more"),
        ({"shares": {"old": 0, "new": 1}}, {}, "must be a number above 0 below 1"),
        ({"control": "c"}, {}, "the control 'c' has no share; shares are of old, new"),
        ({"method": "sequens"}, {}, "Did you mean 'sequence'"),
        ({"method": "welch"}, {}, "takes one look at a size fixed beforehand. Say units"),
        ({"correction": "tukey"}, {}, "compares with its control. Use holm"),
        ({"confidence": 95}, {}, "confidence must be a number above 0.5 below 1; got 95"),
        ({}, {"role": "guardrail"}, "margin is missing: how much worse may it be"),
        ({}, {"role": "guardrail", "goal": "better"}, "a guardrail is not to be worse"),
        ({}, {"role": "watch"}, "every metric is only watched"),
        ({}, {"kind": "ratio"}, "a ratio has a denominator"),
        ({}, {"denominator": "n", "each": "mean"}, "summed on both sides of a ratio"),
        ({}, {"digits": 3}, "only a quantile rounds"),
        ({}, {"at": 0.5, "digits": 400}, "digits is 15 at most"),
        ({}, {"kind": "proportion", "each": "sum"}, "did something or not"),
        ({}, {"betterr": "lower"}, "Did you mean 'better'"),
        ({}, {"better": "more"}, "must be one of 'higher', 'lower'"),
    ],
)
def test_what_is_wrong_is_said(head: dict[str, Any], metric: dict[str, Any], message: str) -> None:
    document = {"trial": {**HEAD, **head}, "metric": [{"name": "clicks", "value": "clicks", **metric}]}
    with pytest.raises(UsageError, match=message):
        read_design(document)


def test_tables_and_days_that_contradict() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'metric'"):
        read_design({"trial": HEAD, "metrics": []})
    with pytest.raises(UsageError, match=r"has no \[\[metric\]\]"):
        read_design({"trial": HEAD})
    twice = [{"ready": "success"}, {"ready": "success"}]
    with pytest.raises(UsageError, match="two metrics are called 'success'"):
        read_design({"trial": HEAD, "metric": twice})
    entered = {"trial": HEAD, "columns": {"entered": "first_seen"}, "metric": twice[:1]}
    with pytest.raises(UsageError, match="name the column `day` too"):
        read_design(entered)
    every = {**entered, "trial": {**HEAD, "enter": "every_day"}, "columns": {"entered": "first_seen", "day": "day"}}
    with pytest.raises(UsageError, match="Keep one"):
        read_design(every)
