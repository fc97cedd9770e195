"""Policies: TOML and dicts of its shape, files named from the policy's folder, and refusals that name the place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.flow.policy import read_policy
from rankproof.flow.starter import starter_policy
from rankproof.records.policy import Policy

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
        at_least = 1
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
    assert (first.title, first.values["measure"], first.values["at_least"]) == ("the first hit", "RR@10", 1.0)
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
    ("text", "message"),
    [
        ("", r"has no \[\[rule\]\]: nothing is asked"),
        ('[polcy]\nname = "x"\n', r"No table of .*gate.toml is called 'polcy'. Did you mean 'policy'\?"),
        ('[policy]\nqrel = "x"\n', r"No key of \[policy\] in .*gate.toml is called 'qrel'. Did you mean 'qrels'\?"),
        ("[policy]\nconfidence = 95\n", r"\[policy\]: confidence must be a number above 0.5 below 1; got 95"),
        ("[policy]\nqrels = 3\n", r"\[policy\]: qrels must be the name of a file; got 3"),
        ('[policy]\nsignificance = "tt"\n', r"No significance method \(.*\) is called 'tt'. Did you mean 't'"),
        ("[evaluate]\ndepht = 3\n", r"No key of \[evaluate\] in .*gate.toml is called 'depht'. Did you mean 'depth'"),
        ('[evaluate]\ndepth = "3"\n', r"\[evaluate\]: depth must be a whole number, 1 or more; got '3'"),
        ('[evaluate]\ndialect = "trec"\n', r"No dialect \(.*dialect\) is called 'trec'"),
        ("policy = 3\n", r"\[policy\] must be a table"),
        ("[[rule]]\nmeasure = 'RR'\n", r"rule 1: a rule needs its name"),
        ("[[rule]]\nrule = 'least_vale'\n", r"No rule \(.*gate.toml, rule 1\) is called 'least_vale'. Did you mean"),
        ("[[rule]]\nrule = 'checks'\n[[rule]]\nrule = 'latency'\n", r"rule 2 \(latency\): percentile is missing"),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'nDGC@10'\nat_least = 1\n",
            r"rule 1 \(least_value\): measure is 'nDGC@10': No measure is called 'nDGC'. Did you mean 'nDCG'\?",
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'RR P@5'\nat_least = 1\n",
            r"measure must be one measure; 'RR P@5' names 2",
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'relstring'\nat_least = 1\n",
            r"must be a measure with a number as its value",
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'AvgPos'\nat_least = 1\n",
            r"AvgPos is better when lower, so its target is said as at_most, not at_least",
        ),
        ("[[rule]]\nrule = 'least_value'\nmeasure = 'RR'\n", r"say either at_least or at_most; got neither"),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'NumRelRet'\nat_least = 1\n",
            r'NumRelRet is a sum over queries, which has no bounds. Say basis = "point"',
        ),
        (
            "[[rule]]\nrule = 'no_regression'\nmeasure = 'NumRet'\nmargin = 0\n",
            r"NumRet is neither better high nor low",
        ),
        ("[[rule]]\nrule = 'no_regression'\nmeasure = 'RR'\nmargin = -0.1\n", r"margin must be a number from 0 on"),
        ("[[rule]]\nrule = 'protected'\nmeasure = 'RR'\n", r"say either queries = .* or file = "),
        ("[[rule]]\nrule = 'protected'\nmeasure = 'RR'\nqueries = []\n", r"queries must be a list of texts"),
        ("[[rule]]\nrule = 'checks'\nstrict = 'yes'\n", r"strict must be true or false; got 'yes'"),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'RR'\nat_least = 0.5\nbands = {good = 'x'}\n",
            r"bands must give each label a value, which must be a number; got 'x'",
        ),
        (
            "[[rule]]\nrule = 'least_value'\nmeasure = 'RR'\nat_least = 0.5\nbasis = 'points'\n",
            r"basis must be one of 'interval', 'point'; got 'points'",
        ),
    ],
)  # fmt: skip
def test_a_wrong_policy_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_policy(written(tmp_path, text))


def test_what_is_no_toml_is_invalid_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gate.toml is not TOML: .*line 1"):
        read_policy(written(tmp_path, "rule = = 3\n"))
    with pytest.raises(InputError, match="no such file"):
        read_policy(tmp_path / "none.toml")


@pytest.mark.parametrize("what", [3, None, ["rule"]])
def test_what_is_no_policy(what: Any) -> None:
    with pytest.raises(UsageError, match="A policy is a path, a dict or a Policy"):
        read_policy(what)


def test_the_starter_reads_and_the_example_is_made_of_it() -> None:
    import tomllib

    from rankproof.flow.policy import policy_of

    policy = policy_of(tomllib.loads(starter_policy()), "starter", "")
    asked = {(c.rule, c.values.get("measure")): c.values.get("at_least") for c in policy.clauses}
    # The targets that the example is to carry.
    assert asked[("least_value", "nDCG@10")] == 0.35
    assert policy.clauses[0].values["bands"] == {"good": 0.35, "strong": 0.40}
    assert asked[("least_gain", "AP@100")] == 0.03
    assert asked[("least_value", "RR@10")] == 0.55
    assert asked[("least_value", "R@50")] == 0.62
    assert asked[("least_value", "R@100")] == 0.70
    assert asked[("least_value", "Success@10")] == 0.80
    sample = starter_policy(
        "shop search", "sample/qrels.trec", "sample/bm25.run", "sample/hybrid.run", "sample/topics.tsv", "q01"
    )
    assert (ROOT / "examples" / "policy.toml").read_text(encoding="utf-8") == sample


def test_what_the_starter_leaves_as_comments_reads_too() -> None:
    """Every commented rule and key is right: only the hash stands before it."""
    import re
    import tomllib

    from rankproof.flow.policy import policy_of

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
