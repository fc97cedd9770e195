"""Kinds of parameters that only engines have: fields with weights, fields of hits, tables of texts, and JSON."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.kernel.jsontext import to_json
from rankproof.kernel.specs.kinds import Kind, show_number

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


@dataclass(frozen=True, slots=True)
class StringTable(Kind):
    """Texts by name: headers, or parameters of a URL. Numbers are taken as they are written."""

    def read(self, value: Any) -> dict[str, str]:
        """The table."""
        if not isinstance(value, Mapping):
            raise ValueError(f"must be a table of texts, such as {{'locale': 'us'}}; got {value!r:.60}")
        for name, text in value.items():
            if not isinstance(name, str) or isinstance(text, bool) or not isinstance(text, str | int | float):
                raise ValueError(f"must be a table of texts; got {text!r:.40} for {name!r:.40}")
        return {name: str(text) for name, text in value.items()}

    def show(self, value: Mapping[str, str] | None) -> str:
        """As JSON has it."""
        return to_json(value) if value else "none"


@dataclass(frozen=True, slots=True)
class HitFields(Kind):
    """What is kept of a hit: where each field stands, by the name it gets; or names, as the hit has them."""

    def read(self, value: object) -> dict[str, str]:
        """Where each field stands, by name."""
        if isinstance(value, str):
            value = value.split()
        if isinstance(value, list | tuple):
            value = {name: name for name in value}
        if not isinstance(value, Mapping):
            raise ValueError(f"must name fields, such as 'title url' or {{'title': 'product.name'}}; got {value!r:.60}")
        for name, where in value.items():
            if not isinstance(name, str) or not name.strip() or not isinstance(where, str) or not where.strip():
                raise ValueError(f"must say where a field stands, as a text; got {where!r:.40} for {name!r:.40}")
        return dict(value)

    def show(self, value: Mapping[str, str] | None) -> str:
        """As JSON has it."""
        return to_json(value) if value else "none"


@dataclass(frozen=True, slots=True)
class Json(Kind):
    """A JSON object or list, as a table, or as a text that is JSON."""

    def read(self, value: Any) -> Any:
        """The object or list."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError as error:
                raise ValueError(
                    f"must be JSON: {error}. A placeholder stands in quotes, "
                    'also for a number: {"size": "{depth}"} becomes {"size": 10}'
                ) from None
        if not isinstance(value, dict | list):
            raise ValueError(f"must be a JSON object or list; got {value!r:.60}")
        try:
            to_json(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"must be JSON: {error}") from None
        return value

    def show(self, value: Any) -> str:
        """As JSON has it."""
        return "none" if value is None else to_json(value)
