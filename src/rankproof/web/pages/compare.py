"""Compare: two to four variants side by side for one query; which is better, what one would choose, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.judging.preferences import QuerySet, find_set, query_sets
from rankproof.judging.records import Mark, Preference, Project
from rankproof.web.api._operations import keeping
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.pages._compare_answers import ask as ask_pipelines
from rankproof.web.pages._compare_answers import rankings_of
from rankproof.web.pages._compare_setup import DEPTHS, NAMES, ComparedVariant, Names, Setup, offered, read_setup
from rankproof.web.pages._compare_view import compare_page, held_preference, is_blind, place_of
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.independence import refuse_closed
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

LONGEST_NOTE = 10_000
_ACTS = ("pick", "unpick", "flag", "unflag")


@dataclass(frozen=True, slots=True)
class SetupPage:
    """What can be compared, as a form."""

    project: Project
    variants: tuple[ComparedVariant, ...]
    sets: tuple[QuerySet, ...]
    problem: Problem | None = None
    pipelines: Problem | None = None
    names: tuple[tuple[Names, str], ...] = tuple(NAMES.items())
    depths: tuple[int, ...] = DEPTHS
    title: str = "Compare"


@needs("viewer")
def show(request: Request) -> Response:
    """The variants side by side; the choice of what to compare where the address names nothing."""
    project = project_of(request)
    variants = offered(request, project)
    try:
        setup = read_setup(request, project, variants.variants)
    except Problem as problem:
        return _setup_page(request, project, variants.variants, problem, variants.problem)
    if setup is None:
        return _setup_page(request, project, variants.variants, None, variants.problem)
    page = compare_page(request, project, setup, request.query_params.get("q"))
    if page is None:
        empty = Problem(422, "This set has no query.", "Choose another one.")
        return _setup_page(request, project, variants.variants, empty, variants.problem)
    return render(request, "compare.html", page)


@needs("judge")
def prefer(request: Request) -> Response:
    """Keeps which side is preferred, 0 for equally good; or takes the preference back."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    refuse_closed(project)
    setup, query_id = _round(request, project)
    side = text_of(request, "side")
    order = [variant.name for variant in setup.sides(me, query_id)]
    held = held_preference(context.store, setup, me, query_id)
    if side == "undo":
        if held is not None:
            _add_preference(request, setup, Preference(
                _key(request, "undo", held.key), me, query_id, held.variants, held.preferred, held.blind,
                time=context.now(), withdraws=held.key,
            ))  # fmt: skip
        return RedirectResponse(setup.url(query_id), 303)
    if side not in [str(number) for number in range(len(order) + 1)]:
        raise Problem(422, f"There is no side {side[:20]!r}.", f"Prefer one of 1 to {len(order)}, or 0 for none.")
    if any(ranking is None for ranking in rankings_of(context.store, setup, query_id).values()):
        raise Problem(422, "One of the sides has no answer to this query.", "Compare sides that all have one.")
    number, key = int(side), _key(request, "prefer", side, _note(request))
    blind = is_blind(context.store, setup, me, query_id, key)
    _add_preference(request, setup, Preference(
        key, me, query_id, tuple(order), order[number - 1] if number else None, blind,
        _note(request), context.now(),
    ))  # fmt: skip
    # Names that are shown now are to be looked at; otherwise the next query comes.
    chosen = find_set(query_sets(context.store.items.queries(project.slug)), setup.key)
    after = place_of(chosen.queries, query_id, set()).after
    return RedirectResponse(setup.url(query_id if setup.names == "after" or after is None else after), 303)


