"""What the commands about a judging store share: how one is opened, and which of its projects is meant."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.records.project import Project
    from rankproof.store.judging.store import Store

F = TypeVar("F", bound=Callable[..., Any])
SOURCES = click.Choice(["person", "model", "clicks"])


def project_option(command: F) -> F:
    """--project, which may be left out where there is one."""
    return click.option("-p", "--project", metavar="NAME", help="The project; needed where the store has several.")(
        command
    )


def answer_options(command: F) -> F:
    """--json and -o."""
    output = click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
    as_json = click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
    return as_json(output(command))


def sources_option(command: F) -> F:
    """--source, which may be repeated."""
    return click.option(
        "--source",
        "sources",
        type=SOURCES,
        multiple=True,
        help="Whose judgments count; may be repeated. Default: person.",
    )(command)


def about(project: Project) -> dict[str, Any]:
    """What a JSON document says of a project."""
    return {"slug": project.slug, "name": project.name, "scale": project.scale.to_dict()}


def refuse_output(output: str | None) -> None:
    """An error when the answer cannot be written; asked before the work."""
    if output is not None and output != "-":
        refuse_path(output)


def opened(store: str, create: bool = False) -> Store:
    """The store; an error where none is, unless it may be made."""
    from rankproof.store.judging import open_store

    return open_store(store, create=create)


def chosen(store: Store, name: str | None) -> Project:
    """The project that is asked for, or the only one."""
    if name is not None:
        return store.projects.get(name)
    every = store.projects.all()
    if len(every) == 1:
        return every[0]
    if not every:
        raise UsageError(
            f"The store {store.address} has no project yet. "
            f"Make one with: rankproof judgments init {store.address} --project NAME"
        )
    names = ", ".join(project.slug for project in every)
    raise UsageError(f"The store {store.address} has several projects: {names}. Name one with --project.")
