"""`rankproof gate` with a ledger: two at once, killed at every call to the disk, changed lines; exit statuses."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.killing import arm

from rankproof.cli.shared.root import cli

ROOT = Path(__file__).resolve().parents[2]
LEDGER = "gate.ledger.jsonl"
POLICY = f"""
[policy]
name = "release"
qrels = "qrels.trec"
baseline = "bm25.run"
candidate = "hybrid.run"

[ledger]
path = "{LEDGER}"
spend_error = true

[[rule]]
rule = "least_gain"
measure = "nDCG@10"
at_least = 0
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    shutil.copytree(ROOT / "src/rankproof/stack/samples/rankings", folder)
    (folder / "gate.toml").write_text(POLICY)
    return folder


def lines(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / LEDGER).read_text().splitlines()]


def variants(folder: Path, count: int) -> list[str]:
    """So many candidates, each without another query."""
    rows = (folder / "hybrid.run").read_text().splitlines(keepends=True)
    queries = list(dict.fromkeys(row.split()[0] for row in rows))[:count]
    for query in queries:
        (folder / f"no-{query}.run").write_text("".join(row for row in rows if row.split()[0] != query))
    return [f"no-{query}.run" for query in queries]


def called(folder: Path, *more: str, killed_at: float | None = None) -> tuple[int, str]:
    """A gate in a process of its own: its status, negative where it was killed, and what it had printed."""
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.chdir(folder)
            with open("printed", "w", encoding="utf-8") as sys.stdout:
                if killed_at is not None:
                    arm(killed_at)
                cli.main(["gate", "gate.toml", *more])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 70
        finally:
            os._exit(status)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return ended, (folder / "printed").read_text()


def test_gates_at_once_get_each_their_own_number(here: Path) -> None:
    """Eight processes that start together: no line is lost and no number given twice."""
    candidates = variants(here, 8)
    command = [sys.executable, "-m", "rankproof", "gate", "gate.toml", "--json", "--candidate"]
    started = [subprocess.Popen([*command, c], cwd=here, stdout=subprocess.PIPE, text=True) for c in candidates]
    told = [json.loads(process.communicate(timeout=300)[0])["ledger"] for process in started]
    assert sorted(ledger["number"] for ledger in told) == list(range(1, 9))
    assert {line["seal"] for line in lines(here)} == {ledger["seal"] for ledger in told}
    assert [line["attempt"] for line in lines(here)] == list(range(1, 9))


def test_killed_at_every_call_to_the_disk(here: Path, tmp_path: Path) -> None:
    """What was told is on record; gated again, it comes to the same verdict under the same number."""
    first, second = variants(here, 2)
    assert called(here, "--candidate", first)[0] in (0, 3)
    whole = tmp_path / "whole"
    shutil.copytree(here, whole)
    wanted = called(whole, "--candidate", second)
    assert wanted[0] in (0, 3)
    torn = 0
    for count in range(1, 100):
        ends = []
        for part in (0.0, 0.5):
            folder = tmp_path / "killed"
            shutil.copytree(here, folder)
            ended, printed = called(folder, "--candidate", second, killed_at=count + part)
            ends.append(ended)
            if ended == -signal.SIGKILL:
                assert not printed or len(lines(folder)) == 2  # nothing is told before it is on record
                again = called(folder, "--candidate", second)
                assert again[0] == wanted[0]
                assert "attempt 2 on these judgments, 1 tried before" in again[1]
                torn += "half a line" in again[1]
            attempts = [line["attempt"] for line in lines(folder)]
            assert attempts in ([1, 2], [1, 2, 2]), count + part
            assert not list(folder.glob("*.part")) or ended == -signal.SIGKILL
            shutil.rmtree(folder)
        if ends[0] != -signal.SIGKILL:
            break
    assert 10 < count < 60
    assert torn == 1  # a line is one write


@pytest.mark.parametrize("fault", ["edited", "removed", "last removed"])
def test_a_changed_ledger_is_invalid_input(here: Path, fault: str) -> None:
    for candidate in variants(here, 3):
        called(here, "--candidate", candidate)
    content = (here / LEDGER).read_text().splitlines(keepends=True)
    edited = content[1].replace('"UNDECIDED"', '"FAIL"').replace('"PASS"', '"FAIL"')
    changed = {
        "edited": [content[0], edited, content[2]],
        "removed": [content[0], content[2]],
        "last removed": content[:2],
    }[fault]
    (here / LEDGER).write_text("".join(changed))
    before = Path.cwd()
    os.chdir(here)
    try:
        told = CliRunner().invoke(cli, ["gate", "gate.toml"])
        as_json = CliRunner().invoke(cli, ["gate", "gate.toml", "--json"])
    finally:
        os.chdir(before)
    line = 3 if fault == "last removed" else 2
    assert told.exit_code == as_json.exit_code == 1
    assert f"{LEDGER}, line {line}: " in told.stderr
    assert f"{LEDGER}, line {line}: " in json.loads(as_json.stdout)["error"]["message"]
    assert (here / LEDGER).read_text() == "".join(changed)


def test_the_ledger_lies_beside_the_policy(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(cli, ["gate", str(here / "gate.toml"), "--json"])
    assert answer.exit_code in (0, 3)
    assert json.loads(answer.stdout)["ledger"]["path"] == str(here / LEDGER)
    assert len(lines(here)) == 1
