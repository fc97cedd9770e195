"""Hand out: which pairs, to whom, how many of them to all; looked at first, with everybody's load, then done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import RankproofError
from rankproof.judging.records import Account, Project
from rankproof.judging.rounds.assign import Handed, taken_back
from rankproof.judging.rounds.hand_out import (
    HandOut,
    HandOutRequest,
    assignments_answered,
    give_out,
    judge_names,
    left_to_hand_out,
    plan_hand_out,
)
from rankproof.judging.selections.contract import Selection
from rankproof.kernel import shelf
from rankproof.web.context import AppContext, app_context, project_of
from rankproof.web.problems import Problem, understood
from rankproof.web.render import render
from rankproof.web.security.csrf import form_of, text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of


@dataclass(frozen=True, slots=True)
class HandOutPage:
    """Selections with what they take, the people, the form as it was sent, and what would come of it."""

    project: Project
    selections: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...]
    people: tuple[Account, ...]
    chosen: frozenset[str]
    fields: dict[str, str]
    left: int | None
    standing: tuple[Handed, ...]
    plan: HandOut | None = None
    done: bool = False
    problem: Problem | None = None
    title: str = "Hand out"


def possible_judges(context: AppContext, project: Project) -> tuple[Account, ...]:
    """Who may be handed pairs of a project."""
    members = {one.account: one.role for one in context.store.memberships.all(project.slug)}
    people = (
        account if account.role == "admin" else replace(account, role=members[account.name])
        for account in context.store.accounts.all()
        if account.role == "admin" or account.name in members
    )
    return tuple(account for account in people if account.may("judge"))


@needs("reviewer")
def show(request: Request) -> Response:
    """The form, and how far everybody is."""
    return render(request, "hand_out.html", _page(request, done="done" in request.query_params))


@needs("reviewer")
def hand_out(request: Request) -> Response:
    """Shows what would be handed out, or hands it out."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    try:
        plan = plan_hand_out(context.store, project, _request(request))
        if text_of(request, "do") != "give":
            return render(request, "hand_out.html", _page(request, plan))
        seen = text_of(request, "after")
        if seen != str(plan.after):
            raise Problem(409, "Somebody has assigned pairs meanwhile.", "Look at the preview again.")
        give_out(context.store, project, plan)
    except (Problem, RankproofError) as error:
        problem = understood(error)
        if problem is None:
            raise
        return render(request, "hand_out.html", _page(request, problem=problem), problem.status)
    context.audit(me, "handed out", project=project.slug, pairs=plan.request.pairs, judges=len(plan.request.judges))
    return RedirectResponse(f"/p/{project.slug}/project/hand-out?done", 303)


@needs("reviewer")
def take_back(request: Request) -> Response:
    """Takes back what a judge has not answered."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    judge, store, slug = text_of(request, "judge"), context.store, project.slug
    back = taken_back(store.assignments.all(slug), store.judgments.current(slug), judge)
    if not back:
        raise Problem(422, f"{judge[:80]!r} has no pairs that could be taken back.", "Load the page again.")
    store.assignments.add(slug, back)
    context.audit(me, "taken back", project=slug, judge=judge, pairs=len(back))
    return RedirectResponse(f"/p/{slug}/project/hand-out", 303)


def _request(request: Request) -> HandOutRequest:
    names = [name for name in form_of(request).getlist("judge") if isinstance(name, str)]
    overlap = text_of(request, "overlap").strip()
    return HandOutRequest(
        judge_names(names),
        _whole(request, "pairs", "The number of pairs"),
        None if not overlap else _whole(request, "overlap", "The number of pairs for all judges"),
        _whole(request, "each", "The number of judges for each pair", "1"),
        text_of(request, "selection").strip()[:1000],
        _whole(request, "seed", "The seed", "0"),
    )


def _whole(request: Request, name: str, what: str, usual: str = "") -> int:
    text = text_of(request, name, usual).strip() or usual
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Problem(422, f"{what} is no whole number: {text[:40]!r}.")
    return int(text)


def _page(
    request: Request, plan: HandOut | None = None, problem: Problem | None = None, done: bool = False
) -> HandOutPage:
    context, project = app_context(request), project_of(request)
    usual = {"selection": project.selection, "pairs": "", "overlap": "", "each": "1", "seed": "0"}
    fields = {name: text_of(request, name, value) for name, value in usual.items()}
    try:
        left = left_to_hand_out(context.store, project, fields["selection"].strip()[:1000])
    except RankproofError:
        left = None  # the form says what is wrong with it
    fields["pairs"] = fields["pairs"] or str(left or "")
    items: list[Selection] = list(shelf.everything("selections").values())
    selections = tuple(
        (item.name, item.summary, tuple((param.name, param.meaning) for param in item.params)) for item in items
    )
    sent = frozenset(name for name in form_of(request).getlist("judge") if isinstance(name, str))
    return HandOutPage(
        project,
        selections,
        possible_judges(context, project),
        sent,
        fields,
        left,
        assignments_answered(context.store, project),
        plan,
        done,
        problem,
    )


ROUTES = (
    Route("/p/{slug}/project/hand-out", show, methods=["GET"]),
    Route("/p/{slug}/project/hand-out", hand_out, methods=["POST"]),
    Route("/p/{slug}/project/take-back", take_back, methods=["POST"]),
)
