"""Scores of a cross-encoder are kept: what was read once is not read again, and what changed is."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from tests.stack.stages.llm_cases import values

from rankproof.kernel import shelf
from rankproof.kernel.cache import FolderCache
from rankproof.reading.collect import read_run
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.pipeline import Runner, read_pipeline
from rankproof.stack.records import Ground
from rankproof.stack.stages._cross_encoder import CrossEncoder

for library in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(library)

TEXTS = {"a": "laptop case", "b": "affordable notebook", "c": "cheap phone", "d": "red sofa"}
QUERY = Query("q1", "cheap laptop")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.stack.stages.small_cross_encoder import save

    meanings = [("laptop", "notebook"), ("cheap", "affordable"), ("phone",), ("case",), ("red",), ("sofa",)]
    return save(tmp_path_factory.mktemp("models") / "small", meanings)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Query and passage of every pair that the model read."""
    pairs: list[tuple[str, str]] = []
    plain = CrossEncoder.scores

    def scores(self: CrossEncoder, query: str, passages: list[str], batch: int) -> Any:
        pairs.extend((query, passage) for passage in passages)
        return plain(self, query, passages, batch)

    monkeypatch.setattr(CrossEncoder, "scores", scores)
    return pairs


def rerank(
    model: Path, cache: Path, docs: str, query: Query = QUERY, texts: dict[str, str] = TEXTS, **said: Any
) -> Passed:
    corpus = Corpus(tuple(texts), {"text": tuple(texts.values())})
    stage = shelf.find("stages", "rerank_cross_encoder")
    ground = Ground(corpus, FolderCache(str(cache)))
    opened = stage.open(values("rerank_cross_encoder", model=str(model), **said), ground)
    passed: Passed = opened.apply([query], [[Ranking.in_order(list(docs))]])[0]
    return passed


def test_the_same_again_reads_nothing_and_gives_the_same(
    model: Path, tmp_path: Path, read: list[tuple[str, str]]
) -> None:
    first = rerank(model, tmp_path, "abcd")
    assert (len(read), first.saved, first.kept) == (4, 0, False)
    again = rerank(model, tmp_path, "abcd")
    assert len(read) == 4
    assert again.ranking.doc_ids == first.ranking.doc_ids == ("b", "a", "c", "d")
    assert again.ranking.scores.tolist() == first.ranking.scores.tolist()
    assert again.saved > 0  # what the four pairs took belongs to the time of the query
    assert again.kept is False


def test_another_depth_pays_for_what_is_new(model: Path, tmp_path: Path, read: list[tuple[str, str]]) -> None:
    rerank(model, tmp_path, "dcba", depth=2)
    assert [passage for _, passage in read] == [TEXTS["d"], TEXTS["c"]]
    whole = rerank(model, tmp_path, "dcba", depth=4)
    assert [passage for _, passage in read[2:]] == [TEXTS["b"], TEXTS["a"]]
    assert whole.ranking.doc_ids == rerank(model, tmp_path / "other", "dcba", depth=4).ranking.doc_ids


def test_what_a_score_depends_on_is_read_again(model: Path, tmp_path: Path, read: list[tuple[str, str]]) -> None:
    rerank(model, tmp_path, "ab")
    changed = {**TEXTS, "a": "cheap laptop"}
    assert rerank(model, tmp_path, "ab", texts=changed).ranking.scores[0] == pytest.approx(2)
    assert read[2:] == [(QUERY.text, "cheap laptop")]
    rerank(model, tmp_path, "ab", Query("q1", "red sofa"))
    rerank(model, tmp_path, "ab", length=8)
    other = Path(shutil.copytree(model, tmp_path / "model"))
    (other / "config.json").write_text('{"model_type": "bert", "max_position_embeddings": 31}')
    rerank(other, tmp_path, "ab")
    assert len(read) == 2 + 1 + 3 * 2
    rerank(model, tmp_path, "ab", Query("q2", QUERY.text))  # the same words are the same query
    assert len(read) == 9


def test_two_documents_with_one_text_are_read_once(model: Path, tmp_path: Path, read: list[tuple[str, str]]) -> None:
    passed = rerank(model, tmp_path, "abe", texts={**TEXTS, "e": TEXTS["a"]})
    assert len(read) == 2
    assert passed.ranking.doc_ids == ("b", "a", "e")


def test_the_time_of_a_query_counts_what_was_kept(
    model: Path, tmp_path: Path, read: list[tuple[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each pair takes at least 20 ms when it is read, and nothing when it is found."""
    counted = CrossEncoder.scores

    def slow(self: CrossEncoder, query: str, passages: list[str], batch: int) -> Any:
        time.sleep(0.02 * len(passages))
        return counted(self, query, passages, batch)

    monkeypatch.setattr(CrossEncoder, "scores", slow)
    corpus = Corpus(tuple(TEXTS), {"text": tuple(TEXTS.values())})
    (tmp_path / "old.run").write_text("".join(f"q1 Q0 {doc} {i} {9 - i} old\n" for i, doc in enumerate(TEXTS)))
    pipeline = read_pipeline(f"replay(path='old.run') >> rerank_cross_encoder(model={str(model)!r})")
    for pairs in (4, 0):
        read.clear()
        ground = Ground(corpus, FolderCache(str(tmp_path / "cache")), str(tmp_path), read_run=read_run)
        outcome = Runner([QUERY], 10, ground).run("mode", pipeline)
        assert len(read) == pairs + 1  # one more when it is made ready
        assert outcome.steps[-1].milliseconds[0] >= 80
