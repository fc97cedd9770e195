"""Judging in a spreadsheet: `judgments sheet`, and what `judgments import` takes from one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.judgments.store import chosen, counted_kind, opened, project_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, printable

if TYPE_CHECKING:
    from rankproof.judging.records import Project
    from rankproof.judging.sheets import SheetRow
    from rankproof.judging.store.store import Store

Pair = tuple[str, str]
REFUSED_SHOWN = 10


@click.command("sheet")
@click.argument("store")
@click.argument("target", type=click.Path())
@project_option
@click.option("--judge", metavar="NAME", help="Whose: what is handed out to NAME, without what NAME has judged.")
@click.option("-n", "--number", type=click.IntRange(1), help="How many pairs at most; all otherwise.")
@click.option("--json", "as_json", is_flag=True, help="Say what was done as JSON.")
def sheet(store: str, target: str, project: str | None, judge: str | None, number: int | None, as_json: bool) -> None:
    """Write the pairs that are to be judged to TARGET, a spreadsheet: .xlsx or .csv.

    Rows come in the order in which the page would ask, with what the page shows, and empty columns for grade and note.
    Grades are numbers or the words of the scale. Rows may be sorted, and columns moved or removed, but for `pair` and
    `grade`. A half-filled sheet may be imported, and again when more is filled.

    \b
    rankproof judgments sheet judging.db tojudge.xlsx
    rankproof judgments import judging.db tojudge.xlsx --judge ann
    """
    refuse_outputs(target)
    from rankproof.judging.sheets import to_sheet_csv, to_xlsx
    from rankproof.kernel.atomic import replace_file

    form = os.path.splitext(target)[1].lstrip(".").casefold()
    if form not in ("csv", "xlsx"):
        raise UsageError(f"A sheet is .xlsx or .csv, and {target!r} is neither. Name another file.")
    with opened(store) as opened_store:
        into = chosen(opened_store, project)
        pairs = pairs_to_judge(opened_store, into, judge)[:number]
        if not pairs:
            whom = f" for {judge}" if judge else ""
            raise InputError(
                f"There is nothing to judge in {into.slug}{whom}: all is judged, or no run was added. "
                "Add one: rankproof judgments add STORE --run NAME=PATH"
            )
        rows = list(sheet_rows(opened_store, into, pairs).values())
    replace_file(target, [to_xlsx(into, rows) if form == "xlsx" else to_sheet_csv(into, rows)])
    queries = len({query for query, _ in pairs})
    if as_json:
        body = {"project": into.slug, "target": target, "pairs": len(pairs), "queries": queries, "judge": judge}
        _output.say(document("judgments-sheet/1", body))
        return
    text = f"{into.slug} -> {target}: {counted(len(pairs), 'pair')} of {counted(queries, 'query', 'queries')}"
    _output.say(f"{printable(text)}\n")


def pairs_to_judge(store: Store, project: Project, judge: str | None) -> list[Pair]:
    """What is handed out to a judge, or else what the selection picks; query by query, without what is judged."""
    from rankproof.judging.rounds.assign import graded_by_people
    from rankproof.judging.rounds.pool import assigned, material_of, selected

    slug = project.slug
    acts = store.judgments.current(slug)
    handed = store.assignments.all(slug)
    if handed:
        pool = assigned(project, handed)
        places = [*(pool.personal.get(judge, ()) if judge else range(len(pool.pairs))), *pool.shared]
    else:
        runs = {run.name: store.runs.whole(slug, run.name) for run in store.runs.all(slug)}
        pool = selected(project, material_of(runs, acts, project.scale, project.wanted))
        places = list(pool.shared)
    mine = [act for act in acts if act.judge == judge and act.reason != "later"]
    done = graded_by_people(acts) if judge is None else {(act.query_id, act.doc_id) for act in mine}
    by_query: dict[str, dict[Pair, None]] = {}
    for pair in (pool.pairs[at] for at in places):
        if pair not in done:
            by_query.setdefault(pair[0], {})[pair] = None
    return [pair for pairs in by_query.values() for pair in pairs]


def sheet_rows(store: Store, project: Project, pairs: Sequence[Pair]) -> dict[Pair, SheetRow]:
    """The pairs with what is shown of them."""
    from rankproof.judging.sheets import SheetRow

    texts = {query.query_id: query.text for query in store.items.queries(project.slug)}
    fields = store.hits.shown(project.slug, pairs)
    return {pair: SheetRow(*pair, texts.get(pair[0], ""), fields.get(pair, {})) for pair in pairs}


def import_sheet(
    store: Store, project: Project, name: str, rows: Sequence[Sequence[str]], judge: str | None
) -> dict[str, object]:
    """Adds what is filled in; says what was added, which rows are empty, and which do not count."""
    from rankproof.judging.sheets import answers_of

    if not judge:
        raise UsageError(f"{name} does not say who judged. Name the judge: --judge NAME")
    slug = project.slug
    ranked = {
        (query, doc): None
        for run in store.runs.all(slug)
        for query, docs in store.runs.whole(slug, run.name).items()
        for doc in docs
    }
    ranked |= {(one.query_id, one.doc_id): None for one in store.assignments.all(slug)}
    held = {(act.query_id, act.doc_id): act for act in store.judgments.current(slug, judge=judge, settling=False)}
    answers = answers_of(name, rows, project, judge, sheet_rows(store, project, list(ranked)), held)
    added = store.judgments.take(slug, answers.judgments)
    return {
        "store": store.address,
        "project": slug,
        "file": name,
        "kind": "judgments",
        "added": added,
        "there": len(answers.judgments) - added,
        "left_out": 0,
        "judges": {judge: len(answers.judgments)} if answers.judgments else {},
        "empty": list(answers.empty),
        "refused": [{"row": one.row, "why": one.why} for one in answers.refused],
    }


def sheet_lines(empty: Sequence[int], refused: Sequence[Mapping[str, object]]) -> list[str]:
    """What a sheet leaves open: the rows that are empty, and those that do not count."""
    lines = []
    if empty:
        lines.append(f"  not filled: {counted_kind(len(empty), 'rows')} ({ranges(empty)})")
    lines += [f"  row {one['row']} does not count: {one['why']}" for one in refused[:REFUSED_SHOWN]]
    if len(refused) > REFUSED_SHOWN:
        more = refused[REFUSED_SHOWN:]
        lines.append(f"  nor {counted_kind(len(more), 'rows')} more: {ranges([int(str(one['row'])) for one in more])}")
    return lines


def ranges(numbers: Sequence[int]) -> str:
    """Numbers in order, those that follow one another together.

    >>> ranges([2, 3, 4, 7, 9, 10])
    '2-4, 7, 9-10'
    """
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)
