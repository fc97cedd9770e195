"""JSON that every reader accepts: plain UTF-8, whatever bytes a file's name or an id has in it."""

from __future__ import annotations

import json
import re
from typing import Any

from rankproof.errors import InputError

# Bytes that are no UTF-8 stand in a str as lone surrogates.
_LONE = re.compile(r"[\ud800-\udfff]")


def to_json(value: Any, indent: int | None = None) -> str:
    """The value as JSON text. Letters of all scripts stay as they are; what no encoding can hold is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _LONE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text)


def from_json(text: str, source: str) -> Any:
    """The value in a JSON text; refused, with the line, when it is none. NaN and infinities are none."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        where = f"{source}, line {error.lineno}"
        raise InputError(f"{where}: this is not JSON: {error.msg.lower()}. Check that it is the right file.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} is not JSON: {error}. Check that it is the right file.") from None


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number that JSON has")
