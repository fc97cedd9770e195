"""Change: one thing that a repair did to a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """What was done, in a sentence, and where. `line` is the line of the file that was read."""

    kind: str
    message: str
    line: int | None = None
    query_id: str | None = None
    doc_id: str | None = None

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return asdict(self)
