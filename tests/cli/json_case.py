"""One command line that gives JSON, with its status and its schema; and what is wrong with a document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from rankproof.kernel.schema_files import bundled

# Commands that have commands of their own.
GROUPS = (
    "audit",
    "benchmark",
    "clicks",
    "dataset",
    "interleave",
    "judge",
    "judgments",
    "models",
    "qrels",
    "runs",
    "trial",
)


@dataclass(frozen=True)
class Case:
    """What is typed, what it exits with, and the schema of what it prints; `full` where it takes long."""

    args: str
    schema: str
    status: int = 0
    full: bool = False

    @property
    def command(self) -> str:
        """The command's own words: "evaluate", "runs validate"."""
        words = self.args.split()
        return " ".join(words[:2]) if words[0] in GROUPS else words[0]


@cache
def validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(bundled(name))


def faults(document: Any, name: str) -> list[str]:
    """What is wrong with a document, by the schema as `rankproof schema` prints it."""
    return [f"{error.json_path}: {error.message:.300}" for error in validator(name).iter_errors(document)]
