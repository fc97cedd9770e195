"""Rounds of judging: `judgments assign`, `unassign`, `gold` and `agreement`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.judgments.store import chosen, opened, project_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import aligned, counted, printable

if TYPE_CHECKING:
    from rankproof.judging.records import Project
    from rankproof.judging.store.store import Store


SCHEMA = "assignments/1"


@click.command("assign")
@click.argument("store")
@project_option
@click.option("--judges", required=True, metavar="NAME,NAME", help="Whom, by the names of their accounts.")
@click.option("--pairs", required=True, type=click.IntRange(1), help="How many pairs.")
@click.option("--overlap", type=click.IntRange(0), help="How many of them all judges get; a fifth by default.")
@click.option("--each", type=click.IntRange(1), default=1, show_default=True, help="Judges for each of the others.")
@click.option("--selection", help="Which pairs, such as depth_pool(depth=20); the project's by default.")
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
    refuse_outputs(output)
    from rankproof.judging.records import Account
    from rankproof.judging.rounds.hand_out import HandOutRequest, give_out, judge_names, plan_hand_out

    names = judge_names(judges.split(","))
    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        request = HandOutRequest(names, pairs, overlap, each, selection or "", seed)
        plan = plan_hand_out(opened_store, chosen_project, request)
        before = opened_store.assignments.all(chosen_project.slug)
        if not dry_run:
            give_out(opened_store, chosen_project, plan)
        summary = {
            "handed": {**plan.to_dict(), "dry_run": dry_run},
            "taken_back": 0,
            **_standing(opened_store, chosen_project, [*before, *plan.dealt]),
        }
        accounts = frozenset(
            one.account
            for one in opened_store.memberships.all(chosen_project.slug)
            if Account(one.account, one.role).may("judge")
        )
    _output.give(document(SCHEMA, summary) if as_json else assigned(summary, accounts), output)


@click.command("unassign")
@click.argument("store")
@click.argument("judge")
@project_option
@answer_options
def unassign(store: str, judge: str, project: str | None, as_json: bool, output: str | None) -> None:
    """Take back the pairs that JUDGE was assigned and has not answered, so that others can get them.

    \b
    rankproof judgments unassign judging.db cy
    """
    refuse_outputs(output)
    from rankproof.judging.rounds.assign import taken_back

    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        handed = opened_store.assignments.all(chosen_project.slug)
        known = sorted({one.judge for one in handed if one.judge})
        if judge not in known:
            raise UsageError(
                f"{judge!r} has no assigned pairs. Judges with assigned pairs: {', '.join(known) or 'none'}."
            )
        back = taken_back(handed, opened_store.judgments.current(chosen_project.slug), judge)
        opened_store.assignments.add(chosen_project.slug, back)
        rest = opened_store.assignments.all(chosen_project.slug)
        summary = {"handed": None, "taken_back": len(back), **_standing(opened_store, chosen_project, rest)}
    _output.give(document(SCHEMA, summary) if as_json else unassigned(summary, judge), output)


def _standing(store: Store, project: Project, handed: Any) -> dict[str, Any]:
    from rankproof.judging.rounds.hand_out import assignments_answered

    rows = [one.to_dict() for one in assignments_answered(store, project, handed)]
    return {"store": store.address, "project": project.slug, "judges": rows}


@click.command("gold")
@click.argument("store")
@click.argument("file", type=click.Path())
@project_option
@click.option("--share", type=click.FloatRange(0, 1), help="Of the questions that judges get, this share is gold.")
@click.option("--withdraw", is_flag=True, help="Take the questions of FILE back.")
@click.option("--format", "form", type=ShelfName("formats", "qrels"), help="The format of FILE; by content otherwise.")
@click.option("--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault.")
@answer_options
def gold(
    store: str,
    file: str,
    project: str | None,
    share: float | None,
    withdraw: bool,
    form: str | None,
    allow: Sequence[str],
    as_json: bool,
    output: str | None,
) -> None:
    """Make the pairs of FILE gold questions: qrels of any format, whose grades are known to be right.

    Judges cannot tell them from others. How often each is right is under Settle and in `judgments agreement`.

    \b
    rankproof judgments gold judging.db gold.trec --share 0.05
    """
    refuse_outputs(output)
    from rankproof.cli.judgments.store import who
    from rankproof.judging.records import GoldAnswer
    from rankproof.reading.collect import read_qrels

    read = read_qrels(file, form, allow=allow)
    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        held = {(one.query_id, one.doc_id): one.grade for one in opened_store.gold.all(chosen_project.slug)}
        queries = {query.query_id for query in opened_store.items.queries(chosen_project.slug)}
        answers = [GoldAnswer(q, doc, grade) for q, docs in read.to_dict().items() for doc, grade in docs.items()]
        for one in answers:
            if one.query_id not in queries:
                raise InputError(f"{read.name}: the project {chosen_project.slug!r} has no query {one.query_id!r}.")
            if one.grade not in chosen_project.scale.grades:
                raise InputError(
                    f"{read.name}: {one.doc_id!r} for {one.query_id!r} has grade {one.grade}, and the scale "
                    f"{chosen_project.scale.name!r} has {', '.join(map(str, chosen_project.scale.grades))}. Nothing "
                    "was added."
                )
        if withdraw:
            new = [replace(one, withdrawn=True) for one in answers if (one.query_id, one.doc_id) in held]
        else:
            new = [one for one in answers if held.get((one.query_id, one.doc_id)) != one.grade]
        opened_store.gold.add(chosen_project.slug, new)
        if share is not None and share != chosen_project.gold:
            chosen_project = replace(chosen_project, gold=share)
            opened_store.projects.change(chosen_project, who())
        summary = {
            "store": opened_store.address,
            "project": chosen_project.slug,
            "file": read.name,
            "added": 0 if withdraw else len(new),
            "withdrawn": len(new) if withdraw else 0,
            "there": 0 if withdraw else len(answers) - len(new),
            "questions": len(opened_store.gold.all(chosen_project.slug)),
            "share": chosen_project.gold,
        }
    _output.give(document("gold/1", summary) if as_json else golden(summary), output)


def assigned(summary: Mapping[str, Any], accounts: Collection[str]) -> str:
    """What was handed out, with the arithmetic, and how the judges stand."""
    one = summary["handed"]
    names, pairs, overlap, each = one["judges"], one["pairs"], one["overlap"], one["each"]
    done = "would be handed out" if one["dry_run"] else "handed out"
    lines = [f"{counted(pairs, 'pair')} by {one['selection']} {done} to {counted(len(names), 'judge')}: "
             f"{counted(one['judgments'], 'judgment')}"]  # fmt: skip
    if overlap:
        lines.append(f"  {counted(overlap, 'pair')} to all {len(names)}: {counted(overlap * len(names), 'judgment')}")
    if pairs > overlap:
        rest = pairs - overlap
        lines.append(f"  {counted(rest, 'pair')} to {counted(each, 'judge')} each: {counted(rest * each, 'judgment')}")
    parts = [lines, standing(summary["judges"])]
    without = [name for name in names if name not in accounts]
    if without:
        parts.append([f"without an account yet, to be opened under this very name: {', '.join(without)}"])
    return paragraphs(parts)


def unassigned(summary: Mapping[str, Any], judge: str) -> str:
    """What was taken back."""
    return paragraphs(
        [[f"{counted(summary['taken_back'], 'pair')} taken back from {judge}"], standing(summary["judges"])]
    )


def golden(summary: Mapping[str, Any]) -> str:
    """New gold questions, and the share of questions that are gold."""
    if summary["withdrawn"]:
        lines = [f"{counted(summary['withdrawn'], 'gold question')} taken back"]
    else:
        there = f", {summary['there']:,} there already" if summary["there"] else ""
        lines = [f"{counted(summary['added'], 'gold question')} added{there}"]
    often = (
        f"{summary['share']:.1%} of the questions are gold"
        if summary["share"]
        else "none is asked: --share says how many"
    )
    lines.append(f"  now {counted(summary['questions'], 'gold question')}; {often}")
    return paragraphs([lines])


def standing(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How far judges are with their assigned pairs."""
    table = [["handed out to", "asked", "answered", "left"]]
    table += [
        [one["judge"] or "(anybody)", *(f"{one[name]:,}" for name in ("asked", "answered", "left"))] for one in rows
    ]
    return aligned(table, 1) if rows else []


def paragraphs(parts: Sequence[Sequence[str]]) -> str:
    """The parts that are not empty, with an empty line between them."""
    return "\n\n".join("\n".join(printable(line) for line in part) for part in parts if part) + "\n"
