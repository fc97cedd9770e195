"""Known: queries and documents that were seen in the store. They never go away, so nobody has to look again."""

from __future__ import annotations

from collections.abc import Iterable

from rankproof.errors import UnknownName
from rankproof.store.judging.store import Store
from rankproof.web.problems import Problem

# Of each kind that are remembered; then all are forgotten, and are looked up again one by one.
MOST = 500_000


class Known:
    """Refuses acts about what is not there, and looks things up once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._queries: set[tuple[str, ...]] = set()
        self._documents: set[tuple[str, ...]] = set()
        self._ranked: set[tuple[str, ...]] = set()

    def require_query(self, slug: str, query_id: str) -> None:
        """An error unless the project has the query."""
        if (slug, query_id) in self._queries:
            return
        try:
            self._store.items.query(slug, query_id)
        except UnknownName as error:
            if error.kind != "query":
                raise
            raise Problem(422, str(error)) from None
        self._remember(self._queries, [(slug, query_id)])

    def require_pairs(self, slug: str, pairs: Iterable[tuple[str, str]]) -> None:
        """An error unless each query is there, and each document is there or ranked for its query by a run."""
        wanted = set(pairs)
        for query_id in {query_id for query_id, _ in wanted}:
            self.require_query(slug, query_id)
        unseen = {doc for _, doc in wanted if (slug, doc) not in self._documents}
        if not unseen:
            return
        there = self._store.items.documents(slug, unseen)
        self._remember(self._documents, [(slug, doc) for doc in there])
        for query_id, doc_id in wanted:
            if doc_id in unseen and doc_id not in there:
                self._require_ranked(slug, query_id, doc_id)

    def _require_ranked(self, slug: str, query_id: str, doc_id: str) -> None:
        if (slug, query_id, doc_id) in self._ranked:
            return
        ranked = {doc for docs in self._store.runs.rankings(slug, query_id).values() for doc in docs}
        self._remember(self._ranked, [(slug, query_id, doc) for doc in ranked])
        if doc_id not in ranked:
            raise Problem(422, f"No document is called {doc_id!r}, and no run ranks it for {query_id!r}.")

    @staticmethod
    def _remember(seen: set[tuple[str, ...]], found: Iterable[tuple[str, ...]]) -> None:
        if len(seen) >= MOST:
            seen.clear()
        seen.update(found)
