"""What drafting may cost: a ceiling of requests and of money that holds over all commands into one folder.

Every request is on record before it goes out, with the most that it can cost, so that one under way at a kill counts
too. What a server then counts takes the place of the most.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rankproof.errors import UsageError
from rankproof.judging.judges.contract import Prompt
from rankproof.judging.models.questions import AROUND
from rankproof.kernel.llm.spending import TokenPrices, answer_bound, require_bound


@dataclass(frozen=True, slots=True)
class DraftSpending:
    """What was sent so far, and the tokens that it cost at most.

    uncounted   requests that a model may have worked on, for which no server said how many tokens they took
    """

    requests: int = 0
    asked: int = 0
    answered: int = 0
    uncounted: int = 0

    def sent(self, most: tuple[int, int]) -> DraftSpending:
        """With one more request, which may take so many tokens."""
        return DraftSpending(
            self.requests + 1, self.asked + most[0], self.answered + most[1], self.uncounted + 1
        )  # fmt: skip

    def settled(self, most: tuple[int, int], counted: tuple[int, int]) -> DraftSpending:
        """With what a request took in place of the most that it could."""
        return replace(
            self,
            asked=self.asked - most[0] + counted[0],
            answered=self.answered - most[1] + counted[1],
            uncounted=self.uncounted - 1,
        )


@dataclass(frozen=True, slots=True)
class DraftCeiling:
    """How many requests may be sent, and what they may cost; None for no ceiling.

    body   fields of requests that are set otherwise: they may bound answers in another way
    """

    requests: int | None = None
    cost: float | None = None
    prices: TokenPrices | None = None
    body: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        if self.cost is None:
            return
        if self.prices is None:
            raise UsageError("A ceiling of cost needs prices: --price-in, --price-out or both.")
        require_bound(self.body or {})

    def most(self, prompt: Prompt) -> tuple[int, int]:
        """The most tokens that a request can take: no tokenizer makes more than one of a byte."""
        size = len(prompt.system.encode("utf-8", "replace")) + len(prompt.user.encode("utf-8", "replace"))
        bound = answer_bound({"max_tokens": prompt.most, **(self.body or {})})
        return size + AROUND, prompt.most if bound is None else bound

    def allows(self, so_far: DraftSpending, most: tuple[int, int]) -> bool:
        """Whether one more request stays below both."""
        if self.requests is not None and so_far.requests >= self.requests:
            return False
        with_it = so_far.sent(most)
        return self.cost is None or self.price(with_it) <= self.cost

    def price(self, spending: DraftSpending) -> float:
        """What it cost at most; 0 without prices."""
        return 0.0 if self.prices is None else self.prices.of(spending.asked, spending.answered)
