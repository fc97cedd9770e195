"""Filling real PostgreSQL tables: killed, refused, changed, limited, and searched as dense() searches."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.live.postgres import new_database
from tests.raising import raises
from tests.stack.indexing.filling import filled, made_corpus, together

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
pytest.importorskip("wordllama", reason="the package wordllama is not installed")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
N = 120
EXACT = {"vector_index": "none"}


def modes(dsn: str, table: str, more: str = "") -> dict[str, str]:
    base = f"table={table!r}, dsn='{dsn}'"
    return {
        "words": f"postgres({base}, tsvector='words', match='any')",
        "fields": f"postgres({base}, fields='title^4 text', match='any')",
        "vectors": f"postgres({base}, mode='vector', vector_column='place', model='wordllama'{more})",
    }


def rows(dsn: str, statement: str) -> list[Any]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        found = connection.execute(statement.encode())
        return list(found.fetchall()) if found.description else []


def everything(dsn: str, table: str) -> list[Any]:
    """All rows, by a full scan."""
    return rows(dsn, f'select id, title, text, words::text, place::text from {table} order by id collate "C"')


@pytest.fixture(scope="module")
def dsn(postgres_dsn: str) -> str:
    """A database of its own; filled in one go: the table "whole"."""
    made = new_database(postgres_dsn)
    (done,) = filled(modes(made, "whole"), made_corpus(N), settings=EXACT, batch=50, sample=None)
    assert (done.outcome, done.put, done.compared, done.faults) == ("made", N, N, ())
    assert all(one.found == one.tried > 0 for one in done.searches.values())
    return made


def test_it_holds_every_document_and_says_what_it_is(dsn: str) -> None:
    corpus, there = made_corpus(N), everything(dsn, "whole")
    columns = corpus.fields["title"], corpus.fields["text"]
    assert {row[0]: row[1:3] for row in there} == dict(zip(corpus.doc_ids, zip(*columns, strict=True), strict=True))
    assert [row[0] for row in there if row[4] is None] == ["d3"]  # the empty one
    ((comment,),) = rows(dsn, "select obj_description('whole'::regclass, 'pg_class')")
    assert json.loads(comment.removeprefix("rankproof index "))["state"] == "whole"
    ((indexes,),) = rows(dsn, "select count(*) from pg_indexes where tablename = 'whole'")
    assert indexes == 2  # the key, and the words


@pytest.mark.parametrize("index", ["none", "hnsw"])
def test_vectors_are_ranked_as_dense_ranks_them(dsn: str, index: str) -> None:
    corpus, table = made_corpus(N), f"ranked_{index}"
    filled(modes(dsn, table), corpus, settings={"vector_index": index})
    queries = [Query(f"q{i}", text) for i, text in enumerate(("red tent", "number 17", "a long long rope", "boat"))]
    step = read_pipeline(modes(dsn, table, ", ef_search=1000")["vectors"])
    asker: Any = shelf.find("engines", "postgres").open(step.values, Ground(corpus))
    dense = read_pipeline("dense(model='wordllama')")
    exact: Any = shelf.find("engines", "dense").open(dense.values, Ground(corpus))
    for query, ours in zip(queries, exact.search(queries, 30), strict=True):
        theirs = asker.ask(query, 30, 20.0)
        assert theirs.scores.tolist() == pytest.approx(ours.scores.tolist(), abs=2e-6)
        own = dict(zip(ours.doc_ids, ours.scores.tolist(), strict=True))
        scores = dict(zip(theirs.doc_ids, theirs.scores.tolist(), strict=True))
        assert all(own.get(doc, min(own.values())) == pytest.approx(s, abs=4e-6) for doc, s in scores.items())
    asker.close()
    made = rows(dsn, f"select indexdef from pg_indexes where tablename = '{table}' and indexdef like '%USING hnsw%'")
    assert len(made) == (index == "hnsw")


@pytest.mark.parametrize(
    ("name", "at", "after"),
    [
        ("put", 2, True),
        pytest.param("create", 1, True, marks=pytest.mark.full),
        pytest.param("finish", 1, False, marks=pytest.mark.full),
    ],
)
def test_one_that_was_killed_goes_on_and_is_as_one_filled_in_one_go(
    name: str, at: int, after: bool, dsn: str, tmp_path: Path
) -> None:
    table = f"killed_{name}"
    said = {"modes": modes(dsn, table), "n": N, "batch": 50, "folder": str(tmp_path), "call": name, "at": at}
    command = [sys.executable, "-m", "tests.stack.indexing.filling", json.dumps({**said, "after": after})]
    assert subprocess.run(command, cwd=ROOT, timeout=120).returncode == -signal.SIGKILL
    (done,) = filled(modes(dsn, table), made_corpus(N), batch=30, sample=None)
    put = {"put": N - 100, "create": N, "finish": 0}[name]
    assert (done.outcome, done.put, done.faults) == ("resumed", put, ())
    assert everything(dsn, table) == everything(dsn, "whole")


def test_what_somebody_changed_is_found(dsn: str) -> None:
    corpus, wanted = made_corpus(N), modes(dsn, "changed")
    filled(wanted, corpus, settings=EXACT)
    for change, back, column in (
        ("title = 'else'", f"title = '{corpus.fields['title'][7]}'", "title"),
        ("place = null", "place = (select place from whole where id = 'd7')", "place"),
    ):
        rows(dsn, f"update changed set {change} where id = 'd7'")
        (done,) = filled(wanted, corpus, settings=EXACT, sample=None)
        assert "'d7'" in done.faults[0]
        assert column in done.faults[0]
        rows(dsn, f"update changed set {back} where id = 'd7'")
    assert filled(wanted, corpus, settings=EXACT, sample=None)[0].faults == ()
    rows(dsn, "delete from changed where id = 'd7'")
    (done,) = filled(wanted, corpus, settings=EXACT, sample=None)
    assert (done.outcome, done.put, done.faults) == ("resumed", 1, ())
    rows(dsn, "insert into changed (id, title, text) values ('stranger', '', '')")
    (done,) = filled(wanted, corpus, settings=EXACT)
    assert "1 more" in done.faults[0]
    (done,) = filled(wanted, corpus, settings=EXACT, replace=True)
    assert (done.outcome, done.faults) == ("made anew", ())
    rows(dsn, "alter table changed add column price int")
    with raises(UsageError, "'changed'", "another mapping", "price"):
        filled(wanted, corpus, settings=EXACT)


def test_another_dataset_model_or_setting_is_refused(dsn: str) -> None:
    corpus, wanted = made_corpus(20), modes(dsn, "other")
    filled(wanted, corpus)
    before = everything(dsn, "other")
    with raises(UsageError, "'other'", "another dataset", "20 rows", "--replace"):
        filled(wanted, made_corpus(20, "x"))
    with raises(UsageError, "'other'", "settings", "--replace"):
        filled(wanted, corpus, settings=EXACT)
    with raises(UsageError, "'other'", "another model"):
        filled(modes(dsn, "other", ", length=8"), corpus)
    assert everything(dsn, "other") == before


def test_a_table_that_we_did_not_make_is_left_alone(dsn: str) -> None:
    rows(dsn, "create table theirs (id text primary key, title text)")
    rows(dsn, "insert into theirs values ('1', 'mine')")
    rows(dsn, "create view seen as select * from theirs")
    for table, what in (("theirs", "1 row"), ("seen", "view")):
        for replace in (False, True):
            with raises(UsageError, repr(table), what):
                filled(modes(dsn, table), made_corpus(5), replace=replace)
    rows(dsn, "comment on table theirs is 'rankproof index of the winter sale'")
    with raises(UsageError, "'theirs'"):
        filled(modes(dsn, "theirs"), made_corpus(5))
    assert rows(dsn, "select * from theirs") == [("1", "mine")]


def test_odd_names_ids_and_documents(dsn: str) -> None:
    ids = ("a b", "ä/ö", "1", "x" * 2600, "'; drop table whole; --", "{}", "🎈", "%(ids)s", '"', "\\", "NULL")
    texts = ("", " ", "\0 nul", "\udc80 half", "word " * 300, "'a' \"b\" \\", "%s %(a)s", "🎈 balloon", "a", "b", "c")
    corpus = Corpus(ids, {'ti"t%le': texts, "te'xt\\": ("",) * len(ids)})
    mode = {"m": f"postgres(table='Odd \"%name', dsn='{dsn}', id='k%ey', tsvector='wo\"rds', match='any')"}
    (done,) = filled(mode, corpus, batch=3, sample=None)
    assert (done.faults, done.compared) == ((), len(ids))
    assert {row[0] for row in rows(dsn, 'select "k%ey" from "Odd ""%name"')} == set(ids)
    for wrong, why in (("x" * 2601, "2600"), ("\udc80", "UTF-8"), ("", "empty"), ("a\0b", "0")):
        with raises(InputError, why):
            filled(modes(dsn, "refused"), Corpus(("fine", wrong), {"title": ("a", "b"), "text": ("", "")}))
    for name, why in (("words", "'words'"), ("x" * 64, "63"), ("ctid", "'ctid'"), ("id", "'id'")):
        with raises(InputError, why):
            filled({"m": f"postgres(table='refused', dsn='{dsn}', tsvector='words')"}, Corpus(("1",), {name: ("x",)}))
    assert rows(dsn, "select to_regclass('refused')") == [(None,)]


@pytest.mark.full
def test_a_document_that_the_server_refuses_is_told(dsn: str) -> None:
    """A tsvector has a megabyte at most."""
    words = " ".join(f"word{i}" for i in range(200_000))
    corpus = Corpus(("d0", "d1"), {"title": ("fine", words), "text": ("", "")})
    with raises(InputError, "'large'", "tsvector"):
        filled(modes(dsn, "large"), corpus)
    assert rows(dsn, "select count(*) from large") == [(0,)]


def test_what_cannot_be_made_is_told(dsn: str) -> None:
    with raises(InputError, "nowhere"):
        filled(modes(dsn, "nowhere.table"), made_corpus(5))
    with raises(InputError, "klingon"):
        filled({"m": f"postgres(table='k', dsn='{dsn}', tsvector='words', language='klingon')"}, made_corpus(5))
    assert rows(dsn, "select to_regclass('k')") == [(None,)]
    two = {**modes(dsn, "two"), "german": f"postgres(table='two', dsn='{dsn}', tsvector='words', language='german')"}
    with raises(UsageError, "'words'", "'english'", "'german'", "german"):
        filled(two, made_corpus(5))


@pytest.mark.full
def test_two_that_fill_at_once_make_one_table(dsn: str, tmp_path: Path) -> None:
    wanted = modes(dsn, "shared")
    assert together(wanted, N, tmp_path, (7, 9)) == [0, 0]
    (done,) = filled(wanted, made_corpus(N), sample=None)
    assert (done.outcome, done.faults) == ("there", ())
    assert everything(dsn, "shared") == everything(dsn, "whole")


def test_one_that_is_made_anew_meanwhile_is_not_written_to(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from rankproof.stack.engines._postgres_fill import PostgresFiller

    real, wanted = PostgresFiller.put, modes(dsn, "anew")

    def put(self: Any, documents: Any) -> None:
        real(self, documents)
        monkeypatch.setattr(PostgresFiller, "put", real)
        filled(wanted, made_corpus(30, "x"), replace=True)

    monkeypatch.setattr(PostgresFiller, "put", put)
    with raises(InputError, "'anew'", "made anew"):
        filled(wanted, made_corpus(30), batch=10)
    assert {row[1][-1] for row in everything(dsn, "anew") if row[1]} == {"x"}
