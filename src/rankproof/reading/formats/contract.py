"""Contract of the formats shelf: Format, and what it returns: a Plan by which the core reads text, or rows as Read."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import IntEnum
from typing import IO, TYPE_CHECKING, Any, Literal

from rankproof.reading.finding import Unit
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.core import Rows
    from rankproof.reading.records import Qrels, Run

Noun = Literal["run", "qrels", "topics", "scores", "calls"]
# What a file is validated and converted as. Scores by unit and calls of tasks are read where they are asked for.
NOUNS: tuple[Noun, ...] = ("run", "qrels", "topics")
Options = Mapping[str, object]
Topics = dict[str, str]
# Which column is what: {role: name}, as a text "role=name,...", or one of these for "qrels" and one for "run".
Columns = Mapping[str, Any] | str | Sequence[str] | None
# What makes documents of chunks: a pattern or the path of a mapping file, {chunk_id: doc_id}, or a function.
Collapse = str | os.PathLike[str] | Mapping[str, str] | Callable[[str], str | None]
# What happens to a chunk that no document was found for.
Unmapped = Literal["refuse", "keep", "drop"]


class Sure(IntEnum):
    """How certain a format is of a source. The most certain format is used; two equal ones are ambiguous."""

    NO = 0
    POSSIBLE = 1  # nothing speaks against it
    LIKELY = 2  # columns and numbers are where they would be
    NAMED = 3  # a header names the columns
    CERTAIN = 4  # a magic number, a shape or a header that no other format has


@dataclass(frozen=True, slots=True)
class TextLayout:
    """Where the columns of a text are: exactly the arguments of the core's `Rows.from_text`."""

    separator: str
    query: int
    doc: int
    number: int = -1
    rank: int = -1
    label: int = -1
    least: int = 0
    most: int = 0
    skip: int = 0
    quoted: bool = False
    comments: bool = False

    def read(self, source: Source) -> Rows:
        """The rows of a text with this layout."""
        from rankproof.core import Rows

        return Rows.from_text(source.whole, **asdict(self))


@dataclass(frozen=True, slots=True)
class Plan:
    """How a text will be read: the layout, notes about the decisions, and the shape that a line should have.

    `lower_is_better` is True where the source itself says so (a column called distance).
    """

    layout: TextLayout
    notes: tuple[str, ...] = ()
    lower_is_better: bool = False
    shape: str = ""


# Notes on reading judgments that belong into the fine print of what is measured with them, by how they begin: columns
# that were named for another input, nuggets that cannot be retrieved, a query that stands in several records.
NO_PART = "columns play no part in it: it has queries with their documents, and no named columns"
UNSUPPORTED = "nuggets that no document supports: "
IN_SEVERAL = "queries in several records, whose documents count together: "
TOLD = (NO_PART, UNSUPPORTED, IN_SEVERAL)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """Rows that a format made itself, notes about the decisions, and what `rows.line` counts.

    `without_documents` are judged queries that name no document: rows cannot hold them.
    """

    rows: Rows
    notes: tuple[str, ...] = ()
    lower_is_better: bool = False
    unit: Unit = "row"
    without_documents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ScoreRows:
    """Scores by unit that a format found in another tool's records: a dict for each unit, and notes.

    A row has the unit under "unit", and beside it the columns of the record: numbers are scores, texts are not. The
    notes say what a score is (a model gave it, higher is better) and what could not be taken over.
    """

    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()


# Calls as `reading/calls.py` reads them: the number of a record, and task_id, docs, and call and tokens where known.
# What the generator returns at its end are notes, as ScoreRows has them.
CallRecords = Generator[tuple[int, Mapping[str, object]], None, tuple[str, ...]]


def never(source: Source, noun: Noun) -> Sure:
    """Never recognized by content: the format must be named by its prefix or with --format."""
    return Sure.NO


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """One item of the shelf. `page` is the module's docstring.

    holds         what it can hold: runs, qrels, topics; scores by unit, calls of tasks
    detect        how certain it is that it recognizes a source, by content
    plan          text formats: where the columns are; the core reads the file (runs and qrels)
    rows          other formats: the rows (runs and qrels)
    pieces        the rows of a run from an open file of plain bytes, about so many at a time, for files larger than
                  memory; errors and notes are those of `rows`, the notes so far with each piece
    topics        the topics: query_id -> text
    scores        the scores by unit that stand in the records of another tool
    calls         the searches of each task in such records
    write_run     the run as pieces of a file, and likewise `write_qrels`, `write_topics`; None if it cannot be written
    endings       usual endings of file names; a new file is written in the format that its ending names
    binary        whether its files are not text
    prefix        a source that begins with it is not a file but the name of a collection of this format
    options       the options it takes on reading, each with its meaning
    """

    name: str
    page: str
    holds: tuple[Noun, ...]
    detect: Callable[[Source, Noun], Sure] = never
    plan: Callable[[Source, Noun, Options], Plan] | None = None
    rows: Callable[[Source, Noun, Options], Read] | None = None
    pieces: Callable[[IO[bytes], str, Options, int], Iterator[Read]] | None = None
    topics: Callable[[Source, Options], Topics] | None = None
    scores: Callable[[Source, Options], ScoreRows] | None = None
    calls: Callable[[Source, Options], CallRecords] | None = None
    write_run: Callable[[Run], Iterator[bytes]] | None = None
    write_qrels: Callable[[Qrels], Iterator[bytes]] | None = None
    write_topics: Callable[[Topics], Iterator[bytes]] | None = None
    endings: tuple[str, ...] = ()
    binary: bool = False
    prefix: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    @property
    def writes(self) -> tuple[Noun, ...]:
        """The nouns it can be written for."""
        writers: dict[Noun, object] = {
            "run": self.write_run,
            "qrels": self.write_qrels,
            "topics": self.write_topics,
        }
        return tuple(noun for noun, writer in writers.items() if writer is not None)

    def layout(self, source: Source, noun: Noun, options: Options) -> TextLayout | None:
        """Where the columns are, for a text format; None for others."""
        return None if self.plan is None else self.plan(source, noun, options).layout
