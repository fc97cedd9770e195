"""`rankproof gate` as it is installed: every exit status, every form, files beside the answer, GitHub, init."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli
from rankproof.proving.starter_policy import starter_policy

ROOT = Path(__file__).resolve().parents[2]
RELAXED = """
[policy]
name = "relaxed"
qrels = "sample/qrels.trec"
baseline = "sample/bm25.run"
candidate = "sample/hybrid.run"
topics = "sample/topics.tsv"

[[rule]]
rule = "least_value"
measure = "nDCG@10"
at_least = 0.5
"""
# The gain of hybrid over bm25 in AP@100 is +0.2077, with one-sided bounds of +0.1619 and +0.2535.
OPEN = f"{RELAXED}\n[[rule]]\nrule = 'least_gain'\nmeasure = 'MAP@100'\nat_least = 0.2\n"
# q18 and q12 lose 0.0714 and 0.0654 nDCG@10.
STRICT = f"{OPEN}\n[[rule]]\nrule = 'no_query_loses_more'\nmeasure = 'nDCG@10'\nthan = 0.05\n"


def installed() -> str:
    """The command as an installation puts it beside Python."""
    path = shutil.which("rankproof", path=os.path.dirname(sys.executable))
    if path is None:
        pytest.skip("the command rankproof is not installed beside this Python")
    return path


def run(folder: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [installed(), "gate", *args], cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120,
        check=False, env={**os.environ, **environment},
    )  # fmt: skip


def within(folder: Path, *args: str, **environment: str) -> Result:
    """The same in this process: quicker, and as good for everything but start-up."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        return CliRunner(env=environment).invoke(cli, ["gate", *args])
    finally:
        os.chdir(before)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src/rankproof/stack/samples/rankings", tmp_path / "sample")
    for name, text in (("relaxed", RELAXED), ("open", OPEN), ("strict", STRICT)):
        (tmp_path / f"{name}.toml").write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("policy", "status", "verdict"), [("relaxed", 0, "PASS"), ("strict", 1, "FAIL"), ("open", 3, "UNDECIDED")]
)
def test_the_exit_status_is_the_verdict(here: Path, policy: str, status: int, verdict: str) -> None:
    told = run(here, f"{policy}.toml")
    assert told.returncode == status, told.stderr
    assert told.stdout.startswith(f"{verdict}: relaxed, hybrid against bm25 (")
    assert told.stderr == ""


def test_an_undecided_gate_says_what_would_decide_it(here: Path) -> None:
    told = within(here, "open.toml", "--full")
    assert told.exit_code == 3
    assert "What would decide it: If what was seen is the truth, about " in told.stdout
    document = json.loads(run(here, "open.toml", "--json").stdout)
    (undecided,) = [ruling for ruling in document["rulings"] if ruling["status"] == "UNDECIDED"]
    assert "queries like these" in undecided["decides"]
    assert "a least gain of 0.1618 would have passed with these 20 queries" in undecided["decides"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "Missing argument 'POLICY'"),
        (("relaxed.toml", "--json", "--format", "table"), "contradict each other"),
        (("relaxed.toml", "--format", "trec"), "The report trec cannot show a verdict"),
        (("relaxed.toml", "--confidence", "95"), "confidence must be a number above 0.5 below 1"),
        (("relaxed.toml", "--significance", "sign"), "speak of means"),
        (("relaxed.toml", "--candidate", "-", "--baseline", "-"), "read only once"),
        (("relaxed.toml", "--junit", "nowhere/gate.xml"), "does not exist"),
        (("relaxed.toml", "--json", "--github"), "Add -o FILE"),
        (("wrong.toml",), "Did you mean 'at_least'"),
    ],
)
def test_wrong_usage_is_status_2(here: Path, args: tuple[str, ...], message: str) -> None:
    (here / "wrong.toml").write_text("[[rule]]\nrule = 'least_value'\nmeasure = 'RR'\natleast = 1\n")
    told = CliRunner().invoke(cli, ["gate", *(str(here / a) if a.endswith(".toml") else a for a in args)])
    assert told.exit_code == 2, told.output
    assert message in told.output


def test_wrong_usage_through_the_installed_command(here: Path) -> None:
    told = run(here, "relaxed.toml", "--baseline")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("rankproof: ")
    as_json = run(here, "relaxed.toml", "--significance", "tt", "--json")
    assert as_json.returncode == 2
    assert json.loads(as_json.stdout)["error"]["near"] == ["t"]


def test_invalid_input_is_status_1(here: Path) -> None:
    assert run(here, "none.toml").returncode == 1
    (here / "broken.run").write_text("q01 Q0 p1 1 2.0 t\nq01 Q0 p1 2 1.0 t\n")
    told = run(here, "relaxed.toml", "--candidate", "broken.run")
    assert told.returncode == 1
    assert "broken.run, line 2" in told.stderr
    assert "Traceback" not in told.stderr


