"""Learned sparse search against brute force: weights of terms, sums over them, ties by id, what is kept and refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.models import small_masked, tiny

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.cache import FolderCache
from rankproof.reading.collection import Query, Rewritten
from rankproof.stack.models import sparse
from rankproof.stack.models.sparse import SparseVector, _pack, _unpack, read_sparse_file
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

for name in ("onnxruntime", "tokenizers", "onnx"):
    pytest.importorskip(name)

SPLADE = shelf.find("engines", "splade")
TEXTS = {"a": "red tent", "b": "green lamp", "c": "rope", "é d": "red tent", "e": "", "f": "passage : query red red"}
ASKED = ("red tent rope", "lamp", "", "passage", "unheard words")


def opened(folder: Path, texts: Any = TEXTS, cache: str | None = None, **said: Any) -> Any:
    ground = Ground(corpus_of(texts), folder=str(folder), **({"cache": FolderCache(cache)} if cache else {}))
    return SPLADE.open(parameters_of(SPLADE, **said), ground)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    small_masked.save(tmp_path / "model")
    return tmp_path


def numbers(text: str) -> list[int]:
    """[CLS] text [SEP]."""
    return [2, *(tiny.WORDS.index(w) if w in tiny.WORDS else 1 for w in text.split()), 3]


def by_hand(text: str) -> dict[str, float]:
    """log(1 + relu), greatest over the tokens."""
    best = np.log1p(np.maximum(small_masked.logits(numbers(text)), 0)).max(axis=0)
    return {tiny.WORDS[i]: float(w) for i, w in enumerate(best) if w > 0}


def brute_force(query: dict[str, float], depth: int) -> list[tuple[str, float]]:
    found = []
    for doc, text in TEXTS.items():
        vector = by_hand(text)
        shared = query.keys() & vector.keys()
        if shared:
            found.append((doc, round(math.fsum(query[term] * vector[term] for term in shared), 4)))
    return sorted(found, key=lambda pair: (pair[1], pair[0].encode()), reverse=True)[:depth]


def as_pairs(ranking: Any) -> list[tuple[str, float]]:
    return list(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))


# ---- against brute force --------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1, 2, 10])
def test_the_model_weighs_documents_and_queries(depth: int, folder: Path) -> None:
    engine = opened(folder, model="model")
    found = engine.search(queries_of(*ASKED), depth)
    for text, ranking in zip(ASKED, found, strict=True):
        expected = brute_force(by_hand(text), depth)
        assert [doc for doc, _ in as_pairs(ranking)] == [doc for doc, _ in expected]
        assert ranking.scores.tolist() == pytest.approx([score for _, score in expected], abs=2e-4)
    assert found[0].doc_ids[:2] == ("é d", "a")[:depth]  # a tie: the greater id stands first


def test_the_small_model_is_sparse_and_expands() -> None:
    """What the comparison rests on: texts have terms that they do not say, and lack most."""
    vectors = [by_hand(text) for text in TEXTS.values()]
    assert all(0 < len(vector) < len(tiny.WORDS) for vector in vectors)
    assert any(set(vector) - set(text.split()) for vector, text in zip(vectors, TEXTS.values(), strict=True))


def test_words_need_no_model_for_a_query(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = opened(folder, model="model", queries="words")
    engine.prepare()
    monkeypatch.setattr(engine.encoder, "vectors", lambda texts: pytest.fail("the model was asked"))
    vectors = [by_hand(text) for text in TEXTS.values()]
    for query in ("red tent red", "rope"):
        weights = {}
        for term in set(query.split()):
            having = sum(term in vector for vector in vectors)
            weights[term] = math.log(1 + (len(TEXTS) - having + 0.5) / (having + 0.5))
        (ranking,) = engine.search(queries_of(query), 10)
        expected = brute_force(weights, 10)
        assert [doc for doc, _ in as_pairs(ranking)] == [doc for doc, _ in expected]
        assert ranking.scores.tolist() == pytest.approx([score for _, score in expected], abs=2e-4)


def test_the_models_own_weights_of_words_are_taken(folder: Path) -> None:
    plain = opened(folder, model="model", queries="words").identity
    (folder / "model" / "idf.json").write_text(json.dumps({"red": 2.0, "rope": 0}))
    engine = opened(folder, model="model", queries="words")
    (ranking,) = engine.search(queries_of("red rope lamp"), 10)
    assert as_pairs(ranking)[0][1] == pytest.approx(brute_force({"red": 2.0}, 1)[0][1], abs=2e-4)
    assert engine.identity["idf"]
    assert "idf" not in plain
    (folder / "model" / "idf.json").write_text('{"red": "much"}')
    with raises(InputError, "idf.json"):
        opened(folder, model="model", queries="words")


def test_a_query_alone_gets_what_it_gets_among_others(folder: Path) -> None:
    engine = opened(folder, model="model")
    together = engine.search(queries_of(*ASKED), 10)
    for query, ranking in zip(queries_of(*ASKED), together, strict=True):
        assert as_pairs(engine.search([query], 10)[0]) == as_pairs(ranking)
    assert opened(folder, {}, model="model").search(queries_of("red"), 10)[0].doc_ids == ()


# ---- what is kept ---------------------------------------------------------------------------------


def test_only_changed_documents_are_encoded_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, seen = str(folder / "cache"), []
    plain = sparse.SpladeEncoder.vectors

    def noted(self: Any, texts: Any) -> Any:
        seen.extend(texts)
        return plain(self, texts)

    monkeypatch.setattr(sparse.SpladeEncoder, "vectors", noted)
    cold = opened(folder, cache=cache, model="model").search(queries_of("red tent"), 10)[0]
    assert len(seen) == len(set(TEXTS.values())) + 1  # a text that two documents have is encoded once; and the query
    seen.clear()
    warm = opened(folder, cache=cache, model="model").search(queries_of("red tent"), 10)[0]
    assert seen == ["red tent"]
    assert as_pairs(warm) == as_pairs(cold)
    small_masked.save(folder / "model", seed=1)
    opened(folder, cache=cache, model="model").prepare()
    assert len(seen) == 1 + len(set(TEXTS.values()))  # other weights, other vectors


def test_packed_vectors_read_back_and_damaged_ones_do_not() -> None:
    rows = [
        SparseVector(np.array(terms, np.int32), np.array(weights, np.float32))
        for terms, weights in (([1, 70_000], [0.5, 2.25]), ([], []), ([3], [1.0]))
    ]
    data = _pack(rows)
    back = _unpack(data, 3)
    assert back is not None
    assert [(r.terms.tolist(), r.weights.tolist()) for r in back] == [
        (r.terms.tolist(), r.weights.tolist()) for r in rows
    ]
    for damaged in (None, b"", data[:-1], data + b"\0"):
        assert _unpack(damaged, 3) is None


# ---- vectors from files ---------------------------------------------------------------------------


def lines(path: Path, vectors: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps({"id": i, "vector": v}) + "\n" for i, v in vectors.items()))


def test_vectors_from_files_by_hand(tmp_path: Path) -> None:
    texts = {"a": "x", "7": "y", "b c": "z"}
    lines(tmp_path / "docs.jsonl", {"a": {"tent": 2.0, "red": 1}, "7": {"tent": 1.0, "lamp": 3.0}, "b c": {"rope": 0}})
    lines(tmp_path / "queries.jsonl", {"q1": {"tent": 1.5, "boat": 9.0}, "q2": {"rope": 1.0}})
    engine = opened(tmp_path, texts, vectors="docs.jsonl", query_vectors="queries.jsonl")
    one, two = engine.search(queries_of("x", "y"), 10)
    assert as_pairs(one) == [("a", 3.0), ("7", 1.5)]
    assert as_pairs(two) == []  # a weight of 0 is none
    assert engine.notes == {"terms": "1.3 of a document on average"}
    words = opened(tmp_path, texts, vectors="docs.jsonl", queries="words")
    # tent is in two of three documents: ln(1 + 1.5 / 2.5); lamp in one: ln(1 + 2.5 / 1.5)
    (ranking,) = words.search(queries_of("Tent, LAMP!"), 10)
    tent, lamp = math.log(1.6), math.log(1 + 2.5 / 1.5)
    assert as_pairs(ranking) == [("7", round(tent + 3 * lamp, 4)), ("a", round(2 * tent, 4))]
    with raises(InputError, "'q3'", "q1, q2"):
        engine.search([Query("q3", "z")], 10)
    with raises(UsageError, "rewrite"):
        engine.search([Rewritten("q1", "other")], 10)


def test_the_model_may_weigh_queries_for_documents_of_a_file(folder: Path) -> None:
    lines(folder / "docs.jsonl", {doc: by_hand(text) for doc, text in TEXTS.items()})
    given = opened(folder, model="model", vectors="docs.jsonl").search(queries_of(*ASKED), 10)
    own = opened(folder, model="model").search(queries_of(*ASKED), 10)
    for one, other in zip(given, own, strict=True):
        assert one.doc_ids == other.doc_ids
        assert one.scores.tolist() == pytest.approx(other.scores.tolist(), abs=2e-4)


def test_documents_and_vectors_must_match_unless_they_may_be_dropped(tmp_path: Path) -> None:
    lines(tmp_path / "docs.jsonl", {"a": {"tent": 1.0}, "elsewhere": {"tent": 1.0}})
    said = {"vectors": "docs.jsonl", "queries": "words"}
    with raises(InputError, "1 document", "b", "elsewhere", "missing='drop'"):
        opened(tmp_path, {"a": "x", "b": "y"}, **said)
    engine = opened(tmp_path, {"a": "x", "b": "y"}, missing="drop", **said)
    assert engine.search(queries_of("tent"), 10)[0].doc_ids == ("a",)
    assert "1 document of 2" in engine.notes["without vectors"]
    assert "1 of 2" in engine.notes["vectors of no document"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": "b", "vector": {"tent": -1}}', ("line 2", "'tent'", "-1")),
        ('{"id": "b", "vector": {"tent": NaN}}', ("line 2", "NaN")),
        ('{"id": "b", "vector": {"tent": 1e999}}', ("line 2", "'tent'")),
        ('{"id": "b", "vector": {"tent": null}}', ("line 2", "None")),
        ('{"id": "b", "vector": [1, 2]}', ("line 2", "terms and weights")),
        ('{"id": "a", "vector": {"tent": 1}}', ("line 2", "'a'", "twice")),
        ('{"id": "b"}', ("line 2", "vector")),
        ("[]", ("line 2", "object")),
        ('{"id": "b", "vec', ("line 2", "not JSON")),
    ],
)
def test_lines_that_cannot_be_are_refused(line: str, words: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "vector": {"tent": 1.5}}\n' + line + "\n")
    with raises(InputError, "docs.jsonl", *words):
        read_sparse_file(str(path))


# ---- what is refused ------------------------------------------------------------------------------


def test_what_cannot_be_is_refused_before_anything_runs(folder: Path) -> None:
    lines(folder / "docs.jsonl", {doc: {"tent": 1.0} for doc in TEXTS})
    lines(folder / "queries.jsonl", {"q1": {"tent": 1.0}})
    for said, words in (
        ({}, ("model", "vectors")),
        ({"vectors": "docs.jsonl"}, ("query_vectors", "words")),
        ({"model": "model", "query_vectors": "queries.jsonl"}, ("vectors",)),
        ({"vectors": "docs.jsonl", "query_vectors": "queries.jsonl", "queries": "words"}, ("queries='words'",)),
        ({"model": "nowhere"}, ("nowhere", "model.onnx")),
    ):
        with raises(UsageError, *words):
            opened(folder, **said)
    with raises(UnknownName, "'titel'", "text"):
        opened(folder, model="model", fields=["titel"])
    with raises(UsageError, "splade", "corpus"):
        SPLADE.open(parameters_of(SPLADE, model="model"), Ground(folder=str(folder)))
    tiny.model(folder / "weights")
    with raises(UsageError, "weights", "optimum-cli", "fill-mask"):
        opened(folder, model="weights")


def test_a_graph_that_is_no_masked_language_model_is_refused(folder: Path) -> None:
    small_masked.save(folder / "pooled", pooled=True)
    with raises(InputError, "pooled", "fill-mask"):
        opened(folder, model="pooled").prepare()
    (folder / "model" / "tokenizer.json").write_text("{}")
    with raises(InputError, "tokenizer.json"):
        opened(folder, model="model")
