"""People of a project: who is what in it, and who is invited. For its admins."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.judging.records import ROLES, Membership, Project, Role
from rankproof.judging.store.invitations import Invitation
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.problems import Problem
from rankproof.web.render import render
from rankproof.web.security.accounts import invite, read_role
from rankproof.web.security.credentials import read_name
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of


@dataclass(frozen=True, slots=True)
class MembersPage:
    """Members, open invitations to the project, and the link that was just made: it is shown once."""

    project: Project
    members: tuple[Membership, ...]
    open: tuple[Invitation, ...]
    link: str = ""
    about: str = ""
    roles: tuple[Role, ...] = ROLES
    title: str = "People"


@needs("admin")
def members(request: Request) -> Response:
    """The list, and the form to invite somebody."""
    return render(request, "members.html", _page(request))


@needs("admin")
def invite_somebody(request: Request) -> Response:
    """Makes an invitation and shows its link, now and never again."""
    context, project, role = app_context(request), project_of(request), read_role(text_of(request, "role"))
    person = read_name(text_of(request, "person"))
    link = invite(context, role, account_of(request).name, person, project.slug)
    page = _page(request, link, f"Invitation of {person} with the role {role}.")
    return render(request, "members.html", page, 201)


@needs("admin")
def revoke(request: Request) -> Response:
    """Takes an open invitation to this project back."""
    context, project, handle = app_context(request), project_of(request), text_of(request, "handle")
    if not context.store.invitations.revoke(handle, project.slug):
        raise Problem(422, "This invitation is not open any more.", "Load the page again.")
    context.audit(account_of(request).name, "invitation taken back", project=project.slug, handle=handle)
    return RedirectResponse(f"/p/{project.slug}/people", 303)


@needs("admin")
def change_role(request: Request) -> Response:
    """Gives a member another role in the project."""
    context, project, role = app_context(request), project_of(request), read_role(text_of(request, "role"))
    name, me = text_of(request, "name"), account_of(request).name
    before = _role(request, name)
    if before == "admin" and role != "admin":
        _keep_an_admin(request, name)
    context.store.memberships.put(name, project.slug, role, me)
    context.audit(me, "role changed", project=project.slug, name=name, before=before, role=role)
    return RedirectResponse(f"/p/{project.slug}/people", 303)


@needs("admin")
def remove(request: Request) -> Response:
    """Takes a member out of the project; what they judged stays."""
    context, project, name = app_context(request), project_of(request), text_of(request, "name")
    if _role(request, name) == "admin":
        _keep_an_admin(request, name)
    context.store.memberships.remove(name, project.slug)
    context.audit(account_of(request).name, "member removed", project=project.slug, name=name)
    return RedirectResponse(f"/p/{project.slug}/people", 303)


def _role(request: Request, name: str) -> Role:
    """What somebody is in the project; an error where they are not in it."""
    slug = project_of(request).slug
    role = app_context(request).store.memberships.of(name).get(slug)
    if role is None:
        raise Problem(422, f"{name[:80]} is not in the project {slug}.", "Invite them.")
    return role


def _keep_an_admin(request: Request, name: str) -> None:
    """An error where somebody who is no admin of the server would take away their own last say."""
    me = account_of(request)
    if me.name == name and app_context(request).store.accounts.get(name).role != "admin":
        raise Problem(409, "You would not be an admin of this project any more.", "Ask another admin to do it.")


def _page(request: Request, link: str = "", about: str = "") -> MembersPage:
    context, project = app_context(request), project_of(request)
    now = context.now()
    waiting = tuple(one for one in context.store.invitations.all(project.slug) if one.is_open(now))
    return MembersPage(project, tuple(context.store.memberships.all(project.slug)), waiting, link, about)


ROUTES = (
    Route("/p/{slug}/people", members, methods=["GET"]),
    Route("/p/{slug}/people/invite", invite_somebody, methods=["POST"]),
    Route("/p/{slug}/people/revoke", revoke, methods=["POST"]),
    Route("/p/{slug}/people/role", change_role, methods=["POST"]),
    Route("/p/{slug}/people/remove", remove, methods=["POST"]),
)
TABS = (Tab("People", "/p/{slug}/people", role="admin", place=80),)
