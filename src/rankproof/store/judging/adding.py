"""Adding: an insert that leaves what is there as it is, in the words of either database."""

from __future__ import annotations

from sqlalchemy import Insert, Table
from sqlalchemy.dialects import postgresql, sqlite

from rankproof.store.judging.database import Database


def add_once(table: Table, database: Database) -> Insert:
    """INSERT ... ON CONFLICT DO NOTHING; `rowcount` says whether there was none. Asks for no id back."""
    insert = sqlite.insert if database.is_sqlite else postgresql.insert
    return insert(table).on_conflict_do_nothing().inline().execution_options(preserve_rowcount=True)
