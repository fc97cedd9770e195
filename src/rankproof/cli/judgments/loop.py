"""The loop on the command line: `judgments steps`, `close` and `inbox`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.judgments.store import chosen, opened, project_option, who
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError
from rankproof.kernel.sections import aligned, counted, printable

if TYPE_CHECKING:
    from rankproof.judging.inbox import InboxList, InboxState
    from rankproof.judging.steps import LoopStep
    from rankproof.judging.store.loop import ResolutionAct

KINDS = ("flag", "cannot_tell", "disagreement", "model", "gold")
STATES: Mapping[str, InboxState] = {"open": "open", "resolved": "resolved", "all": "all"}
MOST = 20


@click.command("steps")
@click.argument("store")
@project_option
@answer_options
def steps(store: str, project: str | None, as_json: bool, output: str | None) -> None:
    """Show the steps of the loop, how far each is, and what to do next.

    \b
    rankproof judgments steps judging.db
    """
    refuse_outputs(output)
    from rankproof.judging.steps import loop_steps, next_step

    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        every = loop_steps(opened_store, chosen_project)
        address = opened_store.address
    following = next_step(every)
    body = {"store": address, "project": chosen_project.slug, "next": following.name}
    if as_json:
        text = document("judging-steps/1", {**body, "steps": [step.to_dict() for step in every]})
    else:
        text = steps_text(every, following, address)
    _output.give(text, output)


@click.command("close")
@click.argument("store")
@project_option
@click.option("--reopen", is_flag=True, help="Open it again.")
@click.option("--note", default="", help="Why, for those who come later.")
@answer_options
def close(store: str, project: str | None, reopen: bool, note: str, as_json: bool, output: str | None) -> None:
    """Close the round of a project: from then on judges may see the results. Until then they see their own work only.

    \b
    rankproof judgments close judging.db --note "500 pairs, all settled"
    rankproof judgments close judging.db --reopen
    """
    refuse_outputs(output)
    from rankproof.judging.rounds.closed import close_round, open_round

    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        changed = (open_round if reopen else close_round)(opened_store, chosen_project.slug, who(), note)
        address = opened_store.address
    body = {"store": address, "project": chosen_project.slug, "closed": not reopen, "changed": changed}
    state = "open" if reopen else "closed"
    text = f"{chosen_project.slug}: the round is {state}{'' if changed else ', as it was'}\n"
    _output.give(document("judging-round/1", body) if as_json else text, output)


@click.command("inbox")
@click.argument("store")
@project_option
@click.option("--kind", "kinds", type=click.Choice(KINDS), multiple=True, help="Only of this kind; may be repeated.")
@click.option("--judge", default="", help="Only about this judge.")
@click.option("--search", default="", help="Only with these words in query, document id, reason or note.")
@click.option("--query", "query_id", default="", help="Only of the query with this id.")
@click.option("--state", type=click.Choice(["open", "resolved", "all"]), default="open", show_default=True)
@click.option("-n", "limit", type=click.IntRange(1, 1000), default=MOST, show_default=True, help="So many at most.")
@click.option("--dismiss", metavar="ITEM", help="Dismiss the item with a name that begins so; --note says why.")
@click.option("--settle", metavar="ITEM", help="Settle the item with a name that begins so, by --grade.")
@click.option("--reopen", metavar="ITEM", help="Open the item with a name that begins so again.")
@click.option("--grade", type=int, help="The grade that settles.")
@click.option("--note", default="", help="Why.")
@answer_options
def inbox(
    store: str,
    project: str | None,
    kinds: Sequence[str],
    judge: str,
    search: str,
    query_id: str,
    state: str,
    limit: int,
    dismiss: str | None,
    settle: str | None,
    reopen: str | None,
    grade: int | None,
    note: str,
    as_json: bool,
    output: str | None,
) -> None:
    """Show what a reviewer has to look at: flags, cannot-tells, disagreements, models against people, gold misses.

    \b
    rankproof judgments inbox judging.db
    rankproof judgments inbox judging.db --kind disagreement --search "rain coat"
    rankproof judgments inbox judging.db --dismiss 3fa9c1 --note "both readings are right"
    rankproof judgments inbox judging.db --settle 3fa9c1 --grade 2
    """
    refuse_outputs(output)
    from rankproof.judging.inbox import InboxAct, InboxFilter, find_item, item_name, list_inbox, resolve_item
    from rankproof.judging.records import Account
    from rankproof.judging.store.inbox import INBOX_KINDS

    doings: tuple[tuple[ResolutionAct, str | None], ...]
    doings = (("dismissed", dismiss), ("settled", settle), ("reopened", reopen))
    named = [(act, name) for act, name in doings if name]
    if len(named) > 1:
        raise UsageError("Do one thing at a time: --dismiss, --settle or --reopen.")
    wanted = tuple(kind for kind in INBOX_KINDS if not kinds or kind in kinds)
    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        if named:
            act, name = named[0]
            row = find_item(opened_store, chosen_project, name)
            doing = InboxAct(item_name(row), row.query_id, row.doc_id, act, note, grade)
            # Who can write the store's file may do what an admin may.
            item = resolve_item(opened_store, chosen_project, doing, Account(who(), "admin"))
            done = f"{act}: {row.kind} about {row.doc_id} for {row.query_id}\n"
            others = list_inbox(opened_store, chosen_project, limit=0).to_dict()
            resolved = {"project": chosen_project.slug, **others, "items": [item.to_dict()], "total": 1}
            _output.give(document("judging-inbox/1", resolved) if as_json else printable(done[:-1]) + "\n", output)
            return
        asked = InboxFilter(wanted, judge, search, query_id, STATES[state])
        found = list_inbox(opened_store, chosen_project, asked, limit=limit)
    body = {"project": chosen_project.slug, **found.to_dict()}
    _output.give(document("judging-inbox/1", body) if as_json else inbox_text(chosen_project.slug, found), output)


def steps_text(steps: Sequence[LoopStep], following: LoopStep, address: str) -> str:
    """The steps as a table, and the next one with its command."""
    rows = [["step", "state", "how it stands"]]
    rows += [[step.title, step.state, "; ".join(step.facts)] for step in steps]
    command = following.command.replace("STORE", address)
    return "\n".join(
        [*(line.rstrip() for line in aligned(rows, 3)), "", f"next: {following.title}", f"  {command}", ""]
    )


def inbox_text(slug: str, found: InboxList) -> str:
    """How many wait by kind, and the first of them."""
    waiting = ", ".join(f"{kind.replace('_', ' ')} {count:,}" for kind, count in found.waiting.items())
    lines = [f"{slug}: {counted(found.total, 'item')}; waiting: {waiting}"]
    if found.items:
        rows = [["item", "kind", "about", "query", "document", "grades"]]
        for one in found.items:
            row = one.row
            grades = row.reason if row.grade is None else f"{row.grade} against {row.other}"
            rows.append([one.item[:12], row.kind.replace("_", " "), row.judge, row.query_id, row.doc_id, grades])
        lines += ["", *aligned(rows, 6)]
    left = found.total - len(found.items)
    lines += [f"... and {left:,} more: -n shows more of them"] if left > 0 else []
    return "\n".join(printable(line) for line in lines) + "\n"
