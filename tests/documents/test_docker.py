"""The Dockerfile: linted, and its commands run as far as that goes without Docker."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.documents.pages import DOCS, ROOT, blocks
from tests.documents.processes import python

DOCKERFILE = ROOT / "Dockerfile"
HADOLINT = shutil.which("hadolint") or shutil.which("hadolint", path=str(Path(sys.executable).parent))


@dataclass
class Stage:
    """One image that the file describes: its instructions, after those of the stage that it begins with."""

    begins_with: str
    own: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        return [text for name, text in self.own if name == word]

    def last(self, word: str) -> str:
        """The instruction that holds, here or where the stage begins."""
        before = STAGES.get(self.begins_with)
        return self.all(word)[-1] if self.all(word) else before.last(word) if before else ""


def stages(text: str) -> dict[str, Stage]:
    joined = re.sub(r"\\\n\s*", "", re.sub(r"^#.*\n", "", text, flags=re.MULTILINE))
    found: dict[str, Stage] = {}
    current = Stage("")
    for line in filter(None, joined.splitlines()):
        word, _, rest = line.partition(" ")
        if word == "FROM":
            begins_with, name = rest.split(" AS ")
            current = found[name] = Stage(begins_with)
        else:
            current.own.append((word, rest))
    return found


STAGES = stages(DOCKERFILE.read_text("utf-8"))
BASE, WORKBENCH = STAGES["base"], STAGES["workbench"]
HEALTH: list[str] = json.loads(WORKBENCH.last("HEALTHCHECK").partition("CMD ")[2])


@pytest.mark.skipif(HADOLINT is None, reason="hadolint is not installed")
def test_hadolint_finds_nothing() -> None:
    assert HADOLINT is not None
    told = subprocess.run([HADOLINT, str(DOCKERFILE)], capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stdout


@pytest.mark.parametrize("stage", [BASE, WORKBENCH])
def test_an_image_does_not_run_as_root_and_begins_with_the_command(stage: Stage) -> None:
    assert stage.last("USER") == "1000"
    assert json.loads(stage.last("ENTRYPOINT")) == ["rankproof"]
    assert stage.last("WORKDIR") == "/data"


def test_the_workbench_keeps_its_store_and_tells_its_health() -> None:
    assert json.loads(WORKBENCH.last("VOLUME")) == ["/data"]
    assert WORKBENCH.last("EXPOSE") in HEALTH[-1]


def left_out(path: str) -> bool:
    """Whether .dockerignore keeps a file of the context from Docker: the last line that fits decides."""
    out = False
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        back, pattern = line.startswith("!"), line.removeprefix("!")
        parts = [path[:end] for end in [*(m.start() for m in re.finditer("/", path)), len(path)]]
        names = [part.rpartition("/")[2] for part in parts] if pattern.startswith("**/") else parts
        if any(fnmatch(name, pattern.removeprefix("**/")) for name in names):
            out = not back
    return out


def context() -> list[Path]:
    """What Docker is given, of the files that git knows."""
    told = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in told.stdout.split("\0") if name and not left_out(name)]


def test_docker_is_given_what_is_copied_and_little_else() -> None:
    given = {path.relative_to(ROOT).as_posix() for path in context()}
    copied = [word for stage in STAGES.values() for text in stage.all("COPY") if not text.startswith("--from")
              for word in text.split()[:-1]]  # fmt: skip
    for name in copied:
        assert any(path == name or path.startswith(f"{name}/") for path in given), name
    assert {name.split("/")[0] for name in given} == set(copied)
    assert left_out("src/rankproof/core/_core.so")
    assert left_out("src/rankproof/__pycache__/x.pyc")
    assert left_out(".git/config")


def test_the_page_shows_the_targets_and_the_command_that_there_are() -> None:
    text = "".join(block.text for block in blocks(DOCS / "docker.md") if block.language == "sh")
    assert set(re.findall(r"--target (\w+)", text)) == {"base", "workbench"} <= set(STAGES)
    assert f"127.0.0.1:{WORKBENCH.last('EXPOSE')}:{WORKBENCH.last('EXPOSE')}" in text


@contextmanager
def served(program: list[str], folder: Path) -> Iterator[list[str]]:
    """The image's own command on a free port; gives the health check for that port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    command = [*program, *json.loads(WORKBENCH.last("CMD")), "--port", port]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            link = next(line for line in server.stdout if "/invitation/" in line)
            assert f"http://127.0.0.1:{port}/" in link
            yield [part.replace(WORKBENCH.last("EXPOSE"), port) for part in HEALTH]
        finally:
            server.terminate()


def healthy(check: list[str], program: str, tries: int = 100) -> bool:
    """Whether the health check succeeds, soon; as Docker asks it again."""
    for _ in range(tries):
        if subprocess.run([program, *check[1:]], capture_output=True, check=False).returncode == 0:
            return True
        time.sleep(0.1)
    return False


def test_the_command_of_the_workbench_serves_and_its_health_is_seen(tmp_path: Path) -> None:
    with served([sys.executable, "-m", "rankproof"], tmp_path) as check:
        assert check[0] == "python"
        assert healthy(check, sys.executable)
    assert (tmp_path / "judging.db").exists()
    assert not healthy(check, sys.executable, tries=1)


@pytest.mark.full
@pytest.mark.skipif(find_spec("pip") is None, reason="pip builds and installs the wheel")
def test_the_commands_of_every_stage_build_what_runs(tmp_path: Path) -> None:
    """The RUN lines of pip, in a folder that holds what Docker is given, and in a new environment."""
    for path in context():
        goal = tmp_path / "src" / path.relative_to(ROOT)
        goal.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, goal)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    shutil.copy(ROOT / "constraints.txt", wheels)
    python(sys.executable, "-m", "venv", "env", folder=tmp_path)
    programs = tmp_path / "env" / "bin"

    def run(stage: Stage) -> None:
        (line,) = (text for text in stage.all("RUN") if text.startswith("pip "))
        line = line.partition(" && ")[0].replace("/wheels", str(wheels))
        python("bash", "-c", f"PATH={programs}:$PATH; {line}", folder=tmp_path / "src")

    run(STAGES["build"])
    run(BASE)
    assert "rankproof" in python(programs / "rankproof", "--version", folder=tmp_path)
    assert "Usage: rankproof" in python(programs / "rankproof", *json.loads(BASE.last("CMD")), folder=tmp_path)
    assert find_missing(programs, "starlette")
    run(WORKBENCH)
    assert not find_missing(programs, "starlette")
    with served([str(programs / "rankproof")], tmp_path) as check:
        assert healthy(check, str(programs / "python"))


def find_missing(programs: Path, name: str) -> bool:
    code = f"import importlib.util as u; print(u.find_spec({name!r}) is None)"
    return python(programs / "python", "-c", code, folder=programs).strip() == "True"
