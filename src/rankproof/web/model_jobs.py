"""Models that judge in the background of the server: which ones, within which ceiling, started, watched and stopped.

Where a model is and with which key it is asked stands in a file that the server is started with (`--models`), never in
a page: nobody who is signed in can make the server ask another address. A job runs in a thread, says every second that
it is alive, and leaves every answer in the store before the next question goes out: one whose server stopped is told
apart, and the same request again goes on where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from threading import Event, Thread
from typing import TYPE_CHECKING

import msgspec

from rankproof.errors import InputError, RankproofError, UnknownName, UsageError
from rankproof.kernel.llm.spending import AdmittedRequest, CallLimits, Spending, TokenPrices
from rankproof.kernel.sections import counted

if TYPE_CHECKING:
    from rankproof.cli.judge.work import JudgeRunWork
    from rankproof.judging.models.records import ModelJudging
    from rankproof.judging.records import Project
    from rankproof.judging.store.loop import JobState
    from rankproof.judging.store.store import Store

# Seconds between two signs of life.
BEAT = 1.0
MOST_CALLS = 1000


class OfferedModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model that people may have judge: where it is, and what it may take at most."""

    endpoint: str
    model: str | None = None
    key_env: str | None = None
    api: str = "chat"
    temperature: float = 0.0
    concurrency: int = 4
    rate: float | None = None
    timeout: float = 60.0
    retries: int = 4
    price_in: float | None = None
    price_out: float | None = None
    currency: str = ""
    max_calls: int = 100_000
    max_cost: float | None = None

    @property
    def prices(self) -> TokenPrices | None:
        """What a million tokens cost; None where the file does not say."""
        if self.price_in is None and self.price_out is None:
            return None
        return TokenPrices(self.price_in or 0.0, self.price_out or 0.0, self.currency)


def read_models(path: str) -> dict[str, OfferedModel]:
    """The models of a TOML file, by the name of their table."""
    from rankproof.reading.source import read_toml

    document = read_toml(path)
    try:
        offered = msgspec.convert(document, dict[str, OfferedModel])
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}. A model has a table: [small] with endpoint, model and key_env.") from None
    if not offered:
        raise InputError(f"{path} names no model. Give each a table: [small] with endpoint, model and key_env.")
    for name, one in offered.items():
        if one.max_cost is not None and one.prices is None:
            raise InputError(f"{path}: [{name}] has max_cost without a price. Give price_in and price_out.")
        if one.max_calls < 1 or one.concurrency < 1:
            raise InputError(f"{path}: [{name}] needs max_calls and concurrency of 1 or more.")
    return offered


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """What somebody asks a model to do: which model, which question, which pairs, within which ceiling."""

    model: str
    kind: str = "graded"
    pairs: str = "unjudged"
    depth: int = 10
    sample: int | None = None
    seed: int = 0
    max_calls: int = MOST_CALLS
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class ModelPlan:
    """What a request would send: questions, those answered before, tokens, and what they cost where that is known."""

    judge: str
    origin: str
    questions: int
    there: int
    requests: int
    asked: int
    answered: int
    cost: float | None
    currency: str


class _Ceiling(Spending):
    """A ceiling that somebody can lower to nothing."""

    stopped = False

    async def admit(self, model: str, size: int, most: int) -> AdmittedRequest | None:
        """As always, and never after somebody said stop."""
        return None if self.stopped else await super().admit(model, size, most)


@dataclass
class _Beating:
    """How far a running job is, and whether it is over."""

    done: int = 0
    total: int = 0
    over: Event = field(default_factory=Event)


