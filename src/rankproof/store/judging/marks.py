"""Flags and picks in the store."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rankproof.records.judging import Mark, MarkKind
from rankproof.store.judging import tables
from rankproof.store.judging.acts import Acts
from rankproof.store.judging.clock import moment
from rankproof.store.judging.fitting import Row


class Marks(Acts[Mark]):
    """Every flag and pick. About the same result of a variant the newest of each judge and kind holds."""

    table = tables.marks
    about = ("judge", "kind", "query_id", "doc_id", "variant")

    def current(
        self, slug: str, *, kind: MarkKind | None = None, judge: str | None = None, query_id: str | None = None
    ) -> list[Mark]:
        """What holds now, in the order it was given."""
        return self._holding(self._rows(slug, kind=kind, judge=judge, query_id=query_id))

    def history(
        self, slug: str, *, kind: MarkKind | None = None, judge: str | None = None, query_id: str | None = None
    ) -> list[Mark]:
        """Every act, withdrawn ones and withdrawals too, in the order it was given."""
        return self._acts(self._rows(slug, kind=kind, judge=judge, query_id=query_id))

    def _row(self, act: Mark) -> Row:
        return {
            "key": act.key,
            "kind": act.kind,
            "judge": act.judge,
            "query_id": act.query_id,
            "doc_id": act.doc_id,
            "reason": act.reason,
            "note": act.note,
            "variant": act.variant,
            "time": moment(act.time),
            "withdraws": act.withdraws,
        }

    def _act(self, row: Any) -> Mark:
        _, key, _, kind, judge, query, doc, reason, note, variant, time, withdraws = row
        return Mark(key, kind, judge, query, doc, reason, note, variant, time, withdraws)

    def _about(self, row: Any) -> Hashable:
        return row.judge, row.kind, row.query_id, row.doc_id, row.variant
