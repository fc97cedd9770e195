"""Prices: what a mode costs in money, in tokens of a prompt, and in questions to language models.

    latency   the median time of a query; the default view of quality against price
    tokens    tokens that the first documents of a ranking put into a prompt, mean over queries
    calls     questions that a mode's stages ask a language model for one query, mean over queries
    cost      money, by the table [cost]: prices of 1,000 queries, and of the tokens that models read and wrote

A price that cannot be known has a reason in the place of a number: a replayed run does not tell how often a model was
asked for it, a document without a text has no tokens, and some servers do not count. It is never 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rankproof.kernel import shelf
from rankproof.kernel.llm.spending import FREE, LOCAL, TokenPrices
from rankproof.kernel.sections import counted, some
from rankproof.measuring.spans.evaluate import WORDS
from rankproof.reading.collection import Corpus
from rankproof.stack.records import ModeOutcome, Step, StepOutcome

# What `price` in [benchmark] may name. Time is called "time" where modes are held against each other.
CHOICES = ("latency", "tokens", "calls")
LATENCY = "latency"


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices of 1,000 queries, by engine or stage, and by mode where a mode has a price of its own.

    tokens   prices of a million tokens by the model's name, for stages that ask a language model
    """

    currency: str = ""
    steps: Mapping[str, float] = field(default_factory=dict)
    modes: Mapping[str, float] = field(default_factory=dict)
    tokens: Mapping[str, TokenPrices] = field(default_factory=dict)

    def of(self, mode: ModeOutcome) -> Amount:
        """What 1,000 queries cost: the mode's own price, or the sum over its steps; what is not named costs nothing.

        A step that asks a model costs the tokens that the server counted, beside its own price where it has one.
        """
        if mode.name in self.modes:
            return Amount(self.modes[mode.name])
        steps = {step.key: step.name for step in mode.pipeline.steps()}  # one that flows twice runs once
        costs = [self.steps.get(name, 0.0) for name in steps.values()]
        for outcome in mode.steps if self.tokens else ():
            paid = self._of_tokens(outcome)
            if paid.mean is None:
                return paid
            costs.append(paid.mean)
        return Amount(math.fsum(costs))

    def _of_tokens(self, outcome: StepOutcome) -> Amount:
        model = model_of(outcome.step)
        price = FREE if model is None else self.tokens.get(model, FREE)
        if price.of(1, 1) == 0:
            return Amount(0.0)
        if _is_unseen(outcome):
            return Amount(None, f"what {outcome.step.name} asked {model} is not known")
        if lacking := sum(usage.tokens is None for usage in outcome.usage):
            queries = counted(lacking, "query", "queries")
            return Amount(None, f"for {queries} {model} gave an answer without a count of tokens, or none")
        answered = sum(usage.answered for usage in outcome.usage)
        asked = sum(usage.tokens or 0 for usage in outcome.usage) - answered
        return Amount(1000 * price.of(asked, answered) / max(len(outcome.usage), 1))


def model_of(step: Step) -> str | None:
    """The language model that a stage asks, by the name it is priced under; None for one that asks none."""
    if step.shelf != "stages" or "api" not in step.values or step.values["endpoint"] is None:
        return None
    return LOCAL if step.values["endpoint"] == LOCAL else str(step.values["model"])


@dataclass(frozen=True, slots=True)
class PriceView:
    """By which prices quality is looked at.

    names          of CHOICES, the first one first; money is there too where the configuration has it
    prompt_depth   how many of the first documents go into a prompt
    pattern        the regular expression that finds tokens: words and single marks by default, as in span measures
    """

    names: tuple[str, ...] = (LATENCY,)
    prompt_depth: int = 10
    pattern: str = WORDS

    @property
    def counts(self) -> bool:
        """Whether tokens or calls are asked for."""
        return self.names != (LATENCY,)

    def to_dict(self, unbeaten: Mapping[str, Sequence[str]]) -> dict[str, object] | None:
        """As JSON has it, with the modes that no other one beats by tokens and by calls; None where time is all."""
        if not self.counts:
            return None
        counted = {what: list(modes) for what, modes in unbeaten.items() if what in self.names}
        return {
            "names": list(self.names),
            "prompt_depth": self.prompt_depth,
            "pattern": self.pattern,
            "unbeaten": counted,
        }


