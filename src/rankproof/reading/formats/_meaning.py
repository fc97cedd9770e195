"""What the columns of a table without a header mean, by what stands in them.

The hard case is MS MARCO's three columns: `query document rank` or `query document score`. A column that
counts 1, 2, 3, ... within each query is a rank. Where whole numbers 1 to n stand in another order, either
could be meant: that is refused, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reading.formats._columns import ColumnPlaces
from rankproof.reading.formats.contract import Noun, Options

_NUMBER = re.compile(r"[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)(e[-+]?[0-9]+)?|[-+]?(nan|inf|infinity)", re.IGNORECASE)
_WHOLE = re.compile(r"[0-9]{1,18}")
# A column is one of numbers when most of it is: a faulty line is for the checks to find, not for detection.
MOSTLY = 0.8
Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The columns, and how that was decided."""

    columns: ColumnPlaces
    notes: tuple[str, ...] = ()
    doubt: str = ""  # why the table cannot be read as it is; raised when it comes to reading

    @property
    def has_number(self) -> bool:
        """Whether there is a score, a grade or a rank."""
        return self.columns.number >= 0 or self.columns.rank >= 0


def is_number(text: str) -> bool:
    """Whether a field is a number, or the text of NaN or infinity."""
    return _NUMBER.fullmatch(text) is not None


def numeric(rows: Sequence[Row], at: int) -> bool:
    """Whether most of a column is numbers."""
    return sum(is_number(row[at]) for row in rows) >= MOSTLY * len(rows)


def by_content(rows: Sequence[Row], noun: Noun, options: Options) -> Meaning | None:
    """What the columns mean, or None when it cannot be seen. All rows have the same number of columns."""
    return _qrels(rows) if noun == "qrels" else _run(rows, options)


def _qrels(rows: Sequence[Row]) -> Meaning | None:
    width = len(rows[0])
    if width == 3 and numeric(rows, 2):
        return Meaning(ColumnPlaces(0, 1, 2), ("read as query, document, grade",))
    if width == 4 and numeric(rows, 3):
        return Meaning(ColumnPlaces(0, 2, 3, label=1), ("read as query, subtopic, document, grade",))
    return None


def _run(rows: Sequence[Row], options: Options) -> Meaning | None:
    width = len(rows[0])
    # TREC's second column, a constant that means nothing.
    doc = 2 if width > 3 and all(row[1] in ("Q0", "q0") for row in rows) else 1
    rest = list(range(doc + 1, width))
    label = -1
    if rest and (not numeric(rows, rest[-1]) or len(rest) == 3):
        label = rest.pop()
    if not all(numeric(rows, at) for at in rest):
        return None
    if not rest:
        # Blanks in the ids of a bare pair of columns: more likely that the separator is another one.
        if label >= 0 or any(" " in field for row in rows for field in row):
            return None
        return Meaning(ColumnPlaces(0, 1), ("two columns: documents are in the order given",))
    if len(rest) == 1:
        return _one_number(rows, doc, rest[0], label, options)
    ranks = [at for at in rest if counts_up(rows, at)]
    if len(rest) != 2 or len(ranks) != 1:
        return None
    (rank,), (number,) = ranks, [at for at in rest if at not in ranks]
    note = f"column {rank + 1} counts 1, 2, 3, ... within each query: the rank; column {number + 1}: the score"
    return Meaning(ColumnPlaces(0, doc, number, rank, label), (note,))


def _one_number(rows: Sequence[Row], doc: int, at: int, label: int, options: Options) -> Meaning:
    order = options.get("order")
    if order == "rank" or (order != "score" and counts_up(rows, at)):
        why = "as asked" if order == "rank" else "it counts 1, 2, 3, ... within each query"
        return Meaning(ColumnPlaces(0, doc, -1, at, label), (f"column {at + 1} read as the rank: {why}",))
    if order is None and _is_permutation(rows, at):
        doubt = (
            f"column {at + 1} holds the whole numbers 1 to n of each query, but not in order: it may be a "
            "rank or a score. Say which with --order rank or --order score."
        )
        return Meaning(ColumnPlaces(0, doc, at, -1, label), doubt=doubt)
    return Meaning(ColumnPlaces(0, doc, at, -1, label), (f"column {at + 1} read as the score",))


def _by_query(rows: Sequence[Row], at: int) -> dict[str, list[int]] | None:
    """The whole numbers of a column for each query, in the order given; None when there are others."""
    found: dict[str, list[int]] = {}
    for row in rows:
        if not _WHOLE.fullmatch(row[at]):
            return None
        found.setdefault(row[0], []).append(int(row[at]))
    return found


def counts_up(rows: Sequence[Row], at: int) -> bool:
    """Whether a column counts 1, 2, 3, ... (or 0, 1, 2, ...) within each query, as the rows stand."""
    queries = _by_query(rows, at)
    if queries is None:
        return False
    first = next(iter(queries.values()))[0]
    return first in (0, 1) and all(n == list(range(first, first + len(n))) for n in queries.values())


def _is_permutation(rows: Sequence[Row], at: int) -> bool:
    """Whether a column holds 1 to n for each query in an order that is neither rising nor falling."""
    queries = _by_query(rows, at)
    if queries is None:
        return False
    numbers = list(queries.values())
    if len(numbers) > 1:
        numbers = numbers[:-1]  # the last query may go on after the lines that were looked at
    # Falling numbers in a file that lists the best first are a score: n points for the first, 1 for the last.
    falling = all(n == sorted(n, reverse=True) for n in numbers)
    return not falling and all(sorted(n) == list(range(1, len(n) + 1)) for n in numbers)
