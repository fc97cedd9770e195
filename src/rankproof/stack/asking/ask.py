"""Ask a live engine all queries, several at once, with pacing and retries; stored answers are not requested again.

But for a few of them (`probe.py`): before stored answers are used, and once more after others were asked, so that what
was asked on a server that changed meanwhile does not stand beside what it said earlier.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from threading import Event, Lock

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.pacing import Pace
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Answered, Failure, Ranking
from rankproof.stack.asking.limits import AnswerStore, Limits, answer_key, keys_of
from rankproof.stack.asking.probe import Probe, drawn, probe
from rankproof.stack.engines.contract import TOO_MANY, Asker, AskFailed
from rankproof.stack.records import Step, StepOutcome


class Health:
    """Counts failures in a row over all threads; `dead_after` of them stop the fetch.

    A request that the server put off (429, or with a time to wait) comes from a living server. It counts only when the
    query was given up for it.
    """

    def __init__(self, dead_after: int, stop: Event) -> None:
        self._dead_after, self._stop = dead_after, stop
        self._lock = Lock()
        self._in_a_row = 0
        self.died_of: str | None = None

    def answered(self) -> None:
        """An answer came."""
        with self._lock:
            self._in_a_row = 0

    def failed(self, why: AskFailed, given_up: bool) -> None:
        """An attempt failed; `given_up` when it was the last one of its query."""
        if (why.kind == TOO_MANY or why.wait is not None) and not given_up:
            return
        with self._lock:
            self._in_a_row += 1
            if self._in_a_row >= self._dead_after and self.died_of is None:
                self.died_of = f"{self._in_a_row} requests in a row failed, the last one so: {why}"
                self._stop.set()


NOTHING = Ranking.in_order(())


@dataclass(frozen=True, slots=True)
class FetchProgress:
    """How far a fetch is: `done` of `total` queries, `kept` of them stored before, `failed` without an answer."""

    done: int
    total: int
    kept: int
    failed: int


def ask_all(
    asker: Asker,
    queries: Sequence[Query],
    depth: int,
    limits: Limits,
    keep: AnswerStore,
    rng: np.random.Generator,
    on_progress: Callable[[FetchProgress], None] | None = None,
    *,
    stage: str = "engine",
    engine: str = "",
    on_probe: Callable[[Probe], None] | None = None,
) -> list[Answered]:
    """What the engine answers to each query, in the order of the queries.

    A query without an answer has an empty ranking and a Failure that says why, with the fallback "no answer"; failures
    are not stored, so the next fetch asks again. `engine` is the key of the step (its name and all its parameters) and
    `stage` what failures call it. `on_probe` is told once what the stored answers were found to be worth, where there
    are some. InputError when the engine cannot even say what it is.
    """
    # The waits of a query are drawn before anything is asked: threads do not change them.
    draws = rng.random((len(queries) + 1, limits.attempts))
    stop = Event()
    asking = _Fetch(asker, depth, limits, stage, stop)
    identity = asking.identity(draws[-1])
    keys = [answer_key(query, depth, engine, identity) for query in queries]
    stored = [keep.get(key) for key in keys]
    answers: list[Answered | None] = [None if f is None else replace(f, kept=True) for f in stored]
    kept = {i: answer for i, answer in enumerate(answers) if answer is not None}
    done, failed = len(kept), 0

    def report() -> None:
        if on_progress is not None:
            on_progress(FetchProgress(done, len(queries), len(kept), failed))

    keeping = Lock()

    def answer_and_keep(i: int) -> Answered:
        """Stored by the thread that asked, before it asks anything else: a kill loses only requests under way."""
        answer = asking.answer(queries[i], draws[i])
        if not answer.failures:
            with keeping:
                keep.put(keys[i], answer)
        return answer

    def came(i: int, answer: Answered) -> None:
        nonlocal done, failed
        answers[i] = answer
        done += 1
        failed += bool(answer.failures)
        report()

    def ask_missing() -> int:
        """How many were answered."""
        nonlocal done, failed
        done, failed = len(kept), 0
        report()
        missing = [i for i, answer in enumerate(answers) if answer is None]
        asking.several(missing, answer_and_keep, came)
        return len(missing) - failed

    def look(places: Sequence[int]) -> Probe:
        """Whether stored answers may be used; else they are dropped, with what was asked beside them."""

        def anew(places: Sequence[int]) -> list[Answered]:
            fresh: dict[int, Answered] = {}
            asking.several(places, lambda i: asking.answer(queries[i], draws[i]), fresh.__setitem__)
            return [fresh[i] for i in places]

        seen = probe(kept, places, depth, anew)
        if not seen.usable:
            keep.drop(keys_of(engine))
            answers[:] = [None] * len(queries)
            kept.clear()
        return seen

    places = drawn(kept, limits.probe, rng)
    seen = look(places) if places else None
    answered = ask_missing()
    if seen is not None and kept and answered:
        # The server may have changed after the first look: then both kinds of answers would stand side by side.
        seen = look(places)
        if not kept:
            ask_missing()
    if seen is not None and on_probe is not None:
        on_probe(seen)
    return [answer for answer in answers if answer is not None]


class _Fetch:
    """One fetch: asks a query until there is an answer or no hope."""

    def __init__(self, asker: Asker, depth: int, limits: Limits, stage: str, stop: Event) -> None:
        self.asker, self.depth, self.limits, self.stage = asker, depth, limits, stage
        self.stop, self.pace, self.health = stop, Pace(limits.rate), Health(limits.dead_after, stop)

    def several(
        self, places: Iterable[int], answer: Callable[[int], Answered], came: Callable[[int, Answered], None]
    ) -> None:
        """The answers to the queries at these places, as many requests at once as may be; `came` gets each."""
        with ThreadPoolExecutor(self.limits.concurrency, thread_name_prefix="asking") as pool:
            futures: dict[Future[Answered], int] = {pool.submit(answer, i): i for i in places}
            try:
                for future in as_completed(futures):
                    came(futures[future], future.result())
            except BaseException:
                # Whatever ended it (a full disk, Ctrl-C): nothing more is asked, and nobody waits for a pause to end.
                self.stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def wait_for_turn(self) -> bool:
        """Waits until a request may go; False when the fetch was stopped meanwhile."""
        while (seconds := self.pace.reserve()) > 0:
            if not self.pause(seconds):
                return False
        return not self.stop.is_set()

    def pause(self, seconds: float) -> bool:
        """Waits; False when the fetch was stopped meanwhile."""
        return not self.stop.wait(seconds)

    def answer(self, query: Query, draws: Sequence[float]) -> Answered:
        """The answer to a query, or its failure."""
        failed: AskFailed | None = None
        for attempt in range(1, self.limits.attempts + 1):
            if not self.wait_for_turn():
                return self.no_answer(query, failed, attempt - 1)
            began = time.perf_counter()
            try:
                ranking = self.asker.ask(query, self.depth, self.limits.timeout)
            except AskFailed as error:
                failed = error
                if not self.another(error, attempt, draws[attempt - 1]):
                    return self.no_answer(query, failed, attempt)
            else:
                milliseconds = (time.perf_counter() - began) * 1000
                self.health.answered()
                return Answered(query.query_id, ranking, milliseconds, attempt)
        raise AssertionError("the last attempt is answered or given up")

    def another(self, failed: AskFailed, attempt: int, draw: float) -> bool:
        """Whether the query is asked again, after the wait it takes."""
        too_long = failed.wait is not None and failed.wait > self.limits.longest_wait
        given_up = not failed.again or too_long or attempt == self.limits.attempts
        self.health.failed(failed, given_up)
        if failed.wait is not None and not too_long:
            self.pace.hold(failed.wait)  # the server spoke to all threads
        return not given_up and self.pause(self.limits.wait(attempt, draw, failed.wait))

    def no_answer(self, query: Query, failed: AskFailed | None, attempts: int) -> Answered:
        died = self.health.died_of
        if failed is None:
            kind, message = "not asked", f"It was not asked: {died or 'asking was stopped.'}"
        else:
            kind, message = failed.kind, str(failed)
            if failed.wait is not None and failed.wait > self.limits.longest_wait:
                message += (
                    f" The server asks to wait {failed.wait:g} seconds, longer than longest_wait = "
                    f"{self.limits.longest_wait:g}."
                )
            elif attempts > 1:
                message += f" It was asked {attempts} times."
        failure = Failure(query.query_id, self.stage, kind, message, "no answer")
        return Answered(query.query_id, NOTHING, None, attempts, (failure,))

    def identity(self, draws: Sequence[float]) -> Mapping[str, str]:
        """What the engine is, asked as patiently as a query; InputError when it does not say."""
        for attempt in range(1, self.limits.attempts + 1):
            self.wait_for_turn()
            try:
                identity = self.asker.identity
            except AskFailed as failed:
                if not self.another(failed, attempt, draws[attempt - 1]):
                    tried = f" It was tried {attempt} times." if attempt > 1 else ""
                    raise InputError(f"{self.stage} cannot be asked: {failed}{tried}") from None
            else:
                self.health.answered()
                return identity
        raise AssertionError("the last attempt is answered or given up")


def ask_step(
    asker: Asker,
    step: Step,
    queries: Sequence[Query],
    depth: int,
    *,
    limits: Limits,
    keep: AnswerStore,
    seed: int = 0,
    on_progress: Callable[[FetchProgress], None] | None = None,
) -> StepOutcome:
    """What a live engine gives as a step. Stored answers have no time: the server may be another one by now."""
    rng = np.random.default_rng([seed, int(step.key[:16], 16)])
    probes: list[Probe] = []
    answers = ask_all(
        asker, queries, depth, limits, keep, rng, on_progress, stage=step.name, engine=step.key, on_probe=probes.append
    )
    timed = (math.nan if a.kept or a.milliseconds is None else a.milliseconds for a in answers)
    times = np.fromiter(timed, dtype=np.float64, count=len(answers))
    failures = tuple(failure for a in answers for failure in a.failures)
    days = Counter(answer.day for answer in answers if answer.kept)
    return StepOutcome(
        step, tuple(a.ranking for a in answers), times, failures, dict(asker.identity),
        kept=days.total(), kept_days=dict(sorted(days.items())), probe=probes[0] if probes else None,
    )  # fmt: skip
