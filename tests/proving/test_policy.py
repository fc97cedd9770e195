"""Policies: TOML and dicts of its shape, files named from the policy's folder, and refusals that name the place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, Unreadable, UsageError
from rankproof.proving.policy import Policy, read_policy
from rankproof.proving.starter_policy import starter_policy

ROOT = Path(__file__).resolve().parents[2]
LEAST = {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.35}


def written(folder: Path, text: str) -> Path:
    path = folder / "gate.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_policy_file_with_everything(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """
        [policy]
        name = "release"
        qrels = "data/qrels.trec"
        candidate = "new.run"
        confidence = 0.9
        significance = "randomization"
        seed = 7
        [evaluate]
        dialect = "trec_eval"
        depth = 100
        allow = ["shallow"]
        [[rule]]
        rule = "least_value"
        measure = "mrr@10"
        at_least = 0.9
        title = "the first hit"
        [[rule]]
        rule = "protected"
        measure = "nDCG@10"
        file = "protected.txt"
        """,
    )
    policy = read_policy(path)
    assert (policy.name, policy.confidence, policy.significance, policy.seed) == ("release", 0.9, "randomization", 7)
    assert policy.qrels == str(tmp_path / "data" / "qrels.trec")
    assert policy.baseline is None
    assert policy.choices == {"dialect": "trec_eval", "depth": 100, "allow": ("shallow",)}
    first, second = policy.clauses
    assert (first.title, first.values["measure"], first.values["at_least"]) == ("the first hit", "RR@10", 0.9)
    assert second.values["file"] == str(tmp_path / "protected.txt")
    assert second.values["tolerance"] == 0.0


def test_a_policy_without_a_name_is_called_by_its_file(tmp_path: Path) -> None:
    path = written(tmp_path, '[[rule]]\nrule = "checks"\n')
    assert (read_policy(path).name, read_policy(path).source) == ("gate", str(path))


def test_what_is_given_beside_goes_before() -> None:
    policy = read_policy({"policy": {"candidate": "a.run"}, "rule": [LEAST]}, candidate="b.run", confidence=0.99)
    assert (policy.candidate, policy.confidence) == ("b.run", 0.99)
    assert isinstance(read_policy(policy), Policy)


def test_objects_standard_input_and_prefixed_names_stay_as_they_are() -> None:
    run = {"q1": {"d1": 1.0}}
    policy = read_policy({"policy": {"candidate": run, "qrels": "irds:x/y", "baseline": "-"}, "rule": [LEAST]})
    assert policy.candidate is run
    assert (policy.qrels, policy.baseline) == ("irds:x/y", "-")


@pytest.mark.parametrize(
    ("text", "kind", "values"),
    [
        ("", UsageError, ["[[rule]]", "checks", "least_value"]),
        ('[polcy]\nname = "x"\n', UnknownName, ["'polcy'", "'policy'"]),
        ('[policy]\nqrel = "x"\n', UnknownName, ["[policy]", "'qrel'", "'qrels'"]),
        ("[policy]\nconfidence = 95\n", UsageError, ["[policy]", "confidence", "0.5", "95"]),
        ("[policy]\nqrels = 3\n", UsageError, ["[policy]", "qrels", "3"]),
        ('[policy]\nsignificance = "tt"\n', UnknownName, ["[policy]", "significance", "'tt'", "'t'"]),
        ("[evaluate]\ndepht = 3\n", UnknownName, ["[evaluate]", "'depht'", "'depth'"]),
        ('[evaluate]\ndepth = "3"\n', UsageError, ["[evaluate]", "depth", "'3'"]),
        ('[evaluate]\ndialect = "trec"\n', UnknownName, ["[evaluate]", "dialect", "'trec'"]),
        ("policy = 3\n", UsageError, ["[policy]", "table", "3"]),
        ("[[rule]]\nmeasure = 'RR'\n", UsageError, ["rule 1", "{'measure': 'RR'}"]),
        ("[[rule]]\nrule = 'least_vale'\n", UnknownName, ["rule 1", "'least_vale'", "'least_value'"]),
        ("[[rule]]\nrule = 'checks'\n[[rule]]\nrule = 'latency'\n", UsageError, ["rule 2 (latency)", "percentile"]),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'nDGC@10'\nat_least = 1\n",
            UsageError, ["rule 1 (least_value)", "'nDGC@10'", "'nDGC'", "'nDCG'"],
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'RR P@5'\nat_least = 1\n",
            UsageError, ["rule 1 (least_value)", "measure", "'RR P@5'", "2"],
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'relstring'\nat_least = 1\n",
            UsageError, ["rule 1 (least_value)", "measure", "'relstring'"],
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'AvgPos'\nat_least = 1\n",
            UsageError, ["rule 1 (least_value)", "AvgPos", "at_most", "at_least"],
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'RR'\n",
            UsageError, ["rule 1 (least_value)", "at_least", "at_most", "neither"],
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'NumRelRet'\nat_least = 1\n",
            UsageError, ["rule 1 (least_value)", "NumRelRet", 'basis = "point"'],
        ),
        (
            "[[rule]]\nrule = 'no_regression'\nmeasure = 'NumRet'\nmargin = 0\n",
            UsageError, ["rule 1 (no_regression)", "NumRet"],
        ),
        (
            "[[rule]]\nrule = 'no_regression'\nmeasure = 'RR'\nmargin = -0.1\n",
            UsageError, ["rule 1 (no_regression)", "margin", "-0.1"],
        ),
        ("[[rule]]\nrule = 'protected'\nmeasure = 'RR'\n", UsageError, ["rule 1 (protected)", "queries", "file"]),
        (
            "[[rule]]\nrule = 'protected'\nmeasure = 'RR'\nqueries = []\n",
            UsageError, ["rule 1 (protected)", "queries", "[]"],
        ),
        ("[[rule]]\nrule = 'checks'\nstrict = 'yes'\n", UsageError, ["rule 1 (checks)", "strict", "'yes'"]),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'RR'\nat_least = 0.5\nbands = {good = 'x'}\n",
            UsageError, ["rule 1 (least_value)", "bands", "'x'"],
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'RR'\nat_least = 0.5\nbasis = 'points'\n",
            UsageError, ["rule 1 (least_value)", "basis", "'interval'", "'point'", "'points'"],
        ),
    ],
)  # fmt: skip
def test_a_wrong_policy_is_refused_with_its_place(
    tmp_path: Path, text: str, kind: type[UsageError], values: list[str]
) -> None:
    with raises(kind, "gate.toml", *values):
        read_policy(written(tmp_path, text))


def test_what_is_no_toml_is_invalid_input(tmp_path: Path) -> None:
    with raises(InputError, "gate.toml", "TOML", "line 1", "rankproof gate init"):
        read_policy(written(tmp_path, "rule = = 3\n"))
    with raises(Unreadable, tmp_path / "none.toml"):
        read_policy(tmp_path / "none.toml")


@pytest.mark.parametrize("what", [3, None, ["rule"]])
def test_what_is_no_policy(what: Any) -> None:
    with raises(UsageError, "dict", "Policy", type(what).__name__):
        read_policy(what)


def test_the_starter_reads_and_the_example_is_made_of_it() -> None:
    import tomllib

    from rankproof.proving.policy import policy_of

    policy = policy_of(tomllib.loads(starter_policy()), "starter", "")
    asked = {(c.rule, c.values.get("measure")): c.values.get("at_least") for c in policy.clauses}
    # The targets that the example is to carry.
    assert asked[("least_value", "nDCG@10")] == 0.35
    assert policy.clauses[0].values["bands"] == {"good": 0.35, "strong": 0.40}
    assert asked[("least_gain", "AP@100")] == 0.03
    assert asked[("least_value", "RR@10")] == 0.55
    assert asked[("least_value", "R@50")] == 0.62
    assert asked[("least_value", "R@100")] == 0.70
    assert asked[("least_value", "Success@10")] == 0.75
    sample = starter_policy("shop search", "qrels.trec", "bm25.run", "hybrid.run", "topics.tsv", "q01")
    assert (ROOT / "src/rankproof/stack/samples/rankings/policy.toml").read_text(encoding="utf-8") == sample


def test_what_the_starter_leaves_as_comments_reads_too() -> None:
    """Every commented rule and key is right: only the hash stands before it."""
    import re
    import tomllib

    from rankproof.proving.policy import policy_of

    text = re.sub(r"^# (?=\[|\w+ = )", "", starter_policy(), flags=re.MULTILINE)
    policy = policy_of(tomllib.loads(text), "starter", "")
    assert [clause.rule for clause in policy.clauses].count("protected") == 1
    assert [clause.rule for clause in policy.clauses].count("latency") == 1
    assert policy.clauses[6].values["segment"] == "language"
    assert policy.choices["dialect"] == "trec_eval"


def test_an_unknown_name_keeps_its_neighbors() -> None:
    with pytest.raises(UnknownName) as error:
        read_policy({"rule": [{**LEAST, "atleast": 1}]})
    assert error.value.near == ["at_least"]


# ---- rules that no result can pass, or none can fail -----------------------------------------------


@pytest.mark.parametrize(
    ("rule", "named"),
    [
        ({"rule": "no_regression", "measure": "nDCG@10", "margin": 5}, ["margin", "5", "0.05"]),
        ({"rule": "no_regression", "measure": "nDCG@10", "margin": 1}, ["margin", "1", "0.01"]),
        ({"rule": "no_regression", "measure": "nDCG@10", "margin": 1, "segment": "language=de"}, ["margin", "1"]),
        ({"rule": "no_regression", "measure": "GMAP", "margin": 12}, ["margin", "12", "11.51"]),
        ({"rule": "least_gain", "measure": "AP@100", "at_least": 3}, ["at_least", "3", "0.03"]),
        ({"rule": "least_value", "measure": "nDCG@10", "at_least": -1}, ["at_least", "-1"]),
        ({"rule": "least_value", "measure": "nDCG@10", "at_least": 0}, ["at_least", "0"]),
        ({"rule": "least_value", "measure": "nDCG@10", "at_least": 1.5}, ["at_least", "1.5"]),
        ({"rule": "least_value", "measure": "nDCG@10", "at_least": 1}, ["at_least", "1", "point"]),
        ({"rule": "least_value", "measure": "nDCG@10", "at_least": 35, "basis": "point"}, ["at_least", "35", "0.35"]),
        ({"rule": "least_value", "measure": "AvgPos", "at_most": 0.5}, ["at_most", "0.5"]),
        ({"rule": "no_query_loses_more", "measure": "nDCG@10", "than": 1}, ["than", "1", "0.01"]),
        ({"rule": "protected", "measure": "RR", "queries": ["q1"], "tolerance": 1}, ["tolerance", "1"]),
        ({"rule": "judged_rate", "k": 10, "at_least": 0}, ["at_least", "0"]),
        ({"rule": "judged_rate", "k": 10, "at_least": 80}, ["at_least", "80"]),
        ({"rule": "latency", "percentile": 0.95, "budget_ms": 250}, ["percentile", "0.95", "95"]),
        ({"rule": "judge_agreement", "human": "a", "at_least": -1}, ["at_least", "-1"]),
    ],
)
def test_a_rule_that_no_result_can_pass_or_fail_is_refused(rule: dict[str, Any], named: list[str]) -> None:
    with raises(UsageError, f"rule 1 ({rule['rule']})", *named):
        read_policy({"rule": [rule]})


@pytest.mark.parametrize(
    "rule",
    [
        {"rule": "no_regression", "measure": "nDCG@10", "margin": 0.99},
        {"rule": "no_regression", "measure": "AvgPos", "margin": 5},  # a position has no greatest value
        {"rule": "no_regression", "measure": "GMAP", "margin": 1},  # a third, in natural logarithms
        {"rule": "no_regression", "measure": "DCG@10", "margin": 5},
        {"rule": "least_value", "measure": "nDCG@10", "at_least": 1, "basis": "point"},
        {"rule": "least_value", "measure": "NumRelRet", "at_least": 700, "basis": "point"},
        {"rule": "judged_rate", "k": 10, "at_least": 1},
        {"rule": "latency", "percentile": 99.9, "budget_ms": 250},
    ],
)
def test_a_rule_that_some_results_pass_and_some_fail_is_read(rule: dict[str, Any]) -> None:
    assert len(read_policy({"rule": [rule]}).clauses) == 1


def test_rules_that_contradict_each_other_are_refused() -> None:
    """Of NumRet neither more nor less is better, so it may have both."""
    low = {"rule": "least_value", "measure": "NumRet", "at_least": 600, "basis": "point"}
    high = {"rule": "least_value", "measure": "NumRet", "at_most": 400, "basis": "point"}
    with raises(UsageError, "rule 1 (least_value)", "rule 2 (least_value)", "NumRet", "600", "400"):
        read_policy({"rule": [low, high]})
    assert len(read_policy({"rule": [{**low, "at_least": 300}, high]}).clauses) == 2
    assert len(read_policy({"rule": [{**low, "segment": "language=de"}, high]}).clauses) == 2
