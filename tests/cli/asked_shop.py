"""A made benchmark of two modes that ask one server: its data, its configuration, an answer, and running it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from tests import forking
from tests.live.echo import Request

from rankproof.kernel.schema_files import bundled

QUERIES = 30
# Both modes have the relevant document first, but for two queries where shop has it second: without the failures
# nothing is significant, and with five empty rankings shop was "Worse, p = 0.0259".
CONFIG = """
[benchmark]
dataset = "data"
measures = ["RR@10"]
latency_queries = 0
throughput_concurrency = 0
[modes]
base = "http(url='${SHOP}/base', params={'q': '{query}'}, hits='hits', id='sku')"
shop = "http(url='${SHOP}/shop', params={'q': '{query}'}, hits='hits', id='sku')"
[limits]
concurrency = 4
attempts = 1
timeout = 2
"""


def answer(request: Request) -> tuple[int, bytes]:
    order = "bac" if "shop" in request.path and request.path.endswith(("=q1", "=q2")) else "abc"
    return 200, json.dumps({"hits": [{"sku": sku} for sku in order]}).encode()


def write(folder: Path) -> Path:
    """b.toml and its data in the folder."""
    data = folder / "data"
    data.mkdir()
    ids = [f"q{number}" for number in range(QUERIES)]
    (data / "queries.csv").write_text("query_id,text\n" + "".join(f"{query},{query}\n" for query in ids))
    (data / "qrels.trec").write_text("".join(f"{query} 0 a 1\n" for query in ids))
    (folder / "b.toml").write_text(CONFIG)
    return folder


def rankproof(here: Path, url: str, *args: str) -> subprocess.CompletedProcess[str]:
    """The command in the folder, with the address of the shop."""
    return subprocess.run(
        [*forking.command(), *args],
        cwd=here, env={**os.environ, "SHOP": url}, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


def run(here: Path, url: str, *args: str) -> subprocess.CompletedProcess[str]:
    """The benchmark."""
    return rankproof(here, url, "benchmark", "run", "b.toml", "-o", "out", *args)


def valid(text: str) -> dict[str, Any]:
    """A document, held against the schema that it names."""
    document: dict[str, Any] = json.loads(text)
    schema = bundled(document["schema"])
    assert [e.message for e in Draft202012Validator(schema).iter_errors(document)] == []
    return document
