"""What asking language models costs, and a ceiling of questions and of money over everything that a run asks.

A request is counted before it goes out, with the most that it can cost; what the server then counts takes the place of
the most. So nothing goes out that could pass the ceiling: a request that might waits until those under way are told,
and where none is under way any more, it is not sent. An answer for which the server counts no tokens counts the most.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.sections import counted

LOCAL: Final = "local"


@dataclass(frozen=True, slots=True)
class TokenPrices:
    """What a million tokens cost, of questions and of answers."""

    asked: float = 0.0
    answered: float = 0.0
    currency: str = ""

    def of(self, asked: float, answered: float) -> float:
        """What so many tokens cost.

        >>> TokenPrices(2.5, 10.0).of(200_000, 10_000)
        0.6
        """
        return (self.asked * asked + self.answered * answered) / 1_000_000


FREE: Final = TokenPrices()


@dataclass(frozen=True, slots=True)
class CallLimits:
    """How many requests a run may send to language models and what they may cost; None for no ceiling.

    prices   of a model's tokens, by its name; the model of this machine is called "local" and is free unless it is here
    """

    calls: int | None = None
    cost: float | None = None
    currency: str = ""
    prices: Mapping[str, TokenPrices] | None = None

    def __bool__(self) -> bool:
        return self.calls is not None or self.cost is not None


class Spending:
    """What a run spent so far, over all stages that ask; they take turns on the one loop that all requests run on."""

    def __init__(self, limits: CallLimits) -> None:
        self.limits = limits
        self.calls, self.cost = 0, 0.0
        self._under_way = 0
        self._turn = asyncio.Condition()

    async def admit(self, model: str, size: int, most: int) -> float | None:
        """Counts the most that a request of so many bytes and answer tokens can cost; None where it may not go out."""
        price = self._price(model).of(size, most)  # no tokenizer makes more than one token of a byte
        async with self._turn:
            while not self._allows(price):
                if not self._under_way or self._is_out_of_calls():
                    return None
                await self._turn.wait()
            self.calls, self.cost = self.calls + 1, self.cost + price
            self._under_way += 1
        return price

    async def settle(self, model: str, most: float, answer: ModelAnswer | None, unpaid: bool) -> None:
        """Puts what a request took in the place of the most that it could."""
        cost = 0.0 if unpaid else most
        if answer is not None and answer.tokens is not None:
            cost = self._price(model).of(*answer.tokens)
        async with self._turn:
            self.cost += cost - most
            self._under_way -= 1
            self._turn.notify_all()

    @property
    def why(self) -> str:
        """Why nothing more is sent."""
        limits = self.limits
        if self._is_out_of_calls():
            reached = f"max_calls = {limits.calls:,} is reached"
        else:
            unit = f" {limits.currency}" if limits.currency else ""
            sent = counted(self.calls, "request")
            reached = f"max_cost = {limits.cost}{unit} leaves no room for one more: {sent} cost {self.cost:.6g}{unit}"
        return f"{reached}. Raise it, or run again: answers are kept, and only what is missing is asked"

    def _is_out_of_calls(self) -> bool:
        return self.limits.calls is not None and self.calls >= self.limits.calls

    def _allows(self, price: float) -> bool:
        if self._is_out_of_calls():
            return False
        return self.limits.cost is None or self.cost + price <= self.limits.cost * (1 + 1e-12)

    def _price(self, model: str) -> TokenPrices:
        return (self.limits.prices or {}).get(model, FREE)
