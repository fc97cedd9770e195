"""Vectors that are kept: texts that were encoded once are read back, under a key of the model and the texts themselves.

Vectors of texts are kept in chunks. Texts stand in the order of their hashes and a chunk ends at each hash that ends in
six zero bits, after 64 texts on average: where a text is changed, added or taken away, only its own chunk is encoded
again, wherever it stood. A key holds the model's identity and the hash of every text of the chunk, so a changed text
cannot meet an old vector. Chunks are kept as soon as they are there: an encoding that was interrupted goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.cache import Cache
from rankproof.stack.models.encoder import Encoder, Vectors

# So many texts are encoded together, for texts of the same length to meet: the most an interruption can lose.
TOGETHER = 512


# Called with how many texts have their vectors, and how many there are.
EncodingProgress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Reports nothing."""


def kept_vectors(encoder: Encoder, texts: Sequence[str], cache: Cache, report: EncodingProgress = _silent) -> Vectors:
    """A row for each text."""
    hashes = [_hash(text) for text in texts]
    of_hash = dict(zip(hashes, texts, strict=True))
    vectors: dict[bytes, NDArray[np.float32]] = {}
    waiting: list[tuple[str, list[bytes]]] = []
    for chunk in _chunks(sorted(of_hash)):
        key = _key("vectors", encoder, chunk)
        rows = _unpack(cache.get(key), len(chunk))
        if rows is None:
            waiting.append((key, chunk))
        else:
            vectors.update(zip(chunk, rows, strict=True))
    if waiting:
        report(len(vectors), len(of_hash))
    for group in _groups(waiting):
        every = [text_hash for _, chunk in group for text_hash in chunk]
        vectors.update(zip(every, encoder.vectors([of_hash[h] for h in every]), strict=True))
        for key, chunk in group:
            cache.put(key, np.stack([vectors[h] for h in chunk]).astype("<f4").tobytes())
        report(len(vectors), len(of_hash))
    return np.stack([vectors[h] for h in hashes]) if hashes else np.empty((0, 0), np.float32)


def kept_token_vectors(encoder: Encoder, texts: Sequence[str], cache: Cache) -> list[NDArray[np.float16]]:
    """For each text the rows of its tokens, each text under a key of its own; 16 bits are enough for a cosine."""
    keys = [_key("tokens", encoder, [_hash(text)]) for text in texts]
    stored = [_unpack_tokens(cache.get(key)) for key in keys]
    missing = [i for i, rows in enumerate(stored) if rows is None]
    for i, rows in zip(missing, encoder.token_vectors([texts[i] for i in missing]) if missing else [], strict=True):
        small = np.asarray(rows, dtype="<f2")
        cache.put(keys[i], np.array(small.shape, "<u4").tobytes() + small.tobytes())
        stored[i] = small
    return [rows for rows in stored if rows is not None]


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()


def _key(what: str, encoder: Encoder, hashes: list[bytes]) -> str:
    return sha256(b"\n".join([f"{what} 1\n{encoder.identity}\n".encode(), b"".join(hashes)])).hexdigest()


def _chunks(hashes: list[bytes]) -> Iterator[list[bytes]]:
    chunk: list[bytes] = []
    for text_hash in hashes:
        chunk.append(text_hash)
        if text_hash[-1] & 0x3F == 0:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _groups(waiting: list[tuple[str, list[bytes]]]) -> Iterator[list[tuple[str, list[bytes]]]]:
    group: list[tuple[str, list[bytes]]] = []
    for entry in waiting:
        group.append(entry)
        if sum(len(chunk) for _, chunk in group) >= TOGETHER:
            yield group
            group = []
    if group:
        yield group


def _unpack(data: bytes | None, count: int) -> Vectors | None:
    if data is None or not data or len(data) % (4 * count):
        return None
    return np.frombuffer(data, "<f4").reshape(count, -1).astype(np.float32, copy=False)


def _unpack_tokens(data: bytes | None) -> NDArray[np.float16] | None:
    if data is None or len(data) < 8:
        return None
    tokens, size = np.frombuffer(data, "<u4", count=2).tolist()
    if len(data) != 8 + 2 * tokens * size:
        return None
    return np.frombuffer(data, "<f2", offset=8).reshape(tokens, size).astype(np.float16, copy=False)
