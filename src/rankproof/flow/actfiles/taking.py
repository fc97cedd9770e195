"""Taking: any file with judgments as acts, and what of them a project can take."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.flow.actfiles.from_qrels import judgments_of
from rankproof.flow.actfiles.reading import ActFile, read_acts
from rankproof.flow.actfiles.writing import Act
from rankproof.flow.collect import read_qrels
from rankproof.flow.source import once
from rankproof.records.judging import PERSON, Source
from rankproof.records.project import Project


def read_any(
    what: Any, judge: str = "", source: Source = PERSON, form: str | None = None, allow: Sequence[str] = ()
) -> ActFile:
    """The acts in a file of acts; those of qrels of any format, in the name of the judge."""
    what = once(what)
    found = read_acts(what) if form is None else None
    if found is not None:
        if judge:
            raise UsageError(f"{found.source} says itself who judged. Leave out the judge.")
        return found
    qrels = read_qrels(what, form, allow=allow)
    if not judge:
        raise UsageError(f"{qrels.name} does not say who judged. Name the judge.")
    return ActFile("judgments", tuple(judgments_of(qrels, judge, source)), qrels.name)


def takeable(read: ActFile, project: Project, queries: Collection[str]) -> list[Act]:
    """The acts about queries of the project, or all where it has none yet. All grades must be on its scale."""
    for act in read.acts:
        grade = getattr(act, "grade", None)
        if grade is not None and grade not in project.scale.grades:
            doc = getattr(act, "doc_id", "")
            raise InputError(
                f"{read.source}: {doc!r} for {act.query_id!r} has grade {grade}, and the scale "
                f"{project.scale.name!r} has {', '.join(map(str, project.scale.grades))}. Nothing was added."
            )
    taken = [act for act in read.acts if not queries or act.query_id in queries]
    if read.acts and not taken:
        raise InputError(
            f"{read.source} has none of the queries of the project {project.slug!r}. Check that it is the right file."
        )
    return taken
