"""What asking language models costs, and a ceiling of questions and of money over everything that a run asks.

A request is counted before it goes out, with the most that it can cost; what the server then counts takes the place of
the most. So nothing goes out that could pass the ceiling: a request that might waits until those under way are told,
and where none is under way any more, it is not sent. An answer for which the server counts no tokens counts the most.

With a record the ceiling holds over several runs: every request is in a file before it goes out, so that one under way
at a kill counts too, with the most that it could take.
"""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

from rankproof.errors import InputError, UsageError
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.sections import counted
from rankproof.kernel.system import append_only, lock

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


# Fields of a request that bound an answer.
_BOUNDS: Final = ("max_tokens", "max_completion_tokens")


def answer_bound(fields: Mapping[str, object]) -> int | None:
    """The most tokens that the fields of a request let an answer have; None where they leave it without a bound.

    >>> answer_bound({"max_tokens": 24}), answer_bound({"max_tokens": None}), answer_bound({"max_tokens": 24, "n": 2})
    (24, None, 24)
    """
    given = [fields[name] for name in _BOUNDS if fields.get(name) is not None]
    bounds = [one for one in given if isinstance(one, int) and not isinstance(one, bool) and one > 0]
    return max(bounds) if bounds and len(bounds) == len(given) else None


def require_bound(body: Mapping[str, object], usual: int = 1) -> None:
    """Refuses fields of requests with which no ceiling of cost holds."""
    if answer_bound({"max_tokens": usual, **body}) is None:
        raise UsageError(
            "--body leaves answers without a bound, and then no ceiling of cost holds. Give max_tokens or "
            "max_completion_tokens a number."
        )
    if body.get("n") not in (None, 1):
        raise UsageError(f"--body asks for n = {body['n']!s:.20} answers at once, and one is read. Leave n out.")


Took = tuple[int, int]  # tokens asked and answered


class SpendingRecord:
    """What requests took, in a file of lines that one process holds: one before each goes out, one when it is known.

    A line is on the disk when its method returns. Half a line at the end, of a process that was killed while it wrote,
    was no request yet and is cut off. Used as a context.
    """

    def __init__(self, path: str) -> None:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        try:
            self._file = append_only(path)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}. Name another --cache.") from None
        # A process that is interrupted closes the file while another thread may be about to write.
        self._path, self._writing, self._over = path, threading.Lock(), False
        try:
            if not lock(self._file):
                raise UsageError(f"{path} is in use: another process asks under this ceiling. Wait for it to end.")
            self.took = self._read()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._writing:
            self._over = True
            os.close(self._file)

    def sent(self, most: Took) -> int:
        """Keeps that a request goes out, and the most that it may take; the number of the request."""
        self.took.append(most)
        self._write(["sent", *most])
        return len(self.took) - 1

    def settled(self, number: int, took: Took) -> None:
        """Keeps what a request took."""
        self.took[number] = took
        self._write(["took", number, *took])

    def _read(self) -> list[Took]:
        with open(self._path, "rb") as file:
            content = file.read()
        whole = content.rfind(b"\n") + 1
        os.ftruncate(self._file, whole)
        took: list[Took] = []
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                what, *counts = json.loads(line)
                if what == "sent":
                    took.append((int(counts[0]), int(counts[1])))
                else:
                    took[counts[0]] = (int(counts[1]), int(counts[2]))
            except (ValueError, TypeError, IndexError):
                raise InputError(
                    f"{self._path}, line {number}: this is no record of requests. Bring the file back from a copy, or "
                    "delete it: the ceiling then begins anew."
                ) from None
        return took

    def _write(self, line: list[str | int]) -> None:
        with self._writing:
            if self._over:
                return
            try:
                os.write(self._file, f"{json.dumps(line)}\n".encode())
                os.fsync(self._file)
            except OSError as error:
                raise InputError(f"{self._path} cannot be written: {error.strerror or error}. Make room.") from None


@dataclass(frozen=True, slots=True)
class AdmittedRequest:
    """A request that may go out: the most that it can cost, and its number on record."""

    cost: float
    number: int = -1


class Spending:
    """What a run spent so far, over all stages that ask; they take turns on the one loop that all requests run on.

    `reached` says whether something was not sent because of the ceiling, `uncounted` how many answers came without a
    count of tokens and were counted with the most that they could have cost. With a `record`, earlier runs of `model`
    count too.
    """

    def __init__(self, limits: CallLimits, record: SpendingRecord | None = None, model: str = LOCAL) -> None:
        self.limits = limits
        self.calls, self.cost, self.uncounted, self.reached = 0, 0.0, 0, False
        if record is not None:
            self.calls = len(record.took)
            self.cost = sum(self._price(model).of(*took) for took in record.took)
        self._record = record
        self._under_way = 0
        self._turn = asyncio.Condition()

    async def admit(self, model: str, size: int, most: int) -> AdmittedRequest | None:
        """Counts the most that a request of so many bytes and answer tokens can cost; None where it may not go out."""
        price = self._price(model).of(size, most)  # no tokenizer makes more than one token of a byte
        async with self._turn:
            while not self._allows(price):
                if not self._under_way or self._is_out_of_calls():
                    self.reached = True
                    return None
                await self._turn.wait()
            number = -1 if self._record is None else await asyncio.to_thread(self._record.sent, (size, most))
            self.calls, self.cost = self.calls + 1, self.cost + price
            self._under_way += 1
        return AdmittedRequest(price, number)

    async def settle(self, model: str, request: AdmittedRequest, answer: ModelAnswer | None, unpaid: bool) -> None:
        """Puts what a request took in the place of the most that it could."""
        took: Took | None = (0, 0) if unpaid else None
        if answer is not None:
            took = answer.tokens
        async with self._turn:
            if took is not None:
                self.cost += self._price(model).of(*took) - request.cost
                if self._record is not None:
                    await asyncio.to_thread(self._record.settled, request.number, took)
            elif answer is not None:
                self.uncounted += 1
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
