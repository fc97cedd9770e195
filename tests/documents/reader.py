"""A reader who tries a page from top to bottom: commands in a shell, Python at its prompt, in a copy of the sample."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.documents.pages import ROOT, Block, blocks
from tests.forking import script

SAMPLE = ROOT / "src/rankproof/stack/samples/rankings"
# Stands between the outputs of two commands.
END = "--- the end of one command ---"


class Reader:
    """One page's reader. What a block leaves behind, files and names, the next one finds."""

    def __init__(self, folder: Path) -> None:
        self.here = folder / "sample"
        shutil.copytree(SAMPLE, self.here)
        tools = folder / "bin"
        tools.mkdir()
        command = tools / "rankproof"
        command.write_text(script())
        command.chmod(0o755)
        # pytest as a project has it that installed rankproof: no other plugins, and no warning of an editable install.
        options = "-p no:cacheprovider -p no:schemathesis -W ignore::pytest.PytestAssertRewriteWarning"
        (tools / "pytest").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pytest {options} "$@"\n')
        (tools / "pytest").chmod(0o755)
        (tools / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (tools / "python").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
        self.names: dict[str, Any] = {"__name__": "page"}

    def read(self, page: Path) -> list[str]:
        """What is not as the page says: one message for each place."""
        wrong: list[str] = []
        before = os.getcwd()
        os.chdir(self.here)
        try:
            for block in blocks(page):
                if block.language == "console":
                    wrong += self.type(block)
                elif block.language == "python" and not is_file(block):
                    wrong += self.run(block)
                elif block.language == "python" and page.parent.name != "adding":
                    (self.here / block.above.split("`")[1]).write_text(block.text, encoding="utf-8")
        finally:
            os.chdir(before)
        return wrong

    def type(self, block: Block) -> list[str]:
        """Commands typed into one shell, their outputs held against what the block shows."""
        asked = commands(block)
        script = "\n".join(f"{self.typed(command)}\n_was=$?; echo '{END}'; (exit $_was)" for command, _ in asked)
        told = subprocess.run(
            ["bash", "-c", script],
            cwd=self.here, env=self.environment, timeout=300, check=False, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        ).stdout  # fmt: skip
        outputs = self.plain(told).split(f"{END}\n")[:-1]
        assert len(outputs) == len(asked), f"{block.place}: the shell ended early:\n{told}"
        return [
            f"{block.place}: $ {command}\n--- shown\n{shown}--- given\n{given}"
            for (command, shown), given in zip(asked, outputs, strict=True)
            if not agrees(self.plain(shown), given)
        ]

    def typed(self, command: str) -> str:
        """A command as it is typed here; a page that needs it otherwise has a reader of its own."""
        return command

    def plain(self, output: str) -> str:
        """An output without what differs from one reading to the next."""
        return output

    def run(self, block: Block) -> list[str]:
        """Python as a doctest, where it has a prompt; as it stands otherwise."""
        if ">>>" not in block.text:
            exec(compile(block.text, block.place, "exec"), self.names)
            return []
        test = doctest.DocTestParser().get_doctest(block.text, self.names, block.place, block.place, 0)
        told: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        # In a thread of its own: a browser of another test may have left an event loop in this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(runner.run, test, out=told.append, clear_globs=False).result()
        self.names.update(test.globs)  # a DocTest works on a copy
        return told


def commands(block: Block) -> list[tuple[str, str]]:
    """Each command of a console block and the output shown for it. A command goes on after a backslash."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if found and found[-1][0].endswith("\\"):
            found[-1] = f"{found[-1][0]}\n{line}", ""
        elif line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            assert found, f"{block.place}: output before any command"
            found[-1] = found[-1][0], f"{found[-1][1]}{line}\n"
    return found


def agrees(shown: str, given: str) -> bool:
    """Whether an output is the one shown; a line `...` stands for any lines."""
    parts = re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE)
    return re.fullmatch("(?:.*\n)*?".join(map(re.escape, parts)), given) is not None


def is_file(block: Block) -> bool:
    """Whether the block is (part of) a file that the line above names: see test_adding.py."""
    return re.match(r"`[\w/.-]+\.(py|toml)`(,.*)?:$", block.above) is not None
