"""Runs made to fool a gate, through `rankproof gate` and `rankproof compare`, in every form of the answer."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli

QUERIES = [f"q{i:02}" for i in range(1, 41)]
POLICY = """
[policy]
name = "release"
qrels = "qrels.trec"
{head}

[[rule]]
rule = "{rule}"
measure = "{measure}"
{key} = {limit}
"""


def ranking(at: int) -> list[str]:
    """Relevant ids begin with Z and sort last; two are at the top, one is further down."""
    docs = ["Z0", "Z1", *(f"A{i}" for i in range(7))]
    docs.insert(3 + at % 5, "Z2")
    return docs


def write_run(path: Path, rankings: dict[str, list[str]], tied: bool = False) -> None:
    lines = [
        f"{query} Q0 {doc} {rank} {1 if tied else 100 - rank} run\n"
        for query, docs in rankings.items()
        for rank, doc in enumerate(docs, start=1)
    ]
    path.write_text("".join(lines))


@pytest.fixture
def here(tmp_path: Path) -> Path:
    base = {query: ranking(at) for at, query in enumerate(QUERIES)}
    graded = [f"{query} 0 {doc} {int(doc[0] == 'Z')}\n" for query, docs in base.items() for doc in docs]
    (tmp_path / "qrels.trec").write_text("".join(graded))
    write_run(tmp_path / "base.run", base)
    write_run(tmp_path / "equal.run", base, tied=True)
    write_run(tmp_path / "lower.run", {query: [doc.lower() for doc in docs] for query, docs in base.items()})
    write_run(tmp_path / "reversed.run", {query: docs[::-1] for query, docs in base.items()})
    few = {q: [f"new{d}" if d[0] == "Z" and q > "q04" else d for d in docs] for q, docs in base.items()}
    write_run(tmp_path / "unjudged.run", few)
    write_run(tmp_path / "worse.run", {query: [*docs[2:], *docs[:2]] for query, docs in base.items()})
    early = {q: ["Z0", "Z1", "Z2", "A0"] if q > "q03" else ["A0", "A1"] for q in QUERIES}
    write_run(tmp_path / "losing.run", early)
    return tmp_path


def command(folder: Path, *args: str) -> Result:
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner().invoke(cli, list(args))
    finally:
        os.chdir(before)


# Baseline, candidate, rule, and what the answer says of the risk.
ATTACKS = {
    "all-equal scores": (
        ("base.run", "equal.run"),
        ("no_regression", "nDCG@10", "margin", 0.01),
        "Documents with equal scores could be in another order: what was observed could be anything from -0.",
    ),
    "lower-cased baseline": (
        ("lower.run", "reversed.run"),
        ("no_regression", "nDCG@10", "margin", 0.01),
        "They may differ only by letter case",
    ),
    "unequal judged rates": (
        ("unjudged.run", "worse.run"),
        ("no_regression", "nDCG@10", "margin", 0.01),
        "27% of unjudged are unjudged and 0% of worse",
    ),
    "shrinking population": (
        ("base.run", "losing.run"),
        ("least_gain", "AvgPos", "at_least", 0.1),
        "losing has no AvgPos for 3 queries where base has one (q01, q02, q03)",
    ),
}


def attack(folder: Path, name: str, *args: str, head: str = "") -> Result:
    (baseline, candidate), (rule, measure, key, limit), _ = ATTACKS[name]
    text = POLICY.format(head=head, rule=rule, measure=measure, key=key, limit=limit)
    (folder / "release.toml").write_text(text)
    return command(folder, "gate", "release.toml", "--baseline", baseline, "--candidate", candidate, *args)


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("form", ["table", "markdown", "junit", "github", "html", "json"])
def test_an_attack_is_undecided_in_every_form(here: Path, name: str, form: str) -> None:
    """Each of these passed."""
    told = attack(here, name, "--format", form)
    assert told.exit_code == 3, told.output
    text = told.stdout
    if form == "html":
        text = text.replace("\u2212", "-")
    elif form == "markdown":
        text = text.replace("\\", "")
    elif form == "junit":
        text = " ".join(ET.fromstring(text).itertext())
    elif form == "json":
        document = json.loads(text)
        assert (document["status"], document["exit_status"]) == ("UNDECIDED", 3)
        text = document["rulings"][0]["reason"]
    assert ATTACKS[name][2] in text.replace("%25", "%")


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "shrinking population"])
@pytest.mark.parametrize("form", ["table", "markdown", "junit", "github", "html", "json"])
def test_a_policy_that_reports_risks_rules_as_it_did_and_tells_them(here: Path, name: str, form: str) -> None:
    told = attack(here, name, "--format", form, head='risks = "report"')
    assert told.exit_code == 0, told.output
    text = told.stdout.replace("\u2212", "-").replace("%25", "%")
    if form == "markdown":
        text = text.replace("\\", "")
    if form == "json":
        document = json.loads(told.stdout)
        assert ATTACKS[name][2] in document["rulings"][0]["risks"][0]
        text = " ".join(document["warnings"])
    assert ATTACKS[name][2] in text
    if form == "github":
        assert "::notice file=release.toml,title=PASS" in told.stdout


def test_a_candidate_that_truly_is_as_good_still_passes(here: Path) -> None:
    (here / "release.toml").write_text(
        POLICY.format(head="", rule="no_regression", measure="nDCG@10", key="margin", limit=0.01)
    )
    told = command(here, "gate", "release.toml", "--baseline", "worse.run", "--candidate", "base.run", "--json")
    document = json.loads(told.stdout)
    assert (document["status"], told.exit_code) == ("PASS", 0)
    assert "risks" not in document["rulings"][0]
    assert "warnings" not in document


def test_an_unknown_word_for_risks_is_refused_with_what_is_possible(here: Path) -> None:
    told = attack(here, "all-equal scores", head='risks = "ignore"')
    assert told.exit_code == 2
    assert "risks" in told.output
    assert "undecided" in told.output
    assert "report" in told.output


def test_a_comparison_over_a_population_that_shrinks_is_not_estimable(here: Path) -> None:
    """losing was better than base in AvgPos, over the 37 queries that it still finds something for."""
    told = command(here, "compare", "qrels.trec", "base.run", "losing.run", "-m", "AvgPos", "-m", "AP", "--json")
    assert told.exit_code == 0, told.output
    document = json.loads(told.stdout)
    by_measure = {contrast["measure"]: contrast for contrast in document["contrasts"]}
    lost = by_measure["AvgPos"]["difference"]
    assert (lost["estimable"], lost["value"]) == (False, None)
    assert "(q01, q02, q03)" in lost["reason"]
    assert by_measure["AvgPos"]["direction"] == "not shown"
    assert by_measure["AP"]["difference"]["estimable"]
    table = command(here, "compare", "qrels.trec", "base.run", "losing.run", "-m", "AvgPos", "--full")
    assert "losing has no AvgPos for 3 queries where base has one (q01, q02, q03)" in table.stdout
    assert "AvgPos: left out where a system has no value: 3 (q01, q02, q03)" in table.stdout
    assert "37/0/3" in table.stdout
