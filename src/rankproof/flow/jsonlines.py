"""JSON lines: one object per line, with the line's number, or a refusal that names it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rankproof.errors import InputError


def objects(text: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line that is not empty; `name` is what messages call the source."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as error:
            raise InputError(f"{name}, line {number}: this is not JSON ({error}). Give one object per line.") from None
        if not isinstance(found, dict):
            raise InputError(f"{name}, line {number}: this is no JSON object. Give one object per line.")
        yield number, found
