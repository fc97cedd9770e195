"""One command line that gives JSON: with its status and its schema."""

from __future__ import annotations

from dataclasses import dataclass

# Commands that have commands of their own.
GROUPS = (
    "audit",
    "benchmark",
    "clicks",
    "dataset",
    "interleave",
    "judge",
    "judgments",
    "qrels",
    "runs",
    "trial",
)


@dataclass(frozen=True)
class Case:
    """What is typed, what it exits with, and the schema of what it prints; `slow` where it takes long."""

    args: str
    schema: str
    status: int = 0
    slow: bool = False

    @property
    def command(self) -> str:
        """The command's own words: "evaluate", "runs validate"."""
        words = self.args.split()
        return " ".join(words[:2]) if words[0] in GROUPS else words[0]
