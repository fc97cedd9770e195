"""Keys: ids of pages and sessions that are only ever compared, sixteen bytes for each instead of its text."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

Digests = NDArray[np.uint64]
# Stands for no id. That a text has this digest is as likely as that two texts have the same: not in the age of logs.
NONE = bytes(16)
# Put in order so many at a time, more or less, so that what this takes beside them stays small.
KEYS_AT_ONCE = 1_000_000


def digests(ids: Iterable[str | None]) -> Digests:
    """Two numbers for each id; zeros where there is none."""
    joined = b"".join(NONE if key is None else blake2b(_bytes(key), digest_size=16).digest() for key in ids)
    return np.frombuffer(joined, dtype=np.uint64).reshape(-1, 2)


def numbered(keys: Digests) -> NDArray[np.int64]:
    """A number for each key, from 0 in the order in which keys first appear. Each without an id has its own."""
    first = np.zeros(len(keys), dtype=np.int64)
    shares = len(keys) // KEYS_AT_ONCE + 1
    for share in range(shares):
        at = np.flatnonzero((keys[:, 0] ^ keys[:, 1]) % np.uint64(shares) == share)
        some = keys[at]
        order = np.lexsort((some[:, 1], some[:, 0]))
        ordered, at = some[order], at[order]
        new = np.ones(len(at), dtype=np.bool_)
        new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1) | ~ordered[1:].any(axis=1)
        # lexsort keeps equal keys in their order, so that the first of a run is where the key appeared first.
        first[at] = np.repeat(at[new], np.diff(np.flatnonzero(new), append=len(at)))
    appeared = np.zeros(len(keys), dtype=np.bool_)
    appeared[first] = True
    found: NDArray[np.int64] = np.cumsum(appeared, dtype=np.int64)[first]
    found -= 1
    return found


def _bytes(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")