@needs("judge")
def mark(request: Request) -> Response:
    """Picks or flags a result, or takes that back wherever it was made."""
    context, project, me = app_context(request), project_of(request), account_of(request).name
    setup, query_id = _round(request, project)
    act, doc, side = text_of(request, "act"), text_of(request, "doc"), text_of(request, "side")
    order = setup.sides(me, query_id)
    if act not in _ACTS or side not in [str(number) for number in range(1, len(order) + 1)]:
        raise Problem(422, "This is no mark of a result.", "Load the page again and send it from there.")
    variant = order[int(side) - 1]
    ranking = rankings_of(context.store, setup, query_id)[variant.name]
    if ranking is None or doc not in ranking.doc_ids:
        raise Problem(422, "This side does not have that result.", "Load the page again.")
    kind = "pick" if act.endswith("pick") else "flag"
    if act.startswith("un"):
        held = context.store.marks.current(project.slug, judge=me, query_id=query_id)
        for one in [one for one in held if one.kind == kind and one.doc_id == doc]:
            back = Mark(
                _key(request, act, one.key), one.kind, me, query_id, doc, variant=one.variant, time=context.now(),
                withdraws=one.key,
            )  # fmt: skip
            _add_mark(request, project, back)
        return RedirectResponse(setup.url(query_id), 303)
    reason = text_of(request, "reason") if act == "flag" else ""
    if act == "flag" and reason not in project.flag_reasons:
        raise Problem(422, "A flag needs a reason.", f"One of: {', '.join(project.flag_reasons)}.")
    made = Mark(
        _key(request, act, side, doc, reason, _note(request)), "flag" if kind == "flag" else "pick", me, query_id, doc,
        reason, _note(request), variant.name, context.now(),
    )  # fmt: skip
    _add_mark(request, project, made)
    return RedirectResponse(setup.url(query_id), 303)


@needs("judge")
def ask(request: Request) -> Response:
    """Asks the configured pipelines what was typed, or a query of the set, and shows their answers."""
    project = project_of(request)
    setup = _setup(request, project)
    by = account_of(request).name
    query = ask_pipelines(request, project, setup, text_of(request, "text"), text_of(request, "q"), by)
    return RedirectResponse(setup.url(query.query_id), 303)


def _setup_page(
    request: Request,
    project: Project,
    variants: tuple[ComparedVariant, ...],
    problem: Problem | None,
    pipelines: Problem | None,
) -> Response:
    sets = query_sets(app_context(request).store.items.queries(project.slug))
    page = SetupPage(project, variants, sets, problem, pipelines)
    return render(request, "compare_setup.html", page, 200 if problem is None else problem.status)


def _setup(request: Request, project: Project) -> Setup:
    setup = read_setup(request, project, offered(request, project).variants)
    if setup is None:
        raise Problem(422, "Nothing is compared.", "Choose first what to compare.")
    return setup


def _round(request: Request, project: Project) -> tuple[Setup, str]:
    """The setup and the query of an act; both stand in the address that it is sent to."""
    setup, query_id = _setup(request, project), request.query_params.get("q", "")
    app_context(request).existing.require_query(project.slug, query_id)
    return setup, query_id


def _add_preference(request: Request, setup: Setup, act: Preference) -> None:
    keeping(lambda: app_context(request).store.preferences.add(setup.slug, act))


def _add_mark(request: Request, project: Project, act: Mark) -> None:
    keeping(lambda: app_context(request).store.marks.add(project.slug, act))


def _note(request: Request) -> str:
    note = text_of(request, "note").strip()
    if len(note) > LONGEST_NOTE:
        raise Problem(422, f"The note has {len(note):,} characters; {LONGEST_NOTE:,} is the most.")
    return note


def _key(request: Request, *parts: str) -> str:
    """The key of an act: of the page that it comes from and of what it says. The same form sent twice is one act."""
    nonce = text_of(request, "nonce")
    if not nonce.isalnum() or not 8 <= len(nonce) <= 64:
        raise Problem(422, "This form is not whole.", "Load the page again and send it from there.")
    named = (nonce, account_of(request).name, request.query_params.get("q", ""), *parts)
    text = "".join(f"{len(part)} {part}\n" for part in named)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


ROUTES = (
    Route("/p/{slug}/compare", show, methods=["GET"]),
    Route("/p/{slug}/compare/prefer", prefer, methods=["POST"]),
    Route("/p/{slug}/compare/mark", mark, methods=["POST"]),
    Route("/p/{slug}/compare/ask", ask, methods=["POST"]),
)
TABS = (Tab("Compare", "/p/{slug}/compare", place=20),)
