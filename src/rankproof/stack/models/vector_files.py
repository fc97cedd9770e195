"""Vector files: ids and a vector for each, as a team keeps them that has an index already.

    .npy       numbers, ids x dimensions; their ids in a file beside it: NAME.ids.txt (an id in each line, in the order
               of the rows) or NAME.ids.json (a list)
    .npz       arrays `ids` and `vectors`
    .jsonl     {"id": "d1", "vector": [0.1, -0.2]} in each line; may be compressed
    .parquet   a column of ids, and one of lists of numbers

Ids may be called id, _id, doc_id or query_id, and vectors vector, vectors, embedding or embeddings. The content decides
what a file is, and not its name. Numbers become 32-bit ones. A file is taken whole or not at all: vectors of different
lengths, numbers that are not finite, vectors of zeros and ids that stand twice are refused, each with its place.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.libraries import library
from rankproof.kernel.sections import counted, some
from rankproof.reading.source import open_source

IDS: Final = ("id", "_id", "doc_id", "query_id", "ids")
VECTORS: Final = ("vector", "embedding", "vectors", "embeddings")
BESIDE: Final = (".ids.txt", ".ids.json")
FORMS: Final = (
    '.npy with its ids beside it, .npz with ids and vectors, JSON lines such as {"id": "d1", "vector": [0.1, -0.2]}, '
    "or Parquet with a column of ids and one of lists of numbers"
)


@dataclass(frozen=True, slots=True, eq=False)
class VectorFile:
    """A file that was read: a row of `vectors` for each of `ids`; `content_hash` is that of its bytes, ids included."""

    name: str
    ids: tuple[str, ...]
    vectors: NDArray[np.float32]
    content_hash: str


def read_vector_file(path: str) -> VectorFile:
    """The file at a path; InputError that says what is wrong with it and where."""
    source = open_source(path)
    data = source.data
    digest = sha256(b"rankproof vectors 1\n" + sha256(data).digest())
    if data.startswith(b"\x93NUMPY"):
        beside, listed = _ids_beside(path)
        digest.update(sha256(beside).digest())
        ids, rows = listed, _array(data, path)
    elif data.startswith(b"PK"):
        ids, rows = _npz(data, path)
    elif data.startswith(b"PAR1"):
        ids, rows = _parquet(data, path)
    elif data.lstrip()[:1] == b"{":
        ids, rows = _json_lines(source.text(), path)
    else:
        what = "is empty" if not data.strip() else "is none of these"
        raise InputError(f"{path} {what}. A file of vectors is {FORMS}.")
    return VectorFile(path, *_checked(path, ids, rows), digest.hexdigest())


def _checked(
    path: str, ids: Sequence[object], rows: NDArray[np.generic]
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Ids as texts and vectors as 32-bit numbers; refused where either cannot be."""
    if rows.ndim != 2 or not rows.shape[1] or rows.dtype.kind not in "fiu":
        raise InputError(
            f"{path}: vectors must be numbers, ids x dimensions; got an array of shape {rows.shape} and type "
            f"{rows.dtype}."
        )
    if len(ids) != len(rows):
        raise InputError(f"{path}: there are {counted(len(ids), 'id')} and {counted(len(rows), 'vector')}.")
    if not len(ids):
        raise InputError(f"{path} holds no vector. A file of vectors is {FORMS}.")
    names = tuple(id_text(value, f"{path}, row {row}") for row, value in enumerate(ids, 1))
    double = [name for name, often in Counter(names).items() if often > 1]
    if double:
        raise InputError(
            f"{path}: {counted(len(double), 'id')} {'stands' if len(double) == 1 else 'stand'} there more than once: "
            f"{some(double)}. Keep one vector for each."
        )
    with np.errstate(over="ignore"):
        vectors = np.ascontiguousarray(rows, dtype=np.float32)
    _refuse_rows(path, names, np.isfinite(vectors).all(axis=1), "numbers that are not finite (NaN or infinity)")
    _refuse_rows(path, names, vectors.any(axis=1), "nothing but zeros, which have no direction")
    return names, vectors


def _refuse_rows(path: str, names: Sequence[str], right: NDArray[np.bool_] | np.bool_, what: str) -> None:
    ids = [names[i] for i in np.flatnonzero(np.logical_not(right)).tolist()]
    if ids:
        raise InputError(
            f"{path}: {counted(len(ids), 'vector')} {'has' if len(ids) == 1 else 'have'} {what}: {some(ids)}. Make "
            "them again, or leave them out of the file."
        )


def id_text(value: object, where: str) -> str:
    """An id as a text: a text, or a whole number."""
    if isinstance(value, bytes | np.bytes_):
        return bytes(value).decode("utf-8", "surrogateescape")
    if isinstance(value, str) and value:
        return str(value)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    raise InputError(f"{where}: an id must be a text or a whole number; got {value!r:.60}.")


# ---- NumPy ----------------------------------------------------------------------------------------


