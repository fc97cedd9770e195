"""Making and filling projects: `judgments init`, `add` and `invite`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from rankproof.cli.judgments.settings import project_options, settings_options, settled
from rankproof.cli.judgments.store import about, chosen, counted_kind, opened, project_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError
from rankproof.judging.records import NAMES, ROLES, Role, is_name
from rankproof.kernel.sections import counted, printable, some

if TYPE_CHECKING:
    from rankproof.cli.judgments.store import Filling
    from rankproof.judging.records import Project
    from rankproof.judging.store.store import Store


_FILLING = (
    click.option("--dataset", help="Where queries and documents come from, as `rankproof dataset` reads it."),
    click.option("--split", help="The split of the dataset, or 'all'."),
    click.option("--run", "runs", metavar="NAME=PATH", multiple=True, help="A run to judge; may be repeated."),
    click.option(
        "--documents",
        metavar="NAME=PATH",
        multiple=True,
        help="What answers said of a run's documents; those beside it where no corpus has them.",
    ),
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
    documents: Sequence[str],
    depth: int,
    as_json: bool,
    output: str | None,
    **options: Any,
) -> None:
    """Make a project in STORE, and STORE where there is none: queries, documents and runs to judge.

    Documents are those that the runs rank and those that the dataset has judged. Where the dataset has no corpus, they
    are what the answers said that `rankproof fetch` kept beside the run: judges see what those saw who searched.

    \b
    rankproof judgments init judging.db --project shop --scale esci --dataset sample:shop --run bm25=bm25.run
    rankproof judgments init judging.db --project shop --dataset queries.jsonl --run live=fetched/runs/live.run
    """
    refuse_outputs(output)
    from rankproof.cli.judgments.store import read_filling, template_of, who
    from rankproof.judging.records import Project

    read = read_filling(dataset, split, runs, depth, documents)
    read.joined(read.query_ids)
    settings = project_options(options)
    shown = template_of(
        read.field_names, settings.title_field, settings.text_fields, settings.image_field, settings.link_field
    )
    made = settled(Project(project, project, template=shown), settings)
    with opened(store, create=True) as opened_store:
        opened_store.projects.add(made, who())
        _fill(opened_store, made, read, as_json, output)


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
    documents: Sequence[str],
    depth: int,
    as_json: bool,
    output: str | None,
) -> None:
    """Add queries, documents and runs to a project. What is there stays as judges saw it.

    \b
    rankproof judgments add judging.db --run dense=dense.run --dataset sample:shop
    """
    refuse_outputs(output)
    from rankproof.cli.judgments.store import read_filling

    if dataset is None and not runs:
        raise UsageError("There is nothing to add. Give --dataset, --run or both.")
    read = read_filling(dataset, split, runs, depth, documents)
    with opened(store) as opened_store:
        _fill(opened_store, chosen(opened_store, project), read, as_json, output)


def _fill(store: Store, project: Project, read: Filling, as_json: bool, output: str | None) -> None:
    from rankproof.cli.judgments.store import fill, template_of, who
    from rankproof.judging.records import Template

    bare = not store.items.count(project.slug).documents
    added = fill(store, project.slug, read)
    if bare and project.template == Template() and read.field_names:
        # Nobody knew the fields when the project was made.
        project = replace(project, template=template_of(read.field_names))
        store.projects.change(project, who())
    counts = sizes(store, project.slug)
    if as_json:
        body = {"store": store.address, "project": about(project), "added": added, "counts": counts}
        text = document("judging-project/1", body)
    else:
        text = filled(project, store.address, added, counts)
    _output.give(text, output)


def sizes(store: Store, slug: str) -> dict[str, int]:
    """How much there is to judge."""
    queries, documents = store.items.count(slug)
    return {"queries": queries, "documents": documents, "runs": len(store.runs.all(slug))}


@click.command("invite")
@click.argument("store")
@click.argument("people", nargs=-1, required=True, metavar="NAME...")
@project_option
@click.option("--role", type=click.Choice(ROLES), default="judge", show_default=True, help="What they may do.")
@click.option("--server", is_flag=True, help="Make them admins of the server and of every project.")
@click.option("--origin", metavar="URL", help="Where people reach `rankproof serve`; this machine otherwise.")
@answer_options
def invite(
    store: str,
    people: Sequence[str],
    project: str | None,
    role: Role,
    server: bool,
    origin: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Invite people to a project, each by the name or e-mail that their account has or gets.

    A link opens one account, once, and is shown now and never again. Where the account is there already, it lets it
    into the project.

    \b
    rankproof judgments invite judging.db ana bo cy --origin https://judge.example.org
    rankproof judgments invite judging.db dee --role reviewer --project shop
    rankproof judgments invite judging.db eve --server
    """
    refuse_outputs(output)
    from datetime import UTC, datetime

    from rankproof.cli.judgments.store import who
    from rankproof.judging.store.values import moment
    from rankproof.kernel.jsontext import to_json
    from rankproof.kernel.version import __version__
    from rankproof.web.security.credentials import digest, new_token
    from rankproof.web.settings import ServeSettings

    names = list(dict.fromkeys(_account_name(name) for name in people))
    given: Role = "admin" if server else role
    usual = ServeSettings()
    base = _origin(origin) if origin is not None else usual.origin
    expires = moment((datetime.now(UTC) + usual.invitation).isoformat())
    links = {}
    with opened(store) as opened_store:
        slug = None if server else chosen(opened_store, project).slug
        for name in names:
            token = new_token()
            opened_store.invitations.add(digest(token), given, who(), expires, person=name, project=slug)
            detail = {"role": given, "by": who(), "person": name, "project": slug}
            opened_store.audit.add("", "invitation", detail)
            links[name] = f"{base}/invitation/{token}"
        address = opened_store.address
    if as_json:
        # Every time another one: what a link is, and until when it holds, is observed.
        body = {"rankproof": __version__, "schema": "invitations/2", "store": address, "project": slug, "role": given}
        links_body = {**body, "people": names, "observed": {"links": links, "expires": expires}}
        text = to_json(links_body, indent=2) + "\n"
    else:
        where = "the server" if slug is None else slug
        head = f"Invited to {where} with the role {given}, each link good once and within {usual.invitation.days} days:"
        width = max(map(len, names))
        text = "".join(f"{line}\n" for line in (head, *(f"  {n:<{width}}  {link}" for n, link in links.items())))
    _output.give(text, output)


