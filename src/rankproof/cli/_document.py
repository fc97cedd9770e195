"""The head that every JSON document of a command has: who wrote it, and by which published schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def document(schema: str, body: Mapping[str, Any], seconds: float | None = None, indent: int | None = 2) -> str:
    """The document as text. What differs from one time to the next stands under `observed`, and nowhere else."""
    from rankproof import __version__
    from rankproof.records.jsontext import to_json

    observed = {} if seconds is None else {"observed": {"seconds": round(seconds, 6)}}
    return to_json({"rankproof": __version__, "schema": schema, **body, **observed}, indent=indent) + "\n"