def test_options_go_before_the_policy(here: Path) -> None:
    """bm25 against itself: nothing is gained."""
    document = json.loads(within(here, "open.toml", "--candidate", "sample/bm25.run", "--json").stdout)
    assert document["status"] == "FAIL"
    assert document["rulings"][1]["observed"] == 0.0
    assert (document["candidate"], document["baseline"]) == ("candidate", "baseline")  # one file on both sides


def test_files_are_named_from_the_folder_of_the_policy(here: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert within(tmp_path_factory.mktemp("elsewhere"), str(here / "relaxed.toml")).exit_code == 0


def test_reports_beside_the_answer(here: Path) -> None:
    told = run(
        here, "strict.toml", "--junit", "gate.xml", "--markdown", "gate.md", "--html", "gate.html", "-o", "gate.json",
        "--json",
    )  # fmt: skip
    assert (told.returncode, told.stdout) == (1, "")
    assert json.loads((here / "gate.json").read_text())["status"] == "FAIL"
    suite = ET.parse(here / "gate.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert (here / "gate.md").read_text().startswith("## ❌ FAIL")
    assert "<html" in (here / "gate.html").read_text()


def test_junit_comes_through_the_installed_command(here: Path) -> None:
    told = run(here, "open.toml", "--format", "junit")
    assert (told.returncode, told.stderr) == (3, "")
    assert ET.fromstring(told.stdout).get("errors") == "1"


@pytest.mark.parametrize("form", ["markdown", "github"])
def test_other_forms_on_standard_output(here: Path, form: str) -> None:
    told = within(here, "open.toml", "--format", form)
    assert told.exit_code == 3
    assert "UNDECIDED" in told.stdout


def test_github_gets_annotations_and_a_job_summary(here: Path) -> None:
    summary = here / "summary.md"
    summary.write_text("# before\n")
    told = run(here, "strict.toml", "--github", GITHUB_STEP_SUMMARY=str(summary))
    assert told.returncode == 1
    assert "\n::error file=strict.toml,title=FAIL%3A no query loses more" in told.stdout
    assert told.stdout.startswith("FAIL: relaxed")
    assert summary.read_text().startswith("# before\n## ❌ FAIL")


def test_without_a_job_summary_annotations_are_all(here: Path) -> None:
    told = within(here, "relaxed.toml", "--format", "github", "--github", GITHUB_STEP_SUMMARY="")
    assert told.exit_code == 0
    assert told.stdout.count("::notice") == 1


def test_the_same_input_gives_the_same_bytes(here: Path) -> None:
    one, two = (within(here, "open.toml", "--format", "junit").stdout for _ in range(2))
    assert one == two


def test_latency_from_its_file(here: Path) -> None:
    (here / "times.tsv").write_text("".join(f"q01\t{time}\n" for time in range(100, 160)))
    policy = f"{RELAXED}\n[[rule]]\nrule = 'latency'\npercentile = 95\nbudget_ms = 200\n"
    (here / "timed.toml").write_text(policy)
    told = within(here, "timed.toml", "--latency", "times.tsv")
    assert told.exit_code == 0, told.output
    assert "latency p95 at most 200 ms" in told.stdout


# ---- init ----------------------------------------------------------------------------------------


def test_init_writes_a_policy_that_works_once_its_files_are_there(here: Path) -> None:
    told = run(here, "init", "mine.toml")
    assert (told.returncode, told.stdout) == (
        0,
        "mine.toml written. Put your files and targets into it, then: rankproof gate mine.toml\n",
    )
    assert (here / "mine.toml").read_text() == starter_policy()
    for source, name in (("qrels.trec", "qrels.trec"), ("bm25.run", "baseline.run"), ("hybrid.run", "candidate.run")):
        shutil.copy(here / "sample" / source, here / name)
    assert within(here, "mine.toml").exit_code == 0


def test_init_overwrites_nothing(here: Path) -> None:
    (here / "rankproof.toml").write_text("mine\n")
    told = within(here, "init")
    assert told.exit_code == 2
    assert "is there already" in told.stderr
    assert (here / "rankproof.toml").read_text() == "mine\n"
    assert within(here, "init", "nowhere/x.toml").exit_code == 2


def test_init_to_standard_output(here: Path) -> None:
    assert within(here, "init", "-").stdout == starter_policy()


def test_the_example_policy_passes_on_the_sample() -> None:
    told = within(ROOT / "src/rankproof/stack/samples/rankings", "policy.toml")
    assert told.exit_code == 0, told.stdout
    assert "strong" in told.stdout
