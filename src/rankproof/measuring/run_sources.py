"""Sources of runs: dicts, texts and rows, each joined with judgments by the fastest way that is open to it.

A text goes straight from its bytes to the table, a dict is read in place. When the core counts a fault on the way,
the source is read again as rows and the checks explain the fault by its line: same checks, same errors, both ways.
"""

from __future__ import annotations

import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from rankproof.core import Judgments, Rows
from rankproof.core import ranked_ids as core_ranked_ids
from rankproof.errors import Refused, UsageError
from rankproof.reading.opener import OPENER
from rankproof.reading.records import DEFAULT_ORDER, Order, Run

if TYPE_CHECKING:
    from rankproof.core import Joined
    from rankproof.measuring.outofcore.parts import Together
    from rankproof.measuring.prepare import PreparedQrels, PreparedRun
    from rankproof.reading.detect import SourceDescription
    from rankproof.reading.finding import Finding, Unit
    from rankproof.reading.formats.contract import TextLayout
    from rankproof.reading.source import Source

# By query its document ids, best first, each followed by a newline.
RankedIds = Mapping[str, bytes]
# Counted by the core, but no reason to refuse a run.
HARMLESS = ("rank_disagrees",)
# The default memory for reading a run, on machines with four times as much.
USUAL = 1 << 30
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)(?:I?B)?\s*", re.IGNORECASE)
# About how many times the size of its file a run takes in memory: a text is read part by
# part, rows of JSON lines and of Parquet stay in memory, and packed files are unpacked first.
GROWTH = {"text": 1, "rows": 4, "packed": 8}
# A piece and what is made from it take a few times its size.
PIECES_IN_BUDGET = 16


class RunSource(Protocol):
    """The source of a run: it can be joined with judgments in any order, and read again as rows.

    own     the order that the source itself states
    name    the name of the run where the caller gives none
    notes   what was decided on reading, for the fine print
    """

    own: Order
    name: str
    notes: tuple[str, ...]

    def join(self, qrels: PreparedQrels, order: Order) -> Joined | Together:
        """The ranks of judged documents, refused where the checks find an error."""

    def rows(self) -> Rows:
        """All rows."""

    def rows_of(self, queries: Collection[str]) -> Rows:
        """The rows of some queries, and maybe of others."""

    def sample(self, qrels: PreparedQrels) -> Rows | None:
        """Rows that tell why no judged document was retrieved; None where one was, for any query."""

    def ranked_ids(self, order: Order, depth: int | None, queries: Collection[str] | None) -> RankedIds | None:
        """Ids in order, to a depth, of some queries or all; None where only rows have them."""


class RowsInMemory(ABC):
    """The common part of sources whose rows may be in memory all at once."""

    notes: tuple[str, ...] = ()

    @abstractmethod
    def rows(self) -> Rows:
        """All rows."""

    def rows_of(self, queries: Collection[str]) -> Rows:
        """All rows, since they are in memory anyway."""
        return self.rows()

    def sample(self, qrels: PreparedQrels) -> Rows | None:
        """All rows."""
        return self.rows()

    def ranked_ids(self, order: Order, depth: int | None, queries: Collection[str] | None) -> RankedIds | None:
        """None: only rows have the ids."""
        return None


@dataclass(eq=False)
class DictRun(RowsInMemory):
    """A run in a dict of dicts, or of lists in order."""

    run: dict[str, Any]
    own: Order
    name: str = "run"

    def rows(self) -> Rows:
        """The dict as rows."""
        try:
            return Rows.from_dicts(self.run)
        except ValueError:
            # The general reader handles, or refuses with a reason, ids that are numbers and scores that are text.
            from rankproof.reading.collect import read_rows

            return read_rows(self.run, "run")[0]

    def join(self, qrels: PreparedQrels, order: Order) -> Joined:
        """Read in place; by rows where the core counts a fault."""
        with suppress(ValueError):
            joined = qrels.judgments.join_dicts(self.run, order.by, order.ties, order.precision, order.lower_is_better)
            if faultless(joined):
                return joined
        rows = self.rows()
        refuse_run(rows, "<dict>", order, qrels, unit="row")
        return join_rows(qrels.judgments, rows, order)


def column_notes(description: SourceDescription) -> tuple[str, ...]:
    """The notes that tell which named columns were read as what."""
    from rankproof.reading.detect import FROM_COLUMNS

    return tuple(note for note in description.notes if note.startswith(FROM_COLUMNS))


