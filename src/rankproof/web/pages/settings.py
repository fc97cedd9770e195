"""Settings of a project: its scale, guidelines, how documents are shown, and what is judged next. For admins.

Which benchmark configuration answers typed queries is not among them: that is a file of the machine, and is set
where the machine's owner is, on the command line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rankproof.errors import RankproofError
from rankproof.judging.records import Level, Project, Scale, Template
from rankproof.kernel.specs.calls import read_configured
from rankproof.web.context import Tab, app_context, project_of
from rankproof.web.problems import Problem, understood
from rankproof.web.render import render
from rankproof.web.security.csrf import text_of
from rankproof.web.security.roles import needs
from rankproof.web.security.sessions import account_of


@dataclass(frozen=True, slots=True)
class SettingsPage:
    """The project, and its settings as text, as they stand in the form."""

    project: Project
    fields: dict[str, str]
    saved: bool = False
    problem: Problem | None = None
    title: str = "Settings"


def as_fields(project: Project) -> dict[str, str]:
    """The settings as the form has them."""
    template = project.template
    return {
        "name": project.name,
        "guidelines": project.guidelines,
        "levels": "\n".join(" | ".join(filter(None, (str(v.grade), v.label, v.meaning))) for v in project.scale.levels),
        "relevant": str(project.scale.relevant),
        "title": template.title,
        "texts": ", ".join(template.texts),
        "image": template.image,
        "link": template.link,
        "price": template.price,
        "image_hosts": ", ".join(template.image_hosts),
        "wanted": str(project.wanted),
        "selection": project.selection,
        "gold": f"{project.gold:g}",
        "flags": "\n".join(project.flags),
        "suggests": project.suggests,
        "unseen": f"{project.unseen:g}",
    }


def from_fields(project: Project, values: dict[str, str]) -> Project:
    """The project with the settings of a form; an error that names the field that does not fit."""
    levels = tuple(_level(line) for line in values["levels"].splitlines() if line.strip())
    relevant = _whole(values["relevant"], "The least relevant grade")
    scale = project.scale
    if (levels, relevant) != (scale.levels, scale.relevant):
        scale = Scale(f"{project.slug} {'/'.join(str(v.grade) for v in levels)}", levels, relevant)
    selection = values["selection"].strip()
    read_configured("selections", selection)
    texts, hosts = _names(values["texts"]), _names(values["image_hosts"].lower())
    return replace(
        project,
        name=values["name"].strip() or project.slug,
        guidelines=values["guidelines"],
        scale=scale,
        template=Template(
            values["title"].strip(),
            texts,
            values["image"].strip(),
            values["link"].strip(),
            values["price"].strip(),
            hosts,
        ),
        wanted=_whole(values["wanted"], "The number of judges for each pair"),
        selection=selection,
        gold=_share(values["gold"], "The share of gold questions"),
        flags=tuple(dict.fromkeys(line.strip() for line in values["flags"].splitlines() if line.strip())),
        suggests=values["suggests"].strip(),
        unseen=_share(values["unseen"], "The share of pairs without suggestions"),
    )


@needs("admin")
def show(request: Request) -> Response:
    """The form."""
    project = project_of(request)
    return render(request, "settings.html", SettingsPage(project, as_fields(project), "saved" in request.query_params))


@needs("admin")
def save(request: Request) -> Response:
    """Keeps the settings as another revision; those before stay."""
    context, project, by = app_context(request), project_of(request), account_of(request).name
    before = as_fields(project)
    values = {name: text_of(request, name, value) for name, value in before.items()}
    try:
        changed = from_fields(project, values)
    except (RankproofError, Problem) as error:
        problem = understood(error)
        if problem is None:
            raise
        return render(request, "settings.html", SettingsPage(project, values, problem=problem), problem.status)
    if changed != project:
        context.change_project(changed, by)
        names = [name for name, value in as_fields(changed).items() if value != before[name]]
        context.audit(by, "settings", project=project.slug, changed=", ".join(names))
    return RedirectResponse(f"/p/{project.slug}/settings?saved", 303)


def _level(line: str) -> Level:
    parts = [part.strip() for part in line.split("|", 2)]
    if len(parts) < 2:
        raise Problem(422, f"The line {line.strip()!r} is no grade.", "Write: 2 | Relevant | It answers in part.")
    return Level(_whole(parts[0], "A grade"), parts[1], parts[2] if len(parts) > 2 else "")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _whole(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Problem(422, f"{what} is no whole number: {text[:40]!r}.") from None


def _share(text: str, what: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise Problem(422, f"{what} is no number: {text[:40]!r}.") from None


ROUTES = (
    Route("/p/{slug}/settings", show, methods=["GET"]),
    Route("/p/{slug}/settings", save, methods=["POST"]),
)
TABS = (Tab("Settings", "/p/{slug}/settings", role="admin", place=90),)
