"""Handing pairs out to judges by name: `judgments assign` and `judgments unassign`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.cli._judging import answer_options, chosen, opened, project_option, refuse_output
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.flow.selecting.handed import Handed
    from rankproof.records.project import Project
    from rankproof.store.judging.store import Store

SCHEMA = "assignments/1"


@click.command("assign")
@click.argument("store")
@project_option
@click.option("--judges", required=True, metavar="NAME,NAME", help="Whom, by the names of their accounts.")
@click.option("--pairs", required=True, type=click.IntRange(1), help="How many pairs.")
@click.option(
    "--overlap", type=click.IntRange(0), help="How many of them all judges get; a fifth when nothing is said."
)
@click.option("--each", type=click.IntRange(1), default=1, show_default=True, help="Judges for each of the others.")
@click.option("--selection", help="Which pairs, such as depth_pool(depth=20); the project's when nothing is said.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of what is drawn.")
@click.option("--dry-run", is_flag=True, help="Say what would be handed out; hand nothing out.")
@answer_options
def assign(
    store: str,
    project: str | None,
    judges: str,
    pairs: int,
    overlap: int | None,
    each: int,
    selection: str | None,
    seed: int,
    dry_run: bool,
    as_json: bool,
    output: str | None,
) -> None:
    """Hand pairs out to judges by name: some to all of them, so that their agreement is known, the others dealt.

    The pairs that all get are drawn at random. Of the others every judge gets whole queries where possible, and no
    judge more than one pair more than another. What is gold, was handed out before or is graded is not handed out.

    \b
    rankproof judgments assign judging.db --judges ana,bo,cy --pairs 500 --overlap 100
    """
    refuse_output(output)
    names = _names(judges)
    common = overlap if overlap is not None else pairs // 5 if len(names) > 1 else 0
    from rankproof.cli._judging_round_text import assigned
    from rankproof.flow.calls import read_call
    from rankproof.flow.selecting.dealing import deal, graded_by_people, pick
    from rankproof.flow.selecting.material import material_of

    with opened(store) as kept:
        found = chosen(kept, project)
        slug, asked = found.slug, read_call("selections", selection or found.selection)
        acts = kept.judgments.current(slug)
        before = kept.assignments.all(slug)
        without = {(one.query_id, one.doc_id) for one in before}
        without |= {(one.query_id, one.doc_id) for one in kept.gold.all(slug)}
        if not asked.item.follows:  # a selection that follows judgments knows what is graded, and may want it again
            without |= graded_by_people(acts)
        runs = {run.name: kept.runs.whole(slug, run.name) for run in kept.runs.all(slug)}
        if not runs:
            raise UsageError(f"The project {slug} has no runs to choose from. Add them: rankproof judgments add --run.")
        material = material_of(runs, acts, found.scale, found.wanted)
        dealt = deal(pick(asked, material, pairs, without), names, common, each, seed, asked.text)
        if not dry_run:
            kept.assignments.add(slug, dealt)
        told = {
            "handed": {"selection": asked.text, "pairs": pairs, "overlap": common, "each": each, "seed": seed,
                       "judgments": len(dealt), "judges": list(names), "dry_run": dry_run},
            "taken_back": 0,
            **_standing(kept, found, [*before, *dealt]),
        }  # fmt: skip
        accounts = frozenset(account.name for account in kept.accounts.all() if account.may("judge"))
    _output.give(document(SCHEMA, told) if as_json else assigned(told, accounts), output)


@click.command("unassign")
@click.argument("store")
@click.argument("judge")
@project_option
@answer_options
def unassign(store: str, judge: str, project: str | None, as_json: bool, output: str | None) -> None:
    """Take back what JUDGE was asked by name and has not answered, so that it can be handed to others.

    \b
    rankproof judgments unassign judging.db cy
    """
    refuse_output(output)
    from rankproof.cli._judging_round_text import unassigned
    from rankproof.flow.selecting.dealing import taken_back

    with opened(store) as kept:
        found = chosen(kept, project)
        handed = kept.assignments.all(found.slug)
        known = sorted({one.judge for one in handed if one.judge})
        if judge not in known:
            raise UsageError(f"{judge!r} was asked nothing by name. Asked were: {', '.join(known) or 'none'}.")
        back = taken_back(handed, kept.judgments.current(found.slug), judge)
        kept.assignments.add(found.slug, back)
        told = {
            "handed": None, "taken_back": len(back), **_standing(kept, found, kept.assignments.all(found.slug))
        }  # fmt: skip
    _output.give(document(SCHEMA, told) if as_json else unassigned(told, judge), output)


def standing(kept: Store, project: Project, handed: Any = None) -> tuple[Handed, ...]:
    """What judges were asked and have answered."""
    from rankproof.flow.selecting.handed import handed_out

    gold = {(one.query_id, one.doc_id) for one in kept.gold.all(project.slug)} if project.gold > 0 else set()
    rows = kept.assignments.all(project.slug) if handed is None else handed
    return handed_out(rows, kept.judgments.current(project.slug), gold)


def _standing(kept: Store, project: Project, handed: Any) -> dict[str, Any]:
    rows = [one.to_dict() for one in standing(kept, project, handed)]
    return {"store": kept.address, "project": project.slug, "judges": rows}


def _names(text: str) -> tuple[str, ...]:
    from rankproof.records.account import NAMES, is_name

    names = tuple(part.strip().lower() for part in text.split(",") if part.strip())
    if not names:
        raise UsageError("No judge is named. Give --judges ana,bo,cy.")
    for name in names:
        if not is_name(name):
            raise UsageError(f"{name!r} cannot be the name of an account. Take {NAMES}.")
    return names
