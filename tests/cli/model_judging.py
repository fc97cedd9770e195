"""A small project to be judged by a model: three queries, four documents, two runs; and how the command is called."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli
from rankproof.judging.records import SCALES, Judgment, Project
from rankproof.judging.store import open_store
from rankproof.reading.collection import Query

QUERIES = {"q1": "red shoes", "q2": "blue shirt", "q3": "green tea"}
DOCS = {"d1": "Red leather shoes", "d2": "Blue cotton shirt", "d3": "Green tea, loose", "d4": "A blue shoe"}
# Seven pairs in the first two of both runs: q1 d1 d2 d4, q2 d2 d4, q3 d3 d1.
RUNS = {
    "a": {"q1": ["d1", "d4"], "q2": ["d2", "d4"], "q3": ["d3", "d1"]},
    "b": {"q1": ["d1", "d2"], "q2": ["d4", "d2"]},
}


def made(folder: Path, scale: str = "graded", **said: Any) -> str:
    """The store, with a project."""
    path = str(folder / "judging.db")
    with open_store(path) as store:
        store.projects.add(Project("shop", "Shop", SCALES[scale], **said), "tests")
        store.items.add_queries("shop", [Query(name, text) for name, text in QUERIES.items()])
        store.items.add_documents(
            "shop", [(doc, {"title": text, "text": f"About {doc}."}) for doc, text in DOCS.items()]
        )
        for name, ranked in RUNS.items():
            store.runs.add("shop", name, ranked, name * 64)
        store.judgments.add("shop", Judgment("k1", "ann", "q1", "d1", 3 if scale != "binary" else 1))
        store.judgments.add("shop", Judgment("k2", "ann", "q2", "d4", None, "cannot_tell"))
    return path


def run(store: str, url: str, *args: str) -> Result:
    """The command at a server, with a model that has a name."""
    cache = str(Path(store).parent / "cache")
    told = ["judge", "run", store, "--endpoint", url, "--model", "m", "--cache", cache, "--depth", "2", *args]
    return CliRunner().invoke(cli, told)


def told(result: Result) -> dict[str, Any]:
    """The document of a run with --json."""
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def about(body: dict[str, Any]) -> tuple[str, str]:
    """Query and first document of a question, by their ids."""
    user = body["messages"][-1]["content"]
    query = re.search(r"<query \w+>\n(.*)\n</query", user)
    doc = re.search(r"About (d\d)", user)
    assert query is not None
    assert doc is not None
    return next(name for name, text in QUERIES.items() if text == query[1]), doc[1]


def grades(store: str, judge: str = "graded:m") -> dict[tuple[str, str], int | None]:
    """What a judge said."""
    with open_store(store) as kept:
        return {(act.query_id, act.doc_id): act.grade for act in kept.judgments.current("shop", judge=judge)}


def failures(store: str) -> list[tuple[str, str, str, str]]:
    """What is no grade."""
    with open_store(store) as kept:
        return [(one.query_id, one.doc_id, one.kind, one.text) for one in kept.failures.all("shop")]
