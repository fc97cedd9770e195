"""What the shop cross-encoder gains and loses: a rerank of the first 30, compared with the first stage by itself.

    python benchmarks/cross_encoder.py                       the sample, SciFact and Cranfield; minutes each
    python benchmarks/cross_encoder.py --only "the sample"   one collection
    python benchmarks/cross_encoder.py --model FOLDER        another model

It was trained for shops. SciFact and Cranfield show where it does not transfer. Collections other than the sample are
read from ../shared/data, and left out where they are not there.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rankproof.cli.shared.benchmarking import dataset_of, run_modes
from rankproof.kernel.estimate import Estimate
from rankproof.stack.benchmark.config import config_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MEASURE = "nDCG@10"
DEPTH = 30
COLLECTIONS = {
    "the sample": ("sample:shop", {"BM25": "bm25()", "BM25 and vectors": "fuse_rrf(bm25(), dense(), k=60)"}),
    "SciFact": (str(DATA / "scifact"), {"BM25": "bm25()"}),
    "Cranfield": (str(DATA / "cranfield"), {"BM25": "bm25()"}),
}


def row(collection: str, dataset: str, first: str, pipeline: str, model: str, cache: str) -> str:
    """One row: means, and the difference with its interval."""
    document = {
        "benchmark": {"dataset": dataset, "measures": [MEASURE], "correction": "none", "latency_queries": 0},
        "modes": {"first": pipeline, "reranked": f"first >> rerank_cross_encoder(model={model!r}, depth={DEPTH})"},
    }
    config = config_of(document, "this table")
    result, _ = run_modes(config, dataset_of(config), cache)
    contrast = result.comparison.contrast(MEASURE, "reranked")
    difference = contrast.difference
    assert isinstance(difference, Estimate)
    return (
        f"| {collection} | {result.queries} | {first} | {contrast.baseline_mean:.4f} | {contrast.candidate_mean:.4f} | "
        f"{difference.value:+.4f} ({difference.low:+.4f} to {difference.high:+.4f}) |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="shop-cross-encoder")
    parser.add_argument("--only", choices=COLLECTIONS)
    parser.add_argument("--cache", help="a folder that keeps vectors and scores: a run that is stopped goes on")
    asked = parser.parse_args()
    print(f"| collection | queries | first stage | {MEASURE} | reranked | difference (95% confidence interval) |")
    print("|---|---|---|---|---|---|")
    with TemporaryDirectory() as folder:
        table(asked.only, asked.model, asked.cache or folder)


def table(only: str | None, model: str, cache: str) -> None:
    """Every row, as soon as it is known."""
    for collection, (dataset, stages) in COLLECTIONS.items():
        if only not in (None, collection):
            continue
        if not dataset.startswith("sample:") and not Path(dataset).is_dir():
            print(f"{collection} is left out: its data is not in {DATA}.")
            continue
        for first, pipeline in stages.items():
            print(row(collection, dataset, first, pipeline, model, cache), flush=True)


if __name__ == "__main__":
    main()
