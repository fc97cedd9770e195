"""A real PostgreSQL with pgvector: full text, vectors, and both in one statement."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import numpy as np
import pytest
from tests.live.clients import opened
from tests.live.postgres_server import load
from tests.live.shoes import PLACES, SHOES
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.asking.ask import ask_step
from rankproof.stack.asking.limits import KEEP_NOTHING, Limits
from rankproof.stack.engines.contract import Asker, AskFailed
from rankproof.stack.pipeline import read_pipeline


@pytest.fixture(scope="module", autouse=True)
def shoes(postgres_dsn: str) -> None:
    load(postgres_dsn, "shoes", SHOES, PLACES)


@pytest.fixture(autouse=True)
def environment(postgres_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres_dsn)


def engine(**said: Any) -> Asker:
    said = {"table": "shoes", **said}
    return opened(read_pipeline(f"postgres({', '.join(f'{name}={value!r}' for name, value in said.items())})"))


def ask(text: str, depth: int = 10, columns: dict[str, str] | None = None, **said: Any) -> Ranking:
    asker = engine(**said)
    try:
        return asker.ask(Query("q1", text, columns or {}), depth, 5.0)
    finally:
        asker.close()


def test_all_words_or_any_word() -> None:
    # Both words stand side by side in both, and shoe polish is not red. Ties are by id, last first.
    assert ask("red shoes", tsvector="words").doc_ids == ("d2", "d1")
    assert set(ask("red shoes", tsvector="words", match="any").doc_ids) == {"d1", "d2", "d3", "d4"}
    assert set(ask("shoes -blue", tsvector="words").doc_ids) == {"d1", "d4"}  # as in a search box
    assert ask("the", tsvector="words", match="any").doc_ids == ()  # nothing but stop words


def test_weights_of_fields_decide() -> None:
    """Red stands in the title of d1 and in the text of d2 and d3, once each: ts_rank_cd is the weight itself."""
    by_title = ask("red", fields="title^4 text")
    assert by_title.doc_ids == ("d1", "d3", "d2")
    assert by_title.scores.tolist() == [1.0, 0.25, 0.25]  # ties by id, last first
    by_text = ask("red", fields="title text^4")
    assert by_text.doc_ids == ("d3", "d2", "d1")
    assert by_text.scores.tolist() == [1.0, 1.0, 0.25]


@pytest.mark.parametrize(
    ("distance", "scores"),
    [
        ("cosine", {"d1": 1.0, "d2": 0.8, "d3": 0.0, "d4": 0.0, "d5": -1.0}),
        # The query is twice the unit vector of d1: |2 - 1|, |(1.2, -0.6)|, |(2, -1)|, |(2, -1)|, |2 + 1|.
        ("euclidean", {"d1": -1.0, "d2": -(1.8**0.5), "d3": -(5**0.5), "d4": -(5**0.5), "d5": -3.0}),
        ("inner", {"d1": 2.0, "d2": 1.6, "d3": 0.0, "d4": 0.0, "d5": -2.0}),
    ],
)
def test_distances_between_vectors(distance: str, scores: dict[str, float]) -> None:
    found = ask("", mode="vector", distance=distance, columns={"vector": "[2, 0, 0]"})
    assert dict(zip(found.doc_ids, found.scores.tolist(), strict=True)) == pytest.approx(scores, abs=1e-6)
    assert found.doc_ids == ("d1", "d2", "d4", "d3", "d5")


def test_both_in_one_statement_are_fused_by_rank() -> None:
    """By text (any of "red shoes"): d1 and d2 first; by vector (second axis): d3, d2, then d1, d4, d5 at 0, 0, 0.

    Checked against the sum of w / (k + rank) over the two lists as the engine gives them on their own.
    """
    columns = {"vector": "[0, 1, 0]"}
    by_text = ask("red shoes", tsvector="words", match="any").doc_ids
    by_vector = ask("red shoes", mode="vector", columns=columns).doc_ids
    assert by_vector[:2] == ("d3", "d2")
    wanted: dict[str, float] = {}
    for weight, docs in ((2.0, by_text), (1.0, by_vector)):
        for rank, doc in enumerate(docs, start=1):
            wanted[doc] = wanted.get(doc, 0.0) + weight / (10 + rank)
    found = ask("red shoes", mode="hybrid", tsvector="words", match="any", k=10, text_weight=2, columns=columns)
    assert dict(zip(found.doc_ids, found.scores.tolist(), strict=True)) == pytest.approx(wanted)
    assert len(found) == 5
    cut = ask("red shoes", 2, mode="hybrid", tsvector="words", match="any", k=10, text_weight=2, columns=columns)
    assert cut.doc_ids == found.doc_ids[:2]


def test_an_index_gives_as_many_documents_as_are_wanted(postgres_dsn: str) -> None:
    """Two hundred vectors under an HNSW index: with the server's own effort there would be no more than 40."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(200, 8))
    corpus = Corpus(tuple(f"v{i}" for i in range(200)), {"text": ("",) * 200})
    load(postgres_dsn, "many", corpus, vectors.tolist())
    near = vectors[0] / np.linalg.norm(vectors[0])
    found = ask("", 150, table="many", mode="vector", columns={"vector": str(near.tolist())})
    exact = np.argsort(-(vectors @ near) / np.linalg.norm(vectors, axis=1))[:150]
    assert len(found) == 150
    assert len(set(found.doc_ids) & {f"v{i}" for i in exact}) >= 145


