"""BM25 in the core: the same rankings, to the last bit, as bm25s over plain arrays in NumPy; and what it refuses."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.effort import FULL
from tests.stack.engines.random_texts import text_of

from rankproof.core import Bm25, DamagedIndex, TermIndex, TextFile, WordCounter, descending_places
from rankproof.kernel import shelf
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.engines._terms import RUNS, STEMMERS, STOP_LISTS, WORDS
from rankproof.stack.engines.bm25 import VARIANTS, weights_of
from rankproof.stack.records import Ground
from rankproof.testing.rankings import parameters_of

BM25 = shelf.find("engines", "bm25")


# ---- the reference: whole arrays, one number for each posting ------------------------------------


def _impacts(start: NDArray[Any], doc: Any, tf: Any, length: Any, values: dict[str, Any]) -> NDArray[np.float64]:
    k1, b, delta, variant = values["k1"], values["b"], values["delta"], values["variant"]
    n = len(length)
    mean = float(length.sum()) / max(n, 1)
    long = 1 - b + b * length[doc] / mean
    df = np.diff(start)
    if variant == "bm25l":
        c = tf / long + delta
        part = (k1 + 1) * c / (k1 + c)
    elif variant == "bm25+":
        part = (k1 + 1) * tf / (k1 * long + tf) + delta
    elif variant == "atire":
        part = (k1 + 1) * tf / (k1 * long + tf)
    else:
        part = tf / (k1 * long + tf)
    if variant == "lucene":
        rarity = np.log(1 + (n - df + 0.5) / (df + 0.5))
    elif variant == "robertson":
        rarity = np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1))
    elif variant == "atire":
        rarity = np.log(n / df)
    else:
        rarity = np.log((n + 1) / (df + 0.5 if variant == "bm25l" else df))
    return part * np.repeat(rarity, df)


def reference(corpus: Corpus, queries: Sequence[str], depth: int, values: dict[str, Any]) -> list[dict[str, float]]:
    """bm25s tokenizes and adds up; everything between is arrays with a number for each posting."""
    import bm25s
    import Stemmer

    options = {
        "lower": values["lowercase"],
        "token_pattern": values["words"],
        "stopwords": None if values["stop_words"] == "none" else values["stop_words"],
        "stemmer": None if values["stemming"] == "none" else Stemmer.Stemmer(values["stemming"]),
        "show_progress": False,
        "return_ids": False,
    }
    fields = [
        (bm25s.tokenize(list(corpus.fields[f]), **options), w) for f, w in weights_of(values["fields"], corpus).items()
    ]
    terms = sorted({term for texts, _ in fields for text in texts for term in text})
    number = {term: i for i, term in enumerate(terms)}
    length = np.sum([np.array([float(len(text)) for text in texts]) * weight for texts, weight in fields], axis=0)
    often: dict[tuple[int, int], float] = {}
    for texts, weight in fields:
        for doc, text in enumerate(texts):
            for term, count in Counter(text).items():
                key = (number[term], doc)
                often[key] = often.get(key, 0.0) + count * weight
    pairs = sorted(often)
    at = np.array([term for term, _ in pairs], dtype=np.int64)
    doc = np.array([doc for _, doc in pairs], dtype=np.int32)
    tf = np.array([often[pair] for pair in pairs], dtype=np.float64)
    start = np.searchsorted(at, np.arange(len(terms) + 1)).astype(np.int64)
    index = bm25s.BM25(dtype="float64")
    index.nonoccurrence_array = None
    data = _impacts(start, doc, tf, length, values) if len(tf) else tf
    index.scores = {"data": data, "indices": doc, "indptr": start, "num_docs": len(corpus)}
    answers = []
    for words in bm25s.tokenize(list(queries), **options):
        numbers = [number[word] for word in words if word in number]
        scores = index.get_scores_from_ids(numbers) if numbers else np.zeros(len(corpus))
        docs = [int(i) for i in np.flatnonzero(scores > 0)]
        docs.sort(key=lambda i: corpus.doc_ids[i].encode("utf-8", "surrogateescape"), reverse=True)
        docs.sort(key=lambda i: -scores[i])
        answers.append({corpus.doc_ids[i]: float(scores[i]) for i in docs[:depth]})
    return answers


def answers_of(corpus: Corpus, queries: Sequence[str], depth: int, values: dict[str, Any]) -> list[dict[str, float]]:
    searcher: Any = BM25.open(values, Ground(corpus))
    rankings = searcher.search([Query(str(i), text) for i, text in enumerate(queries)], depth)
    return [dict(zip(one.doc_ids, one.scores.tolist(), strict=True)) for one in rankings]


def same(a: list[dict[str, float]], b: list[dict[str, float]]) -> bool:
    """The same documents in the same order with the same doubles."""
    return [list(one.items()) for one in a] == [list(one.items()) for one in b]


def random_case(rng: random.Random) -> tuple[Corpus, list[str], int, dict[str, Any]]:
    size = rng.choice((1, 2, 5, 40))
    ids = [f"d{i}" if rng.random() < 0.9 else f"ü{i}\0" for i in range(size)]
    rng.shuffle(ids)
    fields = rng.choice((("text",), ("title", "text"), ("a", "b", "c")))
    columns = {field: tuple(text_of(rng, 12) if rng.random() < 0.9 else "" for _ in ids) for field in fields}
    weighted = {field: rng.choice((1, 1, 0.1, 2.5, 7)) for field in rng.sample(fields, rng.randint(1, len(fields)))}
    said = {
        "k1": rng.choice((0, 0.9, 1.2, 1.5, 1000, rng.random() * 3)),
        "b": rng.choice((0, 0.4, 0.75, 1, rng.random())),
        "delta": rng.choice((0, 0.5, rng.random() * 9)),
        "variant": rng.choice(VARIANTS),
        "stemming": rng.choice(("none", "english", "english", "turkish", "greek", rng.choice(STEMMERS))),
        "stop_words": rng.choice(("none", "english", rng.choice(STOP_LISTS))),
        "words": rng.choice((WORDS, WORDS, *RUNS, r"\S+", r"[a-z]+", r"(\w)\w*", r"\w*")),
        "lowercase": rng.random() < 0.8,
        **({"fields": weighted} if rng.random() < 0.6 else {}),
    }
    if "\udcff" in "".join("".join(column) for column in columns.values()):
        said["stemming"] = "none"  # PyStemmer takes no surrogates
    queries = [text_of(rng, 6).replace("\udcff", "?") for _ in range(4)] + ["tent tent lamp"]
    return Corpus(tuple(ids), columns), queries, rng.choice((1, 3, 10, 1000)), parameters_of(BM25, **said)


@pytest.mark.parametrize("seed", range(4))
def test_rankings_are_those_of_bm25s_over_whole_arrays(seed: int) -> None:
    pytest.importorskip("bm25s", reason="the extra stack is not installed")
    rng = random.Random(seed)
    for _ in range(1000 if FULL else 40):
        corpus, queries, depth, values = random_case(rng)
        found, expected = answers_of(corpus, queries, depth, values), reference(corpus, queries, depth, values)
        assert same(found, expected), (corpus.fields, queries, depth, values)


# ---- counting ------------------------------------------------------------------------------------


def counted(texts: Sequence[str], block: int = 3) -> TermIndex:
    counter = WordCounter(lambda words: [None if word == "the" else word for word in words], 1, True)
    for begin in range(0, len(texts), block):
        counter.add_texts(texts, begin, min(begin + block, len(texts)))
    return counter.finish()


def columns_of(index: TermIndex) -> dict[str, NDArray[Any]]:
    names = ("term_data", "term_start", "start", "having", "length", "data")
    return {name: getattr(index, name).copy() for name in names}


def unpacked(index: TermIndex) -> dict[str, dict[int, int]]:
    """The postings of each term, read as postings.hpp writes them."""
    out = {}
    for i in range(len(index)):
        term = index.term_data[index.term_start[i] : index.term_start[i + 1]].tobytes().decode()
        numbers = iter(_numbers(index.data[index.start[i] : index.start[i + 1]].tolist()))
        doc, out[term] = -1, {}
        for number in numbers:
            doc += (number >> 1) + 1
            out[term][doc] = next(numbers) if number & 1 else 1
    return out


def _numbers(data: list[int]) -> list[int]:
    out, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            out.append(value)
            value = shift = 0
    return out


@pytest.mark.parametrize("block", [1, 7, 1000])
def test_counts_are_those_of_a_counter(block: int) -> None:
    rng = random.Random(block)
    texts = [
        " ".join(rng.choice(("a", "b", "the", "é", f"w{rng.randrange(300)}")) for _ in range(rng.randrange(9)))
        for _ in range(400)
    ]
    texts[200] = "often " * 70_000 + "zz"
    index = counted(texts, block)
    expected: dict[str, dict[int, int]] = {}
    for doc, text in enumerate(texts):
        for term, often in Counter(text.split()).items():
            if term != "the":
                expected.setdefault(term, {})[doc] = often
    assert unpacked(index) == expected
    assert list(unpacked(index)) == sorted(expected, key=str.encode)
    assert index.having.tolist() == [len(expected[term]) for term in unpacked(index)]
    assert index.length.tolist() == [sum(word != "the" for word in text.split()) for text in texts]
    assert index.size == len(index.data)


def test_gaps_of_any_size() -> None:
    """Postings of two and three bytes: documents far apart."""
    texts = ["x"] + [""] * 63 + ["x"] + [""] * 64 + ["x x"] + [""] * 9000 + ["x"]
    assert unpacked(counted(texts))["x"] == {0: 1, 64: 1, 129: 2, 9130: 1}


def test_only_strings_are_counted() -> None:
    with pytest.raises(ValueError, match="str, not int"):
        WordCounter(lambda words: words, 1, True).add_texts([1], 0, 1)  # type: ignore[arg-type, list-item]
    with pytest.raises(ValueError, match="each word must have a term"):
        WordCounter(lambda words: [], 1, True).add_texts(["a"], 0, 1)
    with pytest.raises(IndexError):
        WordCounter(lambda words: list(words), 1, True).add_texts(["a"], 0, 2)


# ---- what is refused -----------------------------------------------------------------------------

TEXTS = ("red tent", "green tent tent", "the", "", "lamp " * 9)


def scored(index: TermIndex, terms: list[str]) -> tuple[list[int], list[float]]:
    n = len(index.length)
    bm25 = Bm25((index,), (1.0,), np.ones(n), "lucene", 1.0, 0.0)
    docs, scores = bm25.best(terms, np.ones(len(terms)), np.arange(n, dtype=np.int32), 10)
    return docs.tolist(), scores.tolist()


def test_columns_come_back() -> None:
    index = counted(TEXTS)
    again = TermIndex.from_columns(**columns_of(index))
    assert unpacked(again) == unpacked(index)
    assert scored(again, ["tent"]) == scored(index, ["tent"]) == ([1, 0], [2 / 3, 0.5])


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("term_start", lambda c: c + 1),
        ("term_start", lambda c: c[::-1].copy()),
        ("term_start", lambda c: c[[0, 2, 1, 3, 4]]),
        ("term_start", lambda c: np.array([0, 2**62, 2**62, 2**62, c[-1]])),
        ("start", lambda c: c[[0, 2, 1, 3, 4]]),
        ("start", lambda c: np.array([0, -1, 3, 4, c[-1]])),
        ("term_start", lambda c: c[:-1].copy()),
        ("term_start", lambda c: c[:0].copy()),
        ("term_data", lambda c: c[:-1].copy()),
        ("term_data", lambda c: c[::-1].copy()),
        ("start", lambda c: c * 2),
        ("start", lambda c: c - 1),
        ("start", lambda c: c * 0),
        ("start", lambda c: np.append(c, c[-1])),
        ("having", lambda c: c * 0),
        ("having", lambda c: c + 5),
        ("having", lambda c: c[1:].copy()),
        ("length", lambda c: c[:0].copy()),
        ("data", lambda c: c[:-1].copy()),
        ("data", lambda c: np.append(c, c[-1])),
    ],
)
def test_columns_that_point_beyond_others_are_refused(column: str, change: Any) -> None:
    columns = columns_of(counted(TEXTS))
    columns[column] = change(columns[column])
    with pytest.raises(DamagedIndex):
        TermIndex.from_columns(**columns)


def test_any_postings_are_read_or_refused() -> None:
    """Whatever stands in them, no document beyond the last one is scored."""
    columns = columns_of(counted(TEXTS))
    rng, refused = np.random.default_rng(1), 0
    for _ in range(500):
        columns["data"] = rng.integers(0, 256, len(columns["data"]), dtype=np.uint8)
        index = TermIndex.from_columns(**columns)
        for term in ("tent", "lamp", "red"):
            try:
                docs, _ = scored(index, [term])
            except DamagedIndex:
                refused += 1
            else:
                assert all(0 <= doc < len(TEXTS) for doc in docs)
    assert 0 < refused < 1500


@pytest.mark.parametrize(
    ("data", "docs"),
    [
        (b"\x08", [4]),  # document 4 of 5, once
        (b"\x0a", None),  # document 5
        (b"\x80", None),  # a number that does not end
        (b"\x01", None),  # a document with a count that is not there
        (b"\x01\x02", [0]),
        (b"\x01\x82", None),
        (b"\x80" * 8 + b"\x00", [0]),  # more bytes than it needs
        (b"\x80" * 9 + b"\x01", None),  # more bits than there may be
        (b"\x00\x08", None),  # document 0, and four further on: beyond the last
        (b"\x00\x06", [4, 0]),
    ],
)
def test_postings_of_one_term_are_read_to_the_last_bit(data: bytes, docs: list[int] | None) -> None:
    index = TermIndex.from_columns(
        term_data=np.frombuffer(b"x", np.uint8),
        term_start=np.array([0, 1]),
        start=np.array([0, len(data)]),
        having=np.array([1], dtype=np.uint32),
        length=np.ones(5, dtype=np.uint32),
        data=np.frombuffer(data, np.uint8),
    )
    if docs is None:
        with pytest.raises(DamagedIndex):
            scored(index, ["x"])
    else:
        assert sorted(scored(index, ["x"])[0]) == sorted(docs)


def test_postings_in_a_file_are_those_in_memory_and_a_shorter_file_is_told(tmp_path: Any) -> None:
    columns = columns_of(counted(TEXTS))
    data = columns.pop("data")
    path = tmp_path / "postings"
    path.write_bytes(b"head" + data.tobytes())
    index = TermIndex.in_file(**columns, file=TextFile(str(path)), begin=4)
    assert not index.in_memory
    assert not len(index.data)
    assert scored(index, ["tent", "lamp"]) == scored(counted(TEXTS), ["tent", "lamp"])
    with pytest.raises(DamagedIndex):
        TermIndex.in_file(**columns, file=TextFile(str(path)), begin=5)
    path.write_bytes(b"head")
    with pytest.raises(OSError, match="changed"):
        scored(index, ["tent"])


def test_arrays_of_other_sizes_are_refused() -> None:
    index = counted(TEXTS)
    with pytest.raises(ValueError, match="same documents"):
        Bm25((index,), (1.0,), np.ones(4), "lucene", 1.0, 0.0)
    with pytest.raises(ValueError, match="weight"):
        Bm25((index,), (), np.ones(5), "lucene", 1.0, 0.0)
    with pytest.raises(ValueError, match="index"):
        Bm25((None,), (1.0,), np.ones(5), "lucene", 1.0, 0.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="variant"):
        Bm25((index,), (1.0,), np.ones(5), "bm26", 1.0, 0.0)
    bm25 = Bm25((index,), (1.0,), np.ones(5), "lucene", 1.0, 0.0)
    with pytest.raises(ValueError, match="rarity"):
        bm25.best(["tent"], np.ones(2), np.arange(5, dtype=np.int32), 1)
    with pytest.raises(ValueError, match="place"):
        bm25.best(["tent"], np.ones(1), np.arange(4, dtype=np.int32), 1)


def test_places_descend_by_bytes() -> None:
    names = ["b", "a", "a\0", "ü", "\udcff", "z", "", "a" * 5000]
    ordered = sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
    assert [ordered.index(name) for name in names] == descending_places(names).tolist()
    assert not len(descending_places(()))
