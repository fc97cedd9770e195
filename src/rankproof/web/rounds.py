"""Rounds: what is to be judged in each project, in memory and up to date with the store.

A round is made when somebody first asks, and takes in new acts before each answer. It is made anew when the settings,
the runs, the assignments or the gold questions change, and, where judgments change the selection, as they come in:
beside the answers where that takes long, with everybody keeping what they have in hand.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from threading import RLock, Thread

from rankproof.judging.records import Project
from rankproof.judging.rounds.pool import JudgingPool, assigned, material_of, selected
from rankproof.judging.rounds.progress import JudgeAnswers
from rankproof.judging.rounds.round import NextPair, Round
from rankproof.judging.store.store import Store
from rankproof.kernel.specs.calls import read_configured

# Acts after which a selection that follows them is computed again, and seconds that this may take while somebody waits.
AGAIN, QUICK = 25, 0.2


@dataclass(eq=False)
class _CachedRound:
    """A round and what it was made from.

    last     the number of the last act that it has
    unseen   acts that came after its selection was made
    """

    lock: RLock = field(default_factory=RLock)
    round: Round | None = None
    made_from: tuple[object, ...] = ()
    last: int = 0
    unseen: int = 0
    took: float = 0.0
    busy: bool = False


class Rounds:
    """The rounds of every project of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = RLock()
        self._rounds: dict[str, _CachedRound] = {}

    def of(self, project: Project) -> Round:
        """The round of a project, with every act that the store has."""
        with self._lock:
            current = self._rounds.setdefault(project.slug, _CachedRound())
        with current.lock:
            if current.round is None or current.made_from != self._made_from(project):
                self._make(current, project)
            self._catch_up(current, project.slug)
            assert current.round is not None
            if current.round.pool.follows and current.unseen >= AGAIN and not current.busy:
                self._follow(current, project)
            return current.round

    def next_pairs(self, project: Project, judge: str, n: int, now: float) -> list[NextPair]:
        """The next pairs for a judge; a selection that follows judgments is computed again before it has none."""
        pairs = self.of(project).next_pairs(judge, n, now)
        current = self._rounds[project.slug]
        if pairs or not current.unseen or current.round is None or not current.round.pool.follows:
            return pairs
        with current.lock:
            self._make(current, project)
        return self.of(project).next_pairs(judge, n, now)

    # ---- making --------------------------------------------------------------------------------

    def _made_from(self, project: Project) -> tuple[object, ...]:
        """What decides which pairs judges get. It is compared before each answer: other programs may change it."""
        store = self._store
        runs = tuple((run.name, run.sha256) for run in store.runs.all(project.slug))
        settings = project.selection, project.wanted, project.gold, project.scale.grades
        return settings, runs, store.assignments.newest(), store.gold.newest()

    def _make(self, current: _CachedRound, project: Project) -> None:
        """Another round in the place of the one before, whose hands it takes over."""
        began = time.perf_counter()
        made_from = self._made_from(project)
        pool = self._pool(project)
        answers = JudgeAnswers()
        acts, last = self._store.judgments.news(project.slug)
        for act in acts:
            answers.record(act)
        made = Round(pool, answers)
        with current.lock:
            if current.round is not None:
                made.resume(current.round)
            current.round, current.made_from = made, made_from
            current.last, current.unseen, current.took = last, 0, time.perf_counter() - began

    def _pool(self, project: Project) -> JudgingPool:
        store, slug = self._store, project.slug
        gold = [(answer.query_id, answer.doc_id) for answer in store.gold.all(slug)]
        handed = store.assignments.all(slug)
        if handed:
            return assigned(project, handed, gold)
        follows = read_configured("selections", project.selection).item.follows
        judgments = store.judgments.current(slug) if follows else []
        runs = {run.name: store.runs.whole(slug, run.name) for run in store.runs.all(slug)}
        return selected(project, material_of(runs, judgments, project.scale, project.wanted), gold)

    def _catch_up(self, current: _CachedRound, slug: str) -> None:
        assert current.round is not None
        acts, current.last = self._store.judgments.news(slug, current.last)
        for act in acts:
            current.round.record(act)
        current.unseen += len(acts)

    def _follow(self, current: _CachedRound, project: Project) -> None:
        if current.took <= QUICK:
            self._make(current, project)
            return
        current.busy = True

        def work() -> None:
            try:
                self._make(current, project)
            except Exception:
                logging.getLogger(__name__).exception("the selection of %s could not be asked again", project.slug)
                current.unseen = 0
            finally:
                current.busy = False

        Thread(target=work, daemon=True, name=f"selection of {project.slug}").start()
