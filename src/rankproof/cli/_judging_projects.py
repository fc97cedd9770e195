"""Making and filling projects: `judgments init` and `judgments add`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._judging import about, answer_options, chosen, opened, project_option, refuse_output
from rankproof.cli._judging_settings import said_in, settings_options, settled
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.cli._judging_setup import Filling
    from rankproof.records.project import Project
    from rankproof.store.judging.store import Store

_FILLING = (
    click.option("--dataset", help="Where queries and documents come from, as `rankproof dataset` reads it."),
    click.option("--split", help="The split of the dataset, or 'all'."),
    click.option("--run", "runs", metavar="NAME=PATH", multiple=True, help="A run to judge; may be repeated."),
    click.option(
        "--depth",
        type=click.IntRange(1),
        default=100,
        show_default=True,
        help="Keep this many documents of each ranking.",
    ),
)


def filling(command: Any) -> Any:
    """The options that say what goes into a project."""
    for option in reversed(_FILLING):
        command = option(command)
    return command


@click.command("init")
@click.argument("store")
@click.option("-p", "--project", required=True, metavar="NAME", help="A new project: letters, digits, - and _.")
@settings_options
@filling
@answer_options
def init(
    store: str,
    project: str,
    dataset: str | None,
    split: str | None,
    runs: Sequence[str],
    depth: int,
    as_json: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Make a project in STORE, and STORE where there is none: queries, documents and runs to judge.

    Documents are those that the runs rank and those that the dataset has judged.

    \b
    rankproof judgments init judging.db --project shop --scale esci --dataset sample:shop --run bm25=bm25.run
    """
    refuse_output(output)
    from rankproof.cli._judging_setup import read_filling, template_for, who
    from rankproof.records.project import Project

    read = read_filling(dataset, split, runs, depth)
    read.joined(read.query_ids)
    said = said_in(options)
    shown = template_for(read.dataset, said.title_field, said.text_fields, said.image_field, said.link_field)
    made = settled(Project(project, project, template=shown), said)
    with opened(store, create=True) as kept:
        kept.projects.add(made, who())
        _fill(kept, made, read, as_json, output)


@click.command("add")
@click.argument("store")
@project_option
@filling
@answer_options
def add(
    store: str,
    project: str | None,
    dataset: str | None,
    split: str | None,
    runs: Sequence[str],
    depth: int,
    as_json: bool,
    output: str | None,
) -> None:
    """Add queries, documents and runs to a project. What is there stays as judges saw it.

    \b
    rankproof judgments add judging.db --run dense=dense.run --dataset sample:shop
    """
    refuse_output(output)
    from rankproof.cli._judging_setup import read_filling

    if dataset is None and not runs:
        raise UsageError("There is nothing to add. Give --dataset, --run or both.")
    read = read_filling(dataset, split, runs, depth)
    with opened(store) as kept:
        _fill(kept, chosen(kept, project), read, as_json, output)


def _fill(kept: Store, project: Project, read: Filling, as_json: bool, output: str | None) -> None:
    from rankproof.cli._judging_setup import fill
    from rankproof.cli._judgments_text import filled

    added = fill(kept, project.slug, read)
    counts = sizes(kept, project.slug)
    if as_json:
        body = {"store": kept.address, "project": about(project), "added": added, "counts": counts}
        text = document("judging-project/1", body)
    else:
        text = filled(project, kept.address, added, counts)
    _output.give(text, output)


def sizes(kept: Store, slug: str) -> dict[str, int]:
    """How much there is to judge."""
    queries, documents = kept.items.count(slug)
    return {"queries": queries, "documents": documents, "runs": len(kept.runs.all(slug))}
