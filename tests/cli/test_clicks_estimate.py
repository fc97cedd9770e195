"""`rankproof clicks estimate`: what a new ranking would have earned on logged pages."""

from __future__ import annotations

import json
import shutil
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAMPLE = EXAMPLES.parent / "src/rankproof/stack/samples/rankings"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four pages of one query, with two documents in chance order; new.run has b before a."""
    monkeypatch.chdir(tmp_path)
    pages = ["aB", "bA", "Ba", "ab"]
    rows = [
        f"p{page},q,{doc.lower()},{rank},{int(doc.isupper())},0.5\n"
        for page, docs in enumerate(pages)
        for rank, doc in enumerate(docs, start=1)
    ]
    (tmp_path / "log.csv").write_text("page,query_id,doc_id,rank,clicked,propensity\n" + "".join(rows))
    (tmp_path / "new.run").write_text("q Q0 b 1 2.0 new\nq Q0 a 2 1.0 new\n")
    (tmp_path / "looked.csv").write_text("rank,examination\n1,1\n2,0.5\n")
    return tmp_path


def estimate(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["clicks", "estimate", *args])


def told(*args: str) -> dict[str, object]:
    result = estimate(*args, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_placements_by_hand(here: Path) -> None:
    """Pages 2 and 3 show b, a: weights 2. Clicks there: a at rank 2, b at rank 1. (2 + 2) / 4 = 1 click per page."""
    result = estimate("log.csv", "--run", "new.run", "--setting", "placement", "--estimator", "ips,snips")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "new on log.csv: 4 pages, 1 query"
    assert lines[1] == "setting: placement (a document for each rank, by its propensity there)"
    rows = {line.split()[0]: line.split()[1] for line in lines[4:7]}
    assert rows == {"logged": "0.7500", "ips": "1.0000", "snips": "1.0000"}
    assert "  mean weight      1.0000  should be 1, p = 1.0000" in lines
    assert any(line.startswith("warning: the log tells as much of the new system as 2 pages") for line in lines)


def test_lists_by_hand(here: Path) -> None:
    """The same two pages are the new list: (1 + 1) x 2 / 4."""
    found = told("log.csv", "--run", "new.run", "--setting", "list", "--estimator", "ips")
    assert found["estimates"][0]["new"]["value"] == 1.0
    assert found["setting"] == "list"


def test_examination_by_hand(here: Path) -> None:
    """Weights: b moves up on pages 1 and 4 (2), a down (1/2); pages 2 and 3 stay. Clicks: 2 + 1 + 1 + 0 over 4."""
    found = told("log.csv", "--run", "new.run", "--examination", "looked.csv", "--estimator", "ips")
    assert found["estimates"][0]["new"]["value"] == pytest.approx(1.0)
    assert found["overlap"]["absent"] == 0
    assert found["overlap"]["mean_weight"] is None
    assert found["notes"] == ["the examination curve is taken as known: the intervals leave out its own error"]


def test_actions_and_a_policy(here: Path) -> None:
    """A run's action is its first document: the second row counts with 1 / 0.25."""
    (here / "chosen.csv").write_text("query_id,shown,p,gain\nq,a,0.75,1\nq,b,0.25,3\nq,a,0.75,0\n")
    names = ("--column", "action=shown", "--propensity", "p", "--column", "reward=gain")
    found = told("chosen.csv", "--run", "new.run", *names, "--estimator", "ips,snips")
    assert [one["new"]["value"] for one in found["estimates"]] == [pytest.approx(4.0), pytest.approx(3.0)]
    (here / "policy.csv").write_text("query_id,action,probability\nq,a,0.75\nq,b,0.25\n")
    same = told("chosen.csv", "--policy", "policy.csv", *names, "--estimator", "ips")
    assert (same["policy"], same["estimates"][0]["new"]["value"]) == ("policy.csv", pytest.approx(4 / 3))
    assert "not_estimable" in same["estimates"][0]["difference"]


def test_clipping_is_told(here: Path) -> None:
    result = estimate("log.csv", "--run", "new.run", "--setting", "placement", "--estimator", "ips(clip=1)")
    assert "ips(clip=1.0): 4 weights cut to 1, which may put it off by 1.0000 at most" in result.stdout.splitlines()


