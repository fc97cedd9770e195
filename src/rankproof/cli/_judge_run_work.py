"""The work of `judge run`: from a store and choices to questions, from answers back to the store."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankproof.cli._judge_run import body_of
from rankproof.cli._judging_setup import who
from rankproof.errors import UsageError
from rankproof.flow.calls import Call, read_call
from rankproof.flow.judging import choosing
from rankproof.flow.judging.estimating import BYTES_PER_TOKEN, estimate
from rankproof.flow.judging.pinning import Pinned, differs, pin
from rankproof.flow.judging.questions import Questions, questions
from rankproof.records.model_judging import ModelJudging, TokenPrices

if TYPE_CHECKING:
    from rankproof.records.project import Project
    from rankproof.stages._llm_endpoint import Endpoint
    from rankproof.store.judging.store import Store

LONGEST_NAME = 196  # of a document in a preference, where it is called doc:NAME
KIND = "judge"  # of what the store keeps about a judge, by the hash of its content


class Work:
    """One run of one judge on one project."""

    def __init__(self, store: Store, project: Project, said: Mapping[str, Any]) -> None:
        self.store, self.project, self.said = store, project, said
        self.asked: Call = read_call("judges", said["kind"])
        misfit = self.asked.item.misfit(project.scale, self.asked.values) if self.asked.item.misfit else ""
        if misfit:
            raise UsageError(f"{self.asked}: {misfit}")
        self.more = body_of(said["body"])
        self.model = self._model()
        self.name: str = said["name"] or f"{self.asked.item.name}:{self.model.partition(' ')[0]}"
        self.pins = [self._pin(n) for n in range(1, said["repeat"] + 1)]
        for pinned in self.pins:
            self._refuse_other(pinned)
        self.chosen = choosing.draw(self._chosen(), said["sample"], said["seed"])
        self.questions = self._questions()

    # ---- who judges ----------------------------------------------------------------------------

    def _model(self) -> str:
        """The model's version: its name at the endpoint, or the hash of its weights."""
        if self.said["endpoint"] != "local":
            if not self.said["model"]:
                raise UsageError(f"The endpoint {self.said['endpoint']} needs a model. Name it: --model NAME")
            return str(self.said["model"])
        from rankproof.stages import _llm_local as local

        weights = local.weights(self.said["model"])
        return f"{os.path.basename(weights).removesuffix('.gguf')} {local.identity(weights)['model']}"

    def _pin(self, repetition: int) -> Pinned:
        settings = {
            "api": self.said["api"],
            "temperature": self.said["temperature"],
            "characters": self.said["characters"],
            "fields": [self.project.template.title, *self.project.template.texts],
            "body": self.more,
        }
        return pin(self.name, self.asked, self.project, self.model, settings, repetition)

    def _refuse_other(self, pinned: Pinned) -> None:
        """One name is one judge: with another model, prompt or settings it is another."""
        from rankproof.store.judging.experiments import content_hash

        slug, digest = self.project.slug, content_hash(pinned.document)
        for kept in self.store.experiments.all(slug, KIND):
            if kept.name == pinned.name and kept.sha256 != digest:
                other = ", ".join(differs(self.store.experiments.get(slug, kept.sha256), pinned)) or "settings"
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

    def _chosen(self) -> choosing.Chosen:
        slug, listing = self.project.slug, self.said["listing"]
        if listing is not None:
            from rankproof.flow.judging.listing import read_pairs

            return choosing.listed(read_pairs(listing), self.queries, listing)
        what: str = self.said["pairs"]
        return choosing.choose(
            what,
            self.project,
            runs={run.name: self.store.runs.whole(slug, run.name) for run in self.store.runs.all(slug)},
            judgments=self.store.judgments.current(slug),
            assignments=self.store.assignments.of(slug, self.name) if what == "assigned" else (),
            depth=self.said["depth"],
        )

    def _questions(self) -> Questions:
        pairs = self.chosen.pairs
        long = (
            next((doc for _, doc in pairs if len(doc) > LONGEST_NAME), None) if self.asked.item.documents == 2 else None
        )
        if long is not None:
            raise UsageError(
                f"The document {long[:40]!r}... has a name of {len(long):,} characters; preferences hold "
                f"{LONGEST_NAME} at most. Choose other pairs, or ask with --judge graded."
            )
        documents = self.store.items.documents(self.project.slug, [doc for _, doc in pairs])
        return questions(self.asked, self.project, self.pins, pairs, self.queries, documents, self.said["characters"])

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

    def ask(self) -> ModelJudging:
        """Asks what is open, and keeps every answer as it comes."""
        from rankproof.cli._judge_run_keeping import StoreKeeper
        from rankproof.cli._ticker import ticking
        from rankproof.flow.judging.asking import ask_all

        if not self.questions.every:
            raise UsageError(f"There is nothing to ask: {self.chosen.said}: no pair with a text. Choose other --pairs.")
        there = self.there  # read before anything is asked
        endpoint = self._endpoint()
        try:
            for pinned in self.pins:
                self.store.experiments.add(self.project.slug, KIND, pinned.name, pinned.document, who())
            with ticking() as tell:
                keeper = StoreKeeper(self.store, self.project.slug)
                found = ask_all(endpoint, self.questions, there, keeper, self.said["concurrency"], tell)
            return replace(found, there_failed=sum(q.key in self._failed_before for q in self.questions.every))
        finally:
            endpoint.close()

    def _endpoint(self) -> Endpoint:
        from rankproof.records.ground import Ground
        from rankproof.stages._llm_endpoint import Endpoint
        from rankproof.store.cache import FolderCache

        names = ("endpoint", "model", "api", "key_env", "temperature", "timeout", "retries", "concurrency")
        values = {**{name: self.said[name] for name in names}, "seed": 0}
        return Endpoint(
            "judge run",
            values,
            Ground(cache=FolderCache(self.said["cache"])),
            rate=self.said["rate"],
            more=self.more,
            spelled=lambda name: f"--{name.replace('_', '-')} NAME",
        )

    # ---- telling -------------------------------------------------------------------------------

    def _about(self) -> dict[str, Any]:
        first = self.pins[0]
        return {
            "store": self.store.address,
            "project": self.project.slug,
            "judge": {
                "names": [pinned.name for pinned in self.pins],
                "asks": str(self.asked),
                "endpoint": self.said["endpoint"],
                "model": self.model,
                "prompt": first.source.prompt,
                "settings": [pinned.source.settings for pinned in self.pins],
            },
            "pairs": {
                "from": self.chosen.said,
                "frame": self.chosen.frame,
                "chosen": len(self.chosen.pairs),
                "documents_without_text": self.questions.without_text,
            },
        }

    def dry(self, prices: TokenPrices | None) -> dict[str, Any]:
        """What would be asked, and what it would take."""
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
        return {**self._about(), "dry_run": True, "plan": plan, "example": example, "outcome": None, "cost": None}

    def told(self, found: ModelJudging, prices: TokenPrices | None) -> dict[str, Any]:
        """What came of it."""
        cost = None
        if prices is not None:
            amount = prices.of(found.tokens.asked, found.tokens.answered)
            cost = {"amount": amount, "currency": prices.currency, "at_least": bool(found.tokens.uncounted)}
        outcome = {**found.to_dict(), "from_cache": found.from_cache}
        return {**self._about(), "dry_run": False, "plan": None, "example": None, "outcome": outcome, "cost": cost}


def prices_of(said: Mapping[str, Any]) -> TokenPrices | None:
    """The prices that were named; None where none was."""
    asked, answered = said["price_in"], said["price_out"]
    if asked is None and answered is None:
        if said["currency"]:
            raise UsageError("--currency needs a price: --price-in, --price-out or both.")
        return None
    return TokenPrices(asked or 0.0, answered or 0.0, said["currency"])
