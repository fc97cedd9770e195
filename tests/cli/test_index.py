"""`rankproof index`: what it says, its exit statuses, and what it leaves alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.json_case import faults

from rankproof.cli.shared.root import cli

pytest.importorskip("apsw", reason="apsw is not installed")

MODES = {
    "kept": "sqlite(path='kept')",
    "memory": "sqlite()",
    "old": "replay(path='old.run')",
    "asked": "http(url='http://127.0.0.1:9', hits='hits')",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five documents in the layout of BEIR, and a configuration beside them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "tent"}\n')
    write_corpus(tmp_path, [f"d{i}" for i in range(5)])
    write_config(tmp_path)
    return tmp_path


def write_corpus(folder: Path, ids: list[str], text: str = "a tent") -> None:
    lines = (json.dumps({"_id": doc, "title": f"tent {i}", "text": text}) for i, doc in enumerate(ids))
    (folder / "corpus.jsonl").write_text("".join(f"{line}\n" for line in lines))


def write_config(folder: Path, more: str = "", **modes: str) -> None:
    lines = "".join(f'{name} = "{text}"\n' for name, text in (modes or MODES).items())
    (folder / "b.toml").write_text(f"[benchmark]\ndataset = '.'\n[modes]\n{lines}{more}")


def index(*args: str) -> Result:
    return CliRunner().invoke(cli, ["index", "b.toml", *args])


def test_it_says_what_was_made_and_what_has_no_index(here: Path) -> None:
    told = index()
    assert told.exit_code == 0, told.output
    first, fields, verified, finds, _, *left = told.stdout.splitlines()
    assert first == "sqlite 'kept': made: 5 documents, 5 put"
    assert fields == "  fields: title, text"
    assert verified == "  verified: 5 documents counted, 5 read back and equal"
    assert finds == "  kept: finds 5 of 5 documents by their own words"
    assert [line.split(":")[0] for line in left] == ["memory", "old", "asked"]
    assert index().stdout.splitlines()[0] == "sqlite 'kept': there: 5 documents"


def test_its_document_holds_to_its_schema_and_is_the_same_each_time(here: Path) -> None:
    documents = [json.loads(index("--json").stdout) for _ in range(2)]
    for document in documents:
        assert faults(document, "index/1") == []
    outcomes = [document.pop("observed")["indexes"][0]["outcome"] for document in documents]
    assert outcomes == ["made", "there"]
    assert documents[0] == documents[1]


def test_a_fault_is_exit_status_1_and_a_document_all_the_same(here: Path) -> None:
    import apsw

    assert index().exit_code == 0
    with apsw.Connection("kept/data/index.sqlite") as database:
        database.execute("UPDATE docs SET f1 = 'something else' WHERE rowid = 2")
    told = index()
    assert told.exit_code == 1
    assert "FAULT: 1 of 5 compared documents are not as they were put: 'd2' in f1" in told.stdout
    assert "--replace" in told.stdout
    told = index("--json")
    assert told.exit_code == 1
    assert faults(json.loads(told.stdout), "index/1") == []
    assert index("--replace").exit_code == 0


@pytest.mark.parametrize(
    ("args", "more", "modes", "status", "words"),
    [
        ((), "", {"old": "replay(path='old.run')"}, 2, ["No mode", "old", "replay"]),
        (("--mode", "memory"), "", {}, 2, ["path=..."]),
        (("--mode", "nosuch"), "", {}, 2, ["nosuch"]),
        (("--dry-run", "--replace"), "", {}, 2, ["--dry-run"]),
        (("--batch", "0"), "", {}, 2, ["--batch"]),
        ((), "[index.sqlite]\nshards = 2\n", {}, 2, ["[index.sqlite]", "shards"]),
        ((), "[index.bm25]\nx = 2\n", {}, 2, ["bm25"]),
        ((), "[index]\nopensearch = 3\n", {}, 2, ["[index.opensearch]"]),
        ((), "[index.opensearch]\nshards = 0\n", {}, 2, ["shards"]),
        ((), "", {"m": "opensearch(index='x', url='http://127.0.0.1:9')"}, 1, ["'x'", "no connection"]),
    ],
)
def test_what_cannot_be_done_is_one_message(
    args: tuple[str, ...], more: str, modes: dict[str, str], status: int, words: list[str], here: Path
) -> None:
    write_config(here, more + "[limits]\nattempts = 2\nfirst_wait = 0\n", **modes)
    told = index(*args)
    assert told.exit_code == status, told.output
    assert [word for word in words if word not in told.stderr and word != "no connection"] == []
    assert not (here / "kept").exists()


def test_documents_that_stand_there_twice_are_refused_before_anything_is_made(here: Path) -> None:
    write_corpus(here, ["d1", "d2", "d1"])
    told = index()
    assert told.exit_code == 1
    assert "'d1'" in told.stderr
    assert not (here / "kept").exists()


def test_another_dataset_is_refused(here: Path) -> None:
    assert index().exit_code == 0
    write_corpus(here, ["d1", "d2"])
    told = index()
    assert told.exit_code == 2
    assert "another dataset" in told.stderr
    assert index("--replace").stdout.startswith("sqlite 'kept': made anew: 2 documents")


def test_a_benchmark_of_an_index_that_is_not_there_names_the_command(here: Path) -> None:
    told = CliRunner().invoke(cli, ["benchmark", "run", "b.toml"])
    assert told.exit_code == 2
    assert "rankproof index" in told.stderr


def test_the_report_has_times_and_sizes_under_observed_alone(here: Path) -> None:
    write_config(here, kept="sqlite(path='kept')", memory="sqlite()")
    assert index().exit_code == 0
    told = CliRunner().invoke(cli, ["benchmark", "run", "b.toml", "-o", "out", "--full"])
    assert told.exit_code == 0, told.output
    assert "\nIndexes\n" in told.stdout
    document = json.loads((here / "out" / "BenchmarkReport.json").read_text())
    assert faults(document, "benchmark/1") == []
    indexes = document.pop("observed")["indexes"]
    assert {name: one["modes"] for name, one in indexes.items()} == {
        "sqlite(path='kept')": ["kept"],
        "sqlite()": ["memory"],
    }
    assert all(one["documents"] == 5 and one["bytes"] > 0 and one["seconds"] > 0 for one in indexes.values())
    assert "index_seconds" not in json.dumps(document)
