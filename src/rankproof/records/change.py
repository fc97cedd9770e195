"""Change: one thing that a repair did to a run."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rankproof.records.finding import Unit


@dataclass(frozen=True, slots=True)
class Change:
    """What was done, and where: `line` is the place in what was read, and `unit` what it counts."""

    kind: str
    message: str
    line: int | None = None
    query_id: str | None = None
    doc_id: str | None = None
    unit: Unit = "line"

    def __str__(self) -> str:
        return self.message if self.line is None else f"{self.unit} {self.line}: {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return asdict(self)
