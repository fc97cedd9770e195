"""Engines that build an index in this process: hostile queries and documents, ties, threads, and what they need."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import MissingExtra, UnknownName
from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._in_process import Once, holdable, numbered, significant
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

# Engine with what is said of it -> the libraries that it needs.
BY_WORDS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "tantivy": ({}, ("tantivy",)),
    "sqlite text": ({}, ("apsw",)),
    "sqlite unicode61": ({"tokenizer": "unicode61"}, ("apsw",)),
    "duckdb text": (
        {"mode": "text", "stop_words": "none", "ignore": "[^a-z0-9]+"},
        ("duckdb", "duckdb_extension_fts"),
    ),
    "lancedb text": ({"mode": "text"}, ("lancedb",)),
}
BY_VECTORS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "chroma vector": ({"model": "wordllama"}, ("chromadb", "wordllama")),
    "duckdb vector": ({"model": "wordllama"}, ("duckdb", "wordllama")),
    "duckdb dot": ({"model": "wordllama", "similarity": "dot"}, ("duckdb", "wordllama")),
    "lancedb vector": ({"model": "wordllama"}, ("lancedb", "wordllama")),
    "lancedb dot": ({"model": "wordllama", "similarity": "dot"}, ("lancedb", "wordllama")),
    "milvus vector": ({"model": "wordllama"}, ("milvus_lite", "wordllama")),
    "qdrant_local vector": ({"model": "wordllama"}, ("qdrant_edge", "wordllama")),
    "sqlite vector": ({"mode": "vector", "model": "wordllama"}, ("apsw", "sqlite_vec", "wordllama")),
}
WAYS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {**BY_WORDS, **BY_VECTORS}


def ways(table: dict[str, tuple[dict[str, Any], tuple[str, ...]]]) -> list[Any]:
    """Each way as a parameter, skipped where a library is missing."""
    marked = []
    for name, (said, libraries) in table.items():
        lacking = [library for library in libraries if find_spec(library) is None]
        skip = pytest.mark.skipif(bool(lacking), reason=f"not installed: {', '.join(lacking)}")
        marked.append(pytest.param(name.split()[0], said, id=name.replace(" ", "-"), marks=skip))
    return marked


every_way = pytest.mark.parametrize(("name", "said"), ways(WAYS))
by_words = pytest.mark.parametrize(("name", "said"), ways(BY_WORDS))
by_vectors = pytest.mark.parametrize(("name", "said"), ways(BY_VECTORS))


def opened(name: str, said: dict[str, Any], texts: Any) -> Any:
    item = shelf.find("engines", name)
    return item.open(parameters_of(item, **said), Ground(corpus_of(texts)))


# ---- what is asked --------------------------------------------------------------------------------

TEXTS = {
    "a": "red tent for two",
    "b": "green tent, near the lake",
    "c": "1 or 1 is one",
    "d": "select star from users where name is not null",
    "e": "",
    "f": "don't stop",
    "g": "f0 number rank rowid docs",
}
# A query that looks like a language -> the plain words that it must be.
LOOKALIKES = {
    '" OR 1=1 --': "or 1 1",
    "tent OR": "tent or",
    "NEAR(": "near",
    "NEAR(tent lake, 2)": "near tent lake 2",
    '"tent': "tent",
    'te"nt"': "te nt",
    "tent*": "tent",
    "-tent": "tent",
    "+tent -green": "tent green",
    "^red": "red",
    "f0:tent": "f0 tent",
    "{f0 f1}: tent": "f0 f1 tent",
    "NOT tent": "not tent",
    "tent AND (lake": "tent and lake",
    "'; drop table docs; --": "drop table docs",
    "tent\0lake": "tent lake",
    "/tent.*/": "tent",
    "[a TO z]": "a to z",
    "tent~2^5": "tent 2 5",
    "don't": "don t",
}


@by_words
@pytest.mark.parametrize("hostile", LOOKALIKES, ids=range(len(LOOKALIKES)))
def test_a_query_is_words_and_never_a_language(name: str, said: dict[str, Any], hostile: str) -> None:
    engine = opened(name, said, TEXTS)
    rankings = engine.search(queries_of(hostile, LOOKALIKES[hostile], "tent"), 10)
    assert rankings[0].doc_ids == rankings[1].doc_ids
    assert rankings[0].scores.tolist() == rankings[1].scores.tolist()
    assert set(rankings[2].doc_ids) == {"a", "b"}  # and the index is still there


@by_words
@pytest.mark.parametrize("nothing", ["", " ", "*", '"', '""', "'", "()", "!?.,;", "--", "\0", "\n\t", "\udcff", "😀"])
def test_a_query_without_words_finds_nothing(name: str, said: dict[str, Any], nothing: str) -> None:
    assert len(opened(name, said, TEXTS).search(queries_of(nothing), 10)[0]) == 0


@every_way
def test_ten_thousand_words_are_a_query(name: str, said: dict[str, Any]) -> None:
    engine = opened(name, said, TEXTS)
    words = " ".join(f"w{i}" for i in range(9_999))
    (ranking,) = engine.search(queries_of(f"{words} lake"), 10)
    assert ranking.doc_ids[:1] == ("b",) or "model" in said
    assert len(engine.search(queries_of("lake " * 10_000), 10)[0])


# ---- what is searched -----------------------------------------------------------------------------

LONG = "long " * 2_000
IDS = {
    "an id with spaces": "tent",
    "\u00e9\u4e2d\U0001f600": "tent",
    "'; drop table docs; --": "tent",
    LONG: "tent",
    "007": "tent",
    "7": "tent",
    "bad \udcff byte": "tent",
    "empty": "",
    "punctuation": "... --- !!!",
    "odd": "a\0b \udcff \x01",
}


@every_way
def test_ids_are_given_back_as_they_came_and_ties_go_by_id_descending(name: str, said: dict[str, Any]) -> None:
    alike = {doc for doc, text in IDS.items() if text == "tent"}
    (ranking,) = opened(name, said, IDS).search(queries_of("tent"), 100)
    assert set(ranking.doc_ids[: len(alike)]) == alike
    assert len(set(ranking.scores[: len(alike)].tolist())) == 1
    again = Ranking.of(ranking.doc_ids[::-1], ranking.scores[::-1])
    assert again.doc_ids == ranking.doc_ids


@every_way
def test_a_tie_at_the_last_place_goes_by_id(name: str, said: dict[str, Any]) -> None:
    rng = np.random.default_rng(5)
    ids = [f"d{i:03}" for i in rng.permutation(300).tolist()]
    engine = opened(name, said, {**dict.fromkeys(ids, "rope"), "other": "a lamp that shines"})
    for depth in (1, 2, 7, 50):
        assert engine.search(queries_of("rope"), depth)[0].doc_ids == tuple(sorted(ids, reverse=True)[:depth])


@every_way
@pytest.mark.parametrize("texts", [{}, {"a": ""}, {"a": "", "b": "", "c": ""}], ids=["none", "one", "three"])
def test_nothing_to_search_gives_nothing(name: str, said: dict[str, Any], texts: dict[str, str]) -> None:
    engine = opened(name, said, texts)
    engine.prepare()
    assert [len(ranking) for ranking in engine.search(queries_of("tent", ""), 10)] == [0, 0]
    assert set(engine.notes) == {"index"}


@by_vectors
def test_vectors_are_ranked_as_exact_search_ranks_them(name: str, said: dict[str, Any]) -> None:
    """The scores differ by what 32 bits leave, so documents may change places only where theirs nearly tie."""
    words = ["red", "green", "tent", "lamp", "rope", "lake", "night", "camp", "boat", "fire"]
    rng = np.random.default_rng(11)
    texts = {f"d{i}": " ".join(rng.choice(words, rng.integers(0, 6))) for i in range(300)}
    queries = queries_of(*(" ".join(rng.choice(words, 3)) for _ in range(20)), "")
    theirs = opened(name, said, texts).search(queries, 400)
    ours = opened("dense", {key: said[key] for key in ("model", "similarity") if key in said}, texts).search(
        queries, 400
    )
    assert len(ours[0]) < 300  # empty texts have no vector
    for one, other in zip(theirs, ours, strict=True):
        assert set(one.doc_ids) == set(other.doc_ids)
        exact = dict(zip(other.doc_ids, other.scores.tolist(), strict=True))
        near = 3e-6 * max(1, np.abs(other.scores).max(initial=0))
        assert np.abs(one.scores - other.scores).max(initial=0) < near
        assert max((abs(exact[doc] - s) for doc, s in zip(one.doc_ids, one.scores, strict=True)), default=0) < near


# ---- how it is used -------------------------------------------------------------------------------


@every_way
def test_threads_that_come_at_once_get_what_one_gets(name: str, said: dict[str, Any]) -> None:
    texts = {f"d{i}": f"tent {i % 7} {'lake' if i % 3 else 'lamp'}" for i in range(200)}
    queries = [Query(f"q{i}", f"tent {i % 7} lake") for i in range(40)]
    alone = opened(name, said, texts)
    expected = [(r.doc_ids, r.scores.tolist()) for r in alone.search(queries, 20)]
    engine = opened(name, said, texts)  # not built yet: the threads build it together
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: engine.search([query], 20)[0], queries))
    assert [(r.doc_ids, r.scores.tolist()) for r in found] == expected


@every_way
def test_two_indexes_of_the_same_documents_say_the_same(name: str, said: dict[str, Any]) -> None:
    first, second = opened(name, said, TEXTS), opened(name, said, TEXTS)
    assert first.notes == second.notes == {}
    assert first.observed == {}
    for engine in (first, second):
        engine.prepare()
    assert first.notes == second.notes
    assert first.notes["index"].startswith("7 documents") or "model" in said
    assert first.observed["index_seconds"] > 0


@pytest.mark.parametrize(("name", "said", "libraries"), [(name, *rest) for name, rest in WAYS.items()], ids=list(WAYS))
def test_a_missing_library_is_an_error_before_anything_runs(
    name: str, said: dict[str, Any], libraries: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, libraries[0], None)
    with raises(MissingExtra, f"The engine {name.split()[0]}", "pip install"):
        opened(name.split()[0], said, TEXTS)


@every_way
def test_a_field_that_is_not_there_is_an_error(name: str, said: dict[str, Any]) -> None:
    with raises(UnknownName, "'titel'", "text"):
        opened(name, {**said, "fields": ["titel"]}, TEXTS)


# ---- what they share ------------------------------------------------------------------------------


def test_numbers_go_by_bytes_of_the_id_descending() -> None:
    ids = ("a", "é", "z", "\udcff", "aa", "")
    assert [ids[place] for place in numbered(ids)] == list(Ranking.of(ids, [0.0] * len(ids)).doc_ids)


def test_what_c_cannot_hold_is_replaced() -> None:
    assert holdable("a\0b \ud800 é") == "a b ? é"


def test_scores_that_differ_in_the_seventh_digit_tie() -> None:
    assert len(set(significant([12.34567, 12.345671, 0.00012345671, 0.00012345674], 6).tolist())) == 2


def test_a_build_that_fails_is_tried_again() -> None:
    tries: list[int] = []

    def build() -> int:
        tries.append(1)
        if len(tries) == 1:
            raise OSError("full")
        return 7

    once = Once(build)
    with pytest.raises(OSError, match="full"):
        once()
    assert once.built is None
    assert (once(), once(), len(tries)) == (7, 7, 2)
