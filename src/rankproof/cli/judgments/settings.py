"""Settings of a project on the command line: the options of `judgments init` and `judgments change`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.judgments.store import chosen, opened, project_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.judging.records import Project
    from rankproof.judging.store.store import Store

_OPTIONS = (
    click.option("--title", help="What people call the project; its name at first."),
    click.option("--scale", help="The grades: binary, graded or esci; graded at first."),
    click.option("--guidelines", type=click.Path(), help="A text file with the rules of judging."),
    click.option("--wanted", type=click.IntRange(1), help="How many judges each pair needs; 1 at first."),
    click.option("--selection", help="What is judged next, such as disagreement(); depth_pool(depth=10) at first."),
    click.option("--gold", type=click.FloatRange(0, 1), help="Share of the questions that are gold; 0 at first."),
    click.option("--pipelines", type=click.Path(), help="A benchmark configuration: its modes answer typed queries."),
    click.option("--suggests", metavar="JUDGE", help="Show this model's grades to judges; '' for none, as at first."),
    click.option(
        "--unseen", type=click.FloatRange(0, 1, min_open=True), help="Share of pairs without them; 0.2 at first."
    ),
    click.option("--title-field", metavar="FIELD", help="The field of documents shown as their title."),
    click.option(
        "--text-field", "text_fields", metavar="FIELD", multiple=True, help="A field shown below; repeatable."
    ),
    click.option("--image-field", metavar="FIELD", help="The field with the address of a picture; '' for none."),
    click.option(
        "--flag", "flags", metavar="REASON", multiple=True, help="A reason for flags, instead of the usual; repeatable."
    ),
    click.option("--link-field", metavar="FIELD", help="The field with the address of the document; '' for none."),
)


@dataclass(frozen=True, slots=True)
class ProjectOptions:
    """What the options say; None, or nothing for the fields of the text, where they say nothing."""

    title: str | None
    scale: str | None
    guidelines: str | None
    wanted: int | None
    selection: str | None
    gold: float | None
    pipelines: str | None
    suggests: str | None
    unseen: float | None
    title_field: str | None
    text_fields: tuple[str, ...]
    image_field: str | None
    link_field: str | None
    flags: tuple[str, ...]


def settings_options(command: Any) -> Any:
    """The options that say how a project is judged."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def project_options(options: Mapping[str, Any]) -> ProjectOptions:
    """The settings among the options of a command."""
    return ProjectOptions(**{one.name: options[one.name] for one in fields(ProjectOptions)})


def settled(project: Project, options: ProjectOptions) -> Project:
    """The project with these options, all read and checked before anything is stored."""
    from rankproof.judging.records import find_scale
    from rankproof.kernel.specs.calls import read_configured
    from rankproof.reading.source import open_source

    other: dict[str, Any] = {"wanted": options.wanted, "gold": options.gold, "name": options.title}
    other |= {"suggests": options.suggests, "unseen": options.unseen}
    if options.scale is not None:
        other["scale"] = find_scale(options.scale)
    if options.flags:
        other["flags"] = options.flags
    if options.guidelines is not None:
        other["guidelines"] = open_source(options.guidelines).text()
    if options.selection is not None:
        read_configured("selections", options.selection)
        other["selection"] = options.selection.strip()
    if options.pipelines is not None:
        other["pipelines"] = _configuration(options.pipelines)
    shown = {"title": options.title_field, "texts": options.text_fields or None, "image": options.image_field}
    shown["link"] = options.link_field
    other["template"] = replace(project.template, **_given(shown))
    return replace(project, **_given(other))


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _configuration(path: str) -> str:
    """The whole path of a configuration that can be read: the server may be started from another folder."""
    from rankproof.stack.benchmark.config import read_config

    if not path:
        return ""
    read_config(path)
    return os.path.abspath(path)


@click.command("change")
@click.argument("store")
@project_option
@settings_options
@answer_options
def change(store: str, project: str | None, as_json: bool, output: str | None, **options: Any) -> None:
    """Change how a project is judged. Earlier settings stay as revisions.

    A server that runs sees the change within seconds.

    \b
    rankproof judgments change judging.db --guidelines rules.txt --wanted 2
    rankproof judgments change judging.db --selection "near_cutoff(cutoff=10)" --gold 0.1
    rankproof judgments change judging.db --pipelines stack.toml
    rankproof judgments change judging.db --suggests graded:small
    """
    refuse_outputs(output)
    from rankproof.cli.judgments.store import who

    with opened(store) as opened_store:
        before = chosen(opened_store, project)
        after = settled(before, project_options(options))
        _refuse_scale(opened_store, before, after)
        if after != before:
            opened_store.projects.change(after, who())
        address = opened_store.address
    was, now = before.to_dict(), after.to_dict()
    changed = [name for name in now if now[name] != was[name]]
    if as_json:
        _output.give(document("judging-settings/1", {"store": address, "project": now, "changed": changed}), output)
        return
    message = f"changed: {', '.join(changed)}" if changed else "nothing changed"
    _output.give(f"{address}: project {after.slug}: {message}\n", output)


def _refuse_scale(store: Store, before: Project, after: Project) -> None:
    """Grades that were given stay as they were: a scale without them would leave them without a meaning."""
    if after.scale == before.scale:
        return
    given = {act.grade for act in store.judgments.current(after.slug) if act.grade is not None}
    lost = sorted(given - set(after.scale.grades))
    if lost:
        raise UsageError(
            f"The scale {after.scale.name!r} has no grade {', '.join(map(str, lost))}, which judges have given. "
            "Make another project for another scale."
        )