DEFAULT_VIEW = PriceView()


@dataclass(frozen=True, slots=True)
class Amount:
    """A mean over queries; None where it is not known, and then why."""

    mean: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class ModeAmounts:
    """What a query takes with a mode.

    tokens         in the first documents of its ranking
    calls          questions to language models
    model_tokens   that the servers counted in questions and answers
    """

    tokens: Amount
    calls: Amount
    model_tokens: Amount

    def to_dict(self) -> dict[str, object]:
        """Each amount, null where it is not known, and the reasons."""
        amounts = {"tokens": self.tokens, "calls": self.calls, "model_tokens": self.model_tokens}
        unknown = {name: amount.why for name, amount in amounts.items() if amount.mean is None}
        return {**{name: amount.mean for name, amount in amounts.items()}, "unknown": unknown}


class TokenCounter:
    """Counts tokens, of each text once."""

    def __init__(self, corpus: Corpus | None, view: PriceView) -> None:
        self._corpus, self._view = corpus, view
        self._expression = re.compile(view.pattern)
        self._counted: dict[str, int] = {}

    def amounts(self, mode: ModeOutcome) -> ModeAmounts:
        """What a query takes with this mode."""
        return ModeAmounts(self._tokens(mode), *_usage(mode))

    def _tokens(self, mode: ModeOutcome) -> Amount:
        if self._corpus is None:
            return Amount(None, "there are no texts of documents")
        total, without = 0, dict[str, None]()
        for ranking in mode.rankings:
            head = ranking.doc_ids[: self._view.prompt_depth]
            for doc, text in zip(head, ranking.read_as(head), strict=True):
                if text in self._corpus.place:
                    total += self._count(text, self._corpus)
                else:
                    without[doc] = None
        if without:
            return Amount(None, f"the corpus has no text of {some([repr(doc) for doc in without], 3)}")
        return Amount(total / max(len(mode.rankings), 1))

    def _count(self, text_id: str, corpus: Corpus) -> int:
        if text_id not in self._counted:
            (text,) = corpus.texts(doc_ids=[text_id])
            self._counted[text_id] = sum(1 for _ in self._expression.finditer(text))
        return self._counted[text_id]


def _usage(mode: ModeOutcome) -> tuple[Amount, Amount]:
    """Questions and the servers' tokens for one query, over all steps of the mode."""
    unseen = [outcome.step.name for outcome in mode.steps if _is_unseen(outcome)]
    if unseen:
        why = f"what {some(list(dict.fromkeys(unseen)))} asked a model is not known"
        return Amount(None, why), Amount(None, why)
    asked = [usage for outcome in mode.steps for usage in outcome.usage]
    queries = max(len(mode.query_ids), 1)
    calls = Amount(sum(usage.calls for usage in asked) / queries)
    told = [usage.tokens for usage in asked if usage.tokens is not None]
    if len(told) < len(asked):
        lacking = len(asked) - len(told)
        return calls, Amount(None, f"for {lacking} of {len(asked)} answers the server did not count tokens")
    return calls, Amount(sum(told) / queries)


def _is_unseen(outcome: StepOutcome) -> bool:
    """Whether nobody counted what a step asked: an engine whose inside is not seen, or a stage that was not run now."""
    if outcome.step.shelf == "engines":
        opaque: bool = shelf.find("engines", outcome.step.name).opaque
        return opaque
    return not outcome.usage and bool(len(outcome.milliseconds))


def amounts_of(outcomes: Sequence[ModeOutcome], corpus: Corpus | None, view: PriceView) -> dict[str, ModeAmounts]:
    """By mode what a query takes; nothing where only time is looked at."""
    if not view.counts:
        return {}
    counter = TokenCounter(corpus, view)
    return {mode.name: counter.amounts(mode) for mode in outcomes}
