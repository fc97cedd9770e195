"""Writing: rows become pieces of a file, a query at a time, and ids that a format cannot hold are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rankproof.errors import InputError

# Bytes gathered before a piece is handed on.
PIECE = 1 << 18


class Guard:
    """Refuses texts that a format cannot hold: they would read back as something else, or not at all.

    `within` are characters that may stand nowhere in a text (besides line feeds, which no line can hold),
    `beginning` those it may not begin with and `ending` those it may not end with.
    """

    def __init__(self, name: str, instead: str, within: str, beginning: str = "", ending: str = "") -> None:
        self.name, self.instead = name, instead
        parts = [f"[{re.escape(within)}]"]
        parts += [f"^[{re.escape(beginning)}]"] if beginning else []
        parts += [f"[{re.escape(ending)}]$"] if ending else []
        self._bad = re.compile("|".join(parts), re.MULTILINE)

    def __call__(self, text: str) -> str:
        """The text; InputError when the format cannot hold it."""
        if not text or "\n" in text or self._bad.search(text):
            raise InputError(f"{text!r} cannot be written in the {self.name} format. Write it as {self.instead}.")
        return text

    def all(self, texts: list[str]) -> list[str]:
        """The texts, checked together: a search in each one would take longer than the writing."""
        joined = "\n".join(texts)
        if joined.count("\n") != len(texts) - 1 or not all(texts) or self._bad.search(joined):
            for text in texts:
                self(text)
        return texts


def gathered(lines: Iterable[str]) -> Iterator[bytes]:
    """The lines as UTF-8, many in one piece."""
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    if held:
        yield "".join(held).encode()
