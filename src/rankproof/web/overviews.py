"""Overviews: what the judgments of each project come to, in memory and up to date with the store.

The first look at a project reads its judgments; each later one only what is new since, whichever process wrote it. So a
page costs what has changed, not what is there, and the threads that save judgments are not kept from their work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import RLock
from typing import TypeVar, cast

from rankproof.judging.adjudicate import DEFAULT
from rankproof.judging.agreement import ratings_of_judgments, with_others
from rankproof.judging.overview import JudgingOverview
from rankproof.judging.records import Project, Scale
from rankproof.judging.store.store import Store
from rankproof.proving.agreement import together
from rankproof.proving.agreement_records import Agreement, AgreementAnswer

# Acts taken in at a time; between two of them other threads get their turn.
_TOGETHER, _PAUSE = 200, 0.002
# What took longer than so many seconds stands for so many times as long.
QUICK, AGE = 0.1, 20.0
_MOST = 50
Grades = dict[str, dict[str, int]]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JudgesAgreement:
    """Each judge against the others, and all together where a pair has grades of two."""

    others: dict[str, AgreementAnswer]
    together: Agreement | None


@dataclass(frozen=True, slots=True)
class _Measured:
    """Something that was made of the settled grades: up to which act, when, and how many seconds it took."""

    last: int
    at: float
    took: float
    made: object


@dataclass(eq=False)
class _Tracked:
    """The overview of a project, and the number of the last act that it has."""

    lock: RLock = field(default_factory=RLock)
    overview: JudgingOverview | None = None
    scale: Scale | None = None
    last: int = 0
    agreement: dict[tuple[str, ...], tuple[int, JudgesAgreement]] = field(default_factory=dict)
    measured: dict[tuple[str, tuple[str, ...], str], _Measured] = field(default_factory=dict)


class Overviews:
    """The overviews of every project of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = RLock()
        self._tracked: dict[str, _Tracked] = {}

    @contextmanager
    def of(self, project: Project) -> Iterator[JudgingOverview]:
        """The overview of a project with every act that the store has, for one thread at a time."""
        tracked = self._of(project)
        with tracked.lock:
            yield self._caught_up(tracked, project)

    def agreement(self, project: Project, sources: Sequence[str]) -> JudgesAgreement:
        """How far judges agree, each alone; computed again when a judgment came."""
        tracked, name = self._of(project), tuple(sources)
        with tracked.lock:
            overview = self._caught_up(tracked, project)
            last, there = tracked.last, tracked.agreement.get(name)
            if there is not None and there[0] == last:
                return there[1]
            held = overview.current()
        alone = sorted((act for act in held if act.source.kind in sources), key=lambda act: (act.query_id, act.doc_id))
        ratings = ratings_of_judgments(alone)
        several = bool((ratings.given.sum(axis=1) > 1).any()) if len(ratings.judges) > 1 else False
        made = JudgesAgreement(with_others(ratings), together(ratings) if several else None)
        tracked.agreement[name] = (last, made)
        return made

    def measured(
        self, project: Project, way: tuple[str, Sequence[str]], measures: str, measure: Callable[[Grades], T]
    ) -> T:
        """What `measure` makes of the settled grades, again when a judgment came.

        Where that takes long, it is not done again for some time: people who judge all the while are not kept waiting
        by somebody who only looks.
        """
        tracked, name = self._of(project), (way[0], tuple(way[1]), measures)
        with tracked.lock:
            overview = self._caught_up(tracked, project)
            last, there, now = tracked.last, tracked.measured.get(name), time.monotonic()
            if there is not None and (there.last == last or (there.took > QUICK and now < there.at + AGE * there.took)):
                return cast(T, there.made)
            grades = overview.qrels(*way)
        made = measure(grades)
        took = time.monotonic() - now
        if len(tracked.measured) >= _MOST:
            tracked.measured.clear()
        tracked.measured[name] = _Measured(last, now + took, took, made)
        return made

    def _of(self, project: Project) -> _Tracked:
        with self._lock:
            return self._tracked.setdefault(project.slug, _Tracked())

    def _caught_up(self, tracked: _Tracked, project: Project) -> JudgingOverview:
        if tracked.overview is None or tracked.scale != project.scale:
            tracked.overview, tracked.scale, tracked.last = JudgingOverview(project.scale), project.scale, 0
            tracked.agreement.clear()
            tracked.measured.clear()
        acts, tracked.last = self._store.judgments.news(project.slug, tracked.last)
        for at in range(0, len(acts), _TOGETHER):
            if at:
                time.sleep(_PAUSE)
            tracked.overview.record(acts[at : at + _TOGETHER])
            tracked.overview.counts(DEFAULT, ("person",))
        return tracked.overview