def _account_name(text: str) -> str:
    name = text.strip().lower()
    if not is_name(name):
        raise UsageError(f"{text!r} cannot be the name of an account. Take {NAMES}.")
    return name


def _origin(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise UsageError(
            f"{text!r} is no address of a server. Give one such as https://judge.example.org, without path."
        )
    return f"{parts.scheme}://{parts.netloc}"


def filled(project: Project, store: str, added: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """What was put into a project."""
    lines = [f"{printable(store)}: project {project.slug}, scale {project.scale.name}"]
    lines.append(f"  added: {counted(added['queries'], 'query', 'queries')}, {counted(added['documents'], 'document')}")
    if added["without_text"]:
        lines.append(f"  ranked or judged without a text: {counted(added['without_text'], 'document')}, shown by id")
    if stayed := added["stayed"]:
        named = some([f"{one['doc_id']} for {one['query_id']}" for one in stayed])
        lines.append(f"  other fields came, and what judges saw stays: {counted(len(stayed), 'pair')} ({named})")
    for run in added["runs"]:
        was = "" if run["added"] else " (there already)"
        lines.append(f"  run {printable(run['name'])}: {counted(run['queries'], 'query', 'queries')}{was}")
    lines.append(f"  now: {', '.join(counted_kind(count, name) for name, count in counts.items())}")
    return "\n".join(lines) + "\n"
