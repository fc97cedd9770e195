"""Documents to draft queries from, a model that has one clean query for each, and how the command is called."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from tests.stack.stages.model_server import Reply, http, question

from rankproof.cli.shared.root import cli

PRICES = ("--price-in", "1", "--price-out", "10")


def corpus(folder: Path, docs: Iterable[tuple[str, str]] | int = 12, name: str = "corpus.jsonl") -> str:
    """A file of documents; of a number, so many with nothing in common but a word."""
    if isinstance(docs, int):
        docs = ((f"d{n}", f"Item {n}: the tool ab{n}cd, made of stuff{n} for work{n}.") for n in range(docs))
    path = folder / name
    path.write_text("".join(json.dumps({"_id": doc, "text": text}) + "\n" for doc, text in docs), encoding="utf-8")
    return str(path)


def clean(body: dict[str, Any]) -> str:
    """A query of its own for each document of `corpus`, with one word of it, which all have."""
    numbers = re.findall(r"^Item (\d+)", question(body), re.MULTILINE)
    return f"Query: which tool suits need{'x'.join(numbers)}?\nAnswer: this one"


def counted(text: str, tokens: tuple[int, int] | None = (100, 10), finish: str = "stop") -> bytes:
    """An answer of a server that counts tokens."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    usage = {} if tokens is None else {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}}
    return http(json.dumps({"choices": [choice], "model": "m-1", **usage}))


def answers(body: dict[str, Any], before: int) -> Reply:
    """What the clean model says."""
    return counted(clean(body))


def run(source: str, url: str, *args: str, out: str | None = None) -> Result:
    """The command at a server, with a model that has a name."""
    folder = out or str(Path(source).parent / "drafts")
    line = ["dataset", "draft", source, "-o", folder, "--endpoint", url, "--model", "m", "--several", "0"]
    return CliRunner().invoke(cli, [*line, *args])


def told(result: Result) -> dict[str, Any]:
    """The document of a run with --json."""
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def lines(folder: Path, name: str = "drafts.jsonl") -> list[dict[str, Any]]:
    """A file of the folder of drafts."""
    return [json.loads(line) for line in (folder / "drafts" / name).read_text(encoding="utf-8").splitlines()]