def _array(data: bytes, name: str) -> NDArray[np.generic]:
    try:
        array: NDArray[np.generic] = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise InputError(
            f"{name} cannot be read as an array: {error}. Arrays of Python objects are not taken: save numbers, and "
            "ids as texts of NumPy (dtype '<U...')."
        ) from None
    return array


def _ids_beside(path: str) -> tuple[bytes, list[object]]:
    """The bytes and the ids of the file beside a .npy."""
    stem = path[:-4] if path.endswith(".npy") else path
    there = [stem + ending for ending in BESIDE if os.path.isfile(stem + ending)]
    if len(there) != 1:
        what = f"has both {' and '.join(there)} beside it" if there else "has no ids beside it"
        raise InputError(
            f"{path} {what}. Put the ids of its rows into {stem}{BESIDE[0]}, one in each line, or as a JSON list into "
            f"{stem}{BESIDE[1]}."
        )
    source = open_source(there[0])
    text = source.text()
    if there[0].endswith(".json"):
        listed = from_json(text, there[0])
        if not isinstance(listed, list):
            raise InputError(f"{there[0]} must hold a JSON list of ids; got {listed!r:.60}.")
        return source.data, listed
    lines = text.removesuffix("\n").split("\n") if text else []
    return source.data, [line.removesuffix("\r") for line in lines]


def _npz(data: bytes, path: str) -> tuple[list[object], NDArray[np.generic]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            arrays = {
                name.removesuffix(".npy"): _array(archive.read(name), f"{path}, {name}") for name in archive.namelist()
            }
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"{path} is damaged, or no .npz of NumPy: {error}.") from None
    ids, vectors = (only_one(path, "array", arrays, names) for names in (IDS, VECTORS))
    if arrays[ids].ndim != 1:
        raise InputError(f"{path}: {ids} must be a list of ids; got an array of shape {arrays[ids].shape}.")
    return list(arrays[ids]), arrays[vectors]


def only_one(path: str, what: str, there: Iterable[str], names: Sequence[str]) -> str:
    """The one of these names that is there."""
    present = list(there)
    found = [name for name in names if name in present]
    if len(found) == 1:
        return found[0]
    has = f"has {' and '.join(found)}" if found else f"has no {what} called {', '.join(names)}"
    raise InputError(f"{path} {has}; it must have one of them. It has: {some(present) or 'nothing'}.")


# ---- JSON lines and Parquet -----------------------------------------------------------------------


def _json_lines(text: str, path: str) -> tuple[list[object], NDArray[np.generic]]:
    ids: list[object] = []
    rows: list[NDArray[np.float64]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        record = from_json(line, where)
        if not isinstance(record, Mapping):
            raise InputError(f"{where}: must be an object with an id and a vector; got {record!r:.60}.")
        ids.append(record[only_one(where, "key", record, IDS)])
        rows.append(_numbers(record[only_one(where, "key", record, VECTORS)], where))
        if len(rows[-1]) != len(rows[0]):
            raise InputError(
                f"{where}: the vector of {ids[-1]!r:.60} has {len(rows[-1])} dimensions, and those before it have "
                f"{len(rows[0])}."
            )
    return ids, np.array(rows)


def _numbers(value: object, where: str) -> NDArray[np.float64]:
    fits = isinstance(value, list) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in value)
    if not isinstance(value, list) or not value or not fits:
        raise InputError(f"{where}: a vector must be a list of numbers; got {value!r:.60}.")
    try:
        return np.array(value, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{where}: a number of the vector is too large.") from None


def _parquet(data: bytes, path: str) -> tuple[list[object], NDArray[np.generic]]:
    arrow, reader = (library(name, "A Parquet file of vectors") for name in ("pyarrow", "pyarrow.parquet"))
    try:
        table = reader.read_table(arrow.BufferReader(data))
    except (arrow.ArrowException, OSError, ValueError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise InputError(f"{path} cannot be read as Parquet: {lines[0][:160]}.") from None
    names: list[str] = table.column_names
    ids, vectors = (only_one(path, "column", names, some_names) for some_names in (IDS, VECTORS))
    column = table.column(vectors).combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") else column
    lists = any(getattr(arrow.types, f"is_{kind}")(column.type) for kind in ("list", "large_list", "fixed_size_list"))
    numeric = lists and (
        arrow.types.is_floating(column.type.value_type) or arrow.types.is_integer(column.type.value_type)
    )
    if not numeric:
        raise InputError(f"{path}: the column {vectors} must hold lists of numbers; it holds {column.type}.")
    flat = column.flatten()
    if column.null_count or flat.null_count:
        raise InputError(f"{path}: the column {vectors} has rows or numbers that are null. Leave these rows out.")
    if not arrow.types.is_fixed_size_list(column.type):
        lengths = sorted(set(column.value_lengths().to_pylist()))
        if len(lengths) > 1:
            raise InputError(f"{path}: vectors have from {lengths[0]} to {lengths[-1]} dimensions; they must have one.")
    numbers: NDArray[np.generic] = flat.to_numpy(zero_copy_only=False)
    listed: list[object] = table.column(ids).to_pylist()
    return listed, numbers.reshape(len(column), -1) if len(column) else np.empty((0, 1))
