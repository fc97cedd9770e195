"""`rankproof verify`, and what `rankproof evaluate` keeps: reports, targets and manifests."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import rankproof
from rankproof.cli.shared.root import cli
from rankproof.measuring.report import read_report

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
# RR of a: 1/2 and 1; of b: 1 and 1.
RUN_A = "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d3 1 1 t\n"
RUN_B = "q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\nq2 Q0 d3 1 1 t\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels": QRELS, "a.run": RUN_A, "b.run": RUN_B}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def told(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, list(args))


def kept(*more: str) -> None:
    answer = told("evaluate", "qrels", "a.run", "-m", "RR P@5", "--manifest", "m.json", *more)
    assert answer.exit_code == 0, answer.output


def first_lines(answer: click.testing.Result) -> list[str]:
    return answer.stdout.split("\n\n")[0].splitlines()


def test_a_manifest_is_verified(here: Path) -> None:
    kept()
    answer = told("verify", "m.json")
    assert answer.exit_code == 0
    assert answer.stdout.splitlines()[0] == "verified: 3 values equal"
    assert "evaluation of a, written by rankproof" in answer.stdout
    assert "equal: the same up to a relative difference of 1e-12; all are equal bit for bit" in answer.stdout


def test_the_manifest_does_not_change_the_answer(here: Path) -> None:
    plain = told("evaluate", "qrels", "a.run", "-m", "RR P@5")
    with_it = told("evaluate", "qrels", "a.run", "-m", "RR P@5", "--manifest", "m.json", "--save", "r.json")
    assert with_it.stdout == plain.stdout + "Saved: r.json\nManifest: m.json\n"


def test_a_changed_run_is_named_with_its_values(here: Path) -> None:
    kept()
    (here / "a.run").write_text(RUN_B)
    answer = told("verify", "m.json")
    assert answer.exit_code == 1
    head, changed, value = first_lines(answer)
    assert head == "DIFFERS: 1 input changed, 1 of 3 values differ"
    assert changed.startswith("  Changed: run a. SHA-256 ")
    assert value == "  a RR is 1, was 0.75 (by +0.25)."


def test_values_may_be_equal_in_a_changed_run(here: Path) -> None:
    kept()
    (here / "a.run").write_text(RUN_A + "q2 Q0 unjudged 2 0.5 t\n")
    answer = told("verify", "m.json")
    assert answer.exit_code == 1
    assert first_lines(answer)[0] == "DIFFERS: 1 input changed, 3 values equal all the same"


def test_a_moved_run_is_found_where_one_says(here: Path) -> None:
    kept()
    (here / "a.run").rename(here / "moved.run")
    answer = told("verify", "m.json")
    assert answer.exit_code == 1
    assert first_lines(answer) == [
        "DIFFERS: 1 input missing, nothing was compared",
        "  Missing: run a is not at a.run. Say where it is: --run a=PATH",
    ]
    assert told("verify", "m.json", "--run", "a=moved.run", "--qrels", "qrels").exit_code == 0


def test_a_folder_can_be_moved_with_its_manifest(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept()
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert told("verify", "../m.json").exit_code == 0


def test_a_tolerance_can_be_given(here: Path) -> None:
    kept()
    document = json.loads((here / "m.json").read_text())
    document["results"]["means"]["a"]["RR"] = 0.7500001
    (here / "m.json").write_text(json.dumps(document))
    answer = told("verify", "m.json")
    assert answer.exit_code == 1
    assert first_lines(answer)[1] == "  a RR is 0.75, was 0.7500001 (by -1e-07)."
    looser = told("verify", "m.json", "--tolerance", "1e-6")
    assert looser.exit_code == 0
    assert "relative difference of 1e-06; the largest is 1.3e-07" in looser.stdout


def test_json_goes_where_it_is_asked_for(here: Path) -> None:
    kept()
    assert told("verify", "m.json", "--json", "-o", "v.json").stdout == ""
    document = json.loads((here / "v.json").read_text())
    assert (document["verified"], document["compared"], document["schema"]) == (True, 3, "verification/1")


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (("nowhere.json",), 1, "nowhere.json: there is no such file."),
        (("qrels",), 1, "qrels, line 1: this is not JSON"),
        (("m.json", "--run", "a"), 2, "--run 'a' says no place. Write a name, '=' and a path"),
        (("m.json", "--run", "c=b.run"), 2, "No run of the manifest is called 'c'. Known: a."),
        (("m.json", "--other", "topics=b.run"), 2, "No further file of the manifest is called 'topics'"),
        (("m.json", "--tolerance", "-1"), 2, "-1.0 is not in the range"),
        (("m.json", "-o", "nowhere/v.txt"), 2, "does not exist. Create it first"),
    ],
)
def test_wrong_usage_is_refused(here: Path, args: tuple[str, ...], status: int, message: str) -> None:
    kept()
    answer = told("verify", *args)
    assert answer.exit_code == status, answer.output
    assert message in answer.stderr


# ---- what evaluate keeps -------------------------------------------------------------------------


def test_a_report_is_saved_with_its_targets(here: Path) -> None:
    kept("--save", "r.json", "--target", "mrr=0.7", "--target", "P@5=0.5")
    report = read_report("r.json")
    assert (report.run, report.qrels) == ("a", "qrels")
    assert (report.measures["RR"].value, report.measures["RR"].passed) == (0.75, True)
    assert report.measures["P@5"].passed is False
    assert report.run_sha256 == rankproof.read_run("a.run").content_hash
    assert report.judgments_sha256 == rankproof.read_qrels("qrels").content_hash
    assert report.observed["seconds"] > 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--target", "RR=0.5"), "A target is kept in the report: add --save FILE."),
        (("b.run", "--save", "r.json"), "--save keeps the report of one run; 2 were given."),
        (("--save", "r.json", "--target", "RR"), "'RR' is no target."),
        (("--save", "r.json", "--target", "AP=0.5"), "AP has a target and was not evaluated"),
        (("--save", "nowhere/r.json"), "does not exist. Create it first"),
        (("--manifest", "."), ". is a folder."),
    ],
)
def test_what_cannot_be_kept_is_refused_and_nothing_is_written(here: Path, args: tuple[str, ...], message: str) -> None:
    answer = told("evaluate", "qrels", "a.run", *args, "-m", "RR")
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert not (here / "r.json").exists()


def test_choices_of_reading_are_on_record(here: Path) -> None:
    (here / "twice.run").write_text(RUN_A + "q2 Q0 d3 2 0.5 t\n")
    asked = ("--allow", "duplicate_document", "--order", "rank", "-M", "3", "--threads", "1")
    answer = told("evaluate", "qrels", "twice.run", "-m", "RR", "--manifest", "m.json", *asked)
    assert answer.exit_code == 0, answer.output
    parameters = json.loads((here / "m.json").read_text())["parameters"]
    assert parameters["reading"] == {"order": "rank", "allow": ["duplicate_document"]}
    assert parameters["settings"]["depth"] == 3
    assert told("verify", "m.json").exit_code == 0


def test_what_came_by_a_pipe_is_on_record_by_its_content(here: Path) -> None:
    args = ["evaluate", "qrels", "-", "-m", "RR", "--manifest", "m.json"]
    answer = CliRunner().invoke(cli, args, input=RUN_A)
    assert answer.exit_code == 0, answer.output
    (run,) = json.loads((here / "m.json").read_text())["runs"]
    assert (run["path"], run["sha256"]) == (None, None)
    assert run["content"] == rankproof.read_run("a.run").content_hash
    assert told("verify", "m.json", "--run", f"{run['name']}=a.run").exit_code == 0


# ---- schemas -------------------------------------------------------------------------------------


def test_schemas_are_listed_and_printed() -> None:
    listed = told("schema").stdout
    assert "manifest/1" in listed
    printed = json.loads(told("schema", "verification").stdout)
    assert printed["title"] == "Verification"
    assert told("schema", "nothing").exit_code == 2


# ---- what a gate keeps ----------------------------------------------------------------------------

GATED = """
[policy]
qrels = "qrels"
baseline = "b.run"
candidate = "a.run"
latency = "times.tsv"

