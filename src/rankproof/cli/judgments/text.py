"""How judgments look to a person: counts by judge, disagreements, what was settled and what was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.kernel.sections import aligned, printable

if TYPE_CHECKING:
    from rankproof.judging.adjudicate import Adjudicated, JudgingSummary
    from rankproof.judging.records import Project
    from rankproof.judging.rounds.assign import Handed

MOST = 20  # disagreements that are listed; all of them with --json


def many(count: int, nouns: str) -> str:
    """The count with its noun, in the singular where it is one."""
    one = f"{nouns[:-3]}y" if nouns.endswith("ies") else nouns.removesuffix("s")
    return f"{count:,} {one if count == 1 else nouns}"


def show(project: Project, summary: JudgingSummary, counts: Mapping[str, int], handed: Sequence[Handed] = ()) -> str:
    """Who judged how much, how far they are with what they were handed, and where they disagree."""
    there = ", ".join(many(count, name) for name, count in counts.items())
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
    parts.append([f"{many(summary.pairs, 'pairs')} with a grade; {summary.several:,} by two judges or more{share}"])
    parts.append(_listed("judges disagree", [(p.query_id, p.doc_id, p.votes, "") for p in summary.split]))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def standing(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """How far judges are with what they were asked by name."""
    table = [["handed out to", "asked", "answered", "left"]]
    table += [
        [one["judge"] or "(anybody)", *(f"{one[name]:,}" for name in ("asked", "answered", "left"))] for one in rows
    ]
    return aligned(table, 1) if rows else []


def adjudicated(found: Adjudicated) -> str:
    """What was settled, how, and what was not."""
    qrels = found.qrels
    grades = ", ".join(f"grade {grade}: {count:,}" for grade, count in qrels.grades.items())
    lines = [f"{many(len(qrels.rows), 'pairs')} of {many(len(qrels), 'queries')} settled; method: {found.method}"]
    lines += [f"  {grades}"] if grades else []
    lines.append(
        f"  from {many(found.n_acts, 'judgments')} by {' and '.join(found.sources)}, SHA-256 {found.acts[:16]}..."
    )
    lines += [f"  left out: {_counted(found.left_out)} (--source)"] if found.left_out else []
    lines += [f"  no grade: {_counted(found.set_aside)}"] if found.set_aside else []
    how = aligned([["how", "pairs"], *([how, f"{count:,}"] for how, count in found.settled_how.items())], 1)
    unresolved = [(p.query_id, p.doc_id, p.votes, p.how) for p in found.unresolved]
    parts = [lines, how if found.pairs else [], _listed("unresolved", unresolved)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _listed(title: str, pairs: Sequence[tuple[str, str, Sequence[tuple[str, int]], str]]) -> list[str]:
    if not pairs:
        return []
    rows = [["query", "document", "grades"]]
    for query, doc, votes, _ in pairs[:MOST]:
        rows.append([query, doc, ", ".join(f"{judge} {grade}" for judge, grade in votes)])
    more = [f"... and {len(pairs) - MOST:,} more: --json lists all"] if len(pairs) > MOST else []
    return [f"{title}: {many(len(pairs), 'pairs')}", *aligned(rows, 3), *more]


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items())


def filled(project: Project, store: str, added: Mapping[str, Any], counts: Mapping[str, int]) -> str:
    """What was put into a project."""
    lines = [f"{printable(store)}: project {project.slug}, scale {project.scale.name}"]
    lines.append(f"  added: {many(added['queries'], 'queries')}, {many(added['documents'], 'documents')}")
    if added["without_text"]:
        lines.append(f"  ranked or judged without a text: {many(added['without_text'], 'documents')}, shown by id")
    for run in added["runs"]:
        was = "" if run["added"] else " (there already)"
        lines.append(f"  run {printable(run['name'])}: {many(run['queries'], 'queries')}{was}")
    lines.append(f"  now: {', '.join(many(count, name) for name, count in counts.items())}")
    return "\n".join(lines) + "\n"


def imported(told: Mapping[str, Any]) -> str:
    """What was read and what of it was new."""
    lines = [f"{many(told['added'], told['kind'])} added to {told['project']}"]
    lines += [f"  there already: {told['there']:,}"] if told["there"] else []
    lines += (
        [f"  left out, since the project does not have their queries: {told['left_out']:,}"] if told["left_out"] else []
    )
    lines += [f"  {judge}: {count:,}" for judge, count in told["judges"].items()]
    return "\n".join(printable(line) for line in lines) + "\n"
