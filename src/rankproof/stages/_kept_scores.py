"""Scores of a cross-encoder that are kept: a pair that was read once is not read again.

There is an entry for each query, under a key of the model's files, what runs them, where pairs are cut, and the words
of the query. It holds the score of each passage by the hash of its text, so another depth or another engine before it
pays only for passages that the query has not met, and a changed text cannot meet an old score. What a pair took, its
share of the time of all that were read with it, is kept beside its score.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from rankproof.records.ground import Cache
from rankproof.stages._cross_encoder import CrossEncoder

_ENTRY = np.dtype([("passage", "V16"), ("score", "<f8"), ("milliseconds", "<f8")])


class KeptScores:
    """The scores of a model, from the cache where they are there."""

    def __init__(self, model: CrossEncoder, batch: int, cache: Cache) -> None:
        self._model, self._batch, self._cache = model, batch, cache

    def __call__(self, query: str, passages: Sequence[str]) -> tuple[NDArray[np.float64], float]:
        """How well each passage fits, NaN where the model gives no number; and what those that were kept took once."""
        key = sha256(f"cross-encoder 1\n{self._model.settings}\n".encode() + _bytes(query)).hexdigest()
        known = _read(self._cache.get(key))
        hashes = [sha256(_bytes(passage)).digest()[:16] for passage in passages]
        saved = sum(known[h][1] for h in set(hashes) if h in known)
        new = {h: passage for h, passage in zip(hashes, passages, strict=True) if h not in known}
        if new:
            began = time.perf_counter()
            found = self._model.scores(query, list(new.values()), self._batch)
            each = 1000 * (time.perf_counter() - began) / len(new)
            known.update((h, (score, each)) for h, score in zip(new, found.tolist(), strict=True))
            whole = [(h, *entry) for h, entry in known.items() if np.isfinite(entry[0])]
            self._cache.put(key, np.array(whole, dtype=_ENTRY).tobytes())
        return np.array([known[h][0] for h in hashes], dtype=np.float64), saved


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _read(data: bytes | None) -> dict[bytes, tuple[float, float]]:
    """Score and milliseconds by the hash of the passage."""
    if data is None or len(data) % _ENTRY.itemsize:
        return {}
    entries = np.frombuffer(data, dtype=_ENTRY)
    hashes, columns = entries["passage"], (entries["score"].tolist(), entries["milliseconds"].tolist())
    return dict(zip((bytes(h) for h in hashes), zip(*columns, strict=True), strict=True))
