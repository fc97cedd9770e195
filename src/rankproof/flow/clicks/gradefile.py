"""The file of grades: one row for each pair, as CSV, TSV or JSON lines, by the ending of its name."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields

from rankproof.errors import UsageError
from rankproof.flow.clicks.grading import Graded
from rankproof.records.jsontext import to_json

COLUMNS = tuple(field.name for field in fields(Graded))
_SEPARATORS = {".csv": ",", ".tsv": "\t"}
ENDINGS = (*_SEPARATORS, ".jsonl")
_AT_ONCE = 10_000


def refuse_name(path: str) -> None:
    """An error for a name that does not say the form."""
    if os.path.splitext(path)[1].casefold() not in ENDINGS:
        raise UsageError(
            f"The name {path!r} does not say in which form to write grades. End it in {', '.join(ENDINGS)}."
        )


def content(rows: Sequence[Graded], path: str) -> Iterator[bytes]:
    """The bytes of the file, some rows at a time."""
    refuse_name(path)
    separator = _SEPARATORS.get(os.path.splitext(path)[1].casefold())
    if separator is not None:
        yield _table([COLUMNS], separator)
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        if separator is None:
            yield "".join(f"{to_json(asdict(row))}\n" for row in some).encode()
        else:
            yield _table([[getattr(row, name) for name in COLUMNS] for row in some], separator)


def _table(rows: Sequence[Sequence[object]], separator: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "surrogateescape")
