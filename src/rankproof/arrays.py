"""Rankings and judgments as matrices, a query a row and a candidate a column: for training loops.

>>> import numpy as np
>>> import rankproof.arrays
>>> scores = np.array([[0.9, 0.2, 0.4], [0.1, 0.8, 0.3]])
>>> labels = np.array([[0, 1, 0], [0, 1, 0]])
>>> rankproof.arrays.evaluate(scores, labels, "RR@10")["RR@10"].values
array([0.33333333, 1.        ])

The numbers are those of `rankproof.evaluate` on dicts, bit for bit, but no dict and no id is made. Matrices may be
NumPy arrays, anything with DLPack or the array interface (torch, JAX, CuPy), or lists of lists. What lies on another
device is copied to this one, once for each matrix.

Of candidates with equal scores the later column comes first, as a document with the greater id does. A model that gives
every candidate the same score, on data whose first column is the relevant document, so gets no credit for it;
`ties="expected"` gives the mean over all orders.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.core import Joined, join_arrays, pool_of_arrays
from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.sections import counted
from rankproof.measuring.evaluate import Measures, evaluate_tables
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings
from rankproof.reading.records import Order

__all__ = ["evaluate"]

RETRIEVED, JUDGED = np.uint8(1), np.uint8(2)
# Grades are kept as 32-bit numbers, with room for sums of two of them.
GREATEST_GRADE = 2_000_000_000


def evaluate(
    scores: Any,
    labels: Any,
    measures: Measures,
    *,
    mask: Any = None,
    judged: Any = None,
    retrieved: Any = None,
    query_ids: Sequence[str] | None = None,
    name: str = "arrays",
    lower_is_better: bool = False,
    dialect: str = "rankproof",
    depth: int | None = None,
    judged_only: bool = False,
    level: int | None = None,
    complete: bool = False,
    undefined: Literal["zero", "skip"] = "zero",
    ties: Literal["rule", "expected", "range"] = "rule",
) -> Evaluation:
    """Values of measures on a matrix of scores and a matrix of grades of the same shape, (queries, candidates).

    mask        true where there is a candidate at all; the other cells are padding
    judged      true where the grade is known; elsewhere the document is unjudged, which is not grade 0
    retrieved   true where the system returned the candidate; elsewhere it is judged, and missing from the ranking
    query_ids   the names of the rows; "0", "1", ... by default
    name        the name of the run

    The other choices are those of `Settings`. Without masks every candidate is retrieved and judged.
    """
    variants = parse(measures, dialect)
    for variant in variants:
        if variant.measure.needs_subtopics:
            raise UsageError(f"{variant.text} needs subtopics, which a matrix of grades does not have. Give qrels.")
    if shelf.find("dialects", dialect).drops_self:
        raise UsageError(f"The dialect {dialect} drops documents with the query's id, and candidates here have no ids.")
    values = _scores(scores)
    cells = _cells(values.shape, mask=mask, judged=judged, retrieved=retrieved)
    grades = _grades(labels, values.shape, cells, padded=mask is not None)
    ids = _names(query_ids, len(values))
    start, grade, doc = pool_of_arrays(grades, cells)
    pool = Pool(ids, start, grade)
    orders: dict[Order, JudgedTable] = {}
    settings = Settings(dialect, depth, judged_only, level, complete, undefined, ties)
    enough = _enough(variants, settings)

    def table(preferred: Order) -> JudgedTable:
        order = replace(preferred, by="score", lower_is_better=lower_is_better)
        if order not in orders:
            joined = join_arrays(values, doc, cells, order.by, order.ties, order.precision, lower_is_better, enough)
            _refuse_not_finite(joined, values, cells)
            orders[order] = JudgedTable(
                pool, joined.in_run, joined.retrieved, joined.start, joined.rank, joined.tie_first, joined.tie_last,
                joined.doc, order,
            )  # fmt: skip
        return orders[order]

    return evaluate_tables(
        table, variants, settings, run_name=name, notes=_notes, judgments_hash=cache(partial(_hash, ids, grades, cells))
    )


def _enough(variants: Sequence[Variant], settings: Settings) -> int:
    """How many documents of each ranking have to be placed: 0 for all, where a measure may look at any of them.

    A measure with a rank as its cutoff looks at no document below it. Other orders of ties, and rankings that unjudged
    documents are taken out of, bring documents up from below.
    """
    if settings.ties != "rule" or settings.judged_only or settings.dialect != "rankproof":
        return 0
    cutoffs = [variant.at if variant.measure.cutoff in ("optional", "required") else None for variant in variants]
    return max((int(k) for k in cutoffs if k is not None), default=0) if None not in cutoffs else 0


def _notes() -> tuple[str, ...]:
    return ("documents: the columns of a matrix; of equal scores the later column counts as the greater id",)


def _host(matrix: Any, what: str) -> NDArray[Any]:
    """The matrix as a NumPy array with two axes, copied from another device where it lies on one."""
    if not isinstance(matrix, np.ndarray):
        matrix = _taken(matrix, what)
    if matrix.ndim != 2:
        shape = "x".join(map(str, matrix.shape)) or "a single value"
        raise UsageError(f"{what} must be a matrix (queries x candidates); got {shape}. One query: {what}[None, :].")
    if len(matrix) == 0:
        raise InputError(f"{what} has no rows: there is no query to measure.")
    taken: NDArray[Any] = matrix
    return taken


def _taken(matrix: Any, what: str) -> NDArray[Any]:
    # A tensor that keeps gradients gives its memory to nobody; values are all that is needed.
    if hasattr(matrix, "detach"):
        matrix = matrix.detach()
    # On another device: torch has cpu(), CuPy has get(). Both copy once.
    for copy in ("cpu", "get"):
        if hasattr(matrix, copy) and hasattr(matrix, "__dlpack__"):
            matrix = getattr(matrix, copy)()
            break
    if str(getattr(matrix, "dtype", "")).endswith("bfloat16") and hasattr(matrix, "float"):
        matrix = matrix.float()  # NumPy has no bfloat16; every one of them is a 32-bit float
    if isinstance(matrix, np.ndarray):
        return matrix
    try:
        if hasattr(matrix, "__dlpack__") and not hasattr(matrix, "__array__"):
            return np.from_dlpack(matrix)
        return np.asarray(matrix)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise UsageError(
            f"{what} cannot be read as a matrix: {error}. Rows must have the same length; mark padding with mask=."
        ) from None


def _scores(scores: Any) -> NDArray[Any]:
    values = _host(scores, "scores")
    if values.dtype.kind not in "fiub":
        raise UsageError(f"scores must be numbers; got {values.dtype}.")
    # float32 stays as it is: every one of them is a float64 too, so that no order and no tie changes.
    kept = np.float32 if values.dtype in (np.float16, np.float32) else np.float64
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and np.abs(values).max(initial=0) > 2**53:
        raise UsageError("scores has whole numbers above 2^53, which cannot all be told apart. Give them as floats.")
    return np.ascontiguousarray(values, dtype=kept)


def _cells(shape: tuple[int, ...], **masks: Any) -> NDArray[np.uint8] | None:
    """What each cell is, as the core has it; None where no mask is given."""
    given = {}
    for what, mask in masks.items():
        if mask is None:
            continue
        read = _host(mask, what)
        if read.shape != shape:
            raise _other_shape(what, read.shape, shape)
        if read.dtype.kind not in "biu" or not np.isin(read, (0, 1)).all():
            raise UsageError(f"{what} must be true or false (or 1 or 0) in every cell; got {read.dtype}.")
        given[what] = read.astype(bool)
    if not given:
        return None
    cells = np.full(shape, RETRIEVED | JUDGED, dtype=np.uint8)
    if "judged" in given:
        cells[~given["judged"]] &= RETRIEVED
    if "retrieved" in given:
        cells[~given["retrieved"]] &= JUDGED
    if "mask" in given:
        cells[~given["mask"]] = 0
    return cells


def _grades(labels: Any, shape: tuple[int, ...], cells: NDArray[np.uint8] | None, padded: bool) -> NDArray[np.int32]:
    """The grades as 32-bit numbers; what is no grade is refused where it counts as one."""
    read = _host(labels, "labels")
    if read.shape != shape:
        raise _other_shape("labels", read.shape, shape)
    if read.dtype.kind not in "fiub":
        raise UsageError(f"labels must be grades; got {read.dtype}.")
    known = True if cells is None else (cells & JUDGED) != 0
    if read.dtype == np.float16:
        read = read.astype(np.float32)  # in which the limits below can be written
    wrong = ~((read >= -GREATEST_GRADE) & (read <= GREATEST_GRADE)) & known
    if read.dtype.kind == "f":
        wrong |= (read != np.floor(read)) & known
    if wrong.any():
        cells_wrong = counted(int(wrong.sum()), "such cell")
        raise InputError(
            f"labels[{_first(wrong)}] is {read[_at(wrong)]}, which is no whole grade; {cells_wrong}. Say with judged= "
            "where there is no grade, and with mask= where there is no candidate."
        )
    grades = np.ascontiguousarray(read if cells is None else np.where(known, read, 0), dtype=np.int32)
    below = grades < 0
    if not padded and below.any():
        raise InputError(
            f"labels[{_first(below)}] is {grades[_at(below)]}; {counted(int(below.sum()), 'cell')} below 0. If they "
            "are padding, say so with mask=; if they are grades, give mask=np.ones(labels.shape, bool)."
        )
    return grades


def _names(query_ids: Sequence[str] | None, queries: int) -> list[str]:
    if query_ids is None:
        return list(map(str, range(queries)))
    ids = list(query_ids)
    if len(ids) != queries:
        raise UsageError(f"query_ids has {counted(len(ids), 'name')}, the matrices {counted(queries, 'row')}.")
    if not all(isinstance(query, str) for query in ids):
        raise UsageError("query_ids must be texts; for numbers: list(map(str, ids)).")
    if len(set(ids)) != len(ids):
        repeated = next(query for i, query in enumerate(ids) if query in ids[:i])
        raise InputError(f"query_ids names {repeated!r} twice. Each row is a query of its own.")
    return ids


def _refuse_not_finite(joined: Joined, values: NDArray[Any], cells: NDArray[np.uint8] | None) -> None:
    if joined.faults["nan_score"] or joined.faults["infinite_score"]:
        wrong = ~np.isfinite(values)
        if cells is not None:
            wrong &= (cells & RETRIEVED) != 0
        raise InputError(
            f"scores[{_first(wrong)}] is {values[_at(wrong)]}; {counted(int(wrong.sum()), 'score')} cannot be ranked. "
            "Say with mask= which cells are padding, and with retrieved= which documents the system did not return."
        )


def _other_shape(what: str, got: tuple[int, ...], wanted: tuple[int, ...]) -> UsageError:
    texts = ["x".join(map(str, shape)) for shape in (got, wanted)]
    return UsageError(f"{what} is {texts[0]} and scores is {texts[1]} (queries x candidates). Give the same shape.")


def _at(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(int(mask.argmax()), mask.shape))


def _first(mask: NDArray[np.bool_]) -> str:
    return ", ".join(map(str, _at(mask)))


def _hash(ids: Sequence[str], grades: NDArray[np.int32], cells: NDArray[np.uint8] | None) -> str:
    """The identity of the judgments: two evaluations on the same labels can be compared."""
    from hashlib import sha256

    known = np.ones(grades.shape, dtype=bool) if cells is None else (cells & JUDGED) != 0
    digest = sha256(repr((grades.shape, list(ids))).encode())
    digest.update(np.where(known, grades, 0).astype("<i4").tobytes())
    digest.update(known.tobytes())
    return f"arrays:{digest.hexdigest()}"