[[rule]]
rule = "no_regression"
measure = "RR"
margin = 0.02
basis = "point"

[[rule]]
rule = "protected"
measure = "RR"
file = "protected.txt"

[[rule]]
rule = "latency"
percentile = 50
budget_ms = 250
"""


@pytest.fixture
def gated(here: Path) -> Path:
    """RR falls from 1 to 0.75, which a margin of 0.02 does not allow."""
    for name, text in {"gate.toml": GATED, "protected.txt": "q2\n", "times.tsv": "q1\t100\n" * 9}.items():
        (here / name).write_text(text)
    assert told("gate", "gate.toml", "--manifest", "g.json", "--json", "-o", "verdict.json").exit_code == 1
    return here


def differing(answer: click.testing.Result) -> str:
    assert answer.exit_code == 1, answer.output
    return answer.stdout


@pytest.mark.parametrize("record", ["g.json", "verdict.json"])
def test_a_verdict_is_computed_again(gated: Path, record: str) -> None:
    answer = told("verify", record, "--json")
    assert answer.exit_code == 0, answer.stdout
    document = json.loads(answer.stdout)
    # Queries, two means, a difference with its queries, interval and p, the verdict, three rulings of seven values.
    assert document["compared"] == 3 + 5 + 1 + 21


def test_a_policy_whose_margin_was_edited_afterwards_is_not_verified(gated: Path) -> None:
    """From 0.02 to 0.5, under which the candidate would have passed."""
    (gated / "gate.toml").write_text(GATED.replace("0.02", "0.5"))
    for record in ("g.json", "verdict.json"):
        assert "Changed: policy gate.toml" in differing(told("verify", record))


def test_a_margin_edited_in_a_saved_verdict_is_not_verified(gated: Path) -> None:
    saved = json.loads((gated / "verdict.json").read_text())
    saved["rulings"][0]["threshold"] = -0.5
    (gated / "edited.json").write_text(json.dumps(saved))
    assert "threshold is -0.02, was -0.5" in differing(told("verify", "edited.json"))


def test_a_verdict_edited_to_pass_is_not_verified(gated: Path) -> None:
    saved = json.loads((gated / "verdict.json").read_text())
    saved["status"] = saved["rulings"][0]["status"] = "PASS"
    (gated / "edited.json").write_text(json.dumps(saved))
    assert "verdict is FAIL, was PASS" in differing(told("verify", "edited.json"))
    kept = json.loads((gated / "g.json").read_text())
    kept["results"]["verdict"] = "PASS"
    (gated / "edited.json").write_text(json.dumps(kept))
    assert "verdict is FAIL, was PASS" in differing(told("verify", "edited.json"))


@pytest.mark.parametrize("record", ["g.json", "verdict.json"])
def test_a_margin_edited_in_the_rules_on_record_is_refused(gated: Path, record: str) -> None:
    text = (gated / record).read_text()
    assert '"margin": 0.02' in text
    (gated / "edited.json").write_text(text.replace('"margin": 0.02', '"margin": 0.5'))
    answer = told("verify", "edited.json")
    assert answer.exit_code == 1
    assert "config_sha256" in answer.stderr


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("protected.txt", "q1\n", "rule 2 file protected.txt"),
        ("times.tsv", "q1\t400\n" * 9, "latency times.tsv"),
    ],
)
def test_other_files_of_a_policy_are_held_too(gated: Path, name: str, text: str, what: str) -> None:
    (gated / name).write_text(text)
    assert f"Changed: {what}" in differing(told("verify", "g.json"))
    (gated / name).unlink()
    assert f"Missing: {what}" in differing(told("verify", "g.json"))


def test_the_policy_file_may_be_gone_for_its_rules_are_on_record(gated: Path) -> None:
    (gated / "gate.toml").unlink()
    assert told("verify", "g.json").exit_code == 0


def test_a_verdict_that_spent_error_is_computed_again_as_the_attempt_it_was(here: Path) -> None:
    rules = "\n[[rule]]\nrule = 'no_regression'\nmeasure = 'RR'\nmargin = 0.9\n"
    head = "[policy]\nqrels = 'qrels'\nbaseline = 'b.run'\n[ledger]\npath = 'l.jsonl'\nspend_error = true\n"
    (here / "gate.toml").write_text(head + rules)
    (here / "c.run").write_text(RUN_A.replace("q2 Q0 d3 1 1 t", "q2 Q0 x 1 2 t\nq2 Q0 d3 2 1 t"))
    for name in ("a", "c"):
        told("gate", "gate.toml", "--candidate", f"{name}.run", "--manifest", f"{name}.json")
    assert told("verify", "a.json").exit_code == told("verify", "c.json").exit_code == 0
    levels = [json.loads((here / f"{n}.json").read_text())["results"]["rulings"][0]["confidence"] for n in "ac"]
    assert levels[1] > levels[0] > 0.95


@pytest.mark.parametrize("broken", ["rulings", "manifest"])
def test_a_saved_verdict_without_what_it_needs_is_refused(gated: Path, broken: str) -> None:
    saved = json.loads((gated / "verdict.json").read_text())
    saved[broken] = None
    (gated / "edited.json").write_text(json.dumps(saved))
    answer = told("verify", "edited.json")
    assert answer.exit_code == 1
    assert "edited.json" in answer.stderr
