"""The work of `judge run`: from a store and options to questions, from answers back to the store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from rankproof.cli.judgments.store import who
from rankproof.cli.shared.model_options import body_of, endpoint_of
from rankproof.errors import InputError, UsageError
from rankproof.judging.models.questions import (
    BYTES_PER_TOKEN,
    ChosenPairs,
    Pinned,
    Questions,
    choose,
    differs,
    draw,
    estimate,
    listed,
    pin,
    questions,
)
from rankproof.judging.models.records import ModelJudging
from rankproof.judging.records import JudgeFailure, Judgment, Preference
from rankproof.kernel.llm.spending import TokenPrices
from rankproof.kernel.specs.calls import Configured, read_configured

if TYPE_CHECKING:
    from rankproof.judging.records import Project
    from rankproof.judging.store.store import Store
    from rankproof.kernel.llm.endpoint import Endpoint
    from rankproof.kernel.llm.spending import Spending


LONGEST_NAME = 196  # of a document in a preference, where it is called doc:NAME
KIND = "judge"  # of what the store keeps about a judge, by the hash of its content


class JudgeRunWork:
    """One run of one judge on one project."""

    def __init__(self, store: Store, project: Project, options: Mapping[str, Any]) -> None:
        self.store, self.project, self.options = store, project, options
        self.judge: Configured = read_configured("judges", options["kind"])
        misfit = self.judge.item.misfit(project.scale, self.judge.values) if self.judge.item.misfit else ""
        if misfit:
            raise UsageError(f"{self.judge}: {misfit}")
        self.more = body_of(options["body"])
        self.limits = options["max_calls"], options["max_cost"]
        self.spending: Spending | None = None
        self.model = self._model()
        self.name: str = options["name"] or f"{self.judge.item.name}:{self.model.partition(' ')[0]}"
        self.pins = [self._pin(n) for n in range(1, options["repeat"] + 1)]
        for pinned in self.pins:
            self._refuse_other(pinned)
        self.chosen = draw(self._chosen(), options["sample"], options["seed"])
        self.questions = self._questions()

    # ---- who judges ----------------------------------------------------------------------------

    def _model(self) -> str:
        """The model's version: its name at the endpoint, or the hash of its weights."""
        if self.options["endpoint"] != "local":
            if not self.options["model"]:
                raise UsageError(f"The endpoint {self.options['endpoint']} needs a model. Name it: --model NAME")
            return str(self.options["model"])
        from rankproof.kernel.llm import local

        weights = local.weights(self.options["model"])
        return f"{os.path.basename(weights).removesuffix('.gguf')} {local.identity(weights)['model']}"

    def _pin(self, repetition: int) -> Pinned:
        settings = {
            "api": self.options["api"],
            "temperature": self.options["temperature"],
            "characters": self.options["characters"],
            "fields": [self.project.template.title, *self.project.template.texts],
            "body": self.more,
        }
        return pin(self.name, self.judge, self.project, self.model, settings, repetition)

    def _refuse_other(self, pinned: Pinned) -> None:
        """One name is one judge: with another model, prompt or settings it is another."""
        from rankproof.judging.store.experiments import content_hash

        slug, digest = self.project.slug, content_hash(pinned.document)
        for stored in self.store.experiments.all(slug, KIND):
            if stored.name == pinned.name and stored.sha256 != digest:
                other = ", ".join(differs(self.store.experiments.get(slug, stored.sha256), pinned)) or "settings"
                raise UsageError(
                    f"The judge {pinned.name!r} has judged here with another {other}. Grades of two judges must not "
                    "mix: give this one another name with --as NAME."
                )
        acts = self.store.judgments.history(slug, judge=pinned.name)
        if any(act.source != pinned.source for act in acts):
            raise UsageError(
                f"There are judgments of {pinned.name!r} here that this judge did not give. Give it another name with "
                "--as NAME."
            )

    # ---- which pairs ---------------------------------------------------------------------------

    @cached_property
    def queries(self) -> dict[str, str]:
        """The queries' words by id."""
        return {query.query_id: query.text for query in self.store.items.queries(self.project.slug)}

    def _chosen(self) -> ChosenPairs:
        slug, listing = self.project.slug, self.options["listing"]
        if listing is not None:
            from rankproof.judging.models.questions import read_pairs

            return listed(read_pairs(listing), self.queries, listing)
        what: str = self.options["pairs"]
        return choose(
            what,
            self.project,
            runs={run.name: self.store.runs.whole(slug, run.name) for run in self.store.runs.all(slug)},
            judgments=self.store.judgments.current(slug),
            assignments=self.store.assignments.of(slug, self.name) if what == "assigned" else (),
            depth=self.options["depth"],
        )

    def _questions(self) -> Questions:
        pairs = self.chosen.pairs
        long = (
            next((doc for _, doc in pairs if len(doc) > LONGEST_NAME), None) if self.judge.item.documents == 2 else None
        )
        if long is not None:
            raise UsageError(
                f"The document {long[:40]!r}... has a name of {len(long):,} characters; preferences hold "
                f"{LONGEST_NAME} at most. Choose other pairs, or ask with --judge graded."
            )
        documents = self.store.hits.shown(self.project.slug, pairs)
        return questions(
            self.judge, self.project, self.pins, pairs, self.queries, documents, self.options["characters"]
        )

    @cached_property
    def there(self) -> frozenset[str]:
        """Keys of the answers that the store has: grades, preferences, and what could not be read."""
        slug, keys = self.project.slug, set(self._failed_before)
        for pinned in self.pins:
            keys |= {act.key for act in self.store.judgments.history(slug, judge=pinned.name)}
            keys |= {act.key for act in self.store.preferences.history(slug, judge=pinned.name)}
        return frozenset(keys)

    @cached_property
    def _failed_before(self) -> frozenset[str]:
        names = [pinned.name for pinned in self.pins]
        return frozenset(f.key for name in names for f in self.store.failures.all(self.project.slug, judge=name))

    # ---- asking --------------------------------------------------------------------------------

    def ask(self, prices: TokenPrices | None) -> ModelJudging:
        """Sends the open questions within the ceiling, and stores every answer as it arrives."""
        with ExitStack() as held:
            self.spending = self._ceiling(prices, held)
            return self._ask()

    def _ceiling(self, prices: TokenPrices | None, held: ExitStack) -> Spending | None:
        """What may be sent and spent, over all commands of this judge that name a ceiling; None without one."""
        calls, cost = self.limits
        if calls is None and cost is None:
            return None
        from rankproof.kernel.llm.spending import LOCAL, CallLimits, Spending, SpendingRecord, require_bound

        model = LOCAL if self.options["endpoint"] == LOCAL else str(self.options["model"])
        if cost is not None:
            if prices is None:
                raise UsageError("A ceiling of cost needs prices: --price-in, --price-out or both.")
            require_bound(self.more)
        limits = CallLimits(calls, cost, prices.currency if prices else "", {model: prices} if prices else {})
        who_asks = f"{self.store.address}\n{self.project.slug}\n{self.name}"
        name = sha256(who_asks.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        record = held.enter_context(SpendingRecord(os.path.join(self.options["cache"], "spending", f"{name}.jsonl")))
        return Spending(limits, record, model)

    def _ask(self) -> ModelJudging:
        from rankproof.cli.shared.output import ticking
        from rankproof.judging.models.ask import ask_all

        if not self.questions.every:
            raise UsageError(
                f"There is nothing to ask: {self.chosen.origin}: no pair with a text. Choose other --pairs."
            )
        there = self.there  # read before the first question is sent
        endpoint = self._endpoint()
        try:
            for pinned in self.pins:
                self.store.experiments.add(self.project.slug, KIND, pinned.name, pinned.document, who())
            with ticking() as tell:
                keeper = StoreKeeper(self.store, self.project.slug)
                outcome = ask_all(endpoint, self.questions, there, keeper, self.options["concurrency"], tell)
            return replace(outcome, there_failed=sum(q.key in self._failed_before for q in self.questions.every))
        finally:
            endpoint.close()

    def _endpoint(self) -> Endpoint:
        from rankproof.kernel.cache import FolderCache
        from rankproof.stack.records import Ground

        ground = Ground(cache=FolderCache(self.options["cache"]))
        return endpoint_of("judge run", self.options, ground, spending=self.spending)

    # ---- telling -------------------------------------------------------------------------------

    def _about(self) -> dict[str, object]:
        first = self.pins[0]
        return {
            "store": self.store.address,
            "project": self.project.slug,
            "judge": {
                "names": [pinned.name for pinned in self.pins],
                "asks": str(self.judge),
                "endpoint": self.options["endpoint"],
                "model": self.model,
                "prompt": first.source.prompt,
                "settings": [pinned.source.settings for pinned in self.pins],
            },
            "pairs": {
                "from": self.chosen.origin,
                "frame": self.chosen.frame,
                "chosen": len(self.chosen.pairs),
                "documents_without_text": self.questions.without_text,
                "documents_cut": len(self.questions.cut),
            },
        }

    def plan_document(self, prices: TokenPrices | None) -> dict[str, object]:
        """The questions that would be sent, and their cost."""
        still = [question for question in self.questions.every if question.key not in self.there]
        example = None
        if still:
            prompt = self.questions.prompts(still[0])[0]
            example = {
                "query_id": still[0].query_id,
                "doc_ids": list(still[0].doc_ids),
                "system": prompt.system,
                "user": prompt.user,
            }
        plan = {
            "questions": len(self.questions.every),
            "there": len(self.questions.every) - len(still),
            **estimate(self.questions, still).to_dict(prices),
            "bytes_per_token": BYTES_PER_TOKEN,
            "currency": prices.currency if prices else "",
        }
        about = {**self._about(), "dry_run": True, "plan": plan, "example": example}
        return {**about, "outcome": None, "cost": None, "ceiling": None}

    def outcome_document(self, judging: ModelJudging, prices: TokenPrices | None) -> dict[str, Any]:
        """The outcome, for JSON."""
        cost = None
        if prices is not None:
            amount = prices.of(judging.tokens.asked, judging.tokens.answered)
            cost = {"amount": amount, "currency": prices.currency, "at_least": bool(judging.tokens.uncounted)}
        outcome = {**judging.to_dict(), "from_cache": judging.from_cache}
        about = {**self._about(), "dry_run": False, "plan": None, "example": None}
        return {**about, "outcome": outcome, "cost": cost, "ceiling": self._reached()}

    def _reached(self) -> dict[str, object] | None:
        """What all commands under the ceiling sent and spent."""
        if self.spending is None:
            return None
        spent, (calls, cost) = self.spending, self.limits
        return {
            "requests": spent.calls,
            "max_calls": calls,
            "cost_at_most": None if cost is None else spent.cost,
            "max_cost": cost,
            "currency": spent.limits.currency,
            "uncounted": spent.uncounted,
            "reached": spent.reached,
        }


class StoreKeeper:
    """Stores answers in a project."""

    def __init__(self, store: Store, slug: str) -> None:
        self._store, self._slug = store, slug

    def judgment(self, act: Judgment) -> None:
        """Stores a grade; the first one stays where another process sent the same question."""
        try:
            self._store.judgments.add(self._slug, act)
        except InputError:
            held = self._store.judgments.history(self._slug, judge=act.judge, query_id=act.query_id, doc_id=act.doc_id)
            if act.key not in {one.key for one in held}:
                raise

    def preference(self, act: Preference) -> None:
        """Stores a preference, likewise."""
        try:
            self._store.preferences.add(self._slug, act)
        except InputError:
            held = self._store.preferences.history(self._slug, judge=act.judge, query_id=act.query_id)
            if act.key not in {one.key for one in held}:
                raise

    def failure(self, failure: JudgeFailure) -> None:
        """Stores a failure."""
        self._store.failures.add(self._slug, failure)
