"""Finding: what a check reports, where, and what to do; RepairChange: one thing that a repair did."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from rankproof.kernel.sections import counted

Unit = Literal["line", "row"]
Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault at one place.

    code      the check's name, as `--allow` takes it
    severity  "error" makes a result indefensible; "warning" may do so; "note" is information
    source    the file (or other source) it was found in
    line      where in the source, counted from 1; None for the whole of it
    unit      what `line` counts: "line" in a text, "row" in other sources
    message   the explanation: a sentence that ends in a period
    remedy    what to do: one or more sentences
    further   how many more findings of the same code in this source are not listed one by one
    """

    code: str
    severity: Severity
    source: str
    message: str
    remedy: str
    line: int | None = None
    query_id: str | None = None
    doc_id: str | None = None
    further: int = 0
    unit: Unit = "line"

    @property
    def place(self) -> str:
        """The source, and the line or row where there is one."""
        return self.source if self.line is None else f"{self.source}, {self.unit} {self.line}"

    def __str__(self) -> str:
        text = f"{self.place}: {self.message} {self.remedy}"
        return f"{text} ({self.further:,} more like this.)" if self.further else text

    def to_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RepairChange:
    """One change of a repair and its place: `line` is the place in what was read, and `unit` what it counts."""

    kind: str
    message: str
    line: int | None = None
    query_id: str | None = None
    doc_id: str | None = None
    unit: Unit = "line"

    def __str__(self) -> str:
        return self.message if self.line is None else f"{self.unit} {self.line}: {self.message}"

    def to_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return asdict(self)


# An id longer than this is shortened: a message is one line that a person reads.
LONGEST = 60


def quote(text: str) -> str:
    """An id in quotes, with control characters escaped; a long one is cut off."""
    return repr(text) if len(text) <= LONGEST else repr(text[:LONGEST]) + "..."


def number(value: float) -> str:
    """Shortest text of a number that reads back to it; whole numbers without a point."""
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else repr(float(value))


count = counted
