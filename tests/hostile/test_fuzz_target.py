"""The fuzz target, shortly: it builds with a plain compiler, passes its corpus, and finds what it should find.

The long form, with sanitizers and a million inputs, is `make test-full`.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

FUZZ = Path(__file__).resolve().parents[2] / "fuzz"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")), reason="there is no C++ compiler"
    ),
]


def fuzz(*args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(FUZZ / "run.py"), "--sanitizers", "none", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fuzz_run", FUZZ / "run.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_some_inputs_pass() -> None:
    told = fuzz("--inputs", "3000")
    assert told.returncode == 0, told.stderr
    saved, generated = told.stdout.splitlines()
    assert saved == f"fuzz: {len(list((FUZZ / 'corpus').iterdir()))} saved inputs, all pass"
    assert generated.startswith("fuzz: 3,000 inputs")


def test_a_failing_input_is_saved_and_fails_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = runner()
    monkeypatch.setattr(module, "BUILD", tmp_path)
    # A driver that dies on its first input, as a crash in the core would have it.
    driver = tmp_path / "driver"
    driver.write_text('#!/bin/sh\nprintf "\\005\\000\\000\\000\\000\\000\\000\\000hello" > "$4"\nkill -ABRT $$\n')
    driver.chmod(0o755)
    assert not module.generate([str(driver)], inputs=10, seconds=0, seed=1, processes=2)
    (failing,) = tmp_path.glob("failing-*")
    assert failing.read_bytes() == b"hello"
    assert not module.replay([str(driver)], [failing])


def test_a_file_that_is_not_there_is_said() -> None:
    told = fuzz("--replay", "no-such-file")
    assert told.returncode == 1
    assert "no-such-file cannot be read" in told.stderr


def test_only_the_platform_layer_asks_which_machine_it_is_on() -> None:
    core = FUZZ.parent / "src" / "rankproof" / "core"
    asking = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b|__builtin_|__attribute__|__int128", re.MULTILINE)
    files = [
        path for path in (*core.glob("*.[ch]pp"), *FUZZ.glob("*.[ch]pp")) if asking.search(path.read_text("utf-8"))
    ]
    assert sorted(path.name for path in files) == ["platform.cpp", "platform.hpp"]


@pytest.mark.full
@pytest.mark.parametrize("target", ["windows", "aarch64"])
def test_some_inputs_pass_on_another_machine(target: str) -> None:
    tools = runner().TARGETS[target]
    for names in (tools.compilers, tools.emulators):
        if not any(map(shutil.which, names)):
            pytest.skip(f"needs {tools.packages} of Debian")
    told = fuzz("--target", target, "--inputs", "300")
    assert told.returncode == 0, told.stderr
    assert "300 inputs" in told.stdout


def test_some_inputs_pass_without_what_the_processor_has_of_its_own() -> None:
    told = fuzz("--portable", "--inputs", "1000")
    assert told.returncode == 0, told.stderr
    assert "1,000 inputs" in told.stdout
