"""One pass of a model for dense and rerank_maxsim: documents counted as they go through it, and bits compared."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.stack.models import tiny

from rankproof.kernel.cache import NO_CACHE, FolderCache
from rankproof.stack.engines import _encoded
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder
from rankproof.stack.pipeline import Runner, read_pipeline
from rankproof.stack.records import Ground, ModeOutcome
from rankproof.testing.rankings import corpus_of, queries_of

for name in ("onnxruntime", "tokenizers", "safetensors"):
    pytest.importorskip(name)

WORDS = tiny.WORDS[4:9]
TEXTS = {
    f"d{i:02}": " ".join(WORDS[i // 5**k % 5] for k in range(1 + i % 4)) + f" query {'rope ' * (i % 7)}"
    for i in range(60)
}
QUERIES = queries_of("red tent", "lamp")
DENSE = "dense(model='model')"
BOTH = {"vector": DENSE, "maxsim": f"{DENSE} >> rerank_maxsim(model='model', depth=40)"}


@pytest.fixture
def passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[int, ...]]:
    """How often each text went through the model, by its tokens."""
    tiny.model(tmp_path / "model")
    counted: Counter[tuple[int, ...]] = Counter()
    plain = TransformerEncoder._run

    def noted(self: Any) -> Any:
        run = plain(self)

        def one(tokens: Any) -> Any:
            counted.update(tuple(row) for row in tokens.tolist())
            return run(tokens)

        return one

    monkeypatch.setattr(TransformerEncoder, "_run", noted)
    return counted


def ran(folder: Path, cache: str | None, pipelines: dict[str, str]) -> dict[str, ModeOutcome]:
    kept = NO_CACHE if cache is None else FolderCache(str(folder / cache))
    runner = Runner(QUERIES, 50, Ground(corpus_of(TEXTS), kept, str(folder), threads=1))
    steps = {name: read_pipeline(text) for name, text in pipelines.items()}
    runner.open(list(steps.values()))
    return {name: runner.run(name, step) for name, step in steps.items()}


def documents(passes: Counter[tuple[int, ...]], folder: Path) -> Counter[tuple[int, ...]]:
    """The passes of documents; queries go through each time."""
    tokenizer = TransformerEncoder(ModelFolder(str(folder / "model")))._tokenizer
    asked = {tuple(tokens.numbers.tolist()) for tokens in tokenizer([query.text for query in QUERIES])}
    return Counter({text: times for text, times in passes.items() if text not in asked})


def as_lists(outcome: ModeOutcome) -> list[tuple[tuple[str, ...], list[float]]]:
    return [(ranking.doc_ids, ranking.scores.tolist()) for ranking in outcome.rankings]


def test_each_document_goes_through_the_model_once(passes: Counter[tuple[int, ...]], tmp_path: Path) -> None:
    together = ran(tmp_path, "cache", BOTH)
    found = documents(passes, tmp_path)
    assert set(found.values()) == {1}
    assert len(found) == len(set(TEXTS.values()))
    # Each alone, in a cache of its own: the same rankings, to the last bit of the scores.
    alone = ran(tmp_path, "one", {"vector": DENSE})
    assert as_lists(together["vector"]) == as_lists(alone["vector"])
    passes.clear()
    apart = ran(tmp_path, None, BOTH)
    assert max(documents(passes, tmp_path).values()) == 2  # without a cache nothing can be kept
    assert as_lists(together["maxsim"]) == as_lists(apart["maxsim"])


def test_vectors_that_are_kept_are_those_of_a_pass_of_their_own(
    passes: Counter[tuple[int, ...]], tmp_path: Path
) -> None:
    ran(tmp_path, "together", BOTH)
    ran(tmp_path, "alone", {"vector": DENSE})
    files = {
        cache: {path.name: path.read_bytes() for path in (tmp_path / cache).rglob("*") if path.is_file()}
        for cache in ("together", "alone")
    }
    assert files["alone"].items() <= files["together"].items()  # bit for bit
    assert len(files["together"]) > len(files["alone"])


def test_one_pass_gives_the_bits_of_two(tmp_path: Path) -> None:
    for normalize, pooling in ((True, "mean_tokens"), (False, "cls_token"), (True, "lasttoken")):
        folder = ModelFolder(str(tiny.model(tmp_path / pooling, pooling, normalize)))
        encoder = TransformerEncoder(folder)
        texts = list(TEXTS.values())
        tokens, vectors = encoder.both(texts)
        assert vectors.tobytes() == encoder.vectors(texts).tobytes()
        assert all(np.array_equal(a, b) for a, b in zip(tokens, encoder.token_vectors(texts), strict=True))


@pytest.mark.parametrize("said", ["length=8", "document_prefix='passage : '", "fields=['text']", None])
def test_tokens_are_kept_only_for_a_stage_that_reads_the_same(said: str | None, tmp_path: Path) -> None:
    """Both are opened and dense alone is run: it keeps chunks of about 64 vectors, and an entry for a text's tokens."""
    tiny.model(tmp_path / "model")
    stage = f"rerank_maxsim(model='model'{'' if said is None else f', {said}'})"
    runner = Runner(QUERIES, 50, Ground(corpus_of(TEXTS), FolderCache(str(tmp_path / "cache")), str(tmp_path)))
    steps = [read_pipeline(text) for text in (DENSE, f"{DENSE} >> {stage}")]
    runner.open(steps)
    runner.run("vector", steps[0])
    entries = sum(1 for path in (tmp_path / "cache").rglob("*") if path.is_file())
    texts = len(set(TEXTS.values()))
    assert entries - texts in range(1, 4) if said is None else entries < 4


def test_what_is_beyond_the_bound_is_made_when_it_is_wanted(
    passes: Counter[tuple[int, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ran(tmp_path, "whole", BOTH)
    monkeypatch.setattr(_encoded, "TOKEN_BYTES", 0)
    passes.clear()
    bounded = ran(tmp_path, "bounded", BOTH)
    assert max(documents(passes, tmp_path).values()) == 2
    assert {name: as_lists(one) for name, one in bounded.items()} == {
        name: as_lists(one) for name, one in whole.items()
    }
