"""Importing into a project: what a file holds, and what of it the project can take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankproof.flow.actfiles.reading import ActFile
    from rankproof.records.project import Project
    from rankproof.store.judging.store import Store


def read_file(file: str, judge: str | None, source: str, model: str, form: str | None, allow: Sequence[str]) -> ActFile:
    """The acts in a file; those of qrels in the name of the judge."""
    from rankproof.flow.actfiles.taking import read_any
    from rankproof.records.judging import Source

    kind: Any = source
    return read_any(file, judge or "", Source(kind, model), form, allow)


def keep(store: Store, project: Project, read: ActFile) -> dict[str, Any]:
    """Adds what is not there yet, all or none; says what was added."""
    from rankproof.flow.actfiles.taking import takeable
    from rankproof.store.judging.taking import take

    taken = takeable(read, project, {query.query_id for query in store.items.queries(project.slug)})
    added = take(store, project.slug, read.kind, taken)
    return {
        "store": store.address,
        "project": project.slug,
        "file": read.source,
        "kind": read.kind,
        "added": added,
        "there": len(taken) - added,
        "left_out": len(read.acts) - len(taken),
        "judges": dict(sorted(Counter(act.judge for act in taken).items())),
    }
