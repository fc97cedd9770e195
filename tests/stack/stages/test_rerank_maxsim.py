"""Late interaction: the score by hand, the head alone is reordered, documents without a text keep their place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.models import tiny

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.cache import FolderCache
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground
from rankproof.stack.stages import rerank_maxsim
from rankproof.stack.stages.rerank_maxsim import maxsim
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

STAGE = shelf.find("stages", "rerank_maxsim")
TEXTS = {"a": "green lamp", "b": "rope rope", "c": "red tent", "d": "red tent"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tiny.model(tmp_path / "model")
    return tmp_path


def opened(folder: Path, cache: Path | None = None, **said: Any) -> Any:
    ground = Ground(corpus_of(TEXTS), folder=str(folder), **({"cache": FolderCache(str(cache))} if cache else {}))
    return STAGE.open(parameters_of(STAGE, model="model", **said), ground)


def rerank(stage: Any, query: str, ranking: Ranking) -> Ranking:
    (passed,) = stage.apply(queries_of(query), [[ranking]])
    assert passed.failures == ()
    return passed.ranking


def test_the_score_by_hand() -> None:
    """Tokens (1, 0) and (0, 1) against (0.6, 0.8) and (0.8, -0.6): the greatest are 0.8 and 0.8."""
    query = np.eye(2, dtype=np.float32)
    document = np.array([[0.6, 0.8], [0.8, -0.6]], np.float32)
    assert maxsim(query, [document]).tolist() == [0.8]
    # (0.6 + 0.8) / 2; no tokens; (0.8 + -0.6) / 2; both; no tokens
    parts = [document[:1], document[:0], document[1:], document, document[:0]]
    assert maxsim(query, parts).tolist() == [0.7, 0, 0.1, 0.8, 0]
    assert maxsim(query[:0], parts).tolist() == [0] * 5
    assert maxsim(query, []).tolist() == []


def test_the_text_of_the_query_comes_first_and_ties_keep_the_incoming_order(folder: Path) -> None:
    ranking = rerank(opened(folder), "red tent", Ranking.in_order(["a", "d", "b", "c"]))
    assert ranking.doc_ids[:2] == ("d", "c")
    assert ranking.scores[0] == pytest.approx(1, abs=1e-3)
    assert set(ranking.doc_ids) == set(TEXTS)


def test_nothing_below_the_depth_moves(folder: Path) -> None:
    came = Ranking(("a", "b", "c", "d"), np.array([40.0, 30, 20, 10]))
    ranking = rerank(opened(folder, depth=2), "rope rope", came)
    assert ranking.doc_ids == ("b", "a", "c", "d")
    assert ranking.scores[2:].tolist() == [20, 10]
    assert ranking.scores[1] > 20


def test_weight_mixes_with_the_incoming_score(folder: Path) -> None:
    came = Ranking(("a", "b", "c"), np.array([9.0, 5.0, 1.0]))
    alone = rerank(opened(folder), "red tent", came)
    assert alone.doc_ids[0] == "c"
    assert rerank(opened(folder, weight=0), "red tent", came).doc_ids == came.doc_ids
    # Incoming scores over the head become 1, 0.5, 0; new ones become 1 for c, so at one half each:
    new = dict(zip(alone.doc_ids, alone.scores.tolist(), strict=True))
    low, high = min(new.values()), max(new.values())
    mixed = {d: ((new[d] - low) / (high - low) + old) / 2 for d, old in (("a", 1), ("b", 0.5), ("c", 0))}
    half = rerank(opened(folder, weight=0.5), "red tent", came)
    assert half.doc_ids == tuple(sorted(mixed, key=lambda d: -mixed[d]))
    assert half.scores.tolist() == pytest.approx(sorted(mixed.values(), reverse=True), abs=1e-4)


def test_a_document_that_is_not_in_the_corpus_keeps_its_place(folder: Path) -> None:
    def passed(*docs: str, **said: Any) -> Passed:
        stage = opened(folder, **said)
        return stage.apply(queries_of("red tent"), [[Ranking.in_order(docs)]])[0]

    found = passed("a", "elsewhere", "c")
    assert found.ranking.doc_ids == ("c", "elsewhere", "a")
    assert [(f.kind, f.message) for f in found.failures] == [("no text", "the corpus has no document 'elsewhere'")]
    assert passed("x", "y").ranking.doc_ids == ("x", "y")
    assert [f.kind for f in passed("x", "y", depth=1).failures] == ["no text"]  # what is below the depth is not read
    assert len(rerank(opened(folder), "red", Ranking.in_order([]))) == 0


def test_kept_and_fresh_vectors_rank_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    came = Ranking.in_order(list(TEXTS))
    cold = rerank(opened(folder, folder / "cache"), "red lamp rope", came)
    stage = opened(folder, folder / "cache")
    encoded: list[str] = []
    plain = stage.encoder.token_vectors
    monkeypatch.setattr(stage.encoder, "token_vectors", lambda texts: encoded.extend(texts) or plain(texts))
    warm = rerank(stage, "red lamp rope", came)
    assert encoded == ["red lamp rope"]
    assert (warm.doc_ids, warm.scores.tolist()) == (cold.doc_ids, cold.scores.tolist())


def test_little_memory_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    came, plain = Ranking.in_order(list(TEXTS)), opened(folder)
    monkeypatch.setattr(rerank_maxsim, "MEMORY", 100)  # one document of two tokens has 64 bytes
    small = opened(folder)
    for query in ("red tent", "rope", "green lamp"):
        one, other = rerank(plain, query, came), rerank(small, query, came)
        assert (one.doc_ids, one.scores.tolist()) == (other.doc_ids, other.scores.tolist())
    assert len(small._vectors) == 1


def test_prefixes_fields_and_identity(folder: Path) -> None:
    came = Ranking.in_order(list(TEXTS))
    plain = rerank(opened(folder), "query : red", came)
    assert rerank(opened(folder, query_prefix="query : "), "red", came).scores.tolist() == plain.scores.tolist()
    assert opened(folder).identity["corpus"] == corpus_of(TEXTS).content_hash
    with raises(UnknownName, "'titel'", "text"):
        opened(folder, fields=["titel"])
    with raises(UsageError, "rerank_maxsim", "corpus"):
        STAGE.open(parameters_of(STAGE), Ground())
