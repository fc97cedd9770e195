"""Lines of a text to rows, on executors: the core reads each batch of lines as it would read the file.

Spark says for each line where in the file its split begins. Lines of a split come in order, so that the place of a line
is where its split begins plus what came before it: not its exact byte, but in the order of the file. Line numbers need
the lines of the splits before, which are counted only when a fault has to be explained.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.core import Rows
from rankproof.measuring.outofcore.columns import with_lines
from rankproof.measuring.outofcore.findings import OF_QUERIES, OF_RUNS, Faulty, findings_of
from rankproof.reading.formats.contract import TextLayout
from rankproof.scale._work import DOC, PLACE, QUERY, RANK, SCORE, TAG, RowColumns, dealt_batch, mark_batch

if TYPE_CHECKING:
    import pyarrow

# Names of the columns that hold lines: the bytes, the file and where its split begins.
LINE, FILE, SPLIT = "line", "file", "split"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, eq=False)
class LineBlock:
    """Neighboring lines of one split as rows. `place` is where each row stands: what `first_line` or the split says."""

    rows: Rows
    place: NDArray[np.int64]


def stretches(
    batches: Iterator[pyarrow.RecordBatch], layout: TextLayout, first_lines: Mapping[tuple[str, int], int] | None
) -> Iterator[LineBlock]:
    """The lines of batches as rows, split by split; places are line numbers where those of the splits are given."""
    import pyarrow
    import pyarrow.compute as compute

    lines: dict[tuple[str, int], int] = {}
    bytes_before: dict[tuple[str, int], int] = {}
    ended = pyarrow.scalar(b"", pyarrow.binary()), pyarrow.scalar(b"\n", pyarrow.binary())
    for batch in batches:
        if not batch.num_rows:
            continue
        text = compute.binary_join_element_wise(batch.column(LINE), *ended)  # each line and its end
        bounds = np.frombuffer(text.buffers()[1], dtype=np.int32)[text.offset : text.offset + len(text) + 1]
        data = memoryview(text.buffers()[2])
        files, splits = batch.column(FILE).dictionary_encode(), batch.column(SPLIT).to_numpy()
        of_file = files.indices.to_numpy()
        change = np.flatnonzero((np.diff(of_file) != 0) | (np.diff(splits) != 0)) + 1
        for begin, end in zip([0, *change.tolist()], [*change.tolist(), batch.num_rows], strict=True):
            key = files.dictionary[int(of_file[begin])].as_py(), int(splits[begin])
            before = lines.get(key, 0)
            piece = bytes(data[int(bounds[begin]) : int(bounds[end])])
            skip = max(0, layout.skip - before) if key[1] == 0 else 0
            if key[1] == 0 and before == 0:
                piece = piece.removeprefix(_BOM)
            first = 1 if first_lines is None else first_lines[key] + before
            # An empty line first: a byte order mark that begins an id in the middle of a file stays.
            rows = Rows.from_text(b"\n" + piece, **asdict(replace(layout, skip=skip + 1)), first_line=first - 1)
            if first_lines is None:
                here = bounds[begin:end].astype(np.int64) - bounds[begin]
                place = key[1] + bytes_before.get(key, 0) + here[rows.line - 1]
            else:
                place = rows.line
            yield LineBlock(rows, place.astype(np.int64))
            lines[key] = before + end - begin
            bytes_before[key] = bytes_before.get(key, 0) + int(bounds[end] - bounds[begin])


def deal_lines(
    batches: Iterator[pyarrow.RecordBatch],
    layout: TextLayout,
    hands: int,
    first_lines: Mapping[tuple[str, int], int] | None,
) -> Iterator[pyarrow.RecordBatch]:
    """Rows of lines packed for the tasks that will join them, and a mark for each kind of line that became no row."""
    for stretch in stretches(batches, layout, first_lines):
        rows = stretch.rows
        if len(rows):
            yield dealt_batch(with_lines(rows, stretch.place), hands)
        marks = {"wrong_columns": rows.fault_count, "undecodable_bytes": len(rows.undecodable)}
        for mark, count in marks.items():
            if count:
                yield mark_batch(mark)


def read_lines(
    batches: Iterator[pyarrow.RecordBatch], layout: TextLayout, shape: RowColumns
) -> Iterator[pyarrow.RecordBatch]:
    """Rows of lines, as batches of columns."""
    for stretch in stretches(batches, layout, None):
        if len(stretch.rows):
            yield _batch(stretch.rows, stretch.place, shape)


def find_line_faults(
    batches: Iterator[pyarrow.RecordBatch],
    layout: TextLayout,
    faulty: Faulty,
    first_lines: Mapping[tuple[str, int], int],
) -> Iterator[pyarrow.RecordBatch]:
    """The findings of checks that look at single lines, with how many lines became no row."""
    import pyarrow

    for stretch in stretches(batches, layout, first_lines):
        rows = stretch.rows
        findings = findings_of(rows, faulty, without=(*OF_QUERIES, *OF_RUNS))
        answer = pickle.dumps((findings, rows.fault_count))
        yield pyarrow.RecordBatch.from_pydict({"answer": pyarrow.array([answer], pyarrow.binary())})


def _batch(rows: Rows, place: NDArray[np.int64], shape: RowColumns) -> pyarrow.RecordBatch:
    import pyarrow

    def texts(names: list[str], places: NDArray[np.int32]) -> pyarrow.Array:
        encoded = [name.encode("utf-8", "surrogateescape") for name in names]
        return pyarrow.array(encoded, pyarrow.binary()).take(pyarrow.array(places)).cast(pyarrow.string(), safe=False)

    starts = pyarrow.py_buffer(rows.doc_start.astype(np.int32))
    columns = {
        QUERY: texts(rows.query_ids, rows.query),
        DOC: pyarrow.StringArray.from_buffers(len(rows), starts, pyarrow.py_buffer(rows.doc_data)),
        SCORE: pyarrow.array(rows.number),
        RANK: pyarrow.array(rows.rank),
        TAG: texts(rows.labels, rows.label) if shape.tagged else None,
        PLACE: pyarrow.array(place),
    }
    return pyarrow.RecordBatch.from_pydict({name: columns[name] for name in shape.columns()})
