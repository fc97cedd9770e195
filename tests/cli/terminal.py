"""Commands on a terminal of a given width, on a copy of the sample with further runs; and the screens they show.

`python -m tests.cli.terminal` writes tests/cli/screens anew: read the difference before it is committed.
"""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import tempfile
import termios
from pathlib import Path

from tests import forking
from tests.cli import several

SCREENS = Path(__file__).parent / "screens"
SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
WIDTHS = (80, 120)
SEVEN = (
    "bm25.run",
    "dense.run",
    "hybrid.run",
    "bm25_tuned.run",
    "dense_small.run",
    "hybrid_first.run",
    "hybrid_wide.run",
)
STACK = """
[benchmark]
name = "shop"
dataset = "."
measures = ["nDCG@10", "RR@10"]
segments = ["traffic"]

[modes]
lexical = "replay(path='bm25.run')"
vector = "replay(path='dense.run')"
hybrid = "fuse_rrf(lexical, vector)"
wide = "replay(path='hybrid_wide.run')"

[cost.modes]
lexical = 0.10
vector = 0.25
hybrid = 0.35
wide = 0.40
"""
# The command of each screen, and how many lines it has at most.
COMMANDS = {
    "compare-2": (("compare", "qrels.trec", "bm25.run", "dense.run"), 15),
    "compare-2-better": (("compare", "qrels.trec", "bm25.run", "hybrid.run"), 15),
    "compare-7": (("compare", "qrels.trec", *SEVEN), 25),
    "leaderboard": (("leaderboard", "qrels.trec", *SEVEN), 30),
    "benchmark": (("benchmark", "run", "stack.toml", "-o", "report"), 25),
    "benchmark-datasets": (("benchmark", "run", "several.toml", "-o", "report"), 25),
    "evaluate-1": (("evaluate", "qrels.trec", "bm25.run"), 15),
    "evaluate-7": (("evaluate", "qrels.trec", *SEVEN), 15),
    "gate": (("gate", "policy.toml", "--candidate", "dense.run"), 25),
}


def sample(folder: Path) -> Path:
    """A copy of the sample with four runs more: every so many queries the first document moves down."""
    shutil.copytree(SAMPLE, folder)
    (folder / "stack.toml").write_text(STACK)
    several.write(folder)
    for name, base, every, down in (
        ("bm25_tuned", "bm25", 2, 4),
        ("dense_small", "dense", 3, 10),
        ("hybrid_first", "hybrid", 5, 3),
        ("hybrid_wide", "hybrid", 2, 20),
    ):
        rankings: dict[str, list[str]] = {}
        for line in (folder / f"{base}.run").read_text().splitlines():
            query, _, doc, *_ = line.split()
            rankings.setdefault(query, []).append(doc)
        lines = []
        for at, (query, docs) in enumerate(rankings.items()):
            moved = docs[1:down] + docs[:1] + docs[down:] if at % every == 0 else docs
            lines += [f"{query} Q0 {doc} {rank} {1000 - rank} {name}\n" for rank, doc in enumerate(moved, start=1)]
        (folder / f"{name}.run").write_text("".join(lines))
    return folder


def on_terminal(here: Path, *args: str, width: int = 80, **environment: str) -> tuple[str, int]:
    """What a terminal of that width shows of standard output, and the exit status."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM")}
    with subprocess.Popen(
        [*forking.command(), *args], cwd=here, stdin=subprocess.DEVNULL, stdout=theirs, stderr=subprocess.PIPE,
        env={**kept, "TERM": "xterm", **environment},
    ) as child:  # fmt: skip
        os.close(theirs)
        shown = everything(ours)
        child.communicate(timeout=120)
    os.close(ours)
    return shown.replace("\r\n", "\n"), child.returncode


def everything(terminal: int) -> str:
    """All that is written to the other end of a terminal until that is closed."""
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        shown += piece
    return shown.decode()


def main() -> None:
    """Writes every screen at every width."""
    with tempfile.TemporaryDirectory() as folder:
        here = sample(Path(folder) / "sample")
        for name, (args, _) in COMMANDS.items():
            for width in WIDTHS:
                shown, _ = on_terminal(here, *args, width=width, NO_COLOR="1")
                (SCREENS / f"{name}.{width}.txt").write_text(shown)


if __name__ == "__main__":
    main()
