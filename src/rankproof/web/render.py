"""Render: a template with what its page shows; everything is escaped, and a name that is not there is an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import jinja2
from starlette.requests import Request
from starlette.responses import HTMLResponse

from rankproof.judging.records import FLAG_REASONS, Account, Project
from rankproof.kernel.sections import counted
from rankproof.kernel.version import __version__
from rankproof.web.context import Assets, Tab, app_context
from rankproof.web.markdown import as_html
from rankproof.web.security.csrf import csrf_token, keep_csrf
from rankproof.web.security.independence import sees_others
from rankproof.web.security.policy import IMAGE_HOSTS
from rankproof.web.security.sessions import account_in, signed_in

FOLDER = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class ProblemPage:
    """What went wrong and what to do."""

    title: str
    message: str
    remedy: str


def environment(assets: Assets) -> jinja2.Environment:
    """The templates, with `asset`, `address` and `version` known to all of them."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(asset=assets.url, address=address, version=__version__, usual_flags=FLAG_REASONS)
    made.filters["counted"] = counted
    made.filters["markdown"] = as_html
    return made


def render(request: Request, template: str, page: object, status: int = 200) -> HTMLResponse:
    """The page as HTML.

    The template has: page (a frozen dataclass), me (the Account with its role in the project of the address, or None),
    rules (whether it rules the server), csrf (for forms), tabs (of the page's `project`, where it has one), path. See
    templates/base.html.
    """
    context = app_context(request)
    who = signed_in(request.scope)
    project = getattr(page, "project", None)
    me = None if who is None else account_in(who, request.path_params.get("slug")) or who.account
    values: dict[str, object] = {
        "page": page,
        "me": me,
        "rules": who is not None and who.account.may("admin"),
        "csrf": csrf_token(request),
        "path": request.scope["path"],
        "project": project,
        "tabs": [],
    }
    if isinstance(project, Project):
        request.scope[IMAGE_HOSTS] = project.template.image_hosts
    if me is not None and isinstance(project, Project):
        values["tabs"] = [(tab.word, tab.url(project.slug)) for tab in tabs_for(context.tabs, me, project)]
    text = context.templates.get_template(template).render(values)
    # Bytes that are no UTF-8 stand in an id as lone surrogates, which no encoding holds.
    response = HTMLResponse(text.encode("utf-8", "replace"), status)
    keep_csrf(request, response)
    return response


def tabs_for(tabs: Sequence[Tab], me: Account, project: Project) -> list[Tab]:
    """The tabs that somebody sees in a project."""
    return [tab for tab in tabs if me.may(tab.role) and (not tab.others or sees_others(me, project))]


def address(path: str, **query: str | int | None) -> str:
    """A path with query parameters, for ids that may hold anything; those that are None are left out."""
    given = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(given, errors='replace')}" if given else path
