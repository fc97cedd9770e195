"""What Run and Qrels share: where each query's rows are, and a fingerprint that no format changes."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from rankproof.core._core import Rows


def starts(rows: Rows) -> NDArray[np.int64]:
    """Where each query's rows begin, and the end. The rows of a query stand together."""
    depth = np.bincount(rows.query, minlength=len(rows.query_ids))
    return np.concatenate(([0], np.cumsum(depth))).astype(np.int64)


def of_queries(start: NDArray[np.int64], queries: Sequence[int]) -> NDArray[np.int64]:
    """The rows of the given queries, one query after the other."""
    chosen = np.array(queries, dtype=np.int64)
    sizes = np.diff(start)[chosen]
    begins = np.concatenate(([0], np.cumsum(sizes)))
    inside = np.arange(begins[-1], dtype=np.int64) - np.repeat(begins[:-1], sizes)
    rows: NDArray[np.int64] = np.repeat(start[chosen], sizes) + inside
    return rows


def fingerprint(kind: str, rows: Rows, numbers: NDArray[np.float64] | None, labels: Sequence[str] = ()) -> str:
    """SHA-256 of rows in a fixed order. Ids come with their lengths: no two contents give the same bytes."""
    digest = sha256(f"rankproof {kind} 1\n".encode())
    ids = [query.encode("utf-8", "surrogateescape") for query in rows.query_ids]
    for column in (
        [len(query) for query in ids],
        np.bincount(rows.query, minlength=len(ids)),
        np.diff(rows.doc_start),
    ):
        digest.update(np.asarray(column, dtype="<i8").tobytes())
    digest.update(b"".join(ids))
    digest.update(rows.doc_data.tobytes())
    if numbers is not None:
        # Adding 0 makes one zero of 0.0 and -0.0, which are equal and have different bytes.
        digest.update((numbers + 0.0).astype("<f8").tobytes())
    if labels:
        encoded = [label.encode("utf-8", "surrogateescape") for label in labels]
        digest.update(np.array([len(label) for label in encoded], dtype="<i8").tobytes())
        digest.update(b"".join(encoded))
    return digest.hexdigest()
