"""Installing: one switch for every line that names where from; the release, the hooks and the citation agree."""

from __future__ import annotations

import re
import runpy
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.documents.pages import ROOT

from rankproof.cli.shared.root import cli
from rankproof.stack.samples import rankings

yaml = pytest.importorskip("yaml", reason="PyYAML reads workflows and hooks")
INSTALL: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "install.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def read(path: str) -> Any:
    return yaml.safe_load((ROOT / path).read_text("utf-8"))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files that follow the switch."""
    for line in INSTALL["LINES"]:
        (tmp_path / line.path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / line.path, tmp_path / line.path)
    return tmp_path


def contents(folder: Path) -> dict[str, str]:
    return {line.path: (folder / line.path).read_text("utf-8") for line in INSTALL["LINES"]}


def turn(folder: Path, on_index: bool) -> None:
    for path, text in INSTALL["texts"](folder, on_index).items():
        path.write_text(text, encoding="utf-8")


def test_every_file_says_what_the_switch_says() -> None:
    assert INSTALL["stale"](ROOT, INSTALL["ON_INDEX"]) == []


def test_the_switch_turns_every_line_and_back(copy: Path) -> None:
    before = contents(copy)
    turn(copy, not INSTALL["ON_INDEX"])
    assert set(INSTALL["stale"](copy, INSTALL["ON_INDEX"])) == set(before)
    after = contents(copy)
    turn(copy, INSTALL["ON_INDEX"])
    assert contents(copy) == before
    released, own = (before, after) if INSTALL["ON_INDEX"] else (after, before)
    assert yaml.safe_load(released["action.yml"])["inputs"]["install"]["default"] == "rankproof"
    assert yaml.safe_load(own["action.yml"])["inputs"]["install"]["default"] == "."
    assert "git+" not in "".join(released.values())
    assert not re.search(r"pip install '?rankproof\b(?!\[judge\])", own["docs/install.md"] + own["docs/gate.md"])


def test_a_line_that_went_missing_is_noticed(copy: Path) -> None:
    page = copy / "docs" / "gate.md"
    page.write_text(page.read_text("utf-8").replace("pip install", "pip get", 1), encoding="utf-8")
    with pytest.raises(ValueError, match=r"docs/gate\.md"):
        INSTALL["texts"](copy, INSTALL["ON_INDEX"])


def test_the_places_of_the_repository_are_one_place() -> None:
    repository = INSTALL["REPOSITORY"]
    assert all(url.startswith(repository) for url in PROJECT["urls"].values())
    named = set(re.findall(r"uses: (\S+)/rankproof@", "".join(contents(ROOT).values())))
    assert named == {INSTALL["OWNER"]}


def test_nothing_is_released_before_the_switch() -> None:
    assert len(INSTALL["unready"]("OWNER", False)) == 2
    assert INSTALL["unready"]("somebody", True) == []


def test_the_release_is_asked_for_by_a_tag_and_trusted_by_name() -> None:
    release = read(".github/workflows/release.yml")
    assert release[True] == {"push": {"tags": ["v*"]}}  # YAML 1.1 reads `on` as true
    jobs = release["jobs"]
    assert any(step.get("run") == "python docs/install.py --released" for step in jobs["ready"]["steps"])
    assert {name: job.get("needs") for name, job in jobs.items()} == {
        "ready": None, "wheels": "ready", "publish": "wheels",
    }  # fmt: skip
    assert jobs["wheels"]["uses"] == "./.github/workflows/wheels.yml"
    assert "workflow_call" in read(".github/workflows/wheels.yml")[True]
    publish = jobs["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert publish["environment"] == "pypi"
    (uses,) = (step["uses"] for step in publish["steps"] if "pypi-publish" in step["uses"])
    assert uses.startswith("pypa/gh-action-pypi-publish@")
    assert release["permissions"] == {"contents": "read"}
    assert not re.search(r"secrets\.|password", str(jobs))


@pytest.mark.parametrize("file", ["bm25.run", "broken.run"])
def test_the_hook_that_validates_runs_its_command(file: str, tmp_path: Path) -> None:
    (hook,) = (hook for hook in read(".pre-commit-hooks.yaml") if hook["id"] == "rankproof-runs-validate")
    assert re.search(hook["files"], file)
    shutil.copy(Path(rankings(), "bm25.run"), tmp_path / "bm25.run")
    (tmp_path / "broken.run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n")
    told = CliRunner().invoke(cli, [*hook["entry"].split()[1:], str(tmp_path / file)])
    assert told.exit_code == (0 if file == "bm25.run" else 1), told.output


def test_the_hook_that_gates_runs_its_command() -> None:
    (hook,) = (hook for hook in read(".pre-commit-hooks.yaml") if hook["id"] == "rankproof-gate")
    assert hook["pass_filenames"] is False
    told = CliRunner().invoke(cli, [*hook["entry"].split()[1:], str(Path(rankings(), "policy.toml"))])
    assert told.exit_code == 0, told.output


def test_hooks_are_installed_with_the_command_that_they_enter() -> None:
    assert {hook["entry"].split()[0] for hook in read(".pre-commit-hooks.yaml")} == set(PROJECT["scripts"])
    assert {hook["language"] for hook in read(".pre-commit-hooks.yaml")} == {"python"}


def test_the_citation_is_of_this_version() -> None:
    citation = read("CITATION.cff")
    assert (citation["version"], citation["license"]) == (PROJECT["version"], PROJECT["license"])
    assert citation["authors"]
