"""Settle: where judges disagree, how far they agree, and the word that settles a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import UsageError
from rankproof.judging.adjudicate import FEWEST, Adjudicated, JudgeCounts, SettledPair, SplitPair, golden, summarize
from rankproof.judging.agreement import on_gold, ratings_of_judgments, with_others
from rankproof.judging.records import SETTLING, GoldAnswer, Judgment, Project
from rankproof.proving.agreement import together
from rankproof.proving.agreement_records import Agreement, AgreementAnswer
from rankproof.web.api._operations import keeping
from rankproof.web.context import AppContext, Tab, app_context, project_of
from rankproof.web.documents import DocumentView, show_document
from rankproof.web.pages._method import Method, method_of
from rankproof.web.problems import Problem
from rankproof.web.render import address, render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

# Disagreements on one page.
AT_ONCE = 20
LONGEST_NOTE = 10_000


@dataclass(frozen=True, slots=True)
class Dispute:
    """A pair on which grades differ: each judge's own judgment, and who settled it.

    now    what the pair comes to by the method of the page
    key    a name for the act of the form
    """

    split: SplitPair
    query: str
    shown: DocumentView
    judgments: tuple[Judgment, ...]
    settling: Judgment | None
    now: SettledPair | None
    key: str


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge: how many judgments, how often as the others, how often right where that is known."""

    counts: JudgeCounts
    others: AgreementAnswer | None
    gold: AgreementAnswer | None


@dataclass(frozen=True, slots=True)
class GoldRow:
    """A gold question, with words for its query and document."""

    answer: GoldAnswer
    query: str
    document: str


@dataclass(frozen=True, slots=True)
class SettlePage:
    """Disagreements, agreement and what the judgments come to."""

    project: Project
    method: Method
    settled: Adjudicated
    disputes: tuple[Dispute, ...]
    open: int
    done: int
    all: bool
    start: int
    step: int
    judges: tuple[JudgeRow, ...]
    agreement: Agreement | None
    gold: tuple[GoldRow, ...]
    golden: int
    fewest: int = FEWEST
    title: str = "Settle"

    @property
    def shown(self) -> int:
        """How many disagreements there are to page through."""
        return self.open + self.done if self.all else self.open


@needs("viewer")
def show(request: Request) -> Response:
    """The page."""
    context, project = app_context(request), project_of(request)
    store, slug = context.store, project.slug
    held = store.judgments.current(slug)
    judges = sorted({act.judge for act in held if act.source.kind == "person"})
    method = method_of(request, judges)
    # Agreement is about each judge's own judgment: whoever settles has seen those of the others.
    alone = [act for act in store.judgments.current(slug, settling=False) if act.source.kind in method.sources]
    settled = method.settle(held, project)
    summary = summarize(alone)
    words = {(act.query_id, act.doc_id): act for act in held if act.source == SETTLING}
    waiting = [pair for pair in summary.split if (pair.query_id, pair.doc_id) not in words]
    every = request.query_params.get("show") == "all"
    chosen: Sequence[SplitPair] = summary.split if every else waiting
    start = _start(request)
    answers = store.gold.all(slug)
    page = SettlePage(
        project,
        method,
        settled,
        _disputes(context, project, chosen[start : start + AT_ONCE], alone, words, settled),
        len(waiting),
        len(summary.split) - len(waiting),
        every,
        start,
        AT_ONCE,
        _judges(summary.judges, alone, on_gold(alone, answers)),
        together(ratings_of_judgments(alone)) if summary.several else None,
        _gold(context, project, answers),
        len(golden(settled, {(one.query_id, one.doc_id) for one in answers})),
    )
    return render(request, "settle.html", page)


def _disputes(
    context: AppContext,
    project: Project,
    pairs: Sequence[SplitPair],
    alone: Sequence[Judgment],
    words: Mapping[tuple[str, str], Judgment],
    settled: Adjudicated,
) -> tuple[Dispute, ...]:
    store, slug = context.store, project.slug
    texts = {query.query_id: query.text for query in store.items.queries(slug)}
    fields = store.hits.shown(slug, [(pair.query_id, pair.doc_id) for pair in pairs])
    now = {(pair.query_id, pair.doc_id): pair for pair in settled.pairs}
    disputes = []
    for pair in pairs:
        here = (pair.query_id, pair.doc_id)
        query = texts.get(pair.query_id, pair.query_id)
        shown = show_document(project.template, pair.doc_id, fields.get(here), query)
        judgments = tuple(act for act in alone if (act.query_id, act.doc_id) == here)
        disputes.append(Dispute(pair, query, shown, judgments, words.get(here), now.get(here), uuid4().hex))
    return tuple(disputes)


