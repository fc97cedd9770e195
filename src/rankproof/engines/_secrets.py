"""Secrets: what `${NAME}` stands for, taken from the environment, and kept out of everything that is shown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from rankproof.errors import UsageError

SECRET = re.compile(r"\$\{([A-Za-z_]\w*)\}")
# Shorter ones would be found in innocent words.
SHORTEST = 4


class Secrets:
    """The environment variables that a configuration names. The configuration itself holds their names only."""

    def __init__(self, who: str, *templates: Any, environment: Mapping[str, str] | None = None) -> None:
        """UsageError for a variable that is not set. `templates` are texts, or tables and lists with texts in them."""
        found = os.environ if environment is None else environment
        self._values: dict[str, str] = {}
        self._also: dict[str, str] = {}
        for name in _names(templates):
            if not found.get(name):
                raise UsageError(
                    f"{who} needs the environment variable {name}, which is not set. Set it and try again."
                )
            self._values[name] = found[name]

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def expand(self, text: str) -> str:
        """The text with the values in it: never to be shown."""
        return SECRET.sub(lambda found: self[found[1]], text)

    def hide(self, text: str, shown: str) -> None:
        """Shows a text that was made from secrets, such as an encoded password, as `shown`."""
        self._also[text] = shown

    def redact(self, text: str) -> str:
        """The text with every value shown by its name."""
        for hidden, shown in self._also.items():
            text = text.replace(hidden, shown)
        for name, value in sorted(self._values.items(), key=lambda item: -len(item[1])):
            for form in {value, quote(value, safe=""), quote(value)}:
                if len(form) >= SHORTEST:
                    text = text.replace(form, f"${{{name}}}")
        return text

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self._values)})"


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from SECRET.findall(value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _names(name)
            yield from _names(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _names(inner)
