"""Looking at judgments and settling them: `judgments show` and `adjudicate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.judgments.projects import sizes
from rankproof.cli.judgments.rounds import standing
from rankproof.cli.judgments.store import about, chosen, counted_kind, opened, project_option, sources_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.kernel.sections import aligned, counted

if TYPE_CHECKING:
    from rankproof.judging.adjudicate import Adjudicated, JudgingSummary
    from rankproof.judging.records import Project
    from rankproof.judging.rounds.assign import Handed

MOST = 20  # disagreements that are listed; all of them with --json

method_option = click.option(
    "--method",
    default="settled",
    show_default=True,
    help="How several judgments become one grade, with its choices: settled (else the majority), majority, mean, "
    "median, newest, trusted(judges=['ann']).",
)


@click.command("show")
@click.argument("store")
@project_option
@answer_options
def show(store: str, project: str | None, as_json: bool, output: str | None) -> None:
    """Show who judged how much, which grades they gave, and where they disagree.

    \b
    rankproof judgments show judging.db
    """
    refuse_outputs(output)
    from rankproof.judging.adjudicate import summarize
    from rankproof.judging.rounds.hand_out import assignments_answered

    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        summary = summarize(opened_store.judgments.current(chosen_project.slug))
        handed = assignments_answered(opened_store, chosen_project)
        counts = {
            **sizes(opened_store, chosen_project.slug),
            "flags": len(opened_store.marks.current(chosen_project.slug, kind="flag")),
            "picks": len(opened_store.marks.current(chosen_project.slug, kind="pick")),
            "preferences": len(opened_store.preferences.current(chosen_project.slug)),
            "failures": len(opened_store.failures.all(chosen_project.slug)),
        }
        if as_json:
            body = {
                "store": opened_store.address,
                "project": about(chosen_project),
                "counts": counts,
                **summary.to_dict(),
            }
            text = document("judgments/1", {**body, "handed_out": [one.to_dict() for one in handed]})
        else:
            text = project_text(chosen_project, summary, counts, handed)
    _output.give(text, output)


@click.command("adjudicate")
@click.argument("store")
@project_option
@method_option
@sources_option
@click.option("--qrels", "target", type=click.Path(), help="Write the settled grades to this file too, by its ending.")
@answer_options
def adjudicate(
    store: str,
    project: str | None,
    method: str,
    sources: Sequence[str],
    target: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Settle judgments to one grade for each pair; say how, and what stays unresolved.

    The same judgments and the same method give the same qrels. What is no grade ("cannot tell", "later") never becomes
    one.

    \b
    rankproof judgments adjudicate judging.db
    rankproof judgments adjudicate judging.db --method "trusted(judges=['ann'])" --qrels qrels.trec
    """
    refuse_outputs(output)

    adjudicated, name = adjudicated_project(store, project, method, sources)
    if target is not None:
        from rankproof.reading.write import write

        write(adjudicated.qrels, target)
    body = {"project": name, **adjudicated.to_dict()}
    _output.give(document("adjudication/1", body) if as_json else adjudication_text(adjudicated), output)


def adjudicated_project(
    store: str, project: str | None, method: str, sources: Sequence[str]
) -> tuple[Adjudicated, str]:
    """The settled judgments of a project, and the project's name."""
    from rankproof.judging.adjudicate import adjudicate as settle

    with opened(store) as opened_store:
        chosen_project = chosen(opened_store, project)
        acts = opened_store.judgments.current(chosen_project.slug)
    return settle(
        acts, chosen_project.scale, method, sources=sources or ("person",), name=chosen_project.slug
    ), chosen_project.slug


def project_text(
    project: Project, summary: JudgingSummary, counts: Mapping[str, int], handed: Sequence[Handed] = ()
) -> str:
    """Who judged how much, how far they are with what they were handed, and where they disagree."""
    there = ", ".join(counted_kind(count, name) for name, count in counts.items())
    parts = [[f"{project.slug}: {project.name}, scale {project.scale.name}", f"  {there}"]]
    if summary.judges:
        grades = sorted({*project.scale.grades, *(grade for judge in summary.judges for grade in judge.grades)})
        head = ["judge", "source", "judged", *map(str, grades), "cannot tell", "later"]
        rows = [
            [one.judge, one.source, f"{one.judged:,}", *(f"{one.grades.get(grade, 0):,}" for grade in grades),
             f"{one.cannot_tell:,}", f"{one.later:,}"]
            for one in summary.judges
        ]  # fmt: skip
        parts.append(aligned([head, *rows], 2))
    if handed:
        parts.append(standing([one.to_dict() for one in handed]))
    agreed = summary.several - len(summary.split)
    share = f", {agreed / summary.several:.1%} of them alike" if summary.several else ""
    parts.append([f"{counted(summary.pairs, 'pair')} with a grade; {summary.several:,} by two judges or more{share}"])
    parts.append(_listed("judges disagree", [(p.query_id, p.doc_id, p.votes, "") for p in summary.split]))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def adjudication_text(adjudicated: Adjudicated) -> str:
    """What was settled, how, and what was not."""
    qrels = adjudicated.qrels
    grades = ", ".join(f"grade {grade}: {count:,}" for grade, count in qrels.grades.items())
    queries = counted(len(qrels), "query", "queries")
    lines = [f"{counted(len(qrels.rows), 'pair')} of {queries} settled; method: {adjudicated.method}"]
    lines += [f"  {grades}"] if grades else []
    lines.append(
        f"  from {counted(adjudicated.n_acts, 'judgment')} by {' and '.join(adjudicated.sources)}, SHA-256 "
        f"{adjudicated.acts[:16]}..."
    )
    lines += [f"  left out: {_counted(adjudicated.left_out)} (--source)"] if adjudicated.left_out else []
    lines += [f"  no grade: {_counted(adjudicated.set_aside)}"] if adjudicated.set_aside else []
    how = aligned([["how", "pairs"], *([how, f"{count:,}"] for how, count in adjudicated.settled_how.items())], 1)
    unresolved = [(p.query_id, p.doc_id, p.votes, p.how) for p in adjudicated.unresolved]
    parts = [lines, how if adjudicated.pairs else [], _listed("unresolved", unresolved)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _listed(title: str, pairs: Sequence[tuple[str, str, Sequence[tuple[str, int]], str]]) -> list[str]:
    if not pairs:
        return []
    rows = [["query", "document", "grades"]]
    for query, doc, votes, _ in pairs[:MOST]:
        rows.append([query, doc, ", ".join(f"{judge} {grade}" for judge, grade in votes)])
    more = [f"... and {len(pairs) - MOST:,} more: --json lists all"] if len(pairs) > MOST else []
    return [f"{title}: {counted(len(pairs), 'pair')}", *aligned(rows, 3), *more]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items())
