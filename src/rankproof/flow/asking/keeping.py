"""Keeping: where answers are kept as they come, and the key under which one is found again."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final, Protocol

from rankproof.records.collection import Query
from rankproof.records.jsontext import to_json
from rankproof.records.ranking import Answered


class Keeper(Protocol):
    """Answers by key, kept between fetches. Several threads may call, but never two at once."""

    def get(self, key: str) -> Answered | None:
        """What was kept; None where nothing is, or where it is damaged."""

    def put(self, key: str, answered: Answered) -> None:
        """Keeps it: after this call it is there for the next fetch, even when this process is killed."""


class KeepNothing:
    """Forgets every answer."""

    def get(self, key: str) -> Answered | None:
        """Nothing."""
        return None

    def put(self, key: str, answered: Answered) -> None:
        """Forgets it."""


KEEP_NOTHING: Final = KeepNothing()


def answer_key(query: Query, depth: int, engine: str, identity: Mapping[str, str]) -> str:
    """SHA-256 of all that an answer depends on: an answer to other words, or of another index, is never found.

    The columns of the query count, because a request may be made from them.
    """
    own = to_json(
        {
            "query_id": query.query_id,
            "text": query.text,
            "columns": dict(sorted(query.columns.items())),
            "depth": depth,
            "engine": engine,
            "identity": dict(sorted(identity.items())),
        }
    )
    return sha256(f"answer 1\n{own}".encode()).hexdigest()
