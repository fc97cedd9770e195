"""Judgments, flags, picks, preferences and model failures in the store."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from sqlalchemy import select

from rankproof.judging.records import (
    PERSON,
    SETTLING,
    JudgeFailure,
    Judgment,
    JudgmentSource,
    Mark,
    MarkKind,
    Preference,
)
from rankproof.judging.store import tables
from rankproof.judging.store.acts import ActTable
from rankproof.judging.store.database import Database, add_once
from rankproof.judging.store.items import KnownProjects
from rankproof.judging.store.values import Row, fitting, moment, shown


class JudgmentTable(ActTable[Judgment]):
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
        source = PERSON if plain else JudgmentSource(kind, version, prompt, settings)
        return Judgment(key, judge, query, doc, grade, reason, note, time, source, withdraws)

    def _about(self, row: Any) -> Hashable:
        return row.judge, row.query_id, row.doc_id


class MarkTable(ActTable[Mark]):
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


class PreferenceTable(ActTable[Preference]):
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


class Failures:
    """The failures of every project. The same key sent twice is one failure."""

    def __init__(self, database: Database, known: KnownProjects) -> None:
        self._database, self._known = database, known
        self._once = add_once(tables.failures, database)

    def add(self, slug: str, failure: JudgeFailure) -> bool:
        """Adds a failure; False where its key was there already."""
        row = fitting(tables.failures)(
            {
                "project": self._known.require(slug),
                "key": failure.key,
                "judge": failure.judge,
                "query_id": failure.query_id,
                "doc_id": failure.doc_id,
                "kind": failure.kind,
                "text": shown(failure.text),
                "time": moment(failure.time),
            }
        )
        return self._database.run(self._once, row) == 1

    def all(self, slug: str, *, judge: str | None = None) -> list[JudgeFailure]:
        """The failures, in the order they came."""
        c = tables.failures.c
        asked = select(c.key, c.judge, c.query_id, c.doc_id, c.kind, c.text, c.time)
        asked = asked.where(c.project == self._known.require(slug)).order_by(c.id)
        if judge is not None:
            asked = asked.where(c.judge == judge)
        with self._database.reading() as connection:
            return [JudgeFailure(*row) for row in connection.execute(asked)]
