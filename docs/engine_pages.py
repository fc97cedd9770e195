"""The pages of docs/engines: what each engine does, its configuration to copy, and one table over all of them.

docs/generate.py writes them: the text is that of the engine's own file, the configuration that of examples/engines, and
the values those that benchmarks/engines.py kept in docs/engines/values.json.
"""

from __future__ import annotations

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rankproof.kernel import shelf
from rankproof.kernel.libraries import install_line
from rankproof.measuring.explain import page_of
from rankproof.stack.engines.contract import Engine

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "engines"
CONFIGS = ROOT / "examples" / "engines"
VALUES = PAGES / "values.json"
GENERATE = runpy.run_path(str(ROOT / "docs" / "generate.py"))
# Engine -> the libraries that the extra `stack` does not bring; those that its vectors need stand on the page anyhow.
LIBRARIES = {
    "chroma": ("chromadb",),
    "duckdb": ("duckdb", "duckdb_extension_fts"),
    "lancedb": ("lancedb",),
    "milvus": ("milvus_lite",),
    "postgres": ("psycopg",),
    "qdrant_local": ("qdrant_edge",),
    "sqlite": ("apsw", "sqlite_vec"),
    "tantivy": ("tantivy",),
}
# Engine -> what its searches compare: (words, vectors); an engine that decides that behind an address has neither.
COMPARES = {
    "bm25": (True, False), "chroma": (False, True), "dense": (False, True), "duckdb": (True, True),
    "elasticsearch": (True, True), "http": (False, False), "lancedb": (True, True),
    "milvus": (False, True), "opensearch": (True, True),
    "postgres": (True, True), "qdrant": (False, True), "qdrant_local": (False, True), "replay": (False, False),
    "solr": (True, True), "splade": (False, False), "sqlite": (True, True), "tantivy": (True, False),
    "vespa": (True, True), "weaviate": (True, True),
}  # fmt: skip
NOT_HERE = {
    "http": "behind the address",
    "replay": "as the run was made",
    "splade": "terms with weights",
}


def pages() -> dict[str, str]:
    """File name -> Markdown."""
    offered: dict[str, Engine] = dict(shelf.offered("engines"))
    return {f"{name}.md": "\n\n".join(_page(item)) + "\n" for name, item in offered.items()} | {
        "index.md": "\n\n".join(_index(offered)) + "\n"
    }


def _page(item: Engine) -> Iterator[str]:
    page = page_of("engines", item)
    yield f"# {item.name}"
    first, *rest = GENERATE["markdown"](page.text)
    yield first
    yield f"Made by `make docs` from `src/rankproof/stack/engines/{item.name}.py`; edit there."
    yield "## Run it"
    yield GENERATE["_fence"]("sh", _install(item))
    yield f"The file {item.name}.toml, which [lies in the repository](../../examples/engines/{item.name}.toml):"
    yield GENERATE["_fence"]("toml", (CONFIGS / f"{item.name}.toml").read_text("utf-8").splitlines())
    filled = [] if item.fills is None else [f"rankproof index {item.name}.toml"]
    yield GENERATE["_fence"]("sh", [*filled, f"rankproof benchmark run {item.name}.toml -o report"])
    if item.shown.startswith("recorded answers"):
        yield "Tests read this configuration with recorded answers; nobody ran it on a whole server."
    else:
        yield "Tests run this configuration as it stands here, where its libraries are installed."
    if item.live and item.fills is None and item.name != "http":
        yield "`rankproof index` does not fill it: the documents of your dataset must be there."
    yield "## What it does"
    yield from rest
    if page.parameters:
        yield "## Parameters"
        rows = [(f"`{p.name}`", f"`{p.default}`", GENERATE["_cell"](p.meaning)) for p in page.parameters]
        yield GENERATE["_table"](("parameter", "default", "meaning"), rows)
    yield "[All engines](index.md) · [Benchmark a search stack](../stack.md)"


def _install(item: Engine) -> list[str]:
    lines = [install_line("bm25s")]
    lines += [install_line(name) for name in LIBRARIES.get(item.name, ())]
    if "wordllama" in (CONFIGS / f"{item.name}.toml").read_text("utf-8"):
        lines.append(install_line("wordllama"))
    return lines


def _index(offered: dict[str, Engine]) -> Iterator[str]:
    yield "# Benchmark what you run"
    yield (
        "Each engine has a page with a configuration to copy: install, fill, run. All read the same datasets, are "
        "judged by the same measures, and can be fused and reranked alike: [Benchmark a search stack](../stack.md)."
    )
    yield "Made by `make docs` from `src/rankproof/stack/engines/` and `examples/engines/`; edit there."
    rows = []
    for name, item in sorted(offered.items()):
        words, vectors = ("yes" if one else "" for one in COMPARES.get(name, (False, False)))
        where = "a server" if item.live else "a file" if item.replays else "this process"
        filled = "yes" if item.fills is not None else "you fill it" if item.live else "built when asked"
        if item.replays or name == "http":
            filled = "not needed"
        about = NOT_HERE.get(name, "")
        rows.append((f"[{name}]({name}.md)", where, words or about, vectors, filled, GENERATE["_cell"](item.shown)))
    yield GENERATE["_table"](("engine", "runs in", "words", "vectors", "`rankproof index`", "shown on"), rows)
    yield "## One configuration over every engine"
    yield (
        "`python benchmarks/engines.py --servers` runs `benchmarks/engines.toml` over every engine that can run on one "
        "machine, on the 84 queries and 483 products of sample:shop, each engine with its own defaults. By words they "
        "differ, since each has an analyzer and a formula of its own. By vectors of one model (wordllama), searched to "
        "depth 100, each is held against exact search: rank by rank the same cosines, so that only documents that tie "
        "can change places."
    )
    yield values()
    yield (
        "OpenSearch, Elasticsearch and Solr search vectors by a graph, which may miss documents; here each was asked "
        "for more candidates than there are documents. Asked for 100, Solr differed in 20 queries. The "
        "Elasticsearch of the tests comes without its module of languages, so its analyzer is "
        "`standard`, and without the one that tells its version, which is 8.15.5. Words of DuckDB need its extension "
        "fts, which was not there."
    )
    yield (
        "An engine's value here is that of its defaults on this one sample; it says nothing of which is better on your "
        "data. Your own dataset in the place of sample:shop does."
    )


def values() -> str:
    """The table of what was measured, as benchmarks/engines.py keeps it."""
    rows: list[dict[str, Any]] = json.loads(VALUES.read_text("utf-8"))
    table: str = runpy.run_path(str(ROOT / "benchmarks" / "engines.py"))["table"](rows)
    return table