def test_names_and_words_are_never_statements(postgres_dsn: str) -> None:
    odd = 'shop%s "x"; drop table shoes; --'
    load(postgres_dsn, odd, Corpus(("d1",), {'na"me%(x)s': ("red shoes",)}))
    assert ask("'); drop table shoes; --", table=odd, tsvector="words").doc_ids == ()
    assert ask("red", table=odd, fields='na"me%(x)s').doc_ids == ("d1",)
    assert len(ask("red", tsvector="words")) == 3  # the table is still there


def test_what_is_not_there_is_refused_with_the_servers_words() -> None:
    with raises(AskFailed, "klingon") as failed:
        ask("red", tsvector="words", language="klingon")
    assert (failed.value.kind, failed.value.again) == ("refused", False)
    with pytest.raises(AskFailed, match="different vector dimensions"):
        ask("red", mode="vector", columns={"vector": "[1, 0]"})
    with raises(AskFailed, "'0.5'") as failed:
        ask("red", mode="vector", columns={"vector": "0.5"})
    assert failed.value.kind == "bad vector"


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ({"fields": "title^3 Txet"}, ("'shoes'", "'Txet'", "'text'", "id", "title", "words", "embedding")),
        ({"tsvector": "word"}, ("'shoes'", "'word'", "'words'")),
        ({"fields": "title", "id": "sku"}, ("'shoes'", "'sku'", "id")),
        ({"mode": "vector", "vector_column": "embeding"}, ("'shoes'", "'embeding'", "'embedding'")),
        ({"mode": "hybrid", "tsvector": "words", "vector_column": "v"}, ("'shoes'", "'v'", "embedding")),
        ({"table": "shoe", "fields": "title"}, ("'shoe'", "'shoes'")),
        ({"table": "public.shos", "fields": "title"}, ("'public.shos'", "shoes")),
        ({"table": 'a"b', "fields": "title"}, ("'a\"b'", "shoes")),
    ],
)
def test_a_name_that_is_not_there_is_told_with_those_that_are(said: dict[str, Any], values: tuple[str, ...]) -> None:
    asker = engine(**said)
    with raises(UsageError, "postgres", *values):
        _ = asker.identity
    with raises(AskFailed, *values) as failed:
        asker.ask(Query("q1", "red", {"vector": "[1, 0, 0]"}), 10, 5.0)
    assert (failed.value.kind, failed.value.again) == ("no such field", False)
    asker.close()


