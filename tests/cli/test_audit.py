"""`rankproof audit`: answers, exit statuses, files and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

REPORT = ("--relevant", "5", "P@3=0.67", "R@5=0.60", "RR=0.5", "nDCG@5=0.75")
IMPOSSIBLE = ("--dialect", "rankproof", *REPORT)


def audit(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["audit", *args])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three documents; reranked to depth 2; and merged badly: d1 has a negative score and falls below d3."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "base.run").write_text("q Q0 d1 1 9 b\nq Q0 d2 2 8 b\nq Q0 d3 3 7 b\n")
    (tmp_path / "good.run").write_text("q Q0 d2 1 99 n\nq Q0 d1 2 98 n\nq Q0 d3 3 7 n\n")
    (tmp_path / "bad.run").write_text("q Q0 d2 1 9.5 n\nq Q0 d3 2 7 n\nq Q0 d1 3 -2 n\n")
    (tmp_path / "qrels.trec").write_text("q 0 d1 1\n")
    return tmp_path


def test_an_impossible_report() -> None:
    told = audit("report", *IMPOSSIBLE)
    assert told.exit_code == 1
    lines = told.stdout.splitlines()
    assert lines[0] == "IMPOSSIBLE: one query with 5 relevant documents"
    assert "No ranking has R@5 0.60, RR 0.5 and nDCG@5 0.75 together." in lines
    assert "If the other values are right, nDCG@5 is between 0.000 and 0.733, not 0.75." in lines
    assert "This rests on what was stated: --relevant 5, --dialect rankproof." in lines


def test_what_an_undecided_report_lacks() -> None:
    """By the definition of 2002, without a discount at rank 2, the report can be true."""
    told = audit("report", *REPORT)
    assert told.exit_code == 3
    assert "It would be impossible with --dialect rankproof." in told.stdout.splitlines()


def test_a_possible_report() -> None:
    told = audit("report", "--grades", "3,2,1", "nDCG@4=0.973", "RR=1.00")
    assert told.exit_code == 0
    assert "relevant documents at ranks 1 (grade 3), 2 (grade 1), 3 (grade 2); nDCG@4 0.9725, RR 1.0000." in told.stdout


def test_means() -> None:
    told = audit("report", "--queries", "4", "Success@5=0.75", "RR@5=0.50")
    assert told.exit_code == 0
    assert told.stdout.startswith("POSSIBLE: means over 4 queries, each with any number of relevant documents")
    told = audit("report", "-n", "54", "--dialect", "rankproof", "P@10=0.6137")
    assert told.exit_code == 1
    assert "the nearest means are 0.61296 and 0.61481" in told.stdout


def test_an_undecided_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.proving.audit.report.BUDGET", 1_000)
    told = audit("report", "--relevant", "40", "nDCG@100=0.5123456", "AP=0.3123456", "--json")
    assert told.exit_code == 3
    document = json.loads(told.stdout)
    assert (document["verdict"], document["exit_status"]) == ("undecided", 3)


@pytest.mark.parametrize("name", ["report.toml", "report.json"])
def test_a_report_in_a_file(here: Path, name: str) -> None:
    values = {"P@3": "0.67", "R@5": "0.60", "RR": "0.5", "nDCG@5": "0.75"}
    if name.endswith("toml"):
        text = "relevant = 5\ndialect = 'rankproof'\n[values]\n" + "".join(f'"{m}" = {v}\n' for m, v in values.items())
    else:
        pairs = ", ".join(f'"{m}": {v}' for m, v in values.items())
        text = f'{{"relevant": 5, "dialect": "rankproof", "values": {{{pairs}}}}}'
    (here / name).write_text(text)
    from_file, typed = audit("report", "--file", name), audit("report", *IMPOSSIBLE)
    assert from_file.stdout == typed.stdout  # 0.60 keeps its two digits
    assert from_file.exit_code == 1
    assert audit("report", "--file", name, "P@3=0.5").exit_code == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "neither TOML nor JSON"),
        ("a = 1", "has a table `values`"),
        ("[values]\n'P@3' = true", "must be a number"),
        ("number = 3\n[values]\n'P@3' = 0.5", "no field 'number'"),
        ("dialect = 3\n[values]\n'P@3' = 0.5", "dialect must be a text"),
        ("queries = 'x'\n[values]\n'P@3' = 0.5", "queries must be a whole number"),
        ("grades = 3\n[values]\n'P@3' = 0.5", "grades must be"),
    ],
)
def test_a_file_that_is_no_report(here: Path, text: str, said: str) -> None:
    (here / "x").write_text(text)
    told = audit("report", "--file", "x")
    assert told.exit_code == 1
    assert said in told.stderr


def test_a_file_may_say_everything(here: Path) -> None:
    text = 'queries = 2\ngrades = [[2, 1], "1"]\ndecimals = 1\nrounding = "nearest"\n[values]\n"nDCG@2" = 1\n'
    (here / "r.toml").write_text(text)
    document = json.loads(audit("report", "--file", "r.toml", "--json").stdout)
    assert (document["queries"], document["relevant"]) == (2, "relevant documents, of grades 2, 1 or 1")
    assert document["claims"] == [{"measure": "nDCG@2", "said": "1", "low": 0.95, "high": 1.05}]


@pytest.mark.parametrize(
    "args",
    [
        ("report",),
        ("report", "R@5=0.5"),
        ("report", "P@3"),
        ("report", "P@3=0.5", "--average", "some"),
        ("rerank", "a"),
        ("rerank", "-", "-"),
    ],
)
def test_wrong_usage(args: tuple[str, ...]) -> None:
    assert audit(*args).exit_code == 2


def test_a_clean_rerank(here: Path) -> None:
    told = audit("rerank", "base.run", "good.run", "--depth", "2", "--qrels", "qrels.trec")
    assert told.exit_code == 0
    assert told.stdout.splitlines() == [
        "CLEAN: good.run is base.run, reranked to depth 2; 1 query",
        "",
        "measure    base.run  good.run",
        "P@2          0.5000    0.5000",
        "R@2          1.0000    1.0000",
        "Success@2    1.0000    1.0000",
        "P@3          0.3333    0.3333",
        "R@3          1.0000    1.0000",
        "Success@3    1.0000    1.0000",
    ]
    assert audit("rerank", "base.run", "good.run").stdout.splitlines() == [
        told.stdout.splitlines()[0],
        "Depth 2 was inferred: nothing moved below it, and 1 of 1 query changed as far down or nearly so. "
        "How sure: low. It may be greater: state it with --depth.",
    ]
    assert audit("rerank", "base.run", "good.run", "--depth", "3").stdout.startswith(
        "CLEAN: good.run is base.run, reranked to depth 3 (it changes only the first 2)"
    )
    assert "unchanged" in audit("rerank", "base.run", "base.run").stdout


def test_a_broken_rerank(here: Path) -> None:
    told = audit("rerank", "base.run", "bad.run", "--depth", "2")
    assert told.exit_code == 1
    assert told.stdout.splitlines()[:4] == [
        "BROKEN: bad.run is not base.run, reranked to depth 2: 1 of 1 query; it would be for depth 3",
        "",
        "First: query q, document d3 (rank 3 in base.run, rank 2 in bad.run): it came up across rank 2.",
        "Broken: q",
    ]
    assert "Two scales of scores were merged" in told.stdout
    document = json.loads(audit("rerank", "base.run", "bad.run", "--depth", "2", "--json").stdout)
    assert (document["schema"], document["audit"], document["verdict"]) == ("audit/1", "rerank", "broken")
    assert document["first"] == {
        "query_id": "q", "doc_id": "d3", "base_rank": 3, "rank": 2, "reason": "it came up across rank 2",
    }  # fmt: skip
    assert list(document["observed"]) == ["seconds"]


def test_a_broken_rerank_whose_depth_is_inferred(here: Path) -> None:
    """Ten documents: three with scores of their own, two of them negative; the others keep theirs, halved."""
    base = [(f"d{i}", 30 - 2 * i - 0.1 * (i % 3)) for i in range(10)]
    own = {"d0": -1.5, "d1": 40.0, "d2": -3.0}
    (here / "long.run").write_text("".join(f"q Q0 {doc} 0 {score} b\n" for doc, score in base))
    (here / "merged.run").write_text("".join(f"q Q0 {doc} 0 {own.get(doc, s / 2)} m\n" for doc, s in base))
    told = audit("rerank", "long.run", "merged.run")
    assert told.exit_code == 1
    headline, inferred, _, first, *rest = told.stdout.splitlines()
    assert headline.startswith("BROKEN: merged.run is not long.run, reranked to depth 3: 1 of 1 query")
    assert inferred.startswith("Depth 3 was inferred: in 1 of 1 query the scores above it are on another scale than")
    assert "How sure: fair." in inferred
    assert first.startswith("First: query q, document d3 (rank 4 in long.run, rank 2 in merged.run)")
    assert any("below rank 3 have the scores of long.run times 0.5 (up to" in line for line in rest)
    document = json.loads(audit("rerank", "long.run", "merged.run", "--json").stdout)
    assert document["inferred"] == {
        "by": "scores", "sure": "fair", "agree": 1, "queries": 1, "least": 3, "most": 3,
    }  # fmt: skip


def test_an_answer_in_a_file(here: Path) -> None:
    told = audit("rerank", "base.run", "bad.run", "-o", "out.txt")
    assert told.stdout == ""
    assert (here / "out.txt").read_text() == audit("rerank", "base.run", "bad.run").stdout
