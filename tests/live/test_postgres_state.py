"""A real PostgreSQL: answers that were kept are found again only while nothing changed, and no secret is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.live.clients import opened
from tests.live.postgres_server import load
from tests.live.shoes import PLACES, SHOES
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Query
from rankproof.stack.pipeline import read_pipeline


@pytest.fixture(autouse=True)
def state(postgres_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A table of its own; gives a function that runs a statement."""
    import psycopg

    monkeypatch.setenv("DATABASE_URL", postgres_dsn)
    load(postgres_dsn, "state", SHOES, PLACES)
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        yield connection.execute
        connection.execute("drop table state cascade")


def identity(table: str = "state") -> dict[str, str]:
    asker = opened(read_pipeline(f"postgres(table={table!r}, tsvector='words')"))
    try:
        return dict(asker.identity)
    finally:
        asker.close()


def test_a_row_that_was_replaced_makes_another_table(state: Any) -> None:
    before = identity()
    assert (before["documents"], before["rows"]) == ("5", identity()["rows"])
    state("vacuum analyze state")
    assert identity() == before  # tidying up changes nothing
    state("update state set title = 'blue boots' where id = 'd2'")
    after = identity()
    assert (after["documents"], after["rows"] == before["rows"]) == ("5", False)


def test_another_index_is_another_table(state: Any) -> None:
    before = identity()
    state("create index on state (title)")
    after = identity()
    assert {name for name in after if after[name] != before[name]} == {"indexes"}


def test_tables_of_parts_and_views(state: Any) -> None:
    state("create table state_parts (id text, words tsvector) partition by list (id)")
    try:
        state("create table state_part partition of state_parts default")
        state("insert into state_parts select id, words from state")
        before = identity("state_parts")
        state("update state_parts set words = '' where id = 'd1'")
        assert identity("state_parts")["rows"] != before["rows"]
    finally:
        state("drop table state_parts")
    state("create view state_view as select * from state")
    assert {key: identity("state_view")[key] for key in ("documents", "rows")} == {"documents": "5", "rows": "not told"}


def test_another_database_under_the_same_name_is_another_one(
    postgres_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = identity()
    assert len(before["environment"]) == 16
    monkeypatch.setenv("DATABASE_URL", f"{postgres_dsn}&options=-csearch_path%3Dpublic")
    assert identity()["environment"] != before["environment"]


def test_a_table_that_is_not_there() -> None:
    with raises(UsageError, "postgres", "'none_such'", "state"):
        identity("none_such")


@pytest.mark.parametrize("text", ["red caf\udce9", "red\0shoes", "", "🥾 red", "'; --", "a" * 5000])
def test_queries_of_every_kind_are_answered(text: str) -> None:
    for said in ("match='all'", "match='any'"):
        asker = opened(read_pipeline(f"postgres(table='state', tsvector='words', {said})"))
        asker.ask(Query("q1", text), 10, 5.0)
        asker.close()


def test_no_part_of_an_address_that_cannot_be_read_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's own words repeat what they stumbled over: here the password, whose % is not written as %25."""
    monkeypatch.setenv("SHOP_DATABASE", "postgresql://agnes:hunter%2@db.example/shop")
    with raises(UsageError, "${SHOP_DATABASE}") as refused:
        opened(read_pipeline("postgres(table='t', tsvector='w', dsn='${SHOP_DATABASE}')"))
    assert "hunter" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_a_table_too_large_to_be_read_through_is_known_by_its_writes(
    state: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankproof.stack.engines import postgres

    monkeypatch.setattr(postgres, "SECONDS_FOR_ROWS", 0.02)
    state("insert into state (id) select 'many' || i from generate_series(1, 200000) i")
    state("select pg_stat_force_next_flush()")
    before = identity()
    assert before["documents"] == "not told"
    assert identity() == before
    state("update state set title = 'blue boots' where id = 'd2'")
    state("select pg_stat_force_next_flush()")
    assert identity()["rows"] != before["rows"]
