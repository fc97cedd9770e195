"""Fields: which fields of a document are searched, and what a word in each of them counts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from rankproof.errors import UnknownName
from rankproof.kernel.specs.kinds import Kind, show_number
from rankproof.reading.collection import Corpus

_ENTRY = re.compile(r"(?P<name>[^\s^]+)(?:\^(?P<weight>\d+(?:\.\d+)?))?")
_HOW = "'title^3 text' or {title = 3, text = 1}, with weights above 0 and up to 1e6"


@dataclass(frozen=True, slots=True)
class Fields(Kind):
    """Names of fields with weights, as a text ("title^3 text"), a table ({title = 3}) or a list of names.

    The value is the text in its shortest form, so that two spellings of one choice are one choice.
    """

    def read(self, value: object) -> str:
        """The text."""
        if isinstance(value, str):
            entries = [_ENTRY.fullmatch(part) for part in value.split()]
            if None in entries:
                raise ValueError(f"must be fields with weights, such as {_HOW}; got {value!r}")
            pairs = [(e["name"], float(e["weight"] or 1)) for e in entries if e is not None]
        elif isinstance(value, Mapping):
            pairs = [(name, _number(weight)) for name, weight in value.items()]
        elif isinstance(value, list | tuple):
            pairs = [(name, 1.0) for name in value]
        else:
            pairs = []
        fits = all(isinstance(n, str) and _ENTRY.fullmatch(n) and 0 < w <= 1e6 for n, w in pairs)
        if not pairs or not fits or len({name for name, _ in pairs}) < len(pairs):
            raise ValueError(f"must name fields, each once, such as {_HOW}; got {value!r}")
        return " ".join(name if weight == 1 else f"{name}^{show_number(weight)}" for name, weight in pairs)

    def show(self, value: str | None) -> str:
        """The text."""
        return value or "all"


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def weights_of(fields: str | None, corpus: Corpus) -> dict[str, float]:
    """The weight of each field of the corpus that counts: all of them, once, where nothing was said."""
    if fields is None:
        return dict.fromkeys(corpus.fields, 1.0)
    weights: dict[str, float] = {}
    for part in fields.split():
        name, _, weight = part.partition("^")
        if name not in corpus.fields:
            raise UnknownName(f"field of {corpus.name}", name, corpus.fields)
        weights[name] = float(weight or 1)
    return weights
