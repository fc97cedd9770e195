"""The cross-encoder for shops: its package is small and whole, it ranks, and its card says what the script prints."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from rankproof.testing import reranked

PACKAGE = Path(__file__).parents[2] / "packages" / "shop_cross_encoder"
FILES = PACKAGE / "src" / "rankproof_shop_cross_encoder"
LACKING = [name for name in ("onnxruntime", "tokenizers", "rankproof_shop_cross_encoder") if find_spec(name) is None]
needs_model = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")


def test_the_weights_are_small_and_measured() -> None:
    assert (FILES / "model.onnx").stat().st_size <= 25_000_000
    told = json.loads((FILES / "training.json").read_text())
    assert told["dev"] > told["log"][0]["dev"]
    assert max(told["dev_of_other_seeds"]) - min([told["dev"], *told["dev_of_other_seeds"]]) < 0.01


@needs_model
def test_it_reads_query_and_product_together() -> None:
    texts = {
        "kettle": "Kettle with a gooseneck, 1 l, for pour-over coffee",
        "filters": "Paper filters for pour-over coffee, pack of 100",
        "tent": "Tent for two, 2 kg, waterproof",
    }
    incoming = dict.fromkeys(texts, 0.0) | {"tent": 3.0, "filters": 2.0, "kettle": 1.0}
    for query, best in (("something to camp in", "tent"), ("goosneck ketle", "kettle"), ("coffee filter", "filters")):
        given = reranked("rerank_cross_encoder", texts, query, incoming, model="shop-cross-encoder")
        assert next(iter(given)) == best


@needs_model
@pytest.mark.full
def test_the_card_says_what_the_script_prints(tmp_path: Path) -> None:
    from benchmarks.cross_encoder import COLLECTIONS, row

    card = (PACKAGE / "README.md").read_text("utf-8")
    dataset, stages = COLLECTIONS["the sample"]
    assert row("the sample", dataset, "BM25", stages["BM25"], "shop-cross-encoder", str(tmp_path)) in card
