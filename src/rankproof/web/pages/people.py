"""People: who may sign in and as what, invitations, and the audit log. For admins."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.judging.records import ROLES, Account, Role
from rankproof.judging.store.people import AuditEntry, Invitation
from rankproof.web.context import AppContext, app_context
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.accounts import invite, read_role
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of

# Entries of the audit log on one page.
ENTRIES = 100


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """Accounts, invitations that are open, and the link that was just made: it is shown once."""

    accounts: tuple[Account, ...]
    open: tuple[Invitation, ...]
    entries: tuple[AuditEntry, ...]
    link: str = ""
    role: str = ""
    roles: tuple[Role, ...] = ROLES
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
def invite_somebody(request: Request) -> Response:
    """Makes an invitation and shows its link, now and never again."""
    context, role = app_context(request), read_role(text_of(request, "role"))
    link = invite(context, role, account_of(request).name)
    return render(request, "people.html", _page(context, link, role), 201)


@needs("admin")
def change_role(request: Request) -> Response:
    """Gives an account another role."""
    context, name, role = app_context(request), text_of(request, "name"), read_role(text_of(request, "role"))
    before = context.store.accounts.get(name)
    if role != "admin":
        _keep_an_admin(context, before)
    context.store.accounts.change_role(name, role)
    context.sessions.clear()
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
        _keep_an_admin(context, account)
        context.store.accounts.deactivate(name)
        context.sessions.clear()
        context.audit(account_of(request).name, "account closed", name=name)
    return RedirectResponse("/people", 303)


@needs("admin")
def audit_log(request: Request) -> Response:
    """The log, page by page."""
    text = request.query_params.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
    entries = tuple(app_context(request).store.audit.all(newest=ENTRIES, before=before))
    older = entries[-1].id if len(entries) == ENTRIES else None
    return render(request, "audit.html", AuditPage(entries, older))


def _keep_an_admin(context: AppContext, account: Account) -> None:
    """An error where nobody would be left who can let others in."""
    others = [a for a in context.store.accounts.all() if a.may("admin") and a.name != account.name]
    if account.may("admin") and not others:
        raise Problem(409, f"{account.name} is the only admin.", "Make somebody else an admin first.")


def _page(context: AppContext, link: str = "", role: str = "") -> PeoplePage:
    now = context.now()
    return PeoplePage(
        tuple(context.store.accounts.all()),
        tuple(i for i in context.store.invitations.all() if i.used_by is None and i.expires > now),
        tuple(context.store.audit.all(newest=10)),
        link,
        role,
    )


ROUTES = (
    Route("/people", people, methods=["GET"]),
    Route("/people/invite", invite_somebody, methods=["POST"]),
    Route("/people/role", change_role, methods=["POST"]),
    Route("/people/active", change_active, methods=["POST"]),
    Route("/people/audit", audit_log, methods=["GET"]),
)
