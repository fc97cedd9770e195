"""The contract of the rules shelf: what every rule promises, run over every rule."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.items import is_item
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import REQUIRED
from rankproof.kernel.verdict import EXIT, Ruling
from rankproof.measuring.explain import page_of
from rankproof.proving.policy import policy_of, read_clause
from rankproof.proving.rules import contract
from rankproof.proving.rules.contract import Rule
from rankproof.reading.finding import Finding
from rankproof.testing.ruling import SmallCase, case_of, rule_on

RULES: dict[str, Rule] = dict(shelf.offered("rules"))
FILES = sorted(p for p in Path(inspect.getfile(contract)).parent.glob("*.py") if is_item(p))

GOOD = [0.8, 0.9, 0.85, 0.95, 0.9, 0.8] * 3
BAD = [0.1, 0.2, 0.15, 0.1, 0.2, 0.1] * 3
MIXED = [0.1, 0.9, 0.2, 0.8, 0.4, 0.6] * 3
NEAR = [0.5, 0.6, 0.45, 0.55, 0.5, 0.45] * 3
EMPTY = Finding("empty", "error", "a.run", "Nothing is in it.", "Give a run.")

# Each rule with values that are enough; a case it passes; one it fails; one it leaves undecided, where it can.
ASKED: dict[str, tuple[dict[str, Any], SmallCase, SmallCase, SmallCase | None]] = {
    "least_value": ({"measure": "nDCG@10", "at_least": 0.5}, case_of(GOOD), case_of(BAD), case_of(MIXED)),
    "no_regression": (
        {"measure": "nDCG@10", "margin": 0.05},
        case_of(GOOD, baseline=NEAR),
        case_of(BAD, baseline=NEAR),
        case_of(MIXED, baseline=NEAR),
    ),
    "least_gain": (
        {"measure": "nDCG@10", "at_least": 0.05},
        case_of(GOOD, baseline=NEAR),
        case_of(BAD, baseline=NEAR),
        case_of(MIXED, baseline=NEAR),
    ),
    "no_query_loses_more": (
        {"measure": "nDCG@10", "than": 0.1},
        case_of(GOOD, baseline=NEAR),
        case_of(MIXED, baseline=NEAR),
        None,
    ),
    "protected": (
        {"measure": "nDCG@10", "queries": ["q1", "q2"]},
        case_of(GOOD, baseline=NEAR),
        case_of(MIXED, baseline=NEAR),
        None,
    ),
    "judged_rate": ({"k": 10, "at_least": 0.5}, case_of(GOOD), case_of(BAD), case_of([])),
    "judge_agreement": (
        {"human": "anchor.trec", "at_least": 0.4},
        case_of(agreed=(0.5, 0.45, 0.55, 0.99)),
        case_of(agreed=(0.3, 0.25, 0.35, 0.001)),
        case_of(agreed=(0.4, 0.35, 0.45, 0.5)),
    ),
    "judge_bias": (
        {"human": "anchor.trec", "at_most": 0.1},
        case_of(biased=(0.0, -0.05, 0.05, 0.99)),
        case_of(biased=(0.3, 0.25, 0.35, 0.001)),
        case_of(biased=(0.1, 0.05, 0.15, 0.5)),
    ),
    "latency": (
        {"percentile": 50, "budget_ms": 100},
        case_of(latencies=[50.0] * 20),
        case_of(latencies=[150.0] * 20),
        case_of(latencies=[50.0, 150.0] * 10),
    ),
    "abstention": (
        {"threshold": 0.5, "at_least": 0.5},
        case_of(GOOD),
        case_of(BAD),
        case_of(MIXED),
    ),
    "checks": ({}, case_of(), case_of(check_findings=(EMPTY,)), None),
    "rerank_held": (
        {"rerank_of": "first.run", "depth": 2},
        case_of(first_stage={"q1": ["a", "b", "c"]}, order={"q1": ["b", "a", "c"]}),
        case_of(first_stage={"q1": ["a", "b", "c"]}, order={"q1": ["b", "c", "a"]}),
        case_of(first_stage={"q1": ["a", "b"]}, order={"q1": ["b", "a"], "q2": ["a"]}),
    ),
}

every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


def test_every_rule_is_asked_here() -> None:
    assert set(RULES) == set(ASKED)


def test_every_file_of_the_shelf_offers_the_rule_of_its_name() -> None:
    assert {file.stem for file in FILES} == set(RULES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_page_says_how_it_decides_and_its_example_runs(file: Path) -> None:
    module = importlib.import_module(f"rankproof.proving.rules.{file.stem}")
    (item,) = module.OFFERS
    assert item.page == module.__doc__
    assert item.summary.endswith(".")
    assert len(re.findall(r"^decides by: \S", item.page, re.MULTILINE)) == 1
    told = doctest.testmod(module)
    assert told.attempted >= 2
    assert told.failed == 0


@every_rule
def test_the_policy_on_its_page_reads(rule: Rule) -> None:
    lines = [line[4:] for line in rule.page.splitlines() if line.startswith("    ") or not line]
    policy = policy_of(tomllib.loads("\n".join(lines)), "the page", "")
    assert [clause.rule for clause in policy.clauses] == [rule.name]


@every_rule
def test_every_parameter_is_explained_and_its_default_can_be_shown(rule: Rule) -> None:
    for param in rule.params:
        assert len(param.meaning) > 10
        assert not param.meaning.endswith(".")
    assert [choice.name for choice in page_of("rules", rule).parameters] == [param.name for param in rule.params]


@every_rule
def test_what_must_be_said_is_missed(rule: Rule) -> None:
    values = ASKED[rule.name][0]
    for param in rule.params:
        if param.default is REQUIRED:
            with raises(UsageError, "here", rule.name, param.name, "missing"):
                read_clause({"rule": rule.name, **{k: v for k, v in values.items() if k != param.name}}, "here")


@every_rule
def test_an_unknown_key_is_refused_with_its_neighbors_and_its_place(rule: Rule) -> None:
    near = rule.params[0].name
    with raises(UnknownName, "here", rule.name, f"'{near}x'", f"'{near}'"):
        read_clause({"rule": rule.name, **ASKED[rule.name][0], f"{near}x": 1}, "here")


@every_rule
def test_every_parameter_refuses_what_it_cannot_hold(rule: Rule) -> None:
    for param in rule.params:
        with raises(UsageError, "here", rule.name, param.name):
            read_clause({"rule": rule.name, **ASKED[rule.name][0], param.name: object()}, "here")


@every_rule
def test_it_passes_fails_and_is_undecided_as_it_should(rule: Rule) -> None:
    values, *cases = ASKED[rule.name]
    for case, status in zip(cases, ("PASS", "FAIL", "UNDECIDED"), strict=True):
        if case is None:
            continue
        ruling = rule_on(case, rule.name, **values)
        assert isinstance(ruling, Ruling)
        assert ruling.status == status
        assert ruling.status in EXIT
        assert ruling.rule == rule.name
        assert ruling.title == rule.title(read_clause({"rule": rule.name, **values}, "here").values)
        assert ruling.reason.endswith((".", "]"))
        assert bool(ruling.decides) == (status == "UNDECIDED")
        assert ruling.band == ""
        assert ruling.p_fail is None or 0 <= ruling.p_fail <= 1


@every_rule
def test_a_failure_by_chance_is_one_by_its_p_value(rule: Rule) -> None:
    values, passed, failed, undecided = ASKED[rule.name]
    for case in (passed, failed, undecided):
        if case is None:
            continue
        ruling = rule_on(case, rule.name, **values)
        if ruling.p_fail is not None:
            assert (ruling.status == "FAIL") == (ruling.p_fail < 1 - ruling.confidence)


@every_rule
def test_the_same_case_gives_the_same_ruling(rule: Rule) -> None:
    values, passed, *_ = ASKED[rule.name]
    assert rule_on(passed, rule.name, **values) == rule_on(passed, rule.name, **values)


@every_rule
def test_a_rule_that_compares_says_so(rule: Rule) -> None:
    values = ASKED[rule.name][0]
    given: dict[str, Any] = {"agreed": (0.9, 0.85, 0.95, 0.99), "biased": (0.0, -0.05, 0.05, 0.99)}
    given |= {"first_stage": {"q1": ["a", "b"]}, "order": {"q1": ["b", "a"]}}
    alone = case_of(GOOD, latencies=[50.0] * 20, **given)
    if rule.needs_baseline:
        with pytest.raises(UsageError):
            rule_on(alone, rule.name, **values)
    else:
        assert rule_on(alone, rule.name, **values).status == "PASS"
