"""`rankproof convert`: from any format to any other, with what was decided said aloud."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.reading.collect import read_qrels, read_run, read_topics

TREC = "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text(TREC)
    (tmp_path / "a.qrels").write_text("q1 0 d1 1\nq1 0 d2 0\n")
    (tmp_path / "topics.tsv").write_text("q1\topening hours\n")
    return tmp_path


def convert(*args: str, given: bytes | None = None) -> click.testing.Result:
    return CliRunner().invoke(cli, ["convert", *args], input=given)


@pytest.mark.parametrize(
    "target", ["b.json", "b.jsonl", "b.tsv", "b.csv", "b.parquet", "b.run", "b.csv.gz", "b.trec.zst"]
)
def test_runs(folder: Path, target: str) -> None:
    done = convert("a.run", target)
    assert done.exit_code == 0, done.output
    assert read_run(folder / target) == read_run(folder / "a.run")
    assert done.stdout.splitlines()[0].startswith(f"a.run -> {target} (")
    assert done.stdout.splitlines()[0].endswith("): run, 1 query, 2 rows")


@pytest.mark.parametrize("target", ["b.json", "b.jsonl", "b.beir", "b.csv", "b.parquet", "b.trec", "b.esci"])
def test_qrels(folder: Path, target: str) -> None:
    done = convert("a.qrels", target)
    assert done.exit_code == 0, done.output
    assert read_qrels(folder / target) == read_qrels(folder / "a.qrels")


def test_topics(folder: Path) -> None:
    done = convert("topics.tsv", "queries.jsonl")
    assert done.exit_code == 0, done.output
    assert done.stdout == "topics.tsv -> queries.jsonl (jsonl): topics, 1 query\n"
    assert read_topics(folder / "queries.jsonl") == {"q1": "opening hours"}
    # Single words in two columns may be documents: that is asked, not guessed.
    (folder / "words.tsv").write_text("q1\thours\nq2\tplaces\n")
    done = convert("words.tsv", "words.jsonl")
    assert done.exit_code == 1
    assert "words.tsv may hold a run, qrels or topics. Say which it is with --noun" in done.stderr
    assert convert("words.tsv", "words.jsonl", "--noun", "topics").exit_code == 0


def test_reading_options(folder: Path) -> None:
    (folder / "p.csv").write_text("qid,docid,rank,score\nq1,q1,1,0.0\nq1,a#1,2,0.9\nq1,b#1,3,0.5\nq1,a#2,4,0.1\n")
    done = convert("p.csv", "p.run", "--lower-is-better", "--collapse", "#", "--drop-self")
    assert done.exit_code == 0, done.output
    assert (folder / "p.run").read_text() == "q1 Q0 a 1 -0.1 p\nq1 Q0 b 2 -0.5 p\n"
    assert "  dropped 1 document whose id is the query's own" in done.stdout
    assert "  collapsed by '#': 3 rows to 2, the best chunk of each document" in done.stdout
    done = convert("p.csv", "p.json", "--order", "rank", "--noun", "run")
    assert done.exit_code == 0, done.output
    assert json.loads((folder / "p.json").read_text()) == {"q1": ["q1", "a#1", "b#1", "a#2"]}


def test_pipes(folder: Path) -> None:
    done = convert("-", "-", "--to", "json", given=TREC.encode())
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"q1": {"d1": 2.5, "d2": 1.5}}
    assert done.stderr.splitlines()[0] == "<stdin> -> - (json): run, 1 query, 2 rows"
    assert "Name it with --to" in convert("a.run", "-").stderr


def test_json(folder: Path) -> None:
    done = convert("a.run", "b.csv", "--json")
    told = json.loads(done.stdout)
    assert told["content_hash"] == read_run(folder / "a.run").content_hash
    assert {key: told[key] for key in ("source", "target", "noun", "to", "queries", "rows")} == {
        "source": "a.run", "target": "b.csv", "noun": "run", "to": "csv", "queries": 1, "rows": 2,
    }  # fmt: skip
    assert told["notes"] == ["columns by place: query_id Q0 doc_id rank score tag"]


def test_options_of_a_format(folder: Path) -> None:
    (folder / "esci.csv").write_text("query_id,product_id,product_locale,esci_label\n1,B1,us,E\n2,B2,es,S\n")
    done = convert("esci.csv", "b.qrels", "-O", "locale=us")
    assert done.exit_code == 0, done.output
    assert (folder / "b.qrels").read_text() == "1 0 B1 3\n"
    assert "NAME=VALUE" in convert("esci.csv", "b.qrels", "-O", "locale").stderr


@pytest.mark.parametrize(
    ("args", "status", "said"),
    [
        (("missing.run", "b.json"), 1, "missing.run: there is no such file."),
        (("a.run", "b.xyz"), 2, "no format for a run"),
        (("a.run", "b.json", "--noun", "qrels"), 1, "its format is not recognized"),
        (("a.run", "b.json", "--from", "csv"), 1, "cannot be read as a csv table of a run"),
        (("a.qrels", "b.json", "--order", "rank"), 2, "speak of runs; this is qrels"),
        (("topics.tsv", "b.jsonl", "--noun", "topics", "--collapse", "#"), 2, "these are topics"),
        (("a.run", "b.json", "--to", "terc"), 2, "No format is called 'terc'. Did you mean 'trec'"),
        (("twice.run", "b.json"), 1, "twice.run, line 2: document 'd1' is already ranked"),
    ],
)
def test_errors(folder: Path, args: tuple[str, ...], status: int, said: str) -> None:
    (folder / "twice.run").write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d1 2 1.5 t\n")
    done = convert(*args)
    assert done.exit_code == status, done.output
    assert said in done.stderr
    assert not (folder / "b.json").exists()


def test_a_fault_may_be_allowed(folder: Path) -> None:
    (folder / "twice.run").write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d1 2 1.5 t\n")
    done = convert("twice.run", "b.json", "--allow", "duplicate_document")
    assert done.exit_code == 0, done.output
    assert json.loads((folder / "b.json").read_text()) == {"q1": {"d1": 2.5}}
