"""People of the server: accounts, who rules it, sessions, links for passwords, and the audit log. For its admins."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.judging.records import Account, Role
from rankproof.judging.store.invitations import Invitation
from rankproof.judging.store.people import PLAIN, AuditEntry
from rankproof.web.context import AppContext, app_context
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.accounts import invite, keep_an_admin, read_role, reset_link
from rankproof.web.security.credentials import read_name
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

# Entries of the audit log on one page.
ENTRIES = 100
# What an account is by itself: one of the server's admins, or what its memberships make of it.
OWN: tuple[Role, ...] = (PLAIN, "admin")


@dataclass(frozen=True, slots=True)
class AccountRow:
    """An account, what it is in which project, and how many sessions it has open."""

    account: Account
    roles: tuple[tuple[str, Role], ...]
    sessions: int


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """Accounts, invitations that are open, and the link that was just made: it is shown once."""

    accounts: tuple[AccountRow, ...]
    open: tuple[Invitation, ...]
    entries: tuple[AuditEntry, ...]
    link: str = ""
    about: str = ""
    title: str = "People"


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Entries of the log, the newest first, and where the older ones begin."""

    entries: tuple[AuditEntry, ...]
    older: int | None
    title: str = "Audit log"


@needs("admin")
def people(request: Request) -> Response:
    """Accounts, invitations and the newest entries of the log."""
    return render(request, "people.html", _page(app_context(request)))


@needs("admin")
def invite_admin(request: Request) -> Response:
    """Makes an invitation to rule the server and shows its link, now and never again."""
    context, person = app_context(request), read_name(text_of(request, "person"))
    link = invite(context, "admin", account_of(request).name, person)
    about = f"Invitation of {person} as an admin of the server."
    return render(request, "people.html", _page(context, link, about), 201)


@needs("admin")
def revoke(request: Request) -> Response:
    """Takes an open invitation back, to whatever project."""
    context, handle = app_context(request), text_of(request, "handle")
    if not context.store.invitations.revoke(handle):
        raise Problem(422, "This invitation is not open any more.", "Load the page again.")
    context.audit(account_of(request).name, "invitation taken back", handle=handle)
    return RedirectResponse("/people", 303)


@needs("admin")
def change_role(request: Request) -> Response:
    """Makes an account an admin of the server, or a plain one again."""
    context, name, role = app_context(request), text_of(request, "name"), read_role(text_of(request, "role"))
    if role not in OWN:
        raise Problem(422, f"{role} is a role in a project.", "Give it there, under People.")
    before = context.store.accounts.get(name)
    if role != "admin":
        keep_an_admin(context.store, before)
    context.store.accounts.change_role(name, role)
    context.audit(account_of(request).name, "role changed", name=name, before=before.role, role=role)
    return RedirectResponse("/people", 303)


@needs("admin")
def change_active(request: Request) -> Response:
    """Closes an account, which ends its sessions, or opens it again."""
    context, name = app_context(request), text_of(request, "name")
    account = context.store.accounts.get(name)
    if text_of(request, "active") == "yes":
        context.store.accounts.activate(name)
        context.audit(account_of(request).name, "account opened", name=name)
    else:
        keep_an_admin(context.store, account)
        context.store.accounts.deactivate(name)
        context.audit(account_of(request).name, "account closed", name=name)
    return RedirectResponse("/people", 303)


@needs("admin")
def end_sessions(request: Request) -> Response:
    """Signs an account out everywhere."""
    context, name = app_context(request), text_of(request, "name")
    context.store.sessions.end_all(context.store.accounts.get(name).name)
    context.audit(account_of(request).name, "sessions ended", name=name)
    return RedirectResponse("/people", 303)


@needs("admin")
def reset(request: Request) -> Response:
    """Makes a link by which somebody chooses another password, and shows it, now and never again."""
    context, name = app_context(request), text_of(request, "name")
    link = reset_link(context, name, account_of(request).name)
    return render(request, "people.html", _page(context, link, f"Link for another password of {name}."), 201)


@needs("admin")
def audit_log(request: Request) -> Response:
    """The log, page by page."""
    text = request.query_params.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
    entries = tuple(app_context(request).store.audit.all(newest=ENTRIES, before=before))
    older = entries[-1].id if len(entries) == ENTRIES else None
    return render(request, "audit.html", AuditPage(entries, older))


def _page(context: AppContext, link: str = "", about: str = "") -> PeoplePage:
    store, now = context.store, context.now()
    rows = (
        AccountRow(one, tuple(sorted(store.memberships.of(one.name).items())), len(store.sessions.all(one.name, now)))
        for one in store.accounts.all()
    )
    waiting = tuple(one for one in store.invitations.all() if one.is_open(now))
    return PeoplePage(tuple(rows), waiting, tuple(store.audit.all(newest=10)), link, about)


ROUTES = (
    Route("/people", people, methods=["GET"]),
    Route("/people/invite", invite_admin, methods=["POST"]),
    Route("/people/revoke", revoke, methods=["POST"]),
    Route("/people/role", change_role, methods=["POST"]),
    Route("/people/active", change_active, methods=["POST"]),
    Route("/people/sessions", end_sessions, methods=["POST"]),
    Route("/people/password", reset, methods=["POST"]),
    Route("/people/audit", audit_log, methods=["GET"]),
)
