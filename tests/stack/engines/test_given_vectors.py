"""Vectors that a team has already: each form of file reads alike, and what does not match is refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.models import tiny

from rankproof.errors import InputError, UnknownName, Unreadable, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Query, Rewritten
from rankproof.stack.models.vector_files import read_vector_file
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of

DENSE = shelf.find("engines", "dense")
# Ids with a blank, of another script, and one that looks like a number.
IDS = ("a b", "é6", "7", "t1")
ROWS = np.array([[1, 0], [0.6, 0.8], [0, 2], [0, 1]], np.float32)
TEXTS = dict.fromkeys(IDS, "a text")
QUERIES = [Query("q1", "one"), Query("q 2", "two")]
QUERY_ROWS = np.array([[0, 1], [3, 4]], np.float32)


def opened(folder: Path, texts: Any = TEXTS, **said: Any) -> Any:
    return DENSE.open(parameters_of(DENSE, **said), Ground(corpus_of(texts), folder=str(folder)))


def npy(path: Path, ids: Any, rows: Any) -> None:
    np.save(path.with_suffix(".npy"), rows)
    path.with_suffix(".ids.txt").write_text("".join(f"{i}\n" for i in ids), "utf-8")


def npy_json(path: Path, ids: Any, rows: Any) -> None:
    np.save(path.with_suffix(".npy"), rows)
    path.with_suffix(".ids.json").write_text(json.dumps([int(i) if i.isdecimal() else i for i in ids]))


def npz(path: Path, ids: Any, rows: Any) -> None:
    np.savez_compressed(path.with_suffix(".npz"), ids=np.array(ids), vectors=rows)


def jsonl(path: Path, ids: Any, rows: Any) -> None:
    lines = (json.dumps({"id": i, "vector": row.tolist()}) for i, row in zip(ids, rows, strict=True))
    path.with_suffix(".jsonl").write_text("\n".join(lines) + "\n\n")


def jsonl_gz(path: Path, ids: Any, rows: Any) -> None:
    jsonl(path, ids, rows)
    plain = path.with_suffix(".jsonl")
    path.with_suffix(".gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()


def parquet(path: Path, ids: Any, rows: Any) -> None:
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"_id": list(ids), "embedding": [row.tolist() for row in rows]})
    files.write_table(table, path.with_suffix(".parquet"))


def parquet_fixed(path: Path, ids: Any, rows: Any) -> None:
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    column = arrow.FixedSizeListArray.from_arrays(arrow.array(rows.ravel()), rows.shape[1])
    files.write_table(arrow.table({"id": list(ids), "vector": column}), path.with_suffix(".parquet"))


FORMS: dict[str, tuple[Callable[[Path, Any, Any], None], str]] = {
    "npy": (npy, ".npy"),
    "npy_json": (npy_json, ".npy"),
    "npz": (npz, ".npz"),
    "jsonl": (jsonl, ".jsonl"),
    "jsonl_gz": (jsonl_gz, ".gz"),
    "parquet": (parquet, ".parquet"),
    "parquet_fixed": (parquet_fixed, ".parquet"),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_ranking_by_hand(form: str, tmp_path: Path) -> None:
    write, ending = FORMS[form]
    write(tmp_path / "docs", IDS, ROWS)
    write(tmp_path / "queries", ["q1", "q 2", "another"], np.vstack([QUERY_ROWS, [[1, 1]]]).astype(np.float32))
    engine = opened(tmp_path, vectors=f"docs{ending}", query_vectors=f"queries{ending}", similarity="dot")
    one, two = engine.search(QUERIES, 10)
    # q1 is (0, 1): the second numbers; q 2 is (3, 4): 3, 1.8 + 3.2, 8, 4
    assert dict(zip(one.doc_ids, one.scores.tolist(), strict=True)) == {"7": 2, "t1": 1, "é6": 0.8, "a b": 0}
    assert dict(zip(two.doc_ids, two.scores.tolist(), strict=True)) == {"7": 8, "é6": 5, "t1": 4, "a b": 3}
    cosine = opened(tmp_path, vectors=f"docs{ending}", query_vectors=f"queries{ending}").search(QUERIES[1:], 2)[0]
    assert dict(zip(cosine.doc_ids, cosine.scores.tolist(), strict=True)) == {"é6": 1, "t1": 0.8}
    assert {*engine.identity} == {"corpus", "vectors", "query_vectors"}
    assert engine.notes == {}


def test_no_model_is_looked_for_where_both_are_files(tmp_path: Path) -> None:
    jsonl(tmp_path / "docs", IDS, ROWS)
    jsonl(tmp_path / "queries", ["q1", "q 2"], QUERY_ROWS)
    said = {"vectors": "docs.jsonl", "query_vectors": "queries.jsonl", "model": "no-such-model-anywhere"}
    assert len(opened(tmp_path, **said).search(QUERIES, 3)[0]) == 3
    with raises(UsageError, "no-such-model-anywhere"):
        opened(tmp_path, vectors="docs.jsonl", model="no-such-model-anywhere")


def test_the_identity_follows_the_bytes_of_vectors_and_ids(tmp_path: Path) -> None:
    hashes = set()
    for ids, rows in ((IDS, ROWS), (IDS, ROWS * 2), (IDS[::-1], ROWS)):
        npy(tmp_path / "docs", ids, rows)
        hashes.add(read_vector_file(str(tmp_path / "docs.npy")).content_hash)
    assert len(hashes) == 3


def test_the_graph_walks_over_vectors_from_a_file_too(tmp_path: Path) -> None:
    pytest.importorskip("usearch")
    rng = np.random.default_rng(0)
    rows, ids = rng.normal(size=(200, 8)).astype(np.float32), [f"d{i:03}" for i in range(200)]
    npz(tmp_path / "docs", ids, rows)
    npz(tmp_path / "queries", ["q1"], rows[7:8])
    said = {"vectors": "docs.npz", "query_vectors": "queries.npz"}
    graph = opened(tmp_path, dict.fromkeys(ids, "text"), search="hnsw", **said)
    (found,) = graph.search(QUERIES[:1], 5)
    assert (found.doc_ids[0], found.scores[0]) == ("d007", 1)
    assert list(graph.notes) == ["hnsw recall@5"]


# ---- what does not match --------------------------------------------------------------------------


def test_documents_and_vectors_must_match_unless_they_may_be_dropped(tmp_path: Path) -> None:
    jsonl(tmp_path / "docs", ["a b", "é6", "elsewhere"], ROWS[:3])
    jsonl(tmp_path / "queries", ["q1"], QUERY_ROWS[:1])
    said = {"vectors": "docs.jsonl", "query_vectors": "queries.jsonl"}
    with raises(InputError, "2 documents", "7, t1", "1 vector", "elsewhere", "missing='drop'"):
        opened(tmp_path, **said)
    engine = opened(tmp_path, missing="drop", **said)
    assert engine.search(QUERIES[:1], 10)[0].doc_ids == ("é6", "a b")
    assert engine.notes == {
        "without vectors": "2 documents of 4 cannot be found",
        "vectors of no document": "1 of 3 were left out",
    }
    with raises(InputError, "1 document", "3 vectors", "a b", "other"):
        opened(tmp_path, {"other": "text"}, missing="drop", **said)


def test_a_query_without_a_vector_is_refused_and_not_taken_for_one_that_finds_nothing(tmp_path: Path) -> None:
    jsonl(tmp_path / "docs", IDS, ROWS)
    jsonl(tmp_path / "queries", ["q1"], QUERY_ROWS[:1])
    engine = opened(tmp_path, vectors="docs.jsonl", query_vectors="queries.jsonl")
    with raises(InputError, "1 query", "q 2"):
        engine.search(QUERIES, 10)
    with raises(UsageError, "rewrite", "model"):
        engine.search([Rewritten("q1", "other words")], 10)


def test_dimensions_must_be_those_of_the_queries(tmp_path: Path) -> None:
    jsonl(tmp_path / "docs", IDS, ROWS)
    jsonl(tmp_path / "queries", ["q1"], np.ones((1, 3), np.float32))
    with raises(InputError, "2 dimensions", "3"):
        opened(tmp_path, vectors="docs.jsonl", query_vectors="queries.jsonl")
    with raises(UsageError, "query_vectors", "vectors"):
        opened(tmp_path, query_vectors="queries.jsonl")


# ---- queries by the model -------------------------------------------------------------------------


def test_a_model_for_queries_is_held_against_the_vectors_of_the_file(tmp_path: Path) -> None:
    """The vectors that the model made give what the model gives; those of another model are noticed."""
    for name in ("onnxruntime", "tokenizers", "safetensors"):
        pytest.importorskip(name)
    tiny.model(tmp_path / "model")
    tiny.model(tmp_path / "other", tensors=tiny.weights(seed=5))
    texts = {"a": "red tent", "b": "green lamp", "c": "rope", "d": "lamp rope green"}
    queries = [Query("q1", "red tent"), Query("q2", "lamp")]
    own = opened(tmp_path, texts, model="model")
    jsonl(tmp_path / "docs", own.encoded.doc_ids, own.encoded.vectors)
    given = opened(tmp_path, texts, model="model", vectors="docs.jsonl")
    for one, other in zip(own.search(queries, 4), given.search(queries, 4), strict=True):
        assert (one.doc_ids, one.scores.tolist()) == (other.doc_ids, other.scores.tolist())
    assert given.notes == {"the model on documents": "mean cosine 1.00 with 4 vectors of the file"}
    strange = np.random.default_rng(3).normal(size=(4, tiny.SIZE)).astype(np.float32)
    jsonl(tmp_path / "strange", list(texts), strange)
    assert (
        "another model"
        in opened(tmp_path, texts, model="model", vectors="strange.jsonl").notes["the model on documents"]
    )
    jsonl(tmp_path / "narrow", list(texts), strange[:, :3])
    with raises(InputError, "3 dimensions", str(tiny.SIZE)):
        opened(tmp_path, texts, model="model", vectors="narrow.jsonl").search(queries, 4)
    with raises(UnknownName, "'titel'", "text"):
        opened(tmp_path, texts, model="model", vectors="docs.jsonl", fields=["titel"])


# ---- files that are none --------------------------------------------------------------------------


def bad(rows: Any, at: tuple[int, int], value: float) -> Any:
    changed = rows.copy()
    changed[at] = value
    return changed


@pytest.mark.parametrize(
    ("ids", "rows", "words"),
    [
        (IDS, bad(ROWS, (1, 0), np.nan), ("1 vector", "é6", "NaN")),
        (IDS, bad(ROWS, (2, 1), np.inf), ("not finite", "7")),
        (IDS, ROWS * [[1], [0], [1], [0]], ("2 vectors", "zeros", "é6, t1")),
        (("a", "b", "a", "b"), ROWS, ("2 ids", "a, b", "more than once")),
        (IDS[:3], ROWS, ("3 ids", "4 vectors")),
        (IDS, ROWS[:, 0], ("shape (4,)",)),
        (IDS, np.array([["x"] * 2] * 4), ("<U1",)),
        (IDS, ROWS.astype(np.complex64), ("complex64",)),
        ((), ROWS[:0], ("no vector",)),
        ((1.5, 2, 3, 4), ROWS, ("row 1", "1.5")),
    ],
)
def test_rows_that_cannot_be_are_refused(ids: Any, rows: Any, words: tuple[str, ...], tmp_path: Path) -> None:
    np.savez(tmp_path / "docs.npz", ids=np.array(ids), vectors=rows)
    with raises(InputError, "docs.npz", *words):
        read_vector_file(str(tmp_path / "docs.npz"))


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"id": "b", "vector": [1, 2, 3]}', ("line 2", "'b'", "3 dimensions", "2")),
        ('{"id": "b", "vector": [NaN, 1]}', ("line 2", "NaN")),
        ('{"id": "b", "vector": [1, null]}', ("line 2", "list of numbers")),
        ('{"id": "b", "vector": [true, 1]}', ("line 2", "list of numbers")),
        ('{"id": "b", "vector": [[1], [2]]}', ("line 2", "list of numbers")),
        ('{"id": "b", "vector": []}', ("line 2", "list of numbers")),
        ('{"id": "b", "vector": "1 2"}', ("line 2", "list of numbers")),
        ('{"id": "b"}', ("line 2", "vector", "embedding")),
        ('{"id": "b", "vector": [1, 2], "embedding": [1, 2]}', ("vector and embedding", "one of them")),
        ('{"id": null, "vector": [1, 2]}', ("row 2", "None")),
        ('{"id": true, "vector": [1, 2]}', ("row 2", "True")),
        ("[1, 2]", ("line 2", "object")),
        ('{"id": "b", "vec', ("line 2", "not JSON")),
    ],
)
def test_lines_that_cannot_be_are_refused(line: str, words: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": "a", "vector": [1, 2]}\n' + line + "\n")
    with raises(InputError, "docs.jsonl", *words):
        read_vector_file(str(path))


def test_huge_numbers_and_numbers_for_ids(tmp_path: Path) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text('{"id": 7, "vector": [1, 2]}\n{"id": "seven", "vector": [1, 1e300]}\n')
    with raises(InputError, "1 vector", "seven", "not finite"):
        read_vector_file(str(path))
    path.write_text('{"id": 7, "vector": [1, 2]}\n')
    assert read_vector_file(str(path)).ids == ("7",)


def test_files_that_hold_no_vectors(tmp_path: Path) -> None:
    np.save(tmp_path / "objects.npy", np.array([{}, []], dtype=object))
    np.save(tmp_path / "alone.npy", ROWS)
    (tmp_path / "objects.ids.txt").write_text("a\nb\n")
    np.savez(tmp_path / "named.npz", names=np.array(IDS), vectors=ROWS)
    np.savez(tmp_path / "objects.npz", ids=np.array(list(IDS), dtype=object), vectors=ROWS)
    np.savez(tmp_path / "cut.npz", ids=np.array(IDS), vectors=ROWS)
    (tmp_path / "cut.npz").write_bytes((tmp_path / "cut.npz").read_bytes()[:-40])
    (tmp_path / "empty.jsonl").write_text("")
    (tmp_path / "other.bin").write_bytes(b"\x00\x01\x02")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    for name, words in {
        "objects.npy": ("objects", "<U"),
        "alone.npy": ("alone.ids.txt", "alone.ids.json"),
        "named.npz": ("ids", "names"),
        "objects.npz": ("objects.npz, ids.npy", "<U"),
        "cut.npz": ("damaged",),
        "empty.jsonl": ("empty", ".npz"),
        "other.bin": (".npy", "Parquet"),
        "cut.parquet": ("Parquet",),
    }.items():
        if name == "cut.parquet":
            pytest.importorskip("pyarrow")
        with raises(InputError, name, *words):
            read_vector_file(str(tmp_path / name))
    with raises(Unreadable, "nowhere.npy"):
        read_vector_file(str(tmp_path / "nowhere.npy"))


def test_columns_of_parquet_that_cannot_be(tmp_path: Path) -> None:
    arrow, files = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "docs.parquet"
    for columns, words in (
        ({"id": ["a", "b"], "vector": [[1.0, 2], [1.0]]}, ("from 1 to 2 dimensions",)),
        ({"id": ["a", "b"], "vector": [[1.0, None], [1.0, 2]]}, ("null",)),
        ({"id": ["a", "b"], "vector": [[1.0, 2], None]}, ("null",)),
        ({"id": ["a", None], "vector": [[1.0, 2], [2.0, 1]]}, ("row 2", "None")),
        ({"id": ["a", "b"], "vector": [["x"], ["y"]]}, ("lists of numbers", "string")),
        ({"id": ["a", "b"], "vector": [1.0, 2]}, ("lists of numbers", "double")),
        ({"name": ["a"], "vector": [[1.0]]}, ("doc_id", "name")),
    ):
        files.write_table(arrow.table(columns), path)
        with raises(InputError, "docs.parquet", *words):
            read_vector_file(str(path))
