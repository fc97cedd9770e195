"""One configuration over every engine that runs here: what its words are worth, and whether its vectors find the same.

    python benchmarks/engines.py                    engines of this process that are installed
    python benchmarks/engines.py --servers   and the servers that tests/live can start
    python benchmarks/engines.py --servers --save   and keeps the values for the page docs/engines/index.md

The configuration is benchmarks/engines.toml, on the products bundled as sample:shop. `rankproof index` fills servers
where it can, `rankproof runs fetch` asks. Two rankings are equal up to ties where, rank by rank,
their documents have the same cosine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.live import elasticsearch_server, opensearch_server, postgres_server, solr_server  # noqa: E402
from tests.live.postgres_server import CannotStart  # noqa: E402

from rankproof.errors import RankproofError  # noqa: E402
from rankproof.kernel import shelf  # noqa: E402
from rankproof.measuring.evaluate import evaluate  # noqa: E402
from rankproof.reading.collect import read_run  # noqa: E402
from rankproof.reading.datasets.read import read_dataset  # noqa: E402
from rankproof.stack.benchmark.config import read_config  # noqa: E402
from rankproof.stack.records import Ground  # noqa: E402

CONFIG = Path(__file__).with_suffix(".toml")
VALUES = ROOT / "docs" / "engines" / "values.json"
COMMAND = Path(sys.executable).parent / "rankproof"
EXACT = "dense_vectors"
NEAR = 3e-6  # what 32 bits and six decimals leave of scores near 1
# Engine -> which part of the identity of its answers is its version.
VERSIONS = {
    "bm25": "bm25s", "chroma": "chromadb", "sqlite": "sqlite", "tantivy": "tantivy", "duckdb": "duckdb",
    "lancedb": "lancedb", "milvus": "milvus-lite",
    "qdrant_local": "qdrant-edge-py", "opensearch": "server", "elasticsearch": "server",
    "postgres": "postgresql", "solr": "solr",
}  # fmt: skip
HALVED = ("opensearch", "elasticsearch", "solr")  # Lucene's score of a cosine c is (1 + c) / 2
SERVERS = {
    "opensearch": ("OPENSEARCH_URL", opensearch_server.server),
    "elasticsearch": ("ELASTICSEARCH_URL", elasticsearch_server.server),
    "postgres": ("DATABASE_URL", postgres_server.server),
    "solr": ("SOLR_URL", solr_server.server),
}

Row = dict[str, Any]
Scores = Mapping[str, Mapping[str, float]]


def engine_of(mode: str) -> str:
    return mode.rpartition("_")[0]


def modes_here(running: set[str], only: set[str] | None = None) -> list[str]:
    """The modes whose engine is installed, or whose server runs; why the others are left out is told."""
    found = []
    ground = Ground(read_dataset("sample:shop").corpus)
    for mode, step in read_config(str(CONFIG)).modes.items():
        item = shelf.find("engines", step.name)
        if only is not None and step.name not in only:
            continue
        try:
            if not item.live:
                item.open(step.values, ground)
            elif step.name not in running:
                continue
        except RankproofError as error:
            print(f"{mode}: left out: {error}", file=sys.stderr)
            continue
        found.append(mode)
    return found


def ran(modes: list[str], folder: Path) -> Path:
    """Fills servers, asks all modes; the folder with the runs."""
    config = folder / "engines.toml"
    config.write_text(CONFIG.read_text("utf-8"), encoding="utf-8")
    chosen = [word for mode in modes for word in ("--mode", mode)]
    for engine in dict.fromkeys(engine_of(mode) for mode in modes if _fills(mode)):
        own = [word for mode in modes if engine_of(mode) == engine for word in ("--mode", mode)]
        _command("index", str(config), "--replace", *own)
    _command("runs", "fetch", str(config), "-o", str(folder / "out"), *chosen)
    return folder / "out"


def _fills(mode: str) -> bool:
    item = shelf.find("engines", engine_of(mode))
    return item.live and item.fills is not None


def _command(*words: str) -> None:
    told = subprocess.run([COMMAND, *words], capture_output=True, text=True, check=False)
    if told.returncode:
        sys.exit(f"rankproof {words[0]} ended with {told.returncode}:\n{told.stdout}{told.stderr}")


def rows_of(modes: list[str], out: Path) -> list[Row]:
    """A row for each engine: version, analyzer, nDCG@10 by words, and how many queries differ by vectors."""
    told = {row["mode"]: row for row in json.loads((out / "fetch.json").read_text("utf-8"))["modes"]}
    rows: dict[str, Row] = {}
    qrels = read_dataset("sample:shop").qrels
    for mode in modes:
        engine = engine_of(mode)
        identity = told[mode]["identity"][engine]
        version = identity.get(VERSIONS.get(engine, ""), "")
        row = rows.setdefault(
            engine, {"engine": engine, "version": version, "analyzer": "", "nDCG@10": None, "differ": None, "of": None}
        )
        if mode.endswith("_words"):
            mean = evaluate(qrels, str(out / "runs" / f"{mode}.run"), "nDCG@10")["nDCG@10"].mean
            assert mean is not None
            row["analyzer"], row["nDCG@10"] = identity["analyzer"], round(mean, 4)
        elif EXACT in modes and mode != EXACT:
            exact = scores(out, EXACT)
            row["differ"], row["of"] = differing(exact, scores(out, mode, engine in HALVED)), len(exact)
    return list(rows.values())


def scores(out: Path, mode: str, halved: bool = False) -> Scores:
    ranked = read_run(str(out / "runs" / f"{mode}.run")).rankings(as_scores=True)
    return {
        query: {doc: 2 * score - 1 if halved else score for doc, score in zip(docs, found, strict=True)}
        for query, docs, found in ranked
    }


def differing(exact: Scores, other: Scores) -> int:
    """In how many queries two rankings differ other than by ties."""
    return sum(not alike(own, other.get(query, {})) for query, own in exact.items()) + len(other.keys() - exact.keys())


def alike(own: Mapping[str, float], other: Mapping[str, float]) -> bool:
    """Rank by rank the same cosines; a document that the one lacks ties with the last of the other."""
    last = min(own.values(), default=0.0)
    return (
        len(own) == len(other)
        and all(abs(a - b) <= NEAR for a, b in zip(own.values(), other.values(), strict=True))
        and all(abs(own.get(doc, last) - score) <= 2 * NEAR for doc, score in other.items())
    )


def table(rows: list[Row]) -> str:
    """As Markdown."""
    lines = ["| engine | version | analyzer | nDCG@10 by words | vectors as dense |", "| --- " * 5 + "|"]
    for row in rows:
        analyzer = f"`{row['analyzer']}`".replace("|", "\\|") if row["analyzer"] else ""
        value = "" if row["nDCG@10"] is None else f"{row['nDCG@10']:.4f}"
        same = "" if row["differ"] is None else f"{row['differ']} of {row['of']} queries differ"
        same = f"equal in all {row['of']} queries" if row["differ"] == 0 else same
        same = "what the others are held against" if row["engine"] == engine_of(EXACT) else same
        lines.append(f"| {row['engine']} | {row['version']} | {analyzer} | {value} | {same} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="One configuration over every engine that runs here.")
    parser.add_argument("--servers", action="store_true", help="start the servers that tests/live can start, too")
    parser.add_argument("--save", action="store_true", help="keep the values for the page of the engines")
    said = parser.parse_args()
    with ExitStack() as stack:
        running = set()
        if said.servers:
            for name, (variable, server) in SERVERS.items():
                try:
                    os.environ[variable] = stack.enter_context(server())
                    running.add(name)
                except CannotStart as why:
                    print(f"{name}: left out: {why}", file=sys.stderr)
        modes = modes_here(running)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        rows = rows_of(modes, ran(modes, folder))  # ends the script where a server cannot be filled
    print(table(rows))
    if said.save and rows:
        VALUES.parent.mkdir(exist_ok=True)
        VALUES.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
