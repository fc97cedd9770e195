"""`action.yml`: its scripts run as GitHub's runner runs them, on the sample, with the command that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
yaml = pytest.importorskip("yaml", reason="PyYAML reads the action")
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}


def script(step: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A step's script in bash, as the runner starts it; the command is this Python's."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    command = tools / "rankproof"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rankproof "$@"\n')
    command.chmod(0o755)
    unset = dict.fromkeys(STEPS[step].get("env", {}), "")
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", STEPS[step]["run"]],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={
            **os.environ, **unset, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "RUNNER_TEMP": str(folder),
            "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary.md"), **environment,
        },
    )  # fmt: skip


@pytest.fixture
def here(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src/rankproof/stack/samples/rankings", tmp_path, dirs_exist_ok=True)
    return tmp_path


def outputs(folder: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in (folder / "output").read_text().splitlines())


def test_a_gate_that_passes_reports_and_annotates(here: Path) -> None:
    told = script("Ask the gate", here, POLICY="policy.toml", JUNIT="gate.xml")
    assert told.returncode == 0, told.stderr
    assert outputs(here) == {"status": "0", "verdict": "PASS", "report": str(here / "rankproof-gate.md")}
    assert "::notice file=policy.toml,title=gate%3A PASS::" in told.stdout
    assert (here / "summary.md").read_text() == (here / "rankproof-gate.md").read_text()
    assert (here / "gate.xml").exists()


def test_a_gate_that_fails_leaves_the_answer_to_the_last_step(here: Path) -> None:
    assert script("Ask the gate", here, POLICY="policy.toml", CANDIDATE="dense.run").returncode == 0
    assert outputs(here)["verdict"] == "FAIL"
    assert script("Answer with the verdict", here, STATUS="1", UNDECIDED="fail").returncode == 1


def test_a_gate_that_cannot_be_asked_has_no_verdict(here: Path) -> None:
    assert script("Ask the gate", here, POLICY="none.toml").returncode == 0
    assert outputs(here) == {"status": "1", "verdict": ""}


@pytest.mark.parametrize(("undecided", "status"), [("fail", 3), ("pass", 0)])
def test_what_becomes_of_an_undecided_gate_is_said(here: Path, undecided: str, status: int) -> None:
    assert script("Answer with the verdict", here, STATUS="3", UNDECIDED=undecided).returncode == status


def test_a_file_whose_name_is_a_command_does_not_run(here: Path) -> None:
    script("Ask the gate", here, POLICY="$(touch broken).toml", CANDIDATE="; touch broken")
    assert not (here / "broken").exists()


@pytest.mark.parametrize(("known", "asked"), [("", "issues/7/comments --field"), ("42", "comments/42 --field")])
def test_the_comment_is_posted_once_and_then_renewed(here: Path, known: str, asked: str) -> None:
    """A stand-in for `gh` writes down what it is asked, and answers with the comments that are there."""
    (here / "bin").mkdir()
    gh = here / "bin" / "gh"
    gh.write_text(
        '#!/bin/sh\necho "$@" >> asked\ncase "$*" in *--paginate*) '
        f'[ -z "{known}" ] || printf "41\\tother\\n{known}\\t<!-- rankproof gate policy.toml -->\\n" ;; esac\n'
    )
    gh.chmod(0o755)
    (here / "report.md").write_text("## PASS\n")
    told = script(
        "Comment on the pull request", here, REPOSITORY="o/r", NUMBER="7", REPORT="report.md", POLICY="policy.toml",
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert asked in (here / "asked").read_text().splitlines()[-1]
    assert (here / "rankproof-comment.md").read_text() == "<!-- rankproof gate policy.toml -->\n## PASS\n"


@pytest.mark.parametrize(
    ("install", "installed"),
    [(".", "the action's checkout"), ("rankproof==0.1.0", "rankproof==0.1.0"), ("$(touch broken)", "$(touch broken)")],
)
def test_a_dot_installs_the_action_itself_and_anything_else_what_it_says(
    here: Path, install: str, installed: str
) -> None:
    """A stand-in for Python writes down what pip is asked for."""
    (here / "bin").mkdir()
    python = here / "bin" / "python"
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > asked\n')
    python.chmod(0o755)
    told = script("Install rankproof", here, INSTALL=install, GITHUB_ACTION_PATH="the action's checkout")
    assert told.returncode == 0, told.stderr
    assert (here / "asked").read_text().splitlines() == ["-m", "pip", "install", "--quiet", installed]
    assert not (here / "broken").exists()


def test_every_input_is_used_and_none_stands_in_a_script() -> None:
    used = str([step.get("env") for step in STEPS.values()]) + str([step.get("if") for step in STEPS.values()])
    for name in ACTION["inputs"]:
        assert f"inputs.{name}" in used, name
    assert not any("${{" in step["run"] for step in STEPS.values())
