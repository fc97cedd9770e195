"""The compiled core, as Python sees it. Arrays are views on the core's memory: do not write into them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class TextFile:
    """A file as it was when it was first looked at: every later look compares, so that all of it is one text.

    The core takes one wherever it takes a text. It is not kept open. Where the file is no longer the same (by its size,
    its time of modification, or the number that the file system gives it), everything here raises FileChanged.
    """

    def __init__(self, path: str) -> None:
        """Looks at the file; raises OSError."""
    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...
    def read(self, begin: int, size: int) -> bytes:
        """Bytes from a place on: `size` of them, or as many as there are."""
    def check(self) -> None:
        """Raises FileChanged where it is no longer the same file."""

class Rows:
    """Rows as read: nothing is trusted yet. A run or qrels before checks.

    Row i: query `query_ids[query[i]]`, document `doc_id(i)`, `number[i]` (score or grade), `rank[i]`, `line[i]`,
    label `labels[label[i]]` (run tag, or qrels column 2). Absent columns: number is NaN with state 3 (ABSENT),
    rank is -1, label is -1. Lines that could not become a row are in `faults`.
    """

    OK: int  # 0
    NOT_A_NUMBER: int  # 1: the text is no number; `number` is NaN
    INFINITE: int  # 2
    ABSENT: int  # 3: the format has no such column
    NAN: int  # 4: the text is a number's "nan"

    @staticmethod
    def from_text(
        data: Any,  # a TextFile, a path, or bytes-like (bytes, memoryview)
        separator: str,  # " " any mix of blanks; "\t", ",", ";", "|" one character
        query: int,
        doc: int,
        number: int = -1,
        rank: int = -1,
        label: int = -1,
        least: int = 0,  # fewest columns
        most: int = 0,  # most columns, 0 for no limit
        skip: int = 0,  # header lines
        quoted: bool = False,  # CSV quoting
        comments: bool = False,  # lines beginning with '#'
        first_line: int = 1,  # the number of the first line, for a piece of a larger text
    ) -> Rows: ...
    @staticmethod
    def from_buffers(
        query_ids: list[str],
        query: NDArray[np.int32],
        doc_data: NDArray[np.uint8],
        doc_start: NDArray[np.int64],
        number: NDArray[np.float64],
        state: NDArray[np.uint8],
        rank: NDArray[np.int64],
        line: NDArray[np.int64],
        labels: list[str],
        label: NDArray[np.int32],
    ) -> Rows:
        """Rows of the columns that Rows have, as they were written down or put together from several."""
    @staticmethod
    def from_dicts(data: Mapping[str, Mapping[str, float]] | Mapping[str, Sequence[str]]) -> Rows: ...
    @staticmethod
    def from_columns(
        query: Sequence[str],
        doc: Sequence[str],
        number: NDArray[np.float64] | None = None,
        rank: NDArray[np.int64] | None = None,
        label: Sequence[str] | None = None,
        line: NDArray[np.int64] | None = None,
    ) -> Rows: ...
    @staticmethod
    def from_arrow(
        stream: Any,  # any object with __arrow_c_stream__
        query: str,
        doc: str,
        number: str | None = None,
        rank: str | None = None,
        label: str | None = None,
    ) -> Rows: ...
    def __len__(self) -> int: ...
    @property
    def query_ids(self) -> list[str]: ...
    @property
    def query(self) -> NDArray[np.int32]: ...
    @property
    def number(self) -> NDArray[np.float64]: ...
    @property
    def state(self) -> NDArray[np.uint8]: ...
    @property
    def rank(self) -> NDArray[np.int64]: ...
    @property
    def line(self) -> NDArray[np.int64]: ...
    @property
    def label(self) -> NDArray[np.int32]: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def doc_data(self) -> NDArray[np.uint8]: ...
    @property
    def doc_start(self) -> NDArray[np.int64]: ...
    @property
    def faults(self) -> list[tuple[int, int, str]]:
        """(line, columns found, beginning of the line) of the first 1,000 lines with a wrong column count."""
    @property
    def fault_count(self) -> int: ...
    @property
    def undecodable(self) -> list[int]:
        """Lines (rows, for other sources) whose ids are not UTF-8."""
    def doc_id(self, row: int) -> str: ...
    def doc_ids(self, rows: NDArray[np.int64] | None = None) -> list[str]: ...
    def sorted(self, by: str, ties: str, precision: str, lower_is_better: bool) -> NDArray[np.int64]:
        """Row indices, queries in order of first appearance, each query's rows in the order asked for."""
    def duplicates(self, labels: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(rows, first rows): each row whose query and document (and label, if asked) an earlier row has."""
    def take(self, rows: NDArray[np.int64]) -> Rows: ...

class Judgments:
    """Qrels, prepared for joining: pools by query, best grade first."""

    @staticmethod
    def from_rows(rows: Rows, subtopics: bool = False) -> Judgments: ...
    @staticmethod
    def from_dicts(data: Mapping[str, Mapping[str, int]]) -> Judgments: ...
    @staticmethod
    def from_text(
        data: Any,
        separator: str,
        query: int,
        doc: int,
        number: int = -1,
        rank: int = -1,
        label: int = -1,
        least: int = 0,
        most: int = 0,
        skip: int = 0,
        quoted: bool = False,
        comments: bool = False,
    ) -> Judgments | None:
        """TREC qrels straight from their text; None when a line leaves a doubt and rows must explain it."""
    @property
    def query_ids(self) -> list[str]: ...
    @property
    def start(self) -> NDArray[np.int64]: ...
    @property
    def grade(self) -> NDArray[np.int32]: ...
    @property
    def faults(self) -> dict[str, int]:
        """Counts by fault: wrong_columns, not_a_number, fractional_grade, conflicting_judgment, duplicate_judgment,
        undecodable_bytes. Judgments with any of these are not to be used before the checks have spoken."""
    @property
    def subtopics(self) -> tuple[Any, ...] | None: ...
    def doc_id(self, index: int) -> str: ...
    def doc_ids(self) -> list[str]: ...
    def widened(self, runs: Sequence[Rows], mark: int) -> Judgments:
        """The same judgments, and every other document of the runs for a judged query with the grade `mark`.

        The mark is below all grades. New documents stand behind the judged ones, in the order of runs and rows.
        """
    def join_rows(self, rows: Rows, by: str, ties: str, precision: str, lower_is_better: bool) -> Joined: ...
    def join_dicts(self, run: Any, by: str, ties: str, precision: str, lower_is_better: bool) -> Joined: ...
    def join_text(
        self,
        data: Any,
        separator: str,
        query: int,
        doc: int,
        number: int,
        rank: int,
        label: int,
        least: int,
        most: int,
        skip: int,
        quoted: bool,
        comments: bool,
        by: str,
        ties: str,
        precision: str,
        lower_is_better: bool,
        threads: int = 0,
    ) -> Joined: ...

def random_orders(bits: Any, many: int, size: int, kept: int) -> NDArray[np.int32]:
    """`many` random orders of 0 to size - 1, of each the first `kept`, end to end.

    `bits` is the capsule of a NumPy bit generator, whose lock the caller holds. The numbers are those of
    `Generator.permuted(np.tile(np.arange(size), (many, 1)), axis=1)[:, :kept]`, and leave the generator where it does.
    """

def by_rank(start: NDArray[np.int64], rank: NDArray[np.int32]) -> NDArray[np.int64]:
    """Row indices: the rows start[q]:start[q + 1] of each query by ascending rank; equal ranks stay as they came."""

def join_arrays(
    scores: NDArray[np.float32] | NDArray[np.float64],
    labels: NDArray[np.int32],
    cells: NDArray[np.uint8] | None,
    by: str,
    ties: str,
    precision: str,
    lower_is_better: bool,
    depth: int = 0,  # documents of each query that are placed, 0 for all
    threads: int = 0,  # 0 for as many as the machine has
) -> tuple[NDArray[np.int64], NDArray[np.int32], Joined]:
    """Matrices with a query a row: starts of the queries' pools, grades best first, and the scores joined with them.

    A cell is bit 1 for a retrieved document, bit 2 for a judged one; all are both without `cells`. Of tied documents
    the column decides as an id would.
    """

def ranked_ids(
    data: Any,
    separator: str,
    query: int,
    doc: int,
    number: int,
    rank: int,
    label: int,
    least: int,
    most: int,
    skip: int,
    quoted: bool,
    comments: bool,
    by: str,
    ties: str,
    precision: str,
    lower_is_better: bool,
    depth: int = 0,  # documents of each query, 0 for all
    queries: list[str] | None = None,  # the queries to read, None for all
) -> dict[str, bytes] | None:
    """By query, in order of first appearance: its document ids, best first, each followed by a newline.

    None where the lines of a query stand in several places: then rows have to be brought together first.
    """

class Joined:
    """What a join gives: the columns of a JudgedTable, and counts of faults seen on the way."""

    @property
    def in_run(self) -> NDArray[np.bool_]: ...
    @property
    def retrieved(self) -> NDArray[np.int64]: ...
    @property
    def start(self) -> NDArray[np.int64]: ...
    @property
    def rank(self) -> NDArray[np.int32]: ...
    @property
    def tie_first(self) -> NDArray[np.int32]: ...
    @property
    def tie_last(self) -> NDArray[np.int32]: ...
    @property
    def doc(self) -> NDArray[np.int64]: ...
    @property
    def unjudged_queries(self) -> list[str]: ...
    @property
    def rows(self) -> int: ...
    @property
    def faults(self) -> dict[str, int]:
        """Counts by fault: wrong_columns, not_a_number, nan_score, infinite_score, duplicate_document,
        undecodable_bytes, rank_disagrees (queries). A join with faults other than the last is not to be used."""
    @property
    def tag(self) -> str:
        """The run tag of the last row, or ''."""

def find_words(text: str, least: int, lowercase: bool) -> list[str]:
    """The words of a text, in its order: each run of `least` or more characters that `\\w` of Python's `re` matches.

    With `lowercase` they are those of text.lower().
    """

def descending_places(names: Sequence[str]) -> NDArray[np.int32]:
    """The place of each name when they descend by their bytes; bytes that could not be decoded are those bytes."""

class DamagedIndex(ValueError):
    """Columns or postings of a TermIndex that no index can have."""

class WordCounter:
    """Counts the terms of documents, added one after the other.

    `terms_of` is called with words that were not met before, once for all of a block: the term of each, or None for a
    word that counts for nothing. Words are found as by `find_words`.
    """

    def __init__(self, terms_of: Callable[[list[str]], list[str | None]], least: int, lowercase: bool) -> None: ...
    def add_texts(self, texts: Sequence[str], begin: int, end: int) -> None:
        """The documents texts[begin:end]."""
    def add_words(self, documents: list[list[str]]) -> None:
        """Documents whose words were found elsewhere."""
    def finish(self) -> TermIndex:
        """What was counted. The counter is empty afterwards."""

class TermIndex:
    """Terms, ascending by their UTF-8, and for each which documents have it and how often, packed.

    term_data, term_start   the terms end to end, and where each begins
    start                   where the postings of each term begin in `data`, in bytes
    having                  how many documents have each term
    length                  how many terms each document has, repeats counted
    data                    the postings; empty where they are in a file
    """

    @staticmethod
    def from_columns(
        term_data: NDArray[np.generic],
        term_start: NDArray[np.generic],
        start: NDArray[np.generic],
        having: NDArray[np.generic],
        length: NDArray[np.generic],
        data: NDArray[np.generic],
    ) -> TermIndex:
        """A copy of columns; raises DamagedIndex where one points beyond another."""
    @staticmethod
    def in_file(
        term_data: NDArray[np.generic],
        term_start: NDArray[np.generic],
        start: NDArray[np.generic],
        having: NDArray[np.generic],
        length: NDArray[np.generic],
        file: TextFile,
        begin: int,
    ) -> TermIndex:
        """The same with the postings in a file, from a place on. It stays open, and is read term by term."""
    def __len__(self) -> int:
        """How many terms."""
    @property
    def in_memory(self) -> bool: ...
    @property
    def size(self) -> int:
        """The bytes of all postings."""
    @property
    def term_data(self) -> NDArray[np.uint8]: ...
    @property
    def term_start(self) -> NDArray[np.int64]: ...
    @property
    def start(self) -> NDArray[np.int64]: ...
    @property
    def having(self) -> NDArray[np.uint32]: ...
    @property
    def length(self) -> NDArray[np.uint32]: ...
    @property
    def data(self) -> NDArray[np.uint8]: ...

class Bm25:
    """Scores of documents for terms, over fields with weights.

    `norm` says for each document how its length counts: 1 for one of mean length, times k1 but for the variant bm25l.
    """

    def __init__(
        self,
        indexes: tuple[TermIndex, ...],
        weights: tuple[float, ...],
        norm: NDArray[np.float64],
        variant: str,
        k1: float,
        delta: float,
    ) -> None: ...
    def having(self, terms: list[str]) -> NDArray[np.int64]:
        """How many documents have each of the terms, in any field."""
    def best(
        self, terms: list[str], rarity: NDArray[np.float64], place: NDArray[np.int32], depth: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The documents that score more than 0, best first, at most `depth`, and their scores.

        A term that stands there twice counts twice, each time with its `rarity`. Of documents that score alike the
        one with the smaller `place` comes first. Raises OSError or DamagedIndex where a file is not what it was.
        """
