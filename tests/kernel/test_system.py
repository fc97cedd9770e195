"""What operating systems do differently: each function where a system has it, and where it has not."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest
from tests.hostile.command import good_files

import rankproof
from rankproof.kernel import system
from rankproof.kernel.atomic import new_folder

ROOT = Path(rankproof.__file__).parent
# Modules that only some systems have.
ONLY_SOME = {
    "fcntl",
    "resource",
    "pwd",
    "grp",
    "termios",
    "tty",
    "pty",
    "posix",
    "syslog",
    "msvcrt",
    "winreg",
    "_winapi",
}
# Nothing of these is there, as on Windows; the names are taken away before rankproof is loaded.
POOR = """
import importlib.abc, mmap, os, signal, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "resource", "pwd", "grp", "termios", "syslog"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Blocked())
for name in ("fcntl", "resource", "pwd", "grp", "termios", "syslog"):
    sys.modules.pop(name, None)
for name in ("sched_getaffinity", "sysconf", "posix_fallocate", "getuid", "geteuid", "getpgid", "killpg", "sync"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGALRM", "SIGUSR1", "SIGKILL"):
    if hasattr(signal, name):
        delattr(signal, name)
real = os.open
def no_folders(path, *args, **named):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", path)
    return real(path, *args, **named)
os.open = no_folders
rename = os.rename
def onto_nothing(source, goal, **named):
    if os.path.exists(goal):
        raise FileExistsError(17, "File exists", goal)
    rename(source, goal, **named)
os.rename = onto_nothing
from rankproof.cli import main
for command in sys.argv[1:]:
    try:
        status = main(command.split())
    except SystemExit as end:
        status = end.code
    if status not in (0, None):
        sys.exit(f"{command}: {status}")
"""
POLICY = """
[policy]
name = "shop search"
qrels = "good.qrels"
baseline = "good.run"
candidate = "good.run"

[ledger]
path = "ledger.jsonl"

[[rule]]
rule = "no_regression"
measure = "P@1"
margin = 0.5
"""


def test_the_base_commands_on_a_system_that_has_little(tmp_path: Path) -> None:
    good_files(tmp_path)
    (tmp_path / "gate.toml").write_text(POLICY)
    commands = [
        "evaluate good.qrels good.run -m nDCG@10",
        "evaluate good.qrels good.run -m AP --memory 10KB -o table.txt",
        "compare good.qrels good.run good.run -m RR",
        "runs validate good.run",
        "convert good.run written.json",
        "gate gate.toml",
        "explain nDCG",
    ]
    done = subprocess.run(
        [sys.executable, "-c", POOR, *commands], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "written.json").exists()
    assert (tmp_path / "table.txt").exists()
    assert (tmp_path / "ledger.jsonl").exists()


def test_only_the_layer_imports_what_some_systems_lack() -> None:
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                names = {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {node.module or ""}
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("import_module", "_module"):
                names = {argument.value for argument in node.args if isinstance(argument, ast.Constant)}
            else:
                continue
            if names & ONLY_SOME:
                found[str(path.relative_to(ROOT))] = True
    assert list(found) == [os.path.join("kernel", "system.py")]


def other_process_gets(path: Path) -> str:
    script = "import sys; from rankproof.kernel.system import append_only, lock; print(lock(append_only(sys.argv[1])))"
    return subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True).stdout


def test_a_lock_is_held_against_other_processes_until_the_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "a"
    file = system.append_only(str(path))
    assert system.lock(file)
    assert other_process_gets(path) == "False\n"
    os.close(file)
    assert other_process_gets(path) == "True\n"


class Locked(types.SimpleNamespace):
    """msvcrt, as far as it locks: bytes from the current position on, mandatory, and refused by OSError."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self.taken: list[int] = []

    def locking(self, file: int, mode: int, size: int) -> None:
        assert (mode, size) == (self.LK_NBLCK, 1)
        place = os.lseek(file, 0, os.SEEK_CUR)
        if place in self.taken:
            raise OSError(36, "Resource deadlock avoided")
        self.taken.append(place)


def test_the_lock_of_windows_covers_no_byte_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locks = Locked()
    monkeypatch.setattr(system, "_module", {"msvcrt": locks}.get)
    file = system.append_only(str(tmp_path / "a"))
    os.write(file, b"12345")
    assert system.lock(file)
    assert locks.taken == [1 << 40]
    assert os.lseek(file, 0, os.SEEK_CUR) == 5, "where the file was"
    assert not system.lock(file)
    os.write(file, b"6")
    os.close(file)
    assert (tmp_path / "a").read_bytes() == b"123456"


def test_a_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "_module", lambda name: None)
    file = system.append_only(str(tmp_path / "a"))
    assert system.lock(file)
    os.close(file)


def test_a_folder_moves_onto_an_empty_one_where_the_system_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def onto_nothing(source: str, goal: str) -> None:
        if os.path.exists(goal):
            raise FileExistsError(17, "File exists", goal)
        rename(source, goal)

    monkeypatch.setattr(os, "rename", onto_nothing)
    goal = tmp_path / "empty"
    goal.mkdir()
    with new_folder(str(goal)) as beside:
        Path(beside, "a").write_text("b")
    assert [path.name for path in goal.iterdir()] == ["a"]
    full = tmp_path / "full"
    full.mkdir()
    (full / "kept").write_text("")
    with pytest.raises(OSError, match="not empty"):
        system.move_folder(str(goal), str(full))
    assert (full / "kept").exists()
    assert (goal / "a").exists()


def test_processors_without_affinity(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= system.processors() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert system.processors() == (os.cpu_count() or 1)
