"""JSON that every reader accepts: plain UTF-8, whatever bytes a file's name or an id has in it."""

from __future__ import annotations

import json
import re
from typing import Any

# Bytes that are no UTF-8 stand in a str as lone surrogates.
_LONE = re.compile(r"[\ud800-\udfff]")


def to_json(value: Any, indent: int | None = None) -> str:
    """The value as JSON text. Letters of all scripts stay as they are; what no encoding can hold is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    return _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
