"""Take times: latency with one request at a time, then throughput with several at once.

Latency is a pass of its own, since the rankings of live engines are fetched several requests at once: there a request
waits behind others, at the server or here, and its time is that of a queue. In the pass there is never more than one
request under way in the whole benchmark.

Modes take turns. After the warm-up, each round asks every mode once, in an order drawn anew from the seed, so that what
changes over time (another load, a processor that gets warm) touches all modes alike. In one round each mode is asked a
different query: two modes that share an engine do not ask it the same words one right after the other, which a cache
would answer. Queries are drawn without replacement, and no query is asked twice for one mode: repeated requests would
come from the caches of a server, and they are not independent.

What a language model was asked is not asked again: its time is the one of the benchmark's own run, in which a stage
reads one query after the other. A mode whose answers are replayed has no time.

A request without a good answer is a failure: counted by its kind, and never a time. It is not asked again. A stage in
this process that says the same of a query as it did before, such as that a document has no text, does not fail: that is
how it answers, and it takes the time it takes.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Event, Lock

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel import shelf
from rankproof.kernel.pacing import Pace
from rankproof.kernel.progress import Progress
from rankproof.kernel.sections import counted
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.asking.limits import Limits
from rankproof.stack.benchmark.times import NOT_TIMED, REPLAYED, ModeTimes, Throughput, Timing, latency_of
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import ModeOutcome, Step, StepOutcome

# With fewer rounds of requests the first and the last, which are not under full load, weigh too much.
LEAST_ROUNDS = 5
NOT_ASKED = "not asked"


@dataclass(slots=True)
class _Request:
    """One query on its way through one mode.

    milliseconds   the sum of its steps; NaN where a part came from a cache and has no time
    waited         seconds for its turn under the limits: no time of the mode
    stored         whether a part of the answer was made earlier
    failure        the kind of what went wrong; "" where a good answer came
    again_after    seconds that the server asked to be left alone
    """

    milliseconds: float = 0.0
    waited: float = 0.0
    stored: bool = False
    failure: str = ""
    again_after: float | None = None


class _Mode:
    """A mode that can be asked single queries, by their places among the queries of the benchmark.

    turn   held by steps that run in this process, where several requests are under way: not every step is made for
           several threads
    """

    def __init__(self, outcome: ModeOutcome, runner: Runner, limits: Limits, pace: Pace, stop: Event) -> None:
        self.name, self.pipeline = outcome.name, outcome.pipeline
        self.limits, self.pace, self.stop = limits, pace, stop
        self._runner = runner
        self._before = {step.step.key: step for step in outcome.steps}
        self._failed = {
            step.step.key: {(failure.query_id, failure.kind): None for failure in step.failures}
            for step in outcome.steps
        }
        self.turn: AbstractContextManager[object] = nullcontext()
        self._in_a_row, self._counting = 0, Lock()
        self.dead = False

    @property
    def replayed(self) -> bool:
        """Whether one of its engines gives answers that were made elsewhere."""
        engines = (step for step in self.pipeline.steps() if step.shelf == "engines")
        return any(shelf.find("engines", step.name).replays for step in engines)

    def ask(self, at: int) -> _Request:
        """One query, from its words to the mode's ranking."""
        request = _Request()
        try:
            self._run(self.pipeline, at, request, {})
        except AskFailed as error:
            request.failure, request.again_after = error.kind, error.wait
        except InputError:
            request.failure = "error"
        self._note(request)
        return request

    def _note(self, request: _Request) -> None:
        """Spares a server that does not answer, as far as the limits say."""
        wait = request.again_after
        with self._counting:
            self._in_a_row = self._in_a_row + 1 if request.failure else 0
            self.dead |= self._in_a_row >= self.limits.dead_after
            self.dead |= wait is not None and wait > self.limits.longest_wait
        if wait is not None and not self.dead:
            self.pace.hold(wait)

    def _run(self, step: Step, at: int, request: _Request, done: dict[str, Query | Ranking]) -> Query | Ranking:
        """What a step gives; one that flows into several others runs once."""
        if step.key not in done:
            flowing = [self._run(before, at, request, done) for before in step.inputs]
            outcome = self._before[step.key]
            if at < len(outcome.usage) and outcome.usage[at].calls:
                done[step.key] = self._stored(step, outcome, at, request)
            elif step.shelf == "engines":
                done[step.key] = self._engine(step, at, flowing, request)
            else:
                done[step.key] = self._stage(step, outcome, at, flowing, request)
        return done[step.key]

    def _stored(self, step: Step, outcome: StepOutcome, at: int, request: _Request) -> Query | Ranking:
        """What a language model said earlier, with the time that it took then."""
        request.milliseconds += float(outcome.milliseconds[at])
        request.stored = True
        query_id = self._runner.queries[at].query_id
        kinds = [kind for failed, kind in self._failed[step.key] if failed == query_id]
        request.failure = request.failure or (kinds[0] if kinds else "")
        return outcome.rankings[at] if outcome.rankings else self._runner.words(step)[at]

    def _engine(self, step: Step, at: int, flowing: Sequence[Query | Ranking], request: _Request) -> Ranking:
        query = flowing[0] if flowing else self._runner.queries[at]
        opened, depth = self._runner.item(step), self._runner.depth if step.depth is None else step.depth
        ranking: Ranking
        if shelf.find("engines", step.name).live:
            request.waited += self._wait_for_turn()
            began = time.perf_counter()
            ranking = opened.ask(query, depth, self.limits.timeout)
        else:
            with self.turn:
                began = time.perf_counter()
                (ranking,) = opened.search([query], depth)
        request.milliseconds += 1000 * (time.perf_counter() - began)
        return ranking

    def _stage(
        self, step: Step, outcome: StepOutcome, at: int, flowing: Sequence[Query | Ranking], request: _Request
    ) -> Query | Ranking:
        query, opened = self._runner.queries[at], self._runner.item(step)
        rewrites = shelf.find("stages", step.name).takes == "query"
        with self.turn:
            began = time.perf_counter()
            if rewrites:
                (made,) = opened.rewrite([flowing[0] if flowing else query])
            else:
                (made,) = opened.apply([query], [flowing])
            milliseconds = 1000 * (time.perf_counter() - began)
        kept, saved = getattr(made, "kept", False), getattr(made, "saved", 0.0)
        request.milliseconds += float(outcome.milliseconds[at]) if kept else milliseconds + saved
        request.stored |= kept or saved > 0
        for failure in getattr(made, "failures", ()):
            if (query.query_id, failure.kind) not in self._failed[step.key]:
                request.failure = request.failure or failure.kind
        given: Query | Ranking = made if rewrites else made.ranking
        return given

    def _wait_for_turn(self) -> float:
        """Waits until a request may go, as the limits say; for how many seconds."""
        began = time.perf_counter()
        while (seconds := self.pace.reserve()) > 0 and not self.stop.wait(seconds):
            pass
        return time.perf_counter() - began


