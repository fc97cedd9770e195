"""Claims: from `P@3=0.67` to a measure and the interval that its value was rounded from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from rankproof.errors import UsageError
from rankproof.measures._contract import Variant
from rankproof.measures._gain import gain_of
from rankproof.measures._text import read
from rankproof.records.audit import Claim

# Measures that moving a better document up never lowers, and that depend on nothing but the ranks of the relevant
# documents and their number: that is what the search relies on.
KNOWN = ("AP", "DCG", "ERR", "F", "P", "R", "RBP", "RR", "Rprec", "Success", "nDCG", "nERR")
# Choices under which that is not so, with the reason.
_OTHERWISE: Mapping[tuple[str, str, str], str] = {
    ("P", "denominator", "returned"): "depends on how many documents were returned",
    ("AP", "denominator", "relevant_retrieved"): "can fall when a relevant document is added",
    ("nDCG", "ideal", "retrieved"): "depends on what was retrieved below the cutoff",
}
# A value typed as a percentage or as a plain number.
_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(%?)")
# The sums behind a value are rounded in their last digits; no claim is rejected for that.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Asked:
    """A claim with the measure that it speaks of."""

    variant: Variant
    claim: Claim

    @property
    def low(self) -> float:
        """The least value that rounds to what was said."""
        return self.claim.low - ROUNDING

    @property
    def high(self) -> float:
        """The greatest value that rounds to what was said."""
        return self.claim.high + ROUNDING


def read_claims(texts: Iterable[str], decimals: int | None = None) -> tuple[Asked, ...]:
    """The claims in texts such as `nDCG@5=0.75`. Without `decimals`, as many count as were typed."""
    pairs = []
    for text in texts:
        name, eq, said = text.rpartition("=")
        if not eq or not name.strip():
            raise UsageError(f"{text!r} is no reported value. Write a measure and its value, such as nDCG@5=0.75.")
        pairs.append((name.strip(), said.strip()))
    return claims(pairs, decimals)


def claims(pairs: Iterable[tuple[str, str]], decimals: int | None = None) -> tuple[Asked, ...]:
    """The claims of measures and values as written."""
    found: dict[str, Asked] = {}
    for name, said in pairs:
        variants = read(name)
        if len(variants) != 1:
            raise UsageError(f"{name} stands for {len(variants)} measures. Name one, such as {variants[0]}={said}.")
        variant = variants[0]
        _refuse_unknown(variant)
        if variant.text in found:
            raise UsageError(
                f"{variant.text} is reported twice: {found[variant.text].claim.said} and {said}. Keep one."
            )
        found[variant.text] = Asked(variant, _claim(variant, said, decimals))
    if not found:
        raise UsageError("No value was reported. Write one or more, such as: P@3=0.67 nDCG@5=0.75")
    return tuple(found.values())


def _claim(variant: Variant, said: str, decimals: int | None) -> Claim:
    match = _NUMBER.fullmatch(said)
    if match is None:
        raise UsageError(f"{variant.text}={said}: the value must be a number such as 0.75, or 75%; got {said!r}.")
    digits, percent = match.groups()
    places = len(digits.partition(".")[2]) if decimals is None else decimals
    scale = Decimal(100 if percent else 1)
    half = Decimal(1).scaleb(-places) / 2
    value = Decimal(digits)
    return Claim(variant.text, said, float((value - half) / scale), float((value + half) / scale))


def _refuse_unknown(variant: Variant) -> None:
    name = variant.measure.name
    if name not in KNOWN:
        raise UsageError(f"{variant.text}: an audit knows what these measures can be: {', '.join(KNOWN)}.")
    for (measure, param, value), reason in _OTHERWISE.items():
        if name == measure and variant.values.get(param) == value:
            raise UsageError(f"{variant.text} {reason}: an audit cannot say what it could be.")
    if variant.values.get("rel") == 0 and name not in ("nDCG", "DCG"):
        raise UsageError(
            f"{variant.text} counts documents of grade 0 as relevant: an audit cannot say what it could be."
        )


def refuse_strange_gain(variant: Variant, grades: Iterable[int]) -> None:
    """Refuses gains that are greater for a lower grade, or above 0 for grade 0."""
    if "gain" not in variant.values:
        return
    import numpy as np

    scale = np.array([0, *sorted(set(grades))])
    gains = gain_of(scale, variant["gain"], variant["rel"])
    if gains[0] != 0 or (np.diff(gains) < 0).any():
        raise UsageError(
            f"{variant.text}: an audit needs gains that rise with the grade, and 0 for grade 0; got "
            f"{', '.join(f'{g}: {v:g}' for g, v in zip(scale.tolist(), gains.tolist(), strict=True))}."
        )