def _gold(context: AppContext, project: Project, answers: Sequence[GoldAnswer]) -> tuple[GoldRow, ...]:
    texts = {query.query_id: query.text for query in context.store.items.queries(project.slug)}
    fields = context.store.items.documents(project.slug, [one.doc_id for one in answers])
    rows = []
    for one in answers:
        query = texts.get(one.query_id, one.query_id)
        shown = show_document(project.template, one.doc_id, fields.get(one.doc_id), query)
        rows.append(GoldRow(one, query, shown.name))
    return tuple(rows)


def _judges(
    counts: Sequence[JudgeCounts], alone: Sequence[Judgment], gold: Mapping[str, AgreementAnswer]
) -> tuple[JudgeRow, ...]:
    others = with_others(ratings_of_judgments(alone))
    return tuple(JudgeRow(one, others.get(one.judge), gold.get(one.judge)) for one in counts)


@needs("judge")
def settle(request: Request) -> Response:
    """Keeps the word that settles a pair."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    query_id, doc_id = text_of(request, "query_id"), text_of(request, "doc_id")
    grade, note = text_of(request, "grade"), text_of(request, "note").strip()
    if grade not in map(str, project.scale.grades):
        possible = ", ".join(map(str, project.scale.grades))
        raise Problem(422, f"The scale has no grade {grade[:40]!r}.", f"It has: {possible}.")
    if len(note) > LONGEST_NOTE:
        raise Problem(422, f"The note has more than {LONGEST_NOTE:,} characters.", "Shorten it.")
    if not 8 <= len(text_of(request, "key")) <= 64:
        raise Problem(422, "The form has no key.", "Go back, load the page again and send it from there.")
    context.existing.require_pairs(project.slug, {(query_id, doc_id)})
    act = Judgment(
        text_of(request, "key"), me, query_id, doc_id, int(grade), note=note, time=context.now(), source=SETTLING
    )
    if keeping(lambda: context.store.judgments.add(project.slug, act)):
        context.audit(me, "settled", project=project.slug, query=query_id, document=doc_id, grade=int(grade))
    return _back(request, project)


@needs("judge")
def undo(request: Request) -> Response:
    """Takes a settling word back; only who gave it may."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    key = text_of(request, "settled")
    held = context.store.judgments.current(project.slug, judge=me)
    act = next((one for one in held if one.key == key and one.source == SETTLING), None)
    if act is None:
        raise Problem(422, "You have settled nothing that this could take back.", "Load the page again.")
    try:
        taken = Judgment(
            text_of(request, "key"), me, act.query_id, act.doc_id, None, "withdrawn", time=context.now(), withdraws=key
        )
    except UsageError as error:
        raise Problem(422, str(error)) from None
    if keeping(lambda: context.store.judgments.add(project.slug, taken)):
        context.audit(me, "settled taken back", project=project.slug, query=act.query_id, document=act.doc_id)
    return _back(request, project)


@needs("admin")
def gold(request: Request) -> Response:
    """Makes gold questions of the pairs on which many judges agree, or of one settled pair; or takes one back."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    store, slug = context.store, project.slug
    query_id, doc_id = text_of(request, "query_id"), text_of(request, "doc_id")
    if text_of(request, "do") == "withdraw":
        if store.gold.withdraw(slug, query_id, doc_id):
            context.audit(me, "gold taken back", project=slug, query=query_id, document=doc_id)
        return _back(request, project, "gold")
    known = {(one.query_id, one.doc_id) for one in store.gold.all(slug)}
    settled = method_of(request).settle(store.judgments.current(slug), project)
    if text_of(request, "do") == "agreed":
        answers = golden(settled, known)
    else:
        answers = [
            GoldAnswer(pair.query_id, pair.doc_id, pair.grade)
            for pair in settled.pairs
            if (pair.query_id, pair.doc_id) == (query_id, doc_id) and pair.grade is not None
        ]
        if not answers:
            raise Problem(422, "This pair has no settled grade.", "Settle it first.")
    store.gold.add(slug, answers)
    context.audit(me, "gold", project=slug, added=len(answers))
    return _back(request, project, "gold")


def _back(request: Request, project: Project, part: str = "disagreements") -> Response:
    parameters = {name: request.query_params.get(name) or None for name in ("method", "source", "show", "from")}
    return RedirectResponse(address(f"/p/{project.slug}/settle", **parameters) + f"#{part}", 303)


def _start(request: Request) -> int:
    text = request.query_params.get("from", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 8 else 0


ROUTES = (
    Route("/p/{slug}/settle", show, methods=["GET"]),
    Route("/p/{slug}/settle", settle, methods=["POST"]),
    Route("/p/{slug}/settle/undo", undo, methods=["POST"]),
    Route("/p/{slug}/settle/gold", gold, methods=["POST"]),
)
TABS = (Tab("Settle", "/p/{slug}/settle", place=40),)
