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

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.core import Joined, join_arrays
from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.sections import counted
from rankproof.measuring.evaluate import Measures, evaluate_tables
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings, check_threads
from rankproof.reading.records import Order

if TYPE_CHECKING:
    from rankproof.proving.records import Comparison, Design

__all__ = ["compare", "evaluate"]

RETRIEVED, JUDGED = np.uint8(1), np.uint8(2)
# Grades are kept as 32-bit numbers, with room for sums of two of them.
GREATEST_GRADE = 2_000_000_000
# Floats that NumPy itself has no type for.
SMALL_FLOATS = ("bfloat16", "float8_", "float6_", "float4_")


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
    threads: int = 0,
) -> Evaluation:
    """Values of measures on a matrix of scores and a matrix of grades of the same shape, (queries, candidates).

    mask        true where there is a candidate at all; the other cells are padding
    judged      true where the grade is known; elsewhere the document is unjudged, which is not grade 0
    retrieved   true where the system returned the candidate; elsewhere it is judged, and missing from the ranking
    query_ids   the names of the rows; "0", "1", ... by default
    name        the name of the run
    threads     how many sort the rows, 0 for as many as the machine has; no number changes a value

    The other choices are those of `Settings`. Without masks every candidate is retrieved and judged.
    """
    check_threads(threads)
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
    pool: Pool | None = None
    orders: dict[Order, JudgedTable] = {}
    settings = Settings(dialect, depth, judged_only, level, complete, undefined, ties)
    enough = _enough(variants, settings)

    def table(preferred: Order) -> JudgedTable:
        nonlocal pool
        order = replace(preferred, by="score", lower_is_better=lower_is_better)
        if order not in orders:
            start, grade, joined = join_arrays(
                values, grades, cells, order.by, order.ties, order.precision, lower_is_better, enough, threads
            )
            _refuse_not_finite(joined, values, cells)
            if pool is None:
                pool = Pool(ids, start, grade)  # no order changes it
            orders[order] = JudgedTable(
                pool, joined.in_run, joined.retrieved, joined.start, joined.rank, joined.tie_first, joined.tie_last,
                joined.doc, order,
            )  # fmt: skip
        return orders[order]

    return evaluate_tables(
        table, variants, settings, run_name=name, notes=_notes, judgments_hash=cache(partial(_hash, ids, grades, cells))
    )


def compare(
    scores: Mapping[str, Any],
    labels: Any,
    measures: Measures,
    *,
    retrieved: Mapping[str, Any] | None = None,
    design: Design | None = None,
    **choices: Any,
) -> Comparison:
    """Models on the same labels, query by query: `compare({"first": scores, "second": others}, labels, "nDCG@10")`.

    scores      by the name of each model its matrix of scores; the first is the baseline
    retrieved   by the name of a model which candidates it returned, for those that did not return all
    design      how to compare: intervals, tests, corrections

    The other choices are those of `evaluate`, for all models alike.
    """
    if not isinstance(scores, Mapping) or len(scores) < 2:
        raise UsageError("A comparison needs the scores of two models or more, by name: {'first': ..., 'second': ...}.")
    if retrieved is not None and (not isinstance(retrieved, Mapping) or not retrieved.keys() <= scores.keys()):
        raise UsageError(f"retrieved must be a mapping from names of models; they are {', '.join(map(str, scores))}.")
    from rankproof.proving.compare import compare_evaluations  # statistics, which a training loop seldom needs
    from rankproof.proving.records import DEFAULT_DESIGN

    made = [
        evaluate(each, labels, measures, retrieved=(retrieved or {}).get(name), name=str(name), **choices)
        for name, each in scores.items()
    ]
    return compare_evaluations(made, DEFAULT_DESIGN if design is None else design)


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
    if isinstance(matrix, np.ma.MaskedArray):
        raise UsageError(f"{what} is a masked array. Give {what}.data, and with mask=~{what}.mask what it leaves out.")
    try:
        taken = np.asarray(_taken(matrix))
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise UsageError(
            f"{what} cannot be read as a matrix: {error}. Give a dense matrix whose rows have the same length, mark "
            "padding with mask=, and copy what lies on another device to this one first."
        ) from None
    if taken.ndim != 2:
        shape = "x".join(map(str, taken.shape)) or "a single value"
        raise UsageError(f"{what} must be a matrix (queries x candidates); got {shape}. One query: {what}[None, :].")
    if len(taken) == 0:
        raise InputError(f"{what} has no rows: there is no query to measure.")
    # What NumPy has no name for, as JAX's bfloat16, other packages add to it; a 32-bit float can be each of them.
    small = taken.dtype.kind == "V" and taken.dtype.name.startswith(SMALL_FLOATS)
    return taken.astype(np.float32) if small else taken