@dataclass(eq=False)
class TextRun(RowsInMemory):
    """A run in a text whose columns are known: its bytes go straight to the core."""

    source: Source
    description: SourceDescription
    layout: TextLayout
    own: Order
    name: str
    threads: int = 0

    def rows(self) -> Rows:
        """The text as rows, read again."""
        return self.layout.read(self.source)

    def join(self, qrels: PreparedQrels, order: Order) -> Joined:
        """From the bytes; by rows where the core counts a fault."""
        joined = qrels.judgments.join_text(
            self.source.whole, **asdict(self.layout), by=order.by, ties=order.ties, precision=order.precision,
            lower_is_better=order.lower_is_better, threads=self.threads,
        )  # fmt: skip
        if faultless(joined):
            return joined
        rows, description = self.rows(), self.description
        refuse_run(rows, description.source, order, qrels, description.shape, description.unit)
        return join_rows(qrels.judgments, rows, order)

    def ranked_ids(self, order: Order, depth: int | None, queries: Collection[str] | None) -> RankedIds | None:
        """From the bytes, without making rows of them."""
        return ids_of_text(self.source.whole, self.layout, order, depth, queries)


@dataclass(eq=False)
class RowsRun(RowsInMemory):
    """A run in rows that were checked.

    allow     names the faults that the caller lets pass
    refuses   whether the rows are checked again where the core counts a fault in an order
    """

    checked: Rows
    own: Order
    name: str
    notes: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    refuses: bool = True

    def rows(self) -> Rows:
        """The rows."""
        return self.checked

    def join(self, qrels: PreparedQrels, order: Order) -> Joined:
        """The join of the rows, checked again where the core counts a fault in this order."""
        joined = join_rows(qrels.judgments, self.checked, order)
        if self.refuses and not faultless(joined):
            refuse_run(self.checked, self.name, order, qrels, allow=self.allow)
        return joined


def join_rows(judgments: Judgments, rows: Rows, order: Order) -> Joined:
    """The join of rows that checks have passed."""
    return judgments.join_rows(rows, order.by, order.ties, order.precision, order.lower_is_better)


def ids_of_text(
    text: Any, layout: TextLayout, order: Order, depth: int | None, queries: Collection[str] | None
) -> dict[str, bytes] | None:
    """By query its document ids in order, each followed by a newline; None where a query's lines stand apart."""
    return core_ranked_ids(
        text, **asdict(layout), by=order.by, ties=order.ties, precision=order.precision,
        lower_is_better=order.lower_is_better, depth=depth or 0, queries=None if queries is None else list(queries),
    )  # fmt: skip


def faultless(joined: Joined | Together) -> bool:
    """Whether the core saw rows, none of them faulty, for at least one judged query."""
    for fault, count in joined.faults.items():
        if count and fault not in HARMLESS:
            return False
    return joined.rows > 0 and bool(joined.in_run.any())


def refuse_run(
    rows: Rows,
    source: str,
    order: Order,
    qrels: PreparedQrels,
    shape: str = "",
    unit: Unit = "line",
    allow: tuple[str, ...] = (),
) -> None:
    """Raises Refused when the checks find an error, or when the run answers no judged query."""
    from rankproof.reading.check import check_run, refusal, refuse

    refuse(rows, "run", source, allow, order=order, shape=shape, unit=unit)
    if set(rows.query_ids).isdisjoint(qrels.pool.query_ids) and "no_common_query" not in allow:
        findings = check_run(rows, source, qrels=qrels.rows(), order=order, unit=unit)
        grave: list[Finding] = [finding for finding in findings if finding.code == "no_common_query"]
        if grave:  # there is none where the run has no row at all and that is allowed
            raise Refused(refusal(grave, "run"), grave)


def without_allowed_faults(rows: Rows, order: Order) -> tuple[Rows, tuple[str, ...]]:
    """Rows with allowed faults made measurable: rows without a number go, and of duplicates the best stays."""
    from rankproof.reading.collapse import without_repeats

    notes = []
    if order.by == "score":
        usable = np.flatnonzero((rows.state == Rows.OK) | (rows.state == Rows.INFINITE))
        dropped = len(rows) - len(usable)
        if dropped:
            what = "row without a usable score is" if dropped == 1 else "rows without a usable score are"
            notes.append(f"allowed: {dropped} {what} left out")
            rows = rows.take(usable.astype(np.int64))
    in_order = rows.take(rows.sorted(order.by, order.ties, order.precision, order.lower_is_better))
    best, note = without_repeats(in_order)
    if note:
        notes.append(f"allowed: {note}")
    return best, tuple(notes)


def is_path(what: object) -> bool:
    """Whether a value names a file that can be opened again: not standard input, a stream or an object."""
    return isinstance(what, str | os.PathLike) and what != "-"


def name_of(what: object, source: str) -> str:
    """The name of a run: the file's name without its endings."""
    if not is_path(what):
        return "run"
    base = os.path.basename(source)
    return base.split(".")[0] or base or "run"