def test_a_view_and_a_table_of_another_schema_have_columns(postgres_dsn: str) -> None:
    import psycopg

    with psycopg.connect(postgres_dsn) as connection:
        connection.execute("create schema other")
        connection.execute("create materialized view other.red as select * from shoes where title like 'red%'")
        connection.execute("alter table shoes add column gone text")
        connection.execute("alter table shoes drop column gone")
    assert ask("red", table="other.red", fields="title").doc_ids == ("d1",)
    for table, name in (("other.red", "titel"), ("shoes", "gone")):
        with raises(UsageError, "postgres", f"'{table}'", f"'{name}'"):
            _ = engine(table=table, fields=name).identity
    with raises(UsageError, "postgres", "'other.rde'", "'other.red'"):
        _ = engine(table="other.rde", fields="title").identity


def test_a_statement_that_takes_too_long_is_ended(postgres_dsn: str) -> None:
    import psycopg

    asker = engine(tsvector="words")
    with psycopg.connect(postgres_dsn) as other:
        other.execute("lock table shoes in access exclusive mode")
        with raises(AskFailed, "0.2 seconds") as failed:
            asker.ask(Query("q1", "red"), 10, 0.2)
    assert (failed.value.kind, failed.value.again) == ("timeout", True)
    assert len(asker.ask(Query("q1", "red"), 10, 5.0)) == 3  # the connection is as good as before
    asker.close()


def test_a_connection_that_the_server_ended_is_replaced(postgres_dsn: str) -> None:
    import psycopg

    asker = engine(tsvector="words")
    asker.ask(Query("q1", "red"), 10, 5.0)
    with psycopg.connect(postgres_dsn, autocommit=True) as other:
        other.execute("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'rankproof'")
    with pytest.raises(AskFailed) as failed:
        asker.ask(Query("q1", "red"), 10, 5.0)
    assert failed.value.again
    assert len(asker.ask(Query("q1", "red"), 10, 5.0)) == 3
    asker.close()


@pytest.mark.parametrize(
    ("first", "then"),
    [pytest.param(2.0, 2.0, id="while it answers"), pytest.param(10.0, 0.2, id="while the new timeout is set")],
)
def test_a_server_that_hangs_is_cut_off(postgres_dsn: str, first: float, then: float) -> None:
    """The process behind the connection is stopped, so that it cannot even end its own statement."""
    import psycopg

    asker = engine(tsvector="words")
    asker.ask(Query("q1", "red"), 10, first)
    with psycopg.connect(postgres_dsn) as other:
        row = other.execute("select pid from pg_stat_activity where application_name = 'rankproof'").fetchone()
    assert row is not None
    os.kill(row[0], signal.SIGSTOP)
    began = time.monotonic()
    try:
        with pytest.raises(AskFailed) as failed:
            asker.ask(Query("q1", "red"), 10, then)
    finally:
        os.kill(row[0], signal.SIGCONT)
    assert (failed.value.kind, failed.value.again) == ("timeout", True)
    assert time.monotonic() - began < 30
    assert len(asker.ask(Query("q1", "red"), 10, 5.0)) == 3
    asker.close()


def test_nothing_can_be_written() -> None:
    asker = engine(tsvector="words")
    with pytest.raises(AskFailed, match="read-only"):
        asker._pool.rows("delete from shoes returning id", {}, 5.0)
    asker.close()


def test_as_a_step_of_a_pipeline() -> None:
    step = read_pipeline("postgres(table='shoes', tsvector='words', match='any')")
    asker = opened(step)
    queries = [Query(f"q{i}", text) for i, text in enumerate(["red shoes", "umbrella", "rain", "red"] * 10)]
    outcome = ask_step(asker, step, queries, 3, limits=Limits(concurrency=4), keep=KEEP_NOTHING)
    asker.close()
    assert outcome.failures == ()
    assert [r.doc_ids[0] for r in outcome.rankings[1:3]] == ["d5", "d5"]
    assert np.isfinite(outcome.milliseconds).all()
    assert outcome.identity["documents"] == "5"
    assert outcome.identity["postgresql"].startswith("18")
    assert set(outcome.identity) == {
        "postgresql",
        "pgvector",
        "documents",
        "rows",
        "indexes",
        "environment",
        "analyzer",
    }
