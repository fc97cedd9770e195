"""The forms that trec_eval's measures take: what follows the name, and the variants it stands for.

`P.5,10` is a list of ranks, `iprec_at_recall..1,.5` one of recall levels, `utility.2,-1,0,0` the numbers of one
measure, `ndcg.1=3,2=9` a mapping. Each form reads such a text, and writes what trec_eval prints after the name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from rankproof.measures._contract import Measure, Variant
from rankproof.records.params import show_number


class Form(Protocol):
    """What may follow a name. Raises ValueError, with what is possible, for a text that is none of it."""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The variants of the bare name."""

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The variants of a name followed by a text, each with what trec_eval prints for it."""

    def show(self, variant: Variant) -> str | None:
        """What follows the name of a variant; None for a variant that trec_eval does not have."""


def plain(variant: Variant, *but: str) -> bool:
    """Whether all parameters are the default ones, leaving aside those named."""
    return all(p.name in but or variant[p.name] == p.default for p in variant.measure.params)


def numbers(text: str) -> list[float]:
    """Numbers between commas."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = [math.nan]
    if not all(map(math.isfinite, found)):
        raise ValueError(f"takes numbers separated by commas; got {text!r}")
    return found


@dataclass(frozen=True, slots=True)
class Alone:
    """No parameters."""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The measure as it is."""
        yield measure.variant()

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """Nothing can be read."""
        raise ValueError("takes no parameters")

    def show(self, variant: Variant) -> str | None:
        """Nothing follows."""
        return "" if variant.at is None and plain(variant) else None


@dataclass(frozen=True, slots=True)
class Ranks:
    """Rank cutoffs, one variant each."""

    defaults: tuple[int, ...]

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """One variant for each usual cutoff."""
        return (measure.variant(k) for k in self.defaults)

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """One variant for each cutoff; trec_eval reads 23.4 as 23."""
        for number in dict.fromkeys(int(number) for number in numbers(text)):
            if number < 1:
                raise ValueError(f"takes cutoffs from 1 upward; got {number}")
            yield Variant(measure, measure.variant().values, number, f"{name}_{number}")

    def show(self, variant: Variant) -> str | None:
        """The cutoff."""
        return f"_{variant.k}" if variant.k is not None and plain(variant) else None


@dataclass(frozen=True, slots=True)
class Depth:
    """One rank cutoff, printed only when it was said."""

    default: int

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The usual cutoff."""
        yield measure.variant(self.default)

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The cutoff said."""
        (variant,) = Ranks(()).read(measure, name, text.partition(",")[0])
        yield Variant(measure, variant.values, variant.at, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """Nothing for the usual cutoff."""
        return "" if variant.k == self.default else f"_{variant.k}"


@dataclass(frozen=True, slots=True)
class Levels:
    """Numbers with one variant each: the level after `@`, or a parameter when `param` names one."""

    defaults: tuple[float, ...]
    param: str = ""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """One variant for each usual level."""
        return (self._variant(measure, level) for level in self.defaults)

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """One variant for each level."""
        for level in dict.fromkeys(numbers(text)):
            if level < 0 or (level > 1 and not self.param) or (level == 0 and self.param):
                raise ValueError(f"does not take {level:g}")
            yield self._variant(measure, level, f"{name}_{level:.2f}")

    def show(self, variant: Variant) -> str | None:
        """The level with two decimals, as trec_eval prints it."""
        level = variant[self.param] if self.param else variant.at
        return f"_{level:.2f}" if plain(variant, self.param) else None

    def _variant(self, measure: Measure, level: float, typed: str = "") -> Variant:
        made = measure.variant(**{self.param: level}) if self.param else measure.variant(level)
        return Variant(measure, made.values, made.at, typed)


@dataclass(frozen=True, slots=True)
class Values:
    """The numbers of one parameter of one variant; a single number where the parameter holds one."""

    param: str
    single: bool = False

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The default numbers."""
        yield measure.variant()

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The numbers as the parameter reads them."""
        (param,) = (p for p in measure.params if p.name == self.param)
        value = param.kind.read(text if self.single else text.replace(",", ";"))
        yield Variant(measure, measure.variant(**{self.param: value}).values, None, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """The numbers, unless they are the default ones."""
        if variant.at is not None or not plain(variant, self.param):
            return None
        if plain(variant):
            return ""
        value = variant[self.param]
        return "_" + ",".join(show_number(v) for v in ([value] if self.single else value))


@dataclass(frozen=True, slots=True)
class Gains:
    """A gain for some grades: `1=3,2=9`."""

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The gain is the grade."""
        yield measure.variant()

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The mapping."""
        (param,) = (p for p in measure.params if p.name == "gain")
        gain: Any = param.kind.read("{" + text.replace("=", ":") + "}")
        yield Variant(measure, measure.variant(gain=gain).values, None, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """The mapping, unless the gain is the grade."""
        gain = variant["gain"]
        if variant.at is not None or gain == "exp2" or not plain(variant, "gain"):
            return None
        return "" if gain == "linear" else "_" + ",".join(f"{g}={show_number(v)}" for g, v in gain)


@dataclass(frozen=True, slots=True)
class Named:
    """One parameter, said by name: `p=0.8`."""

    param: str
    default: float

    def usual(self, measure: Measure) -> Iterator[Variant]:
        """The usual value."""
        yield measure.variant(**{self.param: self.default})

    def read(self, measure: Measure, name: str, text: str) -> Iterator[Variant]:
        """The value said."""
        (param,) = (p for p in measure.params if p.name == self.param)
        match = re.fullmatch(rf"{self.param}=(.+)", text)
        if match is None:
            raise ValueError(f"takes {self.param}=NUMBER; got {text!r}")
        made = measure.variant(**{self.param: param.kind.read(match[1])})
        yield Variant(measure, made.values, None, f"{name}_{text}")

    def show(self, variant: Variant) -> str | None:
        """Nothing for the usual value."""
        if variant.at is not None or not plain(variant, self.param):
            return None
        value = variant[self.param]
        return "" if value == self.default else f"_{self.param}={show_number(value)}"
