"""Writing acts: JSON that reads back whole, and CSV for spreadsheets, which do not run what a judge typed.

A cell that begins with = + - @ or a control character is a formula to some spreadsheets. Such a text gets a ' in front,
and so does a text that begins with ' itself, so that taking one off gives the text back: reading does. Columns of
numbers are left as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Literal

from rankproof.records.judging import Judgment, Mark, Preference

Kind = Literal["judgments", "flags", "picks", "preferences"]
KINDS: tuple[Kind, ...] = ("judgments", "flags", "picks", "preferences")
ACTS_SCHEMA = "acts/1"
Act = Judgment | Mark | Preference

COLUMNS: Mapping[Kind, tuple[str, ...]] = {
    "judgments": (
        "key", "judge", "query_id", "doc_id", "grade", "reason", "note", "time",
        "source", "version", "prompt", "settings", "withdraws",
    ),
    "flags": ("key", "judge", "query_id", "doc_id", "variant", "reason", "note", "time", "withdraws"),
    "picks": ("key", "judge", "query_id", "doc_id", "variant", "reason", "note", "time", "withdraws"),
    "preferences": ("key", "judge", "query_id", "variants", "preferred", "blind", "note", "time", "withdraws"),
}  # fmt: skip
# What no text of these columns stands in: numbers, true and false.
_NUMBERS = ("grade", "blind")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def to_body(kind: Kind, acts: Sequence[Act], project: str) -> dict[str, Any]:
    """The acts for a JSON document, in their order."""
    return {"project": project, "kind": kind, "acts": [asdict(act) for act in acts]}


def to_csv(kind: Kind, acts: Sequence[Act]) -> str:
    """The acts as a table with a header, in their order."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS[kind])
    for act in acts:
        cells = _cells(act)
        writer.writerow([cells[name] if name in _NUMBERS else guarded(cells[name]) for name in COLUMNS[kind]])
    return out.getvalue()


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def unguarded(text: str) -> str:
    """The text as it was."""
    return text.removeprefix("'")


def _cells(act: Act) -> dict[str, str]:
    fields = asdict(act)
    if isinstance(act, Judgment):
        source = fields.pop("source")
        fields = {**fields, **source, "source": source["kind"]}
    if isinstance(act, Preference):
        # Names may hold any sign, so that only JSON keeps them apart.
        from rankproof.records.jsontext import to_json

        fields["variants"] = to_json(list(act.variants))
        fields["blind"] = "true" if act.blind else "false"
    return {name: "" if value is None else str(value) for name, value in fields.items()}