def test_pages_that_are_left_out_are_told(here: Path) -> None:
    with (here / "log.csv").open("a") as file:
        file.write("p8,other,a,1,0,0.5\np9,q,a,2,0,0.5\n")
    lines = estimate("log.csv", "--run", "new.run", "--setting", "placement").stdout.splitlines()
    assert "left out: pages of queries that the new system does not answer: 1" in lines
    assert "left out: pages whose ranks do not run from 1 without a gap: 1" in lines


def test_nothing_is_known_of_what_was_never_shown(here: Path) -> None:
    (here / "new.run").write_text("q Q0 z 1 2.0 new\n")
    result = estimate("log.csv", "--run", "new.run", "--setting", "placement")
    assert result.exit_code == 0
    assert "not estimable: the log never shows what the new system would show" in result.stdout
    assert "  never logged     100.0%  of what the new system would show" in result.stdout.splitlines()


def test_a_file_is_written_whole_and_the_same_each_time(here: Path) -> None:
    for name in ("one.json", "two.json"):
        assert estimate("log.csv", "--run", "new.run", "--setting", "placement", "--json", "-o", name).exit_code == 0
    first, second = (json.loads((here / name).read_text()) for name in ("one.json", "two.json"))
    assert list(first.pop("observed")) == ["seconds"]
    del second["observed"]
    assert first == second


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (["log.csv", "--run", "new.run"], "log.csv has ranks in the column rank"),
        (["log.csv", "--setting", "placement"], "give --run RUN, or --policy TABLE"),
        (["log.csv", "--run", "new.run", "--policy", "p.csv"], "is a run or a policy"),
        (["-", "--run", "-", "--setting", "list"], "can be read only once"),
        (["log.csv", "--run", "new.run", "--examination", "looked.csv", "--propensity", "p"], "Leave out one"),
        (["log.csv", "--run", "new.run", "--setting", "list", "--depth", "1"], "--depth is for the settings"),
        (
            ["log.csv", "--run", "new.run", "--setting", "placement", "--estimator", "ipw"],
            "No estimator is called 'ipw'",
        ),
        (["log.csv", "--run", "new.run", "--setting", "placement", "--level", "95"], "between 0 and 1; got 95.0"),
        (["log.csv", "--run", "new.run", "--setting", "placement", "--column", "x"], "WHAT=NAME"),
    ],
)
def test_wrong_requests(here: Path, args: list[str], why: str) -> None:
    result = estimate(*args)
    assert result.exit_code == 2, result.output
    assert why in result.output


def test_a_log_that_cannot_be_trusted(here: Path) -> None:
    (here / "log.csv").write_text("page,query_id,doc_id,rank,clicked,propensity\np,q,a,1,1,0\n")
    result = estimate("log.csv", "--run", "new.run", "--setting", "placement")
    assert result.exit_code == 1
    assert "log.csv, line 2: propensity must be above 0" in result.output


def test_help_imports_no_flow() -> None:
    assert import_module("rankproof.cli.clicks.estimate").command.name == "estimate"
    result = estimate("--help")
    assert "--setting placement    a row for each document; the propensity is of it at its rank" in result.output


def program() -> ModuleType:
    """examples/shuffled.py, which is no package."""
    spec = spec_from_file_location("shuffled", EXAMPLES / "shuffled.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_bundled_log_is_the_one_that_its_program_makes() -> None:
    assert (SAMPLE / "shuffled.csv").read_text() == program().made()


def test_the_bundled_log_holds_the_truth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made-up users earn the new ranking what the grades and the looks say; see examples/shuffled.py."""
    shutil.copytree(SAMPLE, tmp_path / "sample")
    monkeypatch.chdir(tmp_path / "sample")
    module = program()
    grades = {tuple(line.split()[::2]): int(line.split()[3]) for line in Path("qrels.trec").read_text().splitlines()}
    ranked: dict[str, list[str]] = {}
    for line in Path("hybrid.run").read_text().splitlines():
        ranked.setdefault(line.split()[0], []).append(line.split()[2])
    true = sum(
        looked * module.LIKED[grades.get((query, doc), 0)]
        for query, docs in ranked.items()
        for doc, looked in zip(docs, module.LOOKED, strict=False)
    ) / len(ranked)
    for way in (["--setting", "placement"], ["--examination", "position_based"]):
        found = told("shuffled.csv", "--run", "hybrid.run", *way)
        assert all(one["new"]["low"] < true < one["new"]["high"] for one in found["estimates"]), (true, found)
