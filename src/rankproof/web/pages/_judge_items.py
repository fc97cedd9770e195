"""What the pages of judging show: pairs with their documents as the project shows them, marks, and the last word."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from uuid import uuid4

from starlette.requests import Request

from rankproof.errors import UsageError
from rankproof.judging.records import Judgment, Mark, Project
from rankproof.judging.rounds.progress import JudgingProgress, Word
from rankproof.judging.rounds.round import NextPair
from rankproof.judging.store.values import moment
from rankproof.reading.collection import Query
from rankproof.web.context import Desk, desk
from rankproof.web.documents import DocumentView, show
from rankproof.web.security.sessions import account_of

# Columns of queries that say what is wanted; others are about the query, not for the judge.
_NEEDS = ("description", "desc", "narrative", "narr", "intent", "need", "context")
REASONS = {"cannot_tell": "Cannot tell", "later": "Later"}


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair to look at.

    key    a name for the act of a form that is sent without a script
    word   what the judge said about it, where that is shown
    note   and the note to it
    """

    query: Query
    shown: DocumentView
    again: bool = False
    flag: Mark | None = None
    pick: Mark | None = None
    word: Word | None = None
    note: str = ""
    key: str = ""

    @property
    def needs(self) -> list[str]:
        """What is said about the query beside its words."""
        return [self.query.columns[name] for name in _NEEDS if self.query.columns.get(name, "").strip()]


@dataclass(frozen=True, slots=True)
class Last:
    """The last word of a judge: about which document, and what."""

    name: str
    said: str


def items_of(at: Desk, project: Project, judge: str, asked: Sequence[NextPair]) -> list[PairView]:
    """The pairs with everything that is shown of them."""
    store, slug = at.store, project.slug
    queries = {query: store.items.query(slug, query) for query in dict.fromkeys(one.query_id for one in asked)}
    fields = store.items.documents(slug, [one.doc_id for one in asked])
    marks = {
        (mark.kind, mark.query_id, mark.doc_id): mark
        for query in queries
        for mark in store.marks.current(slug, judge=judge, query_id=query)
        if not mark.variant
    }
    return [
        PairView(
            queries[one.query_id],
            show(project.template, one.doc_id, fields.get(one.doc_id), queries[one.query_id].text),
            one.again,
            marks.get(("flag", one.query_id, one.doc_id)),
            marks.get(("pick", one.query_id, one.doc_id)),
            key=uuid4().hex,
        )
        for one in asked
    ]


def with_words(
    items: Sequence[PairView], words: Sequence[Word | None], held: Sequence[Judgment]
) -> tuple[PairView, ...]:
    """The same with what the judge said."""
    notes = {act.key: act.note for act in held}
    return tuple(
        replace(item, word=word, note=notes.get(word.key, "") if word is not None else "")
        for item, word in zip(items, words, strict=True)
    )


def last_of(at: Desk, project: Project, judge: str) -> Last | None:
    """The last word that can be taken back."""
    act = at.store.judgments.last(project.slug, judge)
    if act is None:
        return None
    fields = at.store.items.documents(project.slug, [act.doc_id]).get(act.doc_id)
    return Last(show(project.template, act.doc_id, fields, "").name, said(project, act))


def said(project: Project, act: Judgment) -> str:
    """A judgment in words: `2 Relevant`, or why there is no grade."""
    if act.grade is None:
        return REASONS.get(act.reason, act.reason)
    label = next((level.label for level in project.scale.levels if level.grade == act.grade), "")
    return f"{act.grade} {label}".strip()


def progress_of(request: Request, project: Project) -> JudgingProgress:
    """How far the one who asks is. The day begins when `day` of the address says, or at midnight UTC."""
    at = desk(request)
    now = at.now()
    day = now[:10] + "T00:00:00.000000Z"
    with suppress(UsageError, OverflowError):  # a wrong clock somewhere is no reason not to judge
        day = moment(request.query_params.get("day") or day)
    return at.rounds.of(project).progress(account_of(request).name, now, day)
