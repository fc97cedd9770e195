"""`rankproof runs validate` and `rankproof qrels validate`: what they say, what they write, how they exit."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.shared_data import SHARED, needs_shared_data

from rankproof.cli.shared.root import cli
from rankproof.kernel import shelf

GOOD = "q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 9.1 t\nq2 Q0 d1 1 0.3 t\n"
DOUBLE = "q1 Q0 d1 1 9.5 t\nq1 Q0 d2 2 9.1 t\nq1 Q0 d1 3 8.7 t\n"


def rankproof(*args: object, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(cli, [str(arg) for arg in args], input=stdin)


def file(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_a_valid_run_says_what_was_read(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", GOOD)
    told = rankproof("runs", "validate", run, "--cutoffs", "1")
    assert told.exit_code == 0
    assert told.output == (
        f"{run}: valid; 3 rows, 2 queries; format trec; "
        "order: score descending, then document id descending\n"
        "  nothing found\n"
    )


def test_a_fault_has_code_place_explanation_and_remedy(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", DOUBLE)
    told = rankproof("runs", "validate", run, "--cutoffs", "1")
    assert told.exit_code == 1
    assert told.output.splitlines() == [
        f"{run}: INVALID; 3 rows, 1 query; format trec; order: score descending, then document id descending",
        "  error duplicate_document",
        "    line 3: document 'd1' is already ranked for query 'q1' on line 1.",
        "    -> Keep one of the two lines.",
        "  1 error",
    ]


def test_an_allowed_fault_is_a_note_and_a_strict_warning_an_error(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", DOUBLE)
    told = rankproof("runs", "validate", run, "--cutoffs", "1", "--allow", "duplicate_document", "--strict")
    assert told.exit_code == 0
    assert "  note duplicate_document\n" in told.output
    assert rankproof("runs", "validate", run, "--allow", "duplicate_document").exit_code == 0
    told = rankproof("runs", "validate", run, "--allow", "duplicate_document", "--strict")
    assert told.exit_code == 1
    assert "  error shallow\n" in told.output


def test_an_unknown_code_is_wrong_usage(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", GOOD)
    told = rankproof("runs", "validate", run, "--allow", "duplicate_documents")
    assert told.exit_code == 2
    assert "No check is called 'duplicate_documents'. Did you mean 'duplicate_document'" in told.output


def test_several_files_are_each_answered_and_summed_up(tmp_path: Path) -> None:
    good, bad = file(tmp_path, "a.run", GOOD), file(tmp_path, "b.run", DOUBLE)
    told = rankproof("runs", "validate", good, tmp_path / "none.run", bad, "--cutoffs", "1")
    assert told.exit_code == 1
    assert f"{tmp_path / 'none.run'}: INVALID\n  {tmp_path / 'none.run'}: there is no such file." in told.output
    assert told.output.splitlines()[-1] == "1 of 3 files valid"


def test_json_has_everything(tmp_path: Path) -> None:
    good, bad = file(tmp_path, "a.run", GOOD), file(tmp_path, "b.run", DOUBLE)
    told = rankproof("runs", "validate", good, bad, tmp_path, "--cutoffs", "1", "--json")
    assert told.exit_code == 1
    out = json.loads(told.output)
    assert out["valid"] is False
    first, second, third = out["files"]
    assert first["valid"] is True
    assert (first["rows"], first["queries"], first["format"], first["findings"]) == (3, 2, "trec", [])
    (finding,) = second["findings"]
    assert finding["code"] == "duplicate_document"
    assert (finding["line"], finding["query_id"], finding["doc_id"]) == (3, "q1", "d1")
    assert finding["source"] == str(bad)
    assert third["valid"] is False
    assert "is a directory" in third["unreadable"]


def test_json_stays_valid_with_undecodable_ids(tmp_path: Path) -> None:
    told = rankproof("runs", "validate", file(tmp_path, "a.run", b"q\xff Q0 d\xe9 1 nan t\n"), "--json")
    assert told.exit_code == 1
    found = json.loads(told.stdout_bytes.decode("utf-8"))["files"][0]["findings"]
    assert (found[0]["code"], found[0]["query_id"], found[0]["doc_id"]) == ("nan_score", "q\udcff", "d\udce9")


def test_control_characters_are_not_printed(tmp_path: Path) -> None:
    lines = "q1 Q0 a\x1b[31m 1 3 t\nq1 Q0 a\x1b[31m 2 3 t\n"
    told = rankproof("runs", "validate", file(tmp_path, "a.run", lines))
    assert "\x1b" not in told.output
    assert r"document 'a\x1b[31m' is already ranked" in told.output


def test_the_answer_goes_to_a_file(tmp_path: Path) -> None:
    run, out = file(tmp_path, "a.run", DOUBLE), tmp_path / "answer.txt"
    told = rankproof("runs", "validate", run, "-o", out)
    assert (told.exit_code, told.output) == (1, "")
    assert "duplicate_document" in out.read_text()


def test_qrels_and_topics_are_held_against(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", GOOD)
    qrels = file(tmp_path, "q.trec", "q1 0 doc_1 1\nq3 0 doc_2 0\n")
    topics = file(tmp_path, "topics.tsv", "q1\tone\nq4\tfour\n")
    told = rankproof("runs", "validate", run, "--qrels", qrels, "--topics", topics, "--cutoffs", "1")
    assert told.exit_code == 1
    assert "error no_common_document" in told.output
    assert "They may differ only by their prefixes or suffixes: 'd1' in the run, 'doc_1' in the qrels" in told.output
    assert "query 'q3' of the qrels is missing" in told.output
    assert "query 'q4' of the topics is missing" in told.output
    assert "query 'q2' is not in the qrels or topics" in told.output


def test_qrels_that_cannot_be_trusted_are_refused(tmp_path: Path) -> None:
    run, qrels = file(tmp_path, "a.run", GOOD), file(tmp_path, "q.trec", "q1 0 d1 1\nq1 0 d1 2\n")
    told = rankproof("runs", "validate", run, "--qrels", qrels)
    assert told.exit_code == 1
    assert f"rankproof qrels validate {qrels}" in told.output


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "q1\td1\t9.5\nq1\td1\t9.1\n"),
        ("a.json", '{"q1": ["d1", "d2", "d1"]}'),
        ("a.csv", "q1,d1,3\nq1,d1,2\n"),
    ],
)
def test_a_fault_is_found_in_every_format(tmp_path: Path, name: str, content: str) -> None:
    told = rankproof("runs", "validate", file(tmp_path, name, content))
    assert told.exit_code == 1
    assert "document 'd1' is already ranked for query 'q1'" in told.output


@pytest.mark.parametrize("form", [name for name, form in shelf.offered("formats").items() if "run" in form.holds])
def test_a_space_separated_run_is_never_called_valid_without_its_rows(tmp_path: Path, form: str) -> None:
    told = rankproof("runs", "validate", file(tmp_path, "a.run", GOOD), "--format", form, "--json")
    if told.exit_code == 0:
        assert json.loads(told.output)["files"][0]["rows"] == 3
    else:
        assert form not in ("trec", "tsv")


@pytest.mark.parametrize("content", ["", "\n  \n", "\ufeff"])
def test_nothing_is_empty(tmp_path: Path, content: str) -> None:
    told = rankproof("runs", "validate", file(tmp_path, "a.run", content))
    assert told.exit_code == 1
    assert "error empty" in told.output
    told = rankproof("qrels", "validate", file(tmp_path, "a.qrels", content))
    assert told.exit_code == 1
    assert "error empty_qrels" in told.output


def test_compressed_and_piped_runs(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run.gz", gzip.compress(DOUBLE.encode()))
    assert "line 3: document 'd1' is already ranked" in rankproof("runs", "validate", run).output
    told = rankproof("runs", "validate", "-", stdin=DOUBLE)
    assert told.exit_code == 1
    assert told.output.startswith("<stdin>: INVALID; 3 rows")


@pytest.mark.parametrize("cutoffs", ["0", "ten", "10,-1"])
def test_cutoffs_are_ranks(tmp_path: Path, cutoffs: str) -> None:
    told = rankproof("runs", "validate", file(tmp_path, "a.run", GOOD), "--cutoffs", cutoffs)
    assert told.exit_code == 2
    assert "is not a list of ranks from 1 on" in told.output


def test_qrels_are_validated(tmp_path: Path) -> None:
    qrels = file(tmp_path, "q.trec", "q1 0 d1 1\nq1 0 d1 2\nq2 0 d1 0.5\nq2 0 d2 -1\n")
    told = rankproof("qrels", "validate", qrels)
    assert told.exit_code == 1
    assert told.output.splitlines()[0] == f"{qrels}: INVALID; 4 rows, 2 queries; format trec"
    assert told.output.splitlines()[-1] == "  2 errors, 2 warnings"
    clean = file(tmp_path, "clean.trec", "q1 0 d1 1\nq1 0 d2 0\n")
    told = rankproof("qrels", "validate", clean, "--json")
    assert told.exit_code == 0
    assert [f["code"] for f in json.loads(told.output)["files"][0]["findings"]] == ["zero_grades"]


# ---- --fix -----------------------------------------------------------------------------------------


def test_fix_writes_a_repaired_run_and_lists_each_change(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", "\ufeffq1\tQ0 d2 2 8 t\r\n# a comment\nq1 Q0 d1 7 9 t x\nq1 Q0 d2 2 8.0 t\n")
    out = tmp_path / "out.run"
    told = rankproof("runs", "validate", run, "--fix", out, "--cutoffs", "1", "--order", "score")
    assert out.read_text() == "q1 Q0 d1 1 9.0 t\nq1 Q0 d2 2 8.0 t\n"
    assert told.exit_code == 0
    assert told.output.splitlines()[-10:] == [
        f"{out}: written; 8 changes",
        "  byte order mark removed",
        "  carriage return at the end of 1 line removed",
        "  tabs and repeated blanks made one blank on 1 line",
        "  1 empty or comment line removed",
        "  what followed the last column was dropped on 1 line",
        "  line 4: repeated row of document 'd2' for query 'q1' removed; the one on line 1 stays",
        "  rows of query 'q1' put in order",
        "  1 rank of query 'q1' rewritten",
        "  nothing found",
    ]
    assert rankproof("runs", "validate", out, "--cutoffs", "1").exit_code == 0


def test_fix_refuses_a_guess_and_writes_nothing(tmp_path: Path) -> None:
    run, out = file(tmp_path, "a.run", DOUBLE), tmp_path / "out.run"
    told = rankproof("runs", "validate", run, "--fix", out, "--cutoffs", "1")
    assert told.exit_code == 1
    assert not out.exists()
    assert list(tmp_path.iterdir()) == [run]
    assert f"{out}: not written\n" in told.output
    assert "A repair would be a guess." in told.output


def test_fix_of_a_disagreement_needs_to_be_told(tmp_path: Path) -> None:
    run, out = file(tmp_path, "a.run", "q1 Q0 d1 1 8 t\nq1 Q0 d2 2 9 t\n"), tmp_path / "out.run"
    assert rankproof("runs", "validate", run, "--fix", out).exit_code == 1
    assert rankproof("runs", "validate", run, "--fix", out, "--order", "rank").exit_code == 0
    assert out.read_text() == "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2 1.0 t\n"
    assert rankproof("runs", "validate", run, "--fix", out, "--lower-is-better").exit_code == 0
    assert out.read_text() == "q1 Q0 d1 1 -8.0 t\nq1 Q0 d2 2 -9.0 t\n"


def test_fix_cuts_and_tags_when_told(tmp_path: Path) -> None:
    run, out = file(tmp_path, "a.run", "q1 Q0 d1 1 8 t\nq1 Q0 d2 2 7 u\n"), tmp_path / "out.run"
    told = rankproof("runs", "validate", run, "--fix", out, "--max-depth", 1, "--tag", "v", "--json")
    assert told.exit_code == 0
    assert out.read_text() == "q1 Q0 d1 1 8.0 v\n"
    fixed = json.loads(told.output)["files"][0]["fixed"]
    assert [change["kind"] for change in fixed["changes"]] == ["cut", "tag"]
    assert fixed["written"] is True


def test_fix_from_a_pipe_and_into_another_format(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    told = rankproof("runs", "validate", "-", "--fix", out, stdin="q1 Q0 d2 2 7 t\nq1 Q0 d1 1 8 t\n")
    assert told.exit_code == 0
    assert json.loads(out.read_text()) == {"q1": {"d1": 8.0, "d2": 7.0}}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["a.run", "b.run", "--fix", "out.run"], "Repair them one by one"),
        (["a.run", "--tag", "t"], "Add --fix OUT"),
        (["a.run", "--fix", "out.run", "--tag", "two words"], "Use one word"),
        (["a.run", "--fix", "-"], "needs a file to write to"),
        (["a.run", "--fix", "none/out.run"], "does not exist"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage(args: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file(tmp_path, "a.run", GOOD)
    told = rankproof("runs", "validate", *args)
    assert told.exit_code == 2
    assert said in told.output


@needs_shared_data
def test_real_runs_and_qrels_are_valid() -> None:
    runs = sorted((SHARED / "dl20" / "runs").glob("*.run"))
    told = rankproof("runs", "validate", *runs, "--qrels", SHARED / "dl20" / "qrels.trec", "--cutoffs", "10,100")
    assert told.exit_code == 0
    assert told.output.splitlines()[-1] == f"{len(runs)} of {len(runs)} files valid"
    told = rankproof("qrels", "validate", SHARED / "dl20" / "qrels.trec", SHARED / "scifact" / "qrels.trec")
    assert told.exit_code == 0
