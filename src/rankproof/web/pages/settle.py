"""Settle: where judges disagree, how far they agree, and the word that settles a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import UsageError
from rankproof.judging.adjudicate import FEWEST, JudgeCounts, SettledPair, SplitPair, golden
from rankproof.judging.adjudications.contract import given_alone, last_settling
from rankproof.judging.agreement import on_gold
from rankproof.judging.overview import SettledCounts, SplitPage
from rankproof.judging.records import SETTLING, GoldAnswer, Judgment, Project
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
# Pairs up to which agreement is computed with the page.
MOST_AT_ONCE = 5_000
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
    """Disagreements, agreement and what the judgments come to. `compared`: whether agreement was computed."""

    project: Project
    method: Method
    settled: SettledCounts
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
    compared: bool = True
    fewest: int = FEWEST
    title: str = "Settle"

    @property
    def shown(self) -> int:
        """How many disagreements there are to page through."""
        return self.open + self.done if self.all else self.open


@needs("reviewer")
def show(request: Request) -> Response:
    """The page."""
    context, project = app_context(request), project_of(request)
    every, start = request.query_params.get("show") == "all", _start(request)
    answers = context.store.gold.all(project.slug)
    known = {(one.query_id, one.doc_id) for one in answers}
    with context.overviews.of(project) as overview:
        method = method_of(request, sorted(overview.people))
        way = method.text, method.sources
        counts, split = overview.counts(*way), overview.split(*way, start, AT_ONCE, every)
        judged, right = overview.judges(method.sources), on_gold(overview.about(known, method.sources), answers)
        more = overview.golden(*way, known)
    # Many judgments take seconds to compare: then it is done where somebody asks for it.
    asked = counts.settled + counts.unresolved <= MOST_AT_ONCE or request.query_params.get("agreement") == "1"
    agreement = context.overviews.agreement(project, method.sources) if asked else None
    page = SettlePage(
        project,
        method,
        counts,
        _disputes(context, project, split, method.sources),
        split.open,
        split.done,
        every,
        start,
        AT_ONCE,
        tuple(
            JudgeRow(one, agreement.others.get(one.judge) if agreement is not None else None, right.get(one.judge))
            for one in judged
        ),
        agreement.together if agreement is not None else None,
        _gold(context, project, answers),
        more,
        asked,
    )
    return render(request, "settle.html", page)


def _disputes(
    context: AppContext,
    project: Project,
    split: SplitPage,
    sources: Sequence[str],
) -> tuple[Dispute, ...]:
    store, slug = context.store, project.slug
    texts = {query.query_id: query.text for query in store.items.queries(slug)}
    fields = store.hits.shown(slug, [(pair.query_id, pair.doc_id) for pair in split.pairs])
    disputes = []
    for pair in split.pairs:
        here = (pair.query_id, pair.doc_id)
        query = texts.get(pair.query_id, pair.query_id)
        shown = show_document(project.template, pair.doc_id, fields.get(here), query)
        held = split.acts[here]
        judgments = tuple(act for act in given_alone(held) if act.source.kind in sources)
        # The last word of several: the one that the qrels go by.
        word = last_settling(held)
        disputes.append(Dispute(pair, query, shown, judgments, word, split.now.get(here), uuid4().hex))
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


@needs("reviewer")
def settle(request: Request) -> Response:
    """Keeps the word that settles a pair."""
    context, project, account = app_context(request), project_of(request), account_of(request)
    me = account.name
    query_id, doc_id = text_of(request, "query_id"), text_of(request, "doc_id")
    grade, note = text_of(request, "grade"), text_of(request, "note").strip()
    if grade not in map(str, project.scale.grades):
        possible = ", ".join(map(str, project.scale.grades))
        raise Problem(422, f"The scale has no grade {grade[:40]!r}.", f"It has: {possible}.")
    if len(note) > LONGEST_NOTE:
        raise Problem(422, f"The note has more than {LONGEST_NOTE:,} characters.", "Shorten it.")
    if not 8 <= len(text_of(request, "key")) <= 63:
        raise Problem(422, "The form has no key.", "Go back, load the page again and send it from there.")
    context.existing.require_pairs(project.slug, {(query_id, doc_id)})
    act = Judgment(
        text_of(request, "key"), me, query_id, doc_id, int(grade), note=note, time=context.now(), source=SETTLING
    )
    if keeping(lambda: context.store.judgments.settle(project.slug, act, account)):
        context.audit(me, "settled", project=project.slug, query=query_id, document=doc_id, grade=int(grade))
    return _back(request, project)


@needs("reviewer")
def undo(request: Request) -> Response:
    """Takes a settling word back; only who gave it may."""
    context, project, account = app_context(request), project_of(request), account_of(request)
    me = account.name
    key = text_of(request, "settled")
    held = context.store.judgments.current(project.slug, judge=me)
    act = next((one for one in held if one.key == key and one.settles), None)
    if act is None:
        raise Problem(422, "You have settled nothing that this could take back.", "Load the page again.")
    try:
        taken = Judgment(
            text_of(request, "key"), me, act.query_id, act.doc_id, None, "withdrawn",
            time=context.now(), source=SETTLING, withdraws=key,
        )  # fmt: skip
    except UsageError as error:
        raise Problem(422, str(error)) from None
    if keeping(lambda: context.store.judgments.settle(project.slug, taken, account)):
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
TABS = (Tab("Settle", "/p/{slug}/settle", role="reviewer", place=40),)
