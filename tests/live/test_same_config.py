"""One benchmark, three places: only the calls of engines differ between local indexes, PostgreSQL and OpenSearch.

`rankproof index` fills real servers with the bundled shop; `rankproof benchmark run` does the rest.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rankproof.measuring.evaluate import evaluate
from rankproof.reading.collect import read_run
from rankproof.reading.datasets.read import read_dataset

pytest.importorskip("bm25s", reason="the extra bm25 is not installed")
pytest.importorskip("wordllama", reason="the package wordllama is not installed")
pytestmark = pytest.mark.slow

COMMAND = Path(sys.executable).parent / "rankproof"
CONFIG = """
[benchmark]
name = "the same everywhere"
dataset = "sample:shop"
measures = ["nDCG@10", "R@100"]
depth = 100

[modes]
lexical = "{lexical}"
vector = "{vector}"
hybrid = "fuse_rrf(lexical, vector, k=60)"
reranked = "hybrid >> rerank_maxsim(depth=20, model='wordllama', weight=0.5)"

[index.postgres]
vector_index = "none"
"""
PASSWORD = "hunter2hunter2"  # stands in the addresses of the servers, which do not ask for it
MODES = ("lexical", "vector", "hybrid", "reranked")
FIELDS = "title brand bullets description"
ENGINES = {
    "local": {"lexical": "bm25()", "vector": "dense(model='wordllama')"},
    "postgres": {
        "lexical": f"postgres(table='shop', fields='{FIELDS}', match='any')",
        "vector": "postgres(table='shop', mode='vector', model='wordllama')",
    },
    # With as many candidates as there are documents, the walk over the graph meets them all.
    "opensearch": {
        "lexical": f"opensearch(index='shop', fields='{FIELDS}', type='most_fields')",
        "vector": "opensearch(index='shop', vector_field='embedding', model='wordllama', candidates=1000)",
    },
}

Scores = Mapping[str, Mapping[str, float]]


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run(tmp_path_factory.mktemp("local"), "local")


def run(folder: Path, where: str) -> Path:
    """The folder that the command wrote."""
    (folder / "shop.toml").write_text(CONFIG.format(**ENGINES[where]))
    filling = [] if where == "local" else [["index", "shop.toml", "--compare-all"]]
    everything = []
    for words in (*filling, ["benchmark", "run", "shop.toml", "-o", "out"]):
        told = subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
        assert told.returncode == 0, told.stderr
        everything += [told.stdout.encode(), told.stderr.encode()]
    everything += [f.read_bytes() for f in folder.rglob("*") if f.is_file()]
    assert not any(PASSWORD.encode() in part for part in everything)
    return folder / "out"


def ndcg(out: Path, mode: str) -> float:
    mean = evaluate(read_dataset("sample:shop").qrels, str(out / "runs" / f"{mode}.run"), "nDCG@10")["nDCG@10"].mean
    assert mean is not None
    return mean


def scores(out: Path, mode: str) -> Scores:
    ranked = read_run(str(out / "runs" / f"{mode}.run")).rankings(as_scores=True)
    return {query: dict(zip(docs, found, strict=True)) for query, docs, found in ranked}


def assert_same_but_for_ties(ours: Scores, theirs: Scores, cosine: Any) -> None:
    """Rank by rank the same cosines; a document that one of them lacks ties with the last of the other."""
    off = 2e-6  # ours are rounded to six decimals, theirs are of 32 bits
    assert set(ours) == set(theirs)
    for query, own in ours.items():
        other = {doc: cosine(score) for doc, score in theirs[query].items()}
        assert list(other.values()) == pytest.approx(list(own.values()), abs=off)
        last = min(own.values())
        assert all(own.get(doc, last) == pytest.approx(score, abs=2 * off) for doc, score in other.items())


def assert_near(local: Path, out: Path) -> None:
    """nDCG@10 as the local engines have it (lexical 0.663, vector 0.693): the same by vectors, near it by words.

    Three hundredths are less than what fusion buys here (0.05), so that no conclusion about the modes would change.
    """
    assert ndcg(out, "vector") == pytest.approx(ndcg(local, "vector"), abs=0.001)
    for mode in ("lexical", "hybrid", "reranked"):
        assert ndcg(out, mode) == pytest.approx(ndcg(local, mode), abs=0.03)
    assert ndcg(out, "hybrid") > ndcg(out, "lexical") + 0.02


def assert_whole(out: Path) -> None:
    """Every mode ran, nothing failed, and every query has a time."""
    told = json.loads((out / "BenchmarkReport.json").read_text())
    assert [(row["mode"], row["failures"]) for row in told["modes"]] == [(mode, {}) for mode in MODES]
    for mode in MODES:
        assert len((out / "latency" / f"{mode}.tsv").read_text().splitlines()) == told["dataset"]["queries"]


def test_postgres(
    local: Path,
    postgres_dsn: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """PostgreSQL counts how near words stand and not how rare they are: a small loss in short queries (seen: 0.653)."""
    monkeypatch.setenv("DATABASE_URL", postgres_dsn.replace("postgres@", f"postgres:{PASSWORD}@"))
    out = run(tmp_path, "postgres")
    assert_whole(out)
    assert_same_but_for_ties(scores(local, "vector"), scores(out, "vector"), lambda score: score)
    assert_near(local, out)


def test_opensearch(
    local: Path,
    opensearch_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """BM25 here as there. It is added up field by field there, over words that another stemmer cut (seen: 0.645)."""
    monkeypatch.setenv("OPENSEARCH_URL", opensearch_url.replace("//", f"//agnes:{PASSWORD}@"))
    out = run(tmp_path, "opensearch")
    assert_whole(out)
    assert_same_but_for_ties(scores(local, "vector"), scores(out, "vector"), lambda score: 2 * score - 1)
    assert_near(local, out)
