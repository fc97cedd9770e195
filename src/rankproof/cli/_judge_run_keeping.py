"""Where the answers of a model judge go: the store, act by act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.records.judge_failure import JudgeFailure
from rankproof.records.judging import Judgment, Preference

if TYPE_CHECKING:
    from rankproof.store.judging.store import Store


class StoreKeeper:
    """Keeps answers in a project of a store."""

    def __init__(self, store: Store, slug: str) -> None:
        self._store, self._slug = store, slug

    def judgment(self, act: Judgment) -> None:
        """Keeps a grade; the first one holds where another process asked the same at the same time."""
        try:
            self._store.judgments.add(self._slug, act)
        except InputError:
            held = self._store.judgments.history(self._slug, judge=act.judge, query_id=act.query_id, doc_id=act.doc_id)
            if act.key not in {one.key for one in held}:
                raise

    def preference(self, act: Preference) -> None:
        """Keeps a preference, likewise."""
        try:
            self._store.preferences.add(self._slug, act)
        except InputError:
            held = self._store.preferences.history(self._slug, judge=act.judge, query_id=act.query_id)
            if act.key not in {one.key for one in held}:
                raise

    def failure(self, failure: JudgeFailure) -> None:
        """Keeps a failure."""
        self._store.failures.add(self._slug, failure)
