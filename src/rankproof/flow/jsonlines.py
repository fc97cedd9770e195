"""JSON lines: one object per line, with the line's number, or a refusal that names it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from rankproof.errors import InputError


def objects(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line that is not empty; `name` is what messages call the source."""
    # Not splitlines(): a text in JSON may hold the line separators of Unicode as they are.
    return objects_of(enumerate(text.split("\n"), 1), name)


def objects_of(lines: Iterable[tuple[int, str]], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The same of lines with their numbers, for a text too long to be held whole."""
    for number, line in lines:
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name}, line {number}: this is not JSON ({error}). Give one object per line.") from None
        if not isinstance(found, dict):
            raise InputError(f"{name}, line {number}: this is no JSON object. Give one object per line.")
        yield number, found
