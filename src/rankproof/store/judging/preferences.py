"""Preferences between variants in the store."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rankproof.records.judging import Preference
from rankproof.store.judging import tables
from rankproof.store.judging.acts import Acts
from rankproof.store.judging.clock import moment
from rankproof.store.judging.fitting import Row


class Preferences(Acts[Preference]):
    """Every preference. Between the same variants of a query, on whichever sides, the newest of each judge holds."""

    table = tables.preferences
    about = ("judge", "query_id")

    def current(self, slug: str, *, judge: str | None = None, query_id: str | None = None) -> list[Preference]:
        """What holds now, in the order it was given."""
        return self._holding(self._rows(slug, judge=judge, query_id=query_id))

    def history(self, slug: str, *, judge: str | None = None, query_id: str | None = None) -> list[Preference]:
        """Every act, withdrawn ones and withdrawals too, in the order it was given."""
        return self._acts(self._rows(slug, judge=judge, query_id=query_id))

    def _row(self, act: Preference) -> Row:
        return {
            "key": act.key,
            "judge": act.judge,
            "query_id": act.query_id,
            "variants": list(act.variants),
            "preferred": act.preferred,
            "blind": act.blind,
            "note": act.note,
            "time": moment(act.time),
            "withdraws": act.withdraws,
        }

    def _act(self, row: Any) -> Preference:
        _, key, _, judge, query, variants, preferred, blind, note, time, withdraws = row
        return Preference(key, judge, query, tuple(variants), preferred, blind, note, time, withdraws)

    def _about(self, row: Any) -> Hashable:
        return row.judge, row.query_id, tuple(sorted(row.variants))
