"""Importing into a project: what a file holds, and what of it the project can take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rankproof.errors import InputError, UsageError

if TYPE_CHECKING:
    from rankproof.flow.actfiles.reading import ActFile
    from rankproof.records.project import Project
    from rankproof.store.judging.store import Store


def read_file(file: str, judge: str | None, source: str, model: str, form: str | None, allow: Sequence[str]) -> ActFile:
    """The acts in a file; those of qrels in the name of the judge."""
    from rankproof.flow.actfiles import judgments_of, read_acts
    from rankproof.flow.actfiles.reading import ActFile
    from rankproof.flow.collect import read_qrels
    from rankproof.flow.source import once
    from rankproof.records.judging import Source

    what = once(file)
    found = read_acts(what) if form is None else None
    if found is not None:
        if judge is not None:
            raise UsageError(f"{found.source} says itself who judged. Leave out --judge.")
        return found
    qrels = read_qrels(what, form, allow=allow)
    if judge is None:
        raise UsageError(f"{qrels.name} does not say who judged. Name the judge with --judge.")
    kind: Any = source
    return ActFile("judgments", tuple(judgments_of(qrels, judge, Source(kind, model))), qrels.name)


def keep(store: Store, project: Project, read: ActFile) -> dict[str, Any]:
    """Adds what is not there yet; says what was added. All grades must be on the project's scale."""
    acts: list[Any] = list(read.acts)
    for act in acts:
        grade = getattr(act, "grade", None)
        if grade is not None and grade not in project.scale.grades:
            raise InputError(
                f"{read.source}: {act.doc_id!r} for {act.query_id!r} has grade {grade}, and the scale "
                f"{project.scale.name!r} has {', '.join(map(str, project.scale.grades))}. Nothing was added."
            )
    known = {query.query_id for query in store.items.queries(project.slug)}
    taken = [act for act in acts if not known or act.query_id in known]
    if acts and not taken:
        raise InputError(
            f"{read.source} has none of the queries of the project {project.slug!r}. Check that it is the right file."
        )
    group: Any = {
        "judgments": store.judgments,
        "flags": store.marks,
        "picks": store.marks,
        "preferences": store.preferences,
    }[read.kind]
    added = group.add_many(project.slug, taken)
    return {
        "store": store.address,
        "project": project.slug,
        "file": read.source,
        "kind": read.kind,
        "added": added,
        "there": len(taken) - added,
        "left_out": len(acts) - len(taken),
        "judges": dict(sorted(Counter(act.judge for act in taken).items())),
    }