def _taken(matrix: Any) -> Any:
    """What NumPy can read of a matrix of another library: its values, on this device."""
    if isinstance(matrix, np.ndarray):
        return matrix
    # A tensor that keeps gradients gives its memory to nobody; values are all that is needed.
    if hasattr(matrix, "detach"):
        matrix = matrix.detach()
    # On another device: torch has cpu(), CuPy has get(). Both copy once.
    for copy in ("cpu", "get"):
        if hasattr(matrix, copy) and hasattr(matrix, "__dlpack__"):
            matrix = getattr(matrix, copy)()
            break
    # NumPy has no name for torch's small floats; a 32-bit float can be each of them.
    if hasattr(matrix, "float") and str(getattr(matrix, "dtype", "")).removeprefix("torch.").startswith(SMALL_FLOATS):
        matrix = matrix.float()
    return np.from_dlpack(matrix) if hasattr(matrix, "__dlpack__") and not hasattr(matrix, "__array__") else matrix


def _scores(scores: Any) -> NDArray[Any]:
    values = _host(scores, "scores")
    if values.dtype.kind not in "fiub":
        raise UsageError(f"scores must be numbers; got {values.dtype}.")
    # float32 stays as it is: every one of them is a float64 too, so that no order and no tie changes.
    kept = np.float32 if values.dtype in (np.float16, np.float32) else np.float64
    far = 2**53
    if values.dtype.kind in "iu" and (values.max(initial=0) > far or values.min(initial=0) < -far):
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
        if read.dtype.kind not in "biu" or (read.dtype != bool and not ((read == 0) | (read == 1)).all()):
            raise UsageError(f"{what} must be true or false (or 1 or 0) in every cell; got {read.dtype}.")
        given[what] = read.astype(np.uint8)
    if not given:
        return None
    bits = given.get("retrieved", RETRIEVED) | given.get("judged", np.uint8(1)) << 1
    return np.ascontiguousarray(np.broadcast_to(bits * given.get("mask", np.uint8(1)), shape))


def _grades(labels: Any, shape: tuple[int, ...], cells: NDArray[np.uint8] | None, padded: bool) -> NDArray[np.int32]:
    """The grades as 32-bit numbers; what is no grade is refused where it counts as one."""
    read = _host(labels, "labels")
    if read.shape != shape:
        raise _other_shape("labels", read.shape, shape)
    if read.dtype.kind not in "fiub":
        raise UsageError(f"labels must be grades; got {read.dtype}.")
    known = None if cells is None else (cells & JUDGED) != 0
    filled = read if known is None else np.where(known, read, 0)
    with np.errstate(invalid="ignore"):  # what is no whole number differs from what it becomes
        grades = np.ascontiguousarray(filled, dtype=np.int32)
    least, greatest = grades.min(initial=0), grades.max(initial=0)
    if not (grades == filled).all() or least < -GREATEST_GRADE or greatest > GREATEST_GRADE:
        raise _no_grades(read, known)
    if least < 0 and not padded:
        below = grades < 0
        raise InputError(
            f"labels[{_first(below)}] is {grades[_at(below)]}; {counted(int(below.sum()), 'cell')} below 0. If they "
            "are padding, say so with mask=; if they are grades, give mask=np.ones(labels.shape, bool)."
        )
    return grades


def _no_grades(read: NDArray[Any], known: NDArray[np.bool_] | None) -> InputError:
    """Where the first label is that is no whole grade, and how many there are."""
    if read.dtype == np.float16:
        read = read.astype(np.float32)  # in which the limits below can be written
    wrong = ~((read >= -GREATEST_GRADE) & (read <= GREATEST_GRADE))
    if read.dtype.kind == "f":
        wrong |= read != np.floor(read)
    if known is not None:
        wrong &= known
    return InputError(
        f"labels[{_first(wrong)}] is {read[_at(wrong)]}, which is no whole grade; "
        f"{counted(int(wrong.sum()), 'such cell')}. Say with judged= where there is no grade, and with mask= where "
        "there is no candidate."
    )


# Names of rows are kept for the next call up to this number: a training loop measures many batches of one size.
KEPT_NAMES = 100_000


def _numbers(queries: int) -> tuple[str, ...]:
    return tuple(map(str, range(queries)))


_kept_numbers = lru_cache(maxsize=4)(_numbers)


def _names(query_ids: Sequence[str] | None, queries: int) -> Sequence[str]:
    if query_ids is None:
        return _kept_numbers(queries) if queries <= KEPT_NAMES else _numbers(queries)
    ids = list(query_ids)
    if len(ids) != queries:
        raise UsageError(f"query_ids has {counted(len(ids), 'name')}, the matrices {counted(queries, 'row')}.")
    if not all(isinstance(query, str) for query in ids):
        raise UsageError("query_ids must be texts; for numbers: list(map(str, ids)).")
    if len(set(ids)) != len(ids):
        repeated = next(query for query, times in Counter(ids).items() if times > 1)
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
