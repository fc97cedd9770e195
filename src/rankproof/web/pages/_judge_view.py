"""What the pages of judging show: pairs with their document, a judge's answers, and the last of them to be changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from starlette.requests import Request

from rankproof.judging.records import Judgment, Mark, Project
from rankproof.judging.rounds.progress import JudgeAnswer
from rankproof.judging.rounds.round import NextPair
from rankproof.judging.suggestions import Suggestion, suggestion_for
from rankproof.reading.collection import Query
from rankproof.web.context import AppContext, app_context
from rankproof.web.documents import DocumentView, language_of, show_document
from rankproof.web.security.sessions import account_of

# Columns that say what the searcher needs; others describe the query and are not for the judge.
_NEEDS = ("description", "desc", "narrative", "narr", "intent", "need", "context")
REASONS = {"cannot_tell": "Cannot tell", "later": "Later"}
# Judgments that are listed to be changed.
RECENT = 10


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair to look at.

    key      a name for the act of a form that is sent without a script
    suggestion   what a model says about the pair, where the project shows it
    answer   what the judge answered, where that is shown
    note     and the note to it
    """

    query: Query
    shown: DocumentView
    again: bool = False
    flag: Mark | None = None
    pick: Mark | None = None
    answer: JudgeAnswer | None = None
    note: str = ""
    key: str = ""
    suggestion: Suggestion | None = None

    @property
    def language(self) -> str:
        """Of the query, where its letters say it."""
        return language_of(self.query.text)

    @property
    def needs(self) -> list[str]:
        """Columns that describe the query beside its text."""
        return [self.query.columns[name] for name in _NEEDS if self.query.columns.get(name, "").strip()]


@dataclass(frozen=True, slots=True)
class Last:
    """The last word of a judge: about which document, and what."""

    name: str
    text: str


def items_of(context: AppContext, project: Project, judge: str, pairs: Sequence[NextPair]) -> list[PairView]:
    """The pairs with everything that is shown of them."""
    store, slug = context.store, project.slug
    queries = {query: store.items.query(slug, query) for query in dict.fromkeys(one.query_id for one in pairs)}
    fields = store.hits.shown(slug, [(one.query_id, one.doc_id) for one in pairs])
    marks = {
        (mark.kind, mark.query_id, mark.doc_id): mark
        for query in queries
        for mark in store.marks.current(slug, judge=judge, query_id=query)
        if not mark.variant
    }
    return [
        PairView(
            queries[one.query_id],
            show_document(
                project.template, one.doc_id, fields.get((one.query_id, one.doc_id)), queries[one.query_id].text
            ),
            one.again,
            marks.get(("flag", one.query_id, one.doc_id)),
            marks.get(("pick", one.query_id, one.doc_id)),
            key=uuid4().hex,
            suggestion=suggestion_for(store, project, judge, (one.query_id, one.doc_id)),
        )
        for one in pairs
    ]


def with_answers(
    items: Sequence[PairView], answers: Sequence[JudgeAnswer | None], held: Sequence[Judgment]
) -> tuple[PairView, ...]:
    """The pairs with the judge's answers."""
    notes = {act.key: act.note for act in held}
    return tuple(
        replace(item, answer=answer, note=notes.get(answer.key, "") if answer is not None else "")
        for item, answer in zip(items, answers, strict=True)
    )


def last_of(context: AppContext, project: Project, judge: str) -> Last | None:
    """The last judgment that can be withdrawn."""
    act = context.store.judgments.last(project.slug, judge)
    if act is None:
        return None
    fields = context.store.items.documents(project.slug, [act.doc_id]).get(act.doc_id)
    return Last(show_document(project.template, act.doc_id, fields, "").name, judgment_text(project, act))


def judgment_text(project: Project, act: Judgment) -> str:
    """A judgment in words: `2 Relevant`, or why there is no grade."""
    if act.grade is None:
        return REASONS.get(act.reason, act.reason)
    label = next((level.label for level in project.scale.levels if level.grade == act.grade), "")
    return f"{act.grade} {label}".strip()


@dataclass(frozen=True, slots=True)
class RecentJudgment:
    """One of the last judgments of a judge, in words."""

    query_id: str
    doc_id: str
    query: str
    name: str
    text: str


def recent_of(context: AppContext, project: Project, judge: str) -> tuple[RecentJudgment, ...]:
    """The last judgments of a judge that hold, the newest first; not those that settle what others said."""
    held = context.store.judgments.current(project.slug, judge=judge, settling=False)[: -RECENT - 1 : -1]
    fields = context.store.items.documents(project.slug, [act.doc_id for act in held])
    queries = {name: context.store.items.query(project.slug, name).text for name in {act.query_id for act in held}}
    return tuple(
        RecentJudgment(
            act.query_id,
            act.doc_id,
            queries[act.query_id],
            show_document(project.template, act.doc_id, fields.get(act.doc_id), "").name,
            judgment_text(project, act),
        )
        for act in held
    )


def judged_of(request: Request, project: Project) -> PairView | None:
    """The pair that the address names, with the judgment of who asks; None where the address names none of theirs."""
    query_id, doc_id = request.query_params.get("query"), request.query_params.get("doc")
    if query_id is None or doc_id is None:
        return None
    context, me = app_context(request), account_of(request).name
    own = context.store.judgments.current(project.slug, judge=me, query_id=query_id, doc_id=doc_id, settling=False)
    if not own:
        return None
    (view,) = items_of(context, project, me, [NextPair(query_id, doc_id)])
    return replace(
        view, answer=JudgeAnswer(own[-1].key, own[-1].grade, own[-1].reason, own[-1].time), note=own[-1].note
    )
