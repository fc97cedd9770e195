"""What an item on the trials shelf is: Inference, which makes an Estimate of an effect between two variants."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rankproof.kernel.estimate import Alternative, Answer, Estimate, NotEstimable
from rankproof.kernel.specs.kinds import Param


@dataclass(frozen=True, slots=True)
class VariancePart:
    """What one variant (of one stratum) adds to the variance of the effect: `variance`, known from `n` units."""

    variance: float
    n: int


def times(parts: tuple[VariancePart, ...], spread: float) -> tuple[VariancePart, ...]:
    """The same parts, each so many times as large."""
    return tuple(VariancePart(spread * part.variance, part.n) for part in parts)


@dataclass(frozen=True, slots=True)
class RelativeParts:
    """What a relative effect is made of: the variances of both means, as shares of the control's squared.

    An effect is compared with a null by treatment - (1 + null) x control, in which the control's mean is nowhere
    divided by (Fieller, Journal of the Royal Statistical Society B 16, 1954). `sign` is that of the control's mean.
    """

    control: tuple[VariancePart, ...]
    treatment: tuple[VariancePart, ...]
    sign: int = 1

    def at(self, null: float) -> tuple[VariancePart, ...]:
        """The parts of the variance of treatment - (1 + null) x control."""
        return (*times(self.control, (1 + self.sign * null) ** 2), *self.treatment)

    def times(self, spread: float) -> RelativeParts:
        """The same with variances that are so many times as large."""
        return RelativeParts(times(self.control, spread), times(self.treatment, spread), self.sign)


@dataclass(frozen=True, slots=True)
class EffectLook:
    """One look at a growing effect: units so far, and the information in them, in units of two equal halves."""

    units: int
    information: float


@dataclass(frozen=True, slots=True)
class Effect:
    """Treatment minus control, with the variance of that difference in parts that are independent of each other.

    reason     why there is none, as a sentence goes on after a colon; "" where there is one
    relative   of a share of the control: what its variance is made of under another null; None where `parts` hold for
               every null
    notes      what a reader of any estimate from it must know
    looks      that were possible so far, one after each day, this one last; for methods of planned looks
    """

    value: float | None
    parts: tuple[VariancePart, ...]
    n: int
    reason: str = ""
    relative: RelativeParts | None = None
    notes: tuple[str, ...] = ()
    looks: tuple[EffectLook, ...] = ()

    @property
    def variance(self) -> float:
        """Of `value`, as if the trial were done again."""
        return math.fsum(part.variance for part in self.parts)

    def at(self, null: float) -> Effect:
        """The same with the variance that it has if the true effect is `null`."""
        return self if self.relative is None else replace(self, parts=self.relative.at(null), relative=None)


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

    always_valid    whether one may look at any time and as often as one likes
    planned_looks   whether one may look after each of some planned days, given `looks` of the effect
    """

    name: str
    page: str
    infer: Infer
    params: tuple[Param, ...] = ()
    always_valid: bool = False
    planned_looks: bool = False

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
        if effect.relative is None:
            return with_notes(self.infer(effect, request, values), effect)
        return with_notes(self._relative(effect, request, values), effect)

    def _relative(self, effect: Effect, request: EffectRequest, values: Mapping[str, float]) -> Answer:
        """The estimate of a share of the control: the interval has every null that the test at it does not reject."""
        assert effect.value is not None
        at_null = effect.at(request.null)
        if at_null.variance <= 0:
            return NotEstimable("no unit differs: without spread nothing says what chance can do", self.name, effect.n,
                                effect.value)  # fmt: skip
        tested = self.infer(at_null, request, values)
        if isinstance(tested, NotEstimable):
            return tested

        def reach(null: float) -> float:
            there = effect.at(null)
            if there.variance <= 0:
                return 0.0
            answer = self.infer(there, request, values)
            assert isinstance(answer, Estimate)
            ends = (answer.value - answer.low, answer.high - answer.value)
            return next(end for end in ends if math.isfinite(end))

        low = -math.inf if request.alternative == "less" else _end(effect.value, -1, reach)
        high = math.inf if request.alternative == "greater" else _end(effect.value, 1, reach)
        return replace(tested, low=low, high=high)


# Doublings of the distance after which an interval has no end, and halvings after which the end is known.
FURTHEST, HALVINGS = 12, 60


def _end(value: float, side: int, reach: Callable[[float], float]) -> float:
    """Where an interval ends: the distance from the value at which the reach of the test no longer covers it."""
    near, far = 0.0, max(reach(value), 1e-12)
    for _ in range(FURTHEST):
        if reach(value + side * far) < far:
            break
        near, far = far, 2 * far
    else:
        return side * math.inf
    for _ in range(HALVINGS):
        middle = (near + far) / 2
        if middle in (near, far):
            break
        near, far = (near, middle) if reach(value + side * middle) < middle else (middle, far)
    return value + side * far


def with_notes(answer: Answer, effect: Effect) -> Answer:
    """The estimate with what must be known of its effect."""
    if isinstance(answer, NotEstimable) or not effect.notes:
        return answer
    return replace(answer, notes=(*effect.notes, *answer.notes))
