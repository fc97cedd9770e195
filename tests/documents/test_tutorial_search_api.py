"""The tutorial from a search API to a gate: its API is started, its files written, its commands run in order."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.documents.pages import DOCS, ROOT, Block, blocks
from tests.documents.reader import Reader, agrees, commands

PAGE = DOCS / "tutorial-search-api.md"
API = "search_api.py"
STARTS = f"python {API} "
# A block that is a whole file, and its name.
FILE = re.compile(r"The file ([\w./-]+):$")
# What differs from one reading to the next: ports that are free, times that requests took.
PORT = re.compile(r"\b(80\d\d)\b")
TIME = re.compile(r"\b\d+\.\d ms\b")


def free_port() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return str(taken.getsockname()[1])


class Follower(Reader):
    """A reader who starts servers, writes the files that the page shows and sets variables for all that follows."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.here = folder / "shop"
        self.here.mkdir()
        shutil.copy(ROOT / "examples" / API, self.here)
        self.ports: dict[str, str] = {}
        self.servers: dict[str, subprocess.Popen[str]] = {}

    def read(self, page: Path) -> list[str]:
        for block in blocks(page):
            name = FILE.match(block.above)
            if name and block.language in ("toml", "yaml"):
                path = self.here / name[1]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
        return super().read(page)

    def type(self, block: Block) -> list[str]:
        if block.text.startswith(f"$ {STARTS}"):
            ((command, shown),) = commands(block)
            given = self.start(command)
            return [] if agrees(shown, given) else [f"{block.place}: $ {command}\n--- shown\n{shown}--- given\n{given}"]
        for command, _ in commands(block):
            if command.startswith("export "):
                self.environment |= dict(pair.split("=", 1) for pair in self.typed(command).split()[1:])
        return super().type(block)

    def start(self, command: str) -> str:
        """Starts the API in the background, in the place of the one that had its port; its first line."""
        (port,) = PORT.findall(command)
        if port in self.servers:
            self.stop(self.servers.pop(port))
        self.ports.setdefault(port, free_port())
        words = self.typed(command).split()
        server = subprocess.Popen(
            [sys.executable, *words[1:]],
            cwd=self.here, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.servers[port] = server
        assert server.stdout is not None
        return self.plain(server.stdout.readline())

    def typed(self, command: str) -> str:
        """With ports that are free here."""
        return PORT.sub(lambda found: self.ports.get(found[1], found[1]), command)

    def plain(self, output: str) -> str:
        """With the ports of the page, and without times."""
        for shown, here in self.ports.items():
            output = output.replace(f":{here}", f":{shown}")
        return TIME.sub("- ms", output)

    @staticmethod
    def stop(server: subprocess.Popen[str]) -> None:
        server.kill()
        server.communicate()

    def close(self) -> None:
        for server in self.servers.values():
            self.stop(server)


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    found = Follower(tmp_path)
    yield found
    found.close()


def workflow() -> str:
    (block,) = (block.text for block in blocks(PAGE) if block.language == "yaml")
    return block


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="the page asks with curl")
def test_every_command_gives_what_the_page_shows_and_the_workflow_runs(follower: Follower) -> None:
    wrong = follower.read(PAGE)
    assert not wrong, "\n\n".join(wrong)
    asked = [command for command in re.findall(r"- run: (.+)", workflow()) if command.startswith("rankproof ")]
    assert len(asked) == 1
    action = re.search(r"policy: (\S+)", workflow())
    assert action is not None
    for command in (*asked, f"rankproof gate {action[1]} --github --junit gate.xml"):
        told = subprocess.run(
            ["bash", "-c", command],
            cwd=follower.here, env=follower.environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert told.returncode == 0, told.stdout + told.stderr


def test_the_workflow_asks_the_action_for_what_it_has() -> None:
    inputs = re.findall(r"^  ([a-z]+):$", (ROOT / "action.yml").read_text("utf-8").split("outputs:")[0], re.MULTILINE)
    said = re.search(r"uses: OWNER/rankproof@.*\n        with:\n((?:          .+\n)+)", workflow())
    assert said is not None
    named = re.findall(r"^          ([a-z]+):", said[1], re.MULTILINE)
    assert set(named) <= set(inputs)
    assert "policy" in named


def test_the_reader_notices_what_is_not_so(follower: Follower, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        f"```console\n$ {STARTS}--version 1 --port 8080\nshop search, version 2: http://127.0.0.1:8080/search\n```\n\n"
        "```console\n$ export LIVE=http://127.0.0.1:8080\n```\n\n"
        "```console\n$ echo $LIVE took 1.5 ms\nhttp://127.0.0.1:8080 took 7.2 ms\n$ echo 2\n3\n```\n"
    )
    version, number = follower.read(page)
    assert "--- given\nshop search, version 1" in version
    assert "--- given\n2\n" in number
    assert os.path.exists(follower.here / API)
