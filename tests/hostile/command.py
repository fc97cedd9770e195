"""The command line under hostile input, in this process and in one of its own; and what every refusal looks like."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from rankproof.cli.shared.root import cli

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d3 1 1 t\n"
# Nothing here needs a tenth of it: whatever takes so long hangs.
PATIENCE = 60
# A message is for a person.
LONGEST = 1500


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said, and with which status it ended."""

    status: int
    out: str
    err: str

    def refused(self, status: int = 1) -> str:
        """The one message of a refusal."""
        message = (self.err or self.out).strip()
        assert self.status == status, (self.status, message)
        assert "Traceback" not in self.out + self.err
        assert bool(self.err) != bool(self.out), "the message goes to one place"
        if self.err:
            assert self.err.startswith("rankproof: ")
            assert self.err.count("\n") == 1, "one message, on one line"
        else:
            assert ": INVALID" in self.out.splitlines()[0], "validation is the answer itself"
        assert 20 < len(message) < LONGEST
        return message


def here(*args: str | Path) -> Answer:
    """A command run in this process: quick, and as good for everything but signals and start-up."""
    told = CliRunner().invoke(cli, [str(arg) for arg in args])
    if told.exception is not None and not isinstance(told.exception, SystemExit):
        raise told.exception
    return Answer(told.exit_code, told.stdout, told.stderr)


def apart(*args: str | Path, given: bytes = b"", patience: float = PATIENCE) -> Answer:
    """The installed command, in a process of its own."""
    told = subprocess.run(program(*args), input=given, capture_output=True, timeout=patience, check=False)
    return Answer(told.returncode, told.stdout.decode("utf-8", "replace"), told.stderr.decode("utf-8", "replace"))


def program(*args: str | Path) -> list[str]:
    """The command line of the installed command."""
    return [sys.executable, "-m", "rankproof", *map(str, args)]


def good_files(folder: Path) -> tuple[Path, Path]:
    """Qrels and a run with nothing wrong in them."""
    qrels, run = folder / "good.qrels", folder / "good.run"
    qrels.write_text(QRELS)
    run.write_text(RUN)
    return qrels, run


def ways(file: Path, folder: Path, noun: str) -> dict[str, Sequence[str | Path]]:
    """Every command that reads a file which should hold a run, or qrels."""
    qrels, run = good_files(folder)
    target = folder / f"written-{noun}.json"
    if noun == "run":
        return {
            "evaluate": ["evaluate", qrels, file, "-o", folder / "table.txt"],
            "validate": ["runs", "validate", file],
            "fix": ["runs", "validate", file, "--fix", folder / "fixed.run"],
            "convert": ["convert", file, target, "--noun", "run"],
            "similarity": ["similarity", run, file],
        }
    return {
        "evaluate": ["evaluate", file, run, "-o", folder / "table.txt"],
        "validate": ["qrels", "validate", file],
        "against": ["runs", "validate", run, "--qrels", file],
        "convert": ["convert", file, target, "--noun", "qrels"],
    }


def leftovers(folder: Path, *known: Path) -> list[str]:
    """Files that a command has left in the folder, besides those known."""
    names = {path.name for path in known} | {"good.qrels", "good.run"}
    return sorted(path.name for path in folder.iterdir() if path.name not in names)