# ---- how much memory reading may take ------------------------------------------------------------
# Queries are independent once the judgments are known, so that pieces of a run can be joined one after the other. It
# costs hardly any time; what it saves is the memory that the whole run would take.


def budget_of(memory: int | str | None = None) -> int:
    """Bytes that reading a run may take: the requested amount (`"1GB"`), else 1 GB, or a quarter of a small machine."""
    if memory is None:
        try:
            physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (ValueError, OSError, AttributeError):
            physical = 4 * USUAL
        return min(USUAL, physical // 4)
    if isinstance(memory, int) and not isinstance(memory, bool):
        size = memory
    else:
        match = _SIZE.fullmatch(str(memory))
        if match is None:
            raise UsageError(f"{memory!r} is no size of memory. Write it as 512MB or 2GB.")
        size = int(float(match[1]) * _UNITS[match[2].upper()])
    if size < 1:
        raise UsageError(f"Reading takes some memory; {memory!r} is none. Write it as 512MB or 2GB.")
    return size


def may_be_large(path: str | os.PathLike[str], budget: int) -> bool:
    """Whether the file could be too large to be read at once, whatever is in it; not so for what is no file."""
    if OPENER:
        return False  # what it gives is in memory already
    try:
        about = os.stat(path)
    except (OSError, ValueError):
        return False  # the reader reports what is wrong
    return stat.S_ISREG(about.st_mode) and about.st_size * max(GROWTH.values()) > budget // 2


def in_pieces(size: int, kind: str, budget: int) -> bool:
    """Whether a file of that many bytes, of a kind of GROWTH, is read in pieces."""
    return size * GROWTH[kind] > budget // 2


def piece_bytes(budget: int) -> int:
    """How much of a file is read at a time."""
    return max(1, budget // PIECES_IN_BUDGET)


def settle_reading(reading: dict[str, Any]) -> dict[str, Any]:
    """Reads what makes documents of chunks once for all runs; returns the options that hold for the judgments too.

    `reading` has the options of runs and is changed: `collapse` becomes a map, `unmapped` and `collapse_qrels` are
    taken out. The judgments are read with the same `columns`, and collapsed where `collapse_qrels` says that chunks are
    judged.
    """
    columns = {"columns": reading["columns"]} if reading.get("columns") else {}
    both, unmapped = reading.pop("collapse_qrels", False), reading.pop("unmapped", None)
    if reading.get("collapse") is not None:
        from rankproof.reading.chunk_map import chunk_map

        reading["collapse"] = chunk_map(reading["collapse"], unmapped)
        return {"collapse": reading["collapse"], **columns} if both else columns
    if both or unmapped is not None:
        name, what = ("collapse_qrels", "judged chunks") if both else ("unmapped", "chunks without a document")
        raise UsageError(
            f"{name} is about {what}, and nothing says what makes documents of chunks. Give collapse too: "
            "--collapse PATTERN or --collapse FILE."
        )
    return columns


def listed(
    run: PreparedRun,
    depth: int | None = None,
    preferred: Order = DEFAULT_ORDER,
    queries: Iterable[str] | None = None,
) -> dict[str, list[str]]:
    """{query_id: [doc_id, ...]} in the order its table has, to a depth. Unjudged documents and queries included.

    Queries and ranks that are not requested are left out before ids become texts: a long run has millions of them.
    """
    queries = None if queries is None else frozenset(queries)
    ids = run.ranked_ids(preferred, depth, queries)
    if ids is not None:
        return {query: _split(docs) for query, docs in ids.items()}
    ranked = Run.of(run.rows() if queries is None else run.rows_of(queries), run.order(preferred), run.name)
    if queries is not None:
        ranked = ranked.filter(queries)
    if depth is not None:
        ranked = ranked.cut(depth)
    return {query: docs for query, docs, _ in ranked.rankings()}


def comparable(
    runs: Sequence[PreparedRun], depth: int | None = None, preferred: Order = DEFAULT_ORDER
) -> list[Mapping[str, object]]:
    """For each run {query_id: ranking}, where two rankings are equal when they have the same documents in one order.

    A ranking is opaque to the caller: the bytes of its ids where all runs give them, so that millions of ids need
    not become texts; else a list of ids.
    """
    rankings: list[Mapping[str, object]] = []
    for run in runs:
        ids = run.ranked_ids(preferred, depth)
        if ids is None:
            return [listed(run, depth, preferred) for run in runs]
        rankings.append(ids)
    return rankings


def _split(ids: bytes) -> list[str]:
    """The ids of one ranking, each followed by a newline."""
    return ids.decode("utf-8", "surrogateescape").split("\n")[:-1]
