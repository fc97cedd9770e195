"""Columns on disk: large arrays lie in unnamed temporary files, which vanish with the process.

A column is an array like any other, mapped from its file where it is large. Pages that were read count as memory
of the process until they are released; the file keeps them. A spool is for arrays that are written and read back whole.
"""

from __future__ import annotations

import math
import mmap
import os
import tempfile
from collections.abc import Callable
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankproof.errors import InputError

# Bytes of one column from which on it lies in a file; bytes that a spool holds before it uses one.
LARGE = 2**24
# Bytes of the columns that a spool makes.
BLOCK = 2**26
# A system that reads from a file also maps what lies around it, as far as this.
AROUND = 2**16

Again = Callable[[], NDArray[Any]]


def zeros(shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """A column of zeros: in memory, or mapped from a file where it is large."""
    size = math.prod(shape if isinstance(shape, tuple) else (shape,)) * np.dtype(dtype).itemsize
    if size < max(LARGE, 1):
        return np.zeros(shape, dtype=dtype)
    with tempfile.TemporaryFile() as file:
        _make_room(file, size)
        return np.frombuffer(mmap.mmap(file.fileno(), size), dtype=dtype).reshape(shape)


def put(column: NDArray[Any]) -> NDArray[Any]:
    """The same values where `zeros` would have them."""
    if column.nbytes < LARGE or is_in_file(column):
        return column
    copy = zeros(column.shape, column.dtype)
    copy[...] = column
    let_go(copy)
    return copy


def is_in_file(column: NDArray[Any]) -> bool:
    """Whether a column, or what it is a part of, lies in a file."""
    return _mapped(column) is not None


def let_go(*columns: NDArray[Any] | None) -> None:
    """Releases the memory of columns that lie in a file; using them again reads them again."""
    for column in columns:
        base = None if column is None else _mapped(column)
        # Systems without the call release the memory themselves when it is short.
        if column is None or base is None or not column.size or not hasattr(base, "madvise"):
            continue
        start = _address(column) - _address(np.frombuffer(base, dtype=np.uint8))
        first = max(start - AROUND, 0) // mmap.PAGESIZE * mmap.PAGESIZE
        base.madvise(mmap.MADV_DONTNEED, first, min(start + column.nbytes + AROUND, len(base)) - first)


class Spool:
    """Stores arrays one after the other: in memory while they are few, then in columns that lie in files."""

    def __init__(self) -> None:
        self._held = 0
        self._block: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self._used = 0

    def put(self, array: NDArray[Any]) -> Again:
        """Writes an array to the file and returns a function that reads it back."""
        self._held += array.nbytes
        if self._held < LARGE or not array.size:
            return lambda: array
        if self._used + array.nbytes > len(self._block):
            self._block, self._used = zeros(max(BLOCK, array.nbytes), np.uint8), 0
        place = self._block[self._used : self._used + array.nbytes]
        self._used += array.nbytes
        place[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        let_go(place)
        shape, dtype = array.shape, array.dtype
        return lambda: _read(place, shape, dtype)


def _read(place: NDArray[np.uint8], shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    taken = place.copy()
    let_go(place)
    return taken.view(dtype).reshape(shape)


def _mapped(column: NDArray[Any]) -> mmap.mmap | None:
    base: Any = column
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    return base if isinstance(base, mmap.mmap) else None


def _address(column: NDArray[Any]) -> int:
    return int(column.__array_interface__["data"][0])


def _make_room(file: IO[bytes], size: int) -> None:
    """Reserves the space, so that a full disk is an error now and not a fault of the mapping later."""
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)
    except OSError as error:
        raise _no_room(size, error) from None


def _no_room(size: int, error: OSError) -> InputError:
    return InputError(
        f"{size / 2**20:,.0f} MiB more do not fit into the folder for temporary files, {tempfile.gettempdir()}: "
        f"{error.strerror}. Make room there, or name another folder in the environment: TMPDIR."
    )
