"""Documents beside a run: what every query saw of them, and that no file is trusted further than it goes."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.reading.hit_documents import HitDocuments, documents_beside, path_beside, read_hit_documents

_IDS = st.sampled_from(["a", "b", "\u00fc", "q\udc80"])
_FIELDS = st.dictionaries(
    st.sampled_from(["title", "snippet", "price"]), st.sampled_from(["x", " ", "ü\n", "\ud800", "7"]), max_size=3
)


def written(read: HitDocuments, path: Path) -> HitDocuments:
    path.write_bytes(b"".join(read.pieces()))
    return read_hit_documents(str(path))


@given(said=st.dictionaries(st.tuples(_IDS, _IDS), _FIELDS))
def test_every_pair_is_shown_as_it_was_said(
    said: Mapping[tuple[str, str], dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    read = HitDocuments.of((query, doc, fields) for (query, doc), fields in said.items())
    again = written(read, tmp_path_factory.getbasetemp() / "said.jsonl")
    for (query, doc), fields in said.items():
        assert again.shown(query, doc) == read.shown(query, doc) == fields
    assert b"".join(again.pieces()) == b"".join(read.pieces())


def test_a_snippet_is_of_its_query_also_where_only_one_had_it() -> None:
    read = HitDocuments.of([("q1", "a", {"title": "A", "snippet": "for q1"})])
    assert read.documents == {"a": {"title": "A"}}
    assert read.shown("q2", "a") == {"title": "A"}


def test_a_price_that_changed_meanwhile_is_told_for_each_query() -> None:
    read = HitDocuments.of([("q1", "a", {"price": "1"}), ("q2", "a", {"price": "2"}), ("q3", "a", {"price": "1"})])
    assert [read.shown(query, "a")["price"] for query in ("q1", "q2", "q3")] == ["1", "2", "1"]
    assert set(read.pairs) == {("q2", "a")}


HEAD = '{"schema": "hit-documents/1", "run": "", "documents": 1, "pairs": 0}\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ("empty",)),
        ('{"doc_id": "a", "fields": {}}\n', ("line 1", "hit-documents/1")),
        (HEAD, ("0 documents", "promises 1", "cut or edited")),
        (HEAD + '{"doc_id": "a", "fields": {}}\n' * 2, ("line 3", "'a'", "twice")),
        (HEAD + '{"doc_id": "a", "fields": {"price": 3}}\n', ("line 2", "'a'", "text")),
        (HEAD + '{"doc_id": 7, "fields": {}}\n', ("line 2", "doc_id")),
        (HEAD + '{"doc_id": "a", "fie', ("line 2",)),
        (HEAD + "[1]\n", ("line 2",)),
        ("<html>\n", ("line 1",)),
    ],
)
def test_what_is_no_such_file_is_refused_with_its_line(text: str, told: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "x.documents.jsonl"
    path.write_text(text)
    with raises(InputError, str(path), *told):
        read_hit_documents(str(path))


def test_documents_of_another_version_of_the_run_are_refused(tmp_path: Path) -> None:
    run = tmp_path / "live.run"
    run.write_text("q1 Q0 a 1 1.0 live\n")
    assert documents_beside(str(run)) is None
    digest = sha256(run.read_bytes()).hexdigest()
    read = HitDocuments.of([("q1", "a", {"title": "A"})], digest)
    Path(path_beside(str(run))).write_bytes(b"".join(read.pieces()))
    beside = documents_beside(str(run))
    assert beside is not None
    assert beside.documents == {"a": {"title": "A"}}
    run.write_text("q1 Q0 b 1 1.0 live\n")
    with raises(InputError, "another version", "--documents"):
        documents_beside(str(run))
