"""Kinds of parameters that only engines behind an API have: tables of texts, and JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.kernel.jsontext import to_json
from rankproof.kernel.specs.kinds import Kind


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
