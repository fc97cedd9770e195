"""Choosing: the pairs of query and document that a model is asked about, in a fixed order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.errors import UsageError
from rankproof.flow.calls import call, read_call
from rankproof.flow.selecting.material import material_of
from rankproof.records.assignment import Assignment
from rankproof.records.judging import Judgment
from rankproof.records.project import Project

Pair = tuple[str, str]
# Everything else names a selection of the shelf.
WORDS = ("unjudged", "pool", "judged", "assigned")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The pairs, and where they come from in words that say it all. `frame` is how many there were to draw from."""

    pairs: tuple[Pair, ...]
    said: str
    frame: int


def choose(
    what: str,
    project: Project,
    *,
    runs: Mapping[str, Mapping[str, Sequence[str]]],
    judgments: Sequence[Judgment],
    assignments: Iterable[Assignment] = (),
    depth: int = 10,
) -> Chosen:
    """The pairs that a word or a selection means.

    unjudged   the first documents of all runs, without those that people graded
    pool       the first documents of all runs
    judged     what people graded: an anchor set to hold the model against
    assigned   what was handed out to this judge, or to anybody
    """
    people = dict.fromkeys(
        (j.query_id, j.doc_id) for j in judgments if j.source.kind == "person" and j.grade is not None
    )
    if what == "judged":
        return _chosen(sorted(people), "pairs that people graded")
    if what == "assigned":
        rows = sorted(assignments, key=lambda a: a.place)
        return _chosen(dict.fromkeys((a.query_id, a.doc_id) for a in rows), "assigned pairs")
    if not runs:
        raise UsageError(
            f"The project {project.slug!r} has no runs, so that there is no pool. Add runs with `rankproof judgments "
            "add`, or say which pairs: --pairs judged, --pairs assigned or --list FILE."
        )
    asked = call("selections", "depth_pool", {"depth": depth}) if what in WORDS else read_call("selections", what)
    material = material_of(runs, judgments, project.scale, project.wanted)
    pool = [one.pair for one in asked.item.select(material, asked.values)]
    if what not in WORDS:
        return _chosen(pool, str(asked))
    if what == "pool":
        return _chosen(pool, f"the first {depth:,} of each run")
    open_ones = (pair for pair in pool if pair not in people)
    return _chosen(open_ones, f"the first {depth:,} of each run that people have not graded")


def listed(pairs: Iterable[Pair], known: Iterable[str], name: str) -> Chosen:
    """The pairs of a file, those of the project's queries; an error where it has none of them."""
    every, queries = list(dict.fromkeys(pairs)), set(known)
    found = [pair for pair in every if pair[0] in queries]
    if every and not found:
        raise UsageError(f"{name} has none of the project's queries. Check that it is the right file.")
    left = len(every) - len(found)
    out = f", without {left:,} of queries that the project does not have" if left else ""
    return _chosen(found, f"{name}{out}")


def draw(chosen: Chosen, number: int | None, seed: int) -> Chosen:
    """So many of the pairs, drawn without replacement, in the order they had; all where there are fewer."""
    if number is None or number >= len(chosen.pairs):
        return chosen
    places = np.sort(np.random.default_rng(seed).choice(len(chosen.pairs), number, replace=False))
    said = f"{chosen.said}, drawn with seed {seed}"
    return Chosen(tuple(chosen.pairs[i] for i in places.tolist()), said, chosen.frame)


def _chosen(pairs: Iterable[Pair], said: str) -> Chosen:
    found = tuple(pairs)
    return Chosen(found, said, len(found))
