"""Judgments in the store."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rankproof.records.judging import PERSON, SETTLING, Judgment, Source
from rankproof.store.judging import tables
from rankproof.store.judging.acts import Acts
from rankproof.store.judging.clock import moment
from rankproof.store.judging.fitting import Row


class Judgments(Acts[Judgment]):
    """Every judgment ever given. About the same pair the newest of each judge holds."""

    table = tables.judgments
    about = ("judge", "query_id", "doc_id")

    def current(
        self,
        slug: str,
        *,
        judge: str | None = None,
        query_id: str | None = None,
        doc_id: str | None = None,
        source: str | None = None,
        settling: bool = True,
    ) -> list[Judgment]:
        """What holds now, in the order it was given. `source` is person, model or clicks.

        Without `settling` it is what would hold had nobody settled a disagreement: what each judge said alone.
        """
        rows = self._rows(slug, judge=judge, query_id=query_id, doc_id=doc_id)
        if not settling:
            rows = [row for row in rows if (row.source, row.version) != (SETTLING.kind, SETTLING.version)]
        return [held for held in self._holding(rows) if source is None or held.source.kind == source]

    def history(
        self, slug: str, *, judge: str | None = None, query_id: str | None = None, doc_id: str | None = None
    ) -> list[Judgment]:
        """Every act, withdrawn ones and withdrawals too, in the order it was given."""
        return self._acts(self._rows(slug, judge=judge, query_id=query_id, doc_id=doc_id))

    def _row(self, act: Judgment) -> Row:
        source = act.source
        return {
            "key": act.key,
            "judge": act.judge,
            "query_id": act.query_id,
            "doc_id": act.doc_id,
            "grade": act.grade,
            "reason": act.reason,
            "note": act.note,
            "time": moment(act.time),
            "source": source.kind,
            "version": source.version,
            "prompt": source.prompt,
            "settings": source.settings,
            "withdraws": act.withdraws,
        }

    def _act(self, row: Any) -> Judgment:
        _, key, _, judge, query, doc, grade, reason, note, time, kind, version, prompt, settings, withdraws = row
        plain = kind == "person" and not (version or prompt or settings)
        source = PERSON if plain else Source(kind, version, prompt, settings)
        return Judgment(key, judge, query, doc, grade, reason, note, time, source, withdraws)

    def _about(self, row: Any) -> Hashable:
        return row.judge, row.query_id, row.doc_id
