"""Rounds: what is to be judged in each project, in memory and up to date with the store.

A round is made when somebody first asks, and takes in new acts before each answer. It is made anew when the settings,
the runs, the assignments or the gold questions change, and, where judgments change the selection, as they come in:
beside the answers where that takes long, with everybody keeping what they have in hand.

Which pairs a judge has in hand is decided by the store, for all processes that serve it: a round proposes, the store
gives or refuses, and what other processes gave is taken into the round before each answer.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import RLock, Thread
from typing import TypeVar

from rankproof.judging.records import Project
from rankproof.judging.rounds.pool import JudgingPool, assigned, material_of, selected
from rankproof.judging.rounds.progress import JudgeAnswer, JudgeAnswers, Pair, UndecidedPair
from rankproof.judging.rounds.round import HELD, NextPair, Round
from rankproof.judging.store.store import Store
from rankproof.kernel.specs.calls import read_configured

# Acts after which a selection that follows them is computed again, and seconds that this may take while somebody waits.
AGAIN, QUICK = 25, 0.2
# How often a judge is proposed other pairs where the store refuses some, and seconds after which leases are renewed.
TRIES, RENEWED = 8, 30.0

T = TypeVar("T")


@dataclass(eq=False)
class _CachedRound:
    """A round and what it was made from.

    last     the number of the last act that it has
    leased   the number of the last lease that it has
    hands    what each judge was given by the store last, and when
    unseen   acts that came after its selection was made
    """

    lock: RLock = field(default_factory=RLock)
    round: Round | None = None
    made_from: tuple[object, ...] = ()
    last: int = 0
    leased: int = 0
    hands: dict[str, tuple[frozenset[Pair], float]] = field(default_factory=dict)
    unseen: int = 0
    took: float = 0.0
    busy: bool = False


class Rounds:
    """The rounds of every project of a store. `held`: seconds that a pair stays with a judge who is silent."""

    def __init__(self, store: Store, held: float = HELD) -> None:
        self._store, self._held = store, held
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
        pairs = self._given(project, judge, now, lambda round: round.next_pairs(judge, n, now))
        current = self._rounds[project.slug]
        if pairs or not current.unseen or current.round is None or not current.round.pool.follows:
            return pairs
        with current.lock:
            self._make(current, project)
        return self._given(project, judge, now, lambda round: round.next_pairs(judge, n, now))

    def query(
        self, project: Project, judge: str, query_id: str, now: float
    ) -> list[tuple[NextPair, JudgeAnswer | None]]:
        """All pairs of a query that a judge may answer or has answered; see `Round.query`."""
        return self._given(project, judge, now, lambda round: round.query(judge, query_id, now))

    def undecided(self, project: Project) -> list[UndecidedPair]:
        """The pairs on which people could not tell, for a reviewer."""
        return self.of(project).undecided()

    # ---- leases --------------------------------------------------------------------------------

    def _given(self, project: Project, judge: str, now: float, ask: Callable[[Round], list[T]]) -> list[T]:
        """What a round proposes to a judge, once the store has given it; something else where it refuses."""
        for _ in range(TRIES):
            round = self.of(project)
            before = round.hands(judge)
            proposed = ask(round)
            if self._take(self._rounds[project.slug], project.slug, round, judge, before, now):
                return proposed
        return []

    def _take(
        self, current: _CachedRound, slug: str, round: Round, judge: str, before: Mapping[Pair, int], now: float
    ) -> bool:
        """Whether the store gives a judge what the round has put into their hands; what it refuses is put back."""
        hands = round.hands(judge)
        there, at = current.hands.get(judge, (frozenset[Pair](), -RENEWED))
        if hands.keys() == there and 0 <= now - at < RENEWED:
            return True
        back = (before.keys() | there) - hands.keys()
        refused = set[Pair]()
        if hands or back:
            refused = self._store.leases.take(slug, judge, hands, now, now + self._held, back)
        if refused:
            round.give_back(judge, refused)
        current.hands[judge] = (frozenset(hands.keys() - refused), now)
        return not refused

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
        made = Round(pool, answers, held=self._held)
        with current.lock:
            if current.round is not None:
                made.resume(current.round)
            current.round, current.made_from = made, made_from
            current.leased = 0  # all of them again, for the new round
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
        # Leases first: one that its judge has answered since is taken away by the answer.
        leases, current.leased = self._store.leases.news(slug, current.leased)
        acts, current.last = self._store.judgments.news(slug, current.last)
        for lease in leases:
            if lease.until:
                current.round.lend(lease.judge, lease.pair, lease.until)
            else:
                current.round.give_back(lease.judge, [lease.pair])
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