def rounds(
    queries: int, timing: Timing, modes: int, rng: np.random.Generator
) -> tuple[list[list[tuple[int, int]]], list[list[tuple[int, int]]]]:
    """The rounds to warm up, and those that are timed. A round has each mode once, with the place of its query.

    >>> warm, timed = rounds(4, Timing(queries=2, warmup=1), 2, np.random.default_rng(0))
    >>> len(warm), len(timed), [sorted(mode for mode, _ in one) for one in timed]
    (1, 2, [[0, 1], [0, 1]])
    """
    drawn = rng.permutation(queries).tolist()
    sample, rest = drawn[: timing.queries], drawn[timing.queries :]
    others = rest or sample[::-1]

    def turns(places: Sequence[int], count: int) -> list[list[tuple[int, int]]]:
        apart = max(len(places) // max(modes, 1), 1)  # modes are as far from each other among the queries as can be
        return [
            [(mode, places[(number + mode * apart) % len(places)]) for mode in rng.permutation(modes).tolist()]
            for number in range(count)
        ]

    return turns(others, timing.warmup), turns(sample, len(sample))


def time_modes(
    runner: Runner, outcomes: Mapping[str, ModeOutcome], timing: Timing, limits: Limits, seed: int, level: float
) -> dict[str, ModeTimes]:
    """The times of every mode. Everything was opened and run before: nothing is built or loaded here."""
    if not timing.queries or not runner.queries:
        return {}
    stop, pace = Event(), Pace(limits.rate)
    modes = [_Mode(outcome, runner, limits, pace, stop) for outcome in outcomes.values()]
    timed = [mode for mode in modes if not mode.replayed]
    rng = np.random.default_rng([seed, timing.queries])
    warm, counting = rounds(len(runner.queries), timing, len(timed), rng)
    progress = runner.ground.progress
    requests = _one_at_a_time(timed, warm, counting, progress)
    times = {}
    for mode in modes:
        own = requests.get(mode.name, [])
        ids = {at: runner.queries[at].query_id for at, _ in own}
        answered = {ids[at]: request.milliseconds for at, request in own if request is not None and not request.failure}
        failures = Counter(NOT_ASKED if r is None else r.failure for _, r in own if r is None or r.failure)
        why = REPLAYED if mode.replayed else _why(answered, failures)
        latency = latency_of(answered, level, failures=failures, why=why)
        stored = any(request is not None and request.stored for _, request in own)
        times[mode.name] = ModeTimes(latency, _throughput(mode, len(runner.queries), timing, stored, rng, progress))
    return times


def _why(answered: Mapping[str, float], failures: Mapping[str, int]) -> str:
    if answered:
        return "its answers came from a cache"
    return f"no request was answered ({', '.join(failures)})" if failures else NOT_TIMED


_Places = Sequence[Sequence[tuple[int, int]]]


def _one_at_a_time(
    modes: Sequence[_Mode], warm: _Places, counting: _Places, progress: Progress
) -> dict[str, list[tuple[int, _Request | None]]]:
    """For each mode the requests that count; None where a mode that did not answer was not asked any more."""
    requests: dict[str, list[tuple[int, _Request | None]]] = {mode.name: [] for mode in modes}
    total, done = sum(map(len, warm)) + sum(map(len, counting)), 0
    for round_, counts in _both(warm, counting):
        for number, at in round_:
            mode = modes[number]
            request = None if mode.dead else mode.ask(at)
            if counts:
                requests[mode.name].append((at, request))
            done += 1
            progress("latency: request", done, total)
    return requests


def _both(warm: _Places, counting: _Places) -> Iterator[tuple[Sequence[tuple[int, int]], bool]]:
    yield from ((one, False) for one in warm)
    yield from ((one, True) for one in counting)


def _throughput(
    mode: _Mode, queries: int, timing: Timing, stored: bool, rng: np.random.Generator, progress: Progress
) -> Throughput | None:
    """Answers per second of one mode while no other one is asked."""
    at_once = timing.concurrency
    if not at_once:
        return None
    why = _no_throughput(mode, queries, at_once, stored)
    if why:
        return Throughput(at_once, why=why)
    places = rng.permutation(queries).tolist()[: max(timing.queries, LEAST_ROUNDS * at_once)]
    mode.turn = Lock()
    elapsed: list[float] = []
    failures: Counter[str] = Counter()
    noting, done = Lock(), 0

    def one(at: int) -> None:
        nonlocal done
        began = time.perf_counter()
        request = None if mode.dead or mode.stop.is_set() else mode.ask(at)
        seconds = time.perf_counter() - began
        with noting:
            if request is None or request.failure:
                failures[NOT_ASKED if request is None else request.failure] += 1
            else:
                elapsed.append(1000 * (seconds - request.waited))
            done += 1
            progress(f"throughput of {mode.name}: request", min(done, len(places)), len(places))

    with ThreadPoolExecutor(at_once, thread_name_prefix="throughput") as pool:
        try:
            list(pool.map(mode.ask, places[-at_once:]))  # connections are made, one for each request under way
            began = time.perf_counter()
            list(pool.map(one, places))
            seconds = time.perf_counter() - began
        except BaseException:  # Ctrl-C: nothing more is asked, and nobody waits for a pause to end
            mode.stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    if not elapsed:
        return Throughput(at_once, failures=dict(failures), why=f"no request was answered ({', '.join(failures)})")
    seen = latency_of({str(number): milliseconds for number, milliseconds in enumerate(elapsed)})
    return Throughput(at_once, len(elapsed), seconds, len(elapsed) / seconds, seen.p50, seen.p95, dict(failures))


def _no_throughput(mode: _Mode, queries: int, at_once: int, stored: bool) -> str:
    """Why it is not measured; "" where it is."""
    if mode.replayed:
        return REPLAYED
    if mode.dead:
        return "it stopped answering when requests were sent one at a time"
    if stored:
        return "a part of its answers comes from a cache"
    if mode.limits.rate is not None:
        return f"[limits] rate = {mode.limits.rate:g} is the bound, and not the mode"
    if queries < LEAST_ROUNDS * at_once:
        needed = LEAST_ROUNDS * at_once
        return f"{counted(queries, 'query', 'queries')} are too few for {at_once} at once: {needed} are needed"
    return ""