class ModelJobs:
    """The jobs of a server."""

    def __init__(self, store: Store, offered: Mapping[str, OfferedModel]) -> None:
        self._store, self.offered = store, offered

    def plan(self, project: Project, request: ModelRequest) -> ModelPlan:
        """What a request would send; nothing is sent."""
        from rankproof.judging.models.questions import estimate

        offer, work = self._work(project, request)
        still = [one for one in work.questions.every if one.key not in work.there]
        about = estimate(work.questions, still)
        prices = offer.prices
        cost = None if prices is None else prices.of(about.asked, about.answered)
        every = len(work.questions.every)
        return ModelPlan(
            work.name, work.chosen.origin, every, every - len(still), about.requests, about.asked, about.answered,
            cost, offer.currency,
        )  # fmt: skip

    def start(self, project: Project, request: ModelRequest, by: str) -> int:
        """Starts a job and gives its number; an error where one runs, or where there is nothing to ask."""
        offer, work = self._work(project, request)
        if not work.questions.every:
            raise UsageError(f"There is nothing to ask: {work.chosen.origin}: no pair with a text. Choose other pairs.")
        ceiling = _Ceiling(self._limits(offer, request))
        number = self._store.jobs.start(project.slug, asdict(request), by)
        job = Thread(
            target=self._run, args=(number, work, offer, ceiling, by), daemon=True, name=f"judging of {project.slug}"
        )
        job.start()
        return number

    def _limits(self, offer: OfferedModel, request: ModelRequest) -> CallLimits:
        if request.max_calls < 1:
            raise UsageError(f"A budget is of one request or more; got {request.max_calls}.")
        if request.max_cost is not None and offer.prices is None:
            raise UsageError(f"What {request.model} costs is not known here. Give a number of requests alone.")
        if request.max_cost is not None and not 0 < request.max_cost < float("inf"):
            raise UsageError(f"A budget is more than 0; got {request.max_cost}.")
        costs = [cost for cost in (offer.max_cost, request.max_cost) if cost is not None]
        name = "local" if offer.endpoint == "local" else offer.model or ""
        prices = None if offer.prices is None else {name: offer.prices}
        return CallLimits(
            min(offer.max_calls, request.max_calls), min(costs) if costs else None, offer.currency, prices
        )

    def _work(self, project: Project, request: ModelRequest) -> tuple[OfferedModel, JudgeRunWork]:
        from rankproof.cli.judge.work import JudgeRunWork

        if request.model not in self.offered:
            raise UnknownName("model", request.model, self.offered or ["none: the server is started with --models"])
        if not 1 <= request.depth <= 1000 or (request.sample is not None and request.sample < 1):
            raise UsageError("Depth is from 1 to 1,000, and a sample has one pair or more.")
        offer = self.offered[request.model]
        settings = msgspec.structs.asdict(offer)
        options = {
            **{name: settings[name] for name in _ASKING},
            **asdict(request),
            "model": offer.model,
            "body": None,
            "name": None,
            "repeat": 1,
            "listing": None,
            "characters": 4000,
        }
        return offer, JudgeRunWork(self._store, project, options)

    def _run(self, number: int, work: JudgeRunWork, offer: OfferedModel, ceiling: _Ceiling, by: str) -> None:
        beating = _Beating(total=len(work.questions.every))
        beat = Thread(target=self._beat, args=(number, beating, ceiling), daemon=True)
        beat.start()
        state: JobState = "failed"
        detail: dict[str, object] = {}
        try:
            outcome = self._ask(work, offer, ceiling, by, beating)
            state, why = _state(outcome, ceiling)
            detail = {
                "judge": work.name, "why": why, "calls": ceiling.calls, "cost": ceiling.cost,
                "currency": offer.currency, **outcome.to_dict(),
            }  # fmt: skip
        except RankproofError as error:
            detail = {"judge": work.name, "why": str(error)}
        except Exception:
            logging.getLogger(__name__).exception("job %s broke", number)
            detail = {"judge": work.name, "why": "Something broke; the server's log says what."}
        finally:
            beating.over.set()
            beat.join()
            self._store.jobs.end(number, state, detail)

    def _ask(
        self, work: JudgeRunWork, offer: OfferedModel, ceiling: _Ceiling, by: str, beating: _Beating
    ) -> ModelJudging:
        from rankproof.cli.judge.work import KIND, StoreKeeper
        from rankproof.judging.models.ask import ask_all
        from rankproof.kernel.llm.endpoint import Endpoint
        from rankproof.stack.records import Ground

        there = work.there  # read before the first question is sent
        before = sum(question.key in there for question in work.questions.every)

        def tell(what: str, done: int, total: int) -> None:
            beating.done, beating.total = before + done, before + total

        for pinned in work.pins:
            self._store.experiments.add(work.project.slug, KIND, pinned.name, pinned.document, by)
        settings = msgspec.structs.asdict(offer)
        values = {name: settings[name] for name in (*_ASKING, "model") if name != "rate"}
        endpoint = Endpoint(
            "judging", {**values, "seed": 0}, Ground(), rate=offer.rate, extra="judge", spending=ceiling
        )
        try:
            keeper = StoreKeeper(self._store, work.project.slug)
            return ask_all(endpoint, work.questions, there, keeper, offer.concurrency, tell)
        finally:
            endpoint.close()

    def _beat(self, number: int, beating: _Beating, ceiling: _Ceiling) -> None:
        while True:
            over = beating.over.wait(BEAT)
            try:
                if not self._store.jobs.tell(number, beating.done, beating.total):
                    ceiling.stopped = True
            except RankproofError:
                logging.getLogger(__name__).warning("job %s could not say how far it is", number, exc_info=True)
            if over:
                return


_ASKING = ("endpoint", "key_env", "api", "temperature", "concurrency", "rate", "timeout", "retries")


def _state(outcome: ModelJudging, ceiling: _Ceiling) -> tuple[JobState, str]:
    """How a job ended, and why it is not done where it is not."""
    if not outcome.unanswered:
        return "done", ""
    if ceiling.stopped:
        return "stopped", "Somebody stopped it."
    failure = next((kind for kind in outcome.failures if not kind.answered), None)
    if failure is not None:
        return "failed", f"{counted(failure.count, 'request')} got no answer: {failure.kind}: {failure.example[2]}"
    return "stopped", f"{ceiling.why}."
