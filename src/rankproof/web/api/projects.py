"""Projects: what is judged, on which scale, by which rules."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import msgspec
from msgspec import Meta
from starlette.responses import Response

from rankproof.errors import UsageError
from rankproof.judging import records
from rankproof.judging import records as scales
from rankproof.kernel.specs.calls import read_configured
from rankproof.web.api._operations import ApiRequest, Operation, Short, Slug, Text, reply
from rankproof.web.problems import Problem
from rankproof.web.security.sessions import projects_of

_Grade = Annotated[int, Meta(ge=-1000, le=1000)]
_Label = Annotated[str, Meta(pattern="^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$", max_length=200)]


class ApiLevel(msgspec.Struct, forbid_unknown_fields=True):
    """One grade: its number, the word on its button, and when to give it."""

    grade: _Grade
    label: _Label
    meaning: Text = ""


class ApiScale(msgspec.Struct, forbid_unknown_fields=True):
    """Grades from the least to the greatest; `relevant` is the least that counts as relevant."""

    name: Short
    levels: Annotated[list[ApiLevel], Meta(min_length=2, max_length=50)]
    relevant: _Grade = 1


class ApiTemplate(msgspec.Struct, forbid_unknown_fields=True):
    """Which fields of a document are its title, texts, picture, link and price, and where pictures may come from."""

    title: Short = "title"
    texts: Annotated[list[Short], Meta(max_length=50)] = msgspec.field(default_factory=lambda: ["text"])
    image: Short = ""
    link: Short = ""
    price: Short = ""
    image_hosts: Annotated[
        list[Short], Meta(max_length=50, description="Machines that pictures may be fetched from; none by default.")
    ] = []


class ApiSettings(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Everything about a project that can be changed."""

    name: Short
    scale: ApiScale = msgspec.field(
        default_factory=lambda: msgspec.convert(scales.SCALES["graded"].to_dict(), ApiScale)
    )
    guidelines: Text = ""
    template: ApiTemplate = msgspec.field(default_factory=ApiTemplate)
    wanted: Annotated[int, Meta(ge=1, le=1000, description="How many judges each pair should have.")] = 1
    selection: Annotated[Short, Meta(description="What is judged next.")] = "depth_pool(depth=10)"
    gold: Annotated[float, Meta(ge=0, le=1, description="Share of questions whose answer is known.")] = 0.0
    flags: Annotated[
        list[Annotated[str, Meta(pattern="^[^\\u0000]*[^\\u0000\\s][^\\u0000]*$", max_length=100)]],
        Meta(max_length=20, description="Why a result may be flagged; empty for the usual reasons."),
    ] = []
    suggests: Annotated[Short, Meta(description="The model judge whose grades judges see; empty for none.")] = ""
    unseen: Annotated[float, Meta(gt=0, le=1, description="With it, the share of pairs that show none.")] = 0.2


class NewProject(ApiSettings, forbid_unknown_fields=True, kw_only=True):
    """A project to make."""

    slug: Slug


class ApiProject(ApiSettings, kw_only=True):
    """A project."""

    slug: Slug


class ApiProjects(msgspec.Struct):
    """Every project."""

    projects: list[ApiProject]


def list_projects(call: ApiRequest[None, None]) -> Response:
    """The projects that I am in, the oldest first."""
    return reply(ApiProjects([_shape(project) for project in projects_of(call.request)]))


def show_project(call: ApiRequest[None, None]) -> Response:
    """A project as it stands now."""
    return reply(_shape(call.project))


def add_project(call: ApiRequest[NewProject, None]) -> Response:
    """Makes a project."""
    made = _apply(records.Project(call.body.slug, call.body.name), call.body)
    if made.slug in [project.slug for project in call.context.store.projects.all()]:
        raise Problem(409, f"There is a project {made.slug!r} already.", "Name another, or change that one.")
    call.context.store.projects.add(made, call.me.name)
    call.context.audit(call.me.name, "project added", project=made.slug)
    return reply(_shape(made), 201)


def change_project(call: ApiRequest[ApiSettings, None]) -> Response:
    """Changes a project; earlier settings are kept as revisions."""
    before = call.project
    changed = _apply(before, call.body)
    if changed != before:
        call.context.change_project(changed, call.me.name)
        call.context.audit(call.me.name, "settings", project=changed.slug)
    return reply(_shape(changed))


def _shape(project: records.Project) -> ApiProject:
    document = project.to_dict()
    del document["pipelines"], document["closed"]
    return msgspec.convert(document, ApiProject)


def _apply(project: records.Project, settings: ApiSettings) -> records.Project:
    shown = settings.template
    try:
        template = records.Template(
            shown.title, tuple(shown.texts), shown.image, shown.link, shown.price, tuple(shown.image_hosts)
        )
        read_configured("selections", settings.selection)
        scale = scales.Scale.from_dict(msgspec.to_builtins(settings.scale))
        return replace(
            project,
            name=settings.name.strip() or project.slug,
            scale=scale,
            guidelines=settings.guidelines,
            template=template,
            wanted=settings.wanted,
            selection=settings.selection,
            gold=settings.gold,
            flags=tuple(settings.flags),
            suggests=settings.suggests,
            unseen=settings.unseen,
        )
    except UsageError as error:
        raise Problem(422, str(error)) from None


OPERATIONS = (
    Operation("GET", "/projects", "List the projects", list_projects, replies={200: ApiProjects}),
    Operation(
        "POST",
        "/projects",
        "Make a project",
        add_project,
        role="admin",
        body=NewProject,
        replies={201: ApiProject},
        refusals=(409,),
    ),
    Operation("GET", "/projects/{slug}", "Show a project", show_project, replies={200: ApiProject}),
    Operation(
        "PUT",
        "/projects/{slug}",
        "Change a project",
        change_project,
        role="admin",
        body=ApiSettings,
        replies={200: ApiProject},
    ),
)
