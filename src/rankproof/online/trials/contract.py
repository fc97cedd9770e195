"""What an item on the trials shelf is: Inference, which makes an Estimate of an effect between two variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankproof.kernel.estimate import Alternative, Answer, NotEstimable
from rankproof.kernel.specs.kinds import Param


@dataclass(frozen=True, slots=True)
class VariancePart:
    """What one variant (of one stratum) adds to the variance of the effect: `variance`, known from `n` units."""

    variance: float
    n: int


@dataclass(frozen=True, slots=True)
class Effect:
    """Treatment minus control, with the variance of that difference in parts that are independent of each other.

    reason   why there is none, as a sentence goes on after a colon; "" where there is one
    """

    value: float | None
    parts: tuple[VariancePart, ...]
    n: int
    reason: str = ""

    @property
    def variance(self) -> float:
        """Of `value`, as if the trial were done again."""
        return math.fsum(part.variance for part in self.parts)


@dataclass(frozen=True, slots=True)
class EffectRequest:
    """The request to a method: level, side and null value.

    level         of the interval; of an always-valid one: that it holds at all times together
    alternative   what counts against `null`: an effect that differs, is greater, or is less
    null          the effect under the hypothesis; other than 0 for margins
    """

    level: float = 0.95
    alternative: Alternative = "two-sided"
    null: float = 0.0


# An effect that has a value and a variance above 0, the question, and the values of the item's parameters.
Infer = Callable[[Effect, EffectRequest, Mapping[str, float]], Answer]


@dataclass(frozen=True, slots=True, eq=False)
class Inference:
    """One item of the shelf. `page` is the module's docstring: what it assumes, when it fails, source, example.

    always_valid   whether one may look at any time and as often as one likes
    """

    name: str
    page: str
    infer: Infer
    params: tuple[Param, ...] = ()
    always_valid: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def answer(self, effect: Effect, request: EffectRequest, values: Mapping[str, float]) -> Answer:
        """The estimate; or why there is none, which is the same for every item."""
        if effect.reason or effect.value is None:
            return NotEstimable(effect.reason, self.name, effect.n, effect.value)
        if any(part.n < 2 for part in effect.parts):
            return NotEstimable(
                "a variant has fewer than two units: two or more are needed to see how much units vary",
                self.name,
                effect.n,
                effect.value,
            )
        if effect.variance <= 0:
            return NotEstimable("no unit differs: without spread nothing says what chance can do", self.name, effect.n,
                                effect.value)  # fmt: skip
        return self.infer(effect, request, values)
