"""Encoders: texts in, vectors out. What all share (tokens, pooling, vectors in a cache), and the static one, a table.

Texts that were encoded once are read back from the cache, under a key of the model and the texts themselves. Vectors of
texts are cached in chunks. Texts stand in the order of their hashes and a chunk ends at each hash that ends in six zero
bits, after 64 texts on average: where a text is changed, added or taken away, only its own chunk is encoded again,
wherever it stood. A key holds the model's identity and the hash of every text of the chunk, so a changed text cannot
meet an old vector. Chunks are written as soon as they are there: an encoding that was interrupted goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.kernel.cache import Cache
from rankproof.kernel.libraries import library

Vectors = NDArray[np.float32]


class Encoder(Protocol):
    """A model, ready.

    identity   everything its vectors depend on: hashes of its files, or its address; the settings; the library
    prompts    what it wants before a "query" and before a "document", where it wants anything
    """

    @property
    def identity(self) -> str:
        """In one line."""

    @property
    def prompts(self) -> Mapping[str, str]:
        """By "query" and "document"."""

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """A row for each text."""

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text a row for each of its tokens, each of length 1; marks that stand for no text are left out."""


def unit(vectors: Vectors) -> Vectors:
    """The rows with length 1; a row of zeros, which has no direction, stays one."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), dtype=np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Tokenized:
    """The tokens of one text: `numbers`, and which of them stand for text (and are no marks like [CLS])."""

    numbers: NDArray[np.int64]
    of_text: NDArray[np.bool_]


class Tokenizer:
    """A tokenizer.json. `length` is the most tokens of a text, marks included; None reads all; `marks` adds them."""

    def __init__(self, path: str, length: int | None, marks: bool = True) -> None:
        self._marks = marks
        try:
            self._tokenizer: Any = library("tokenizers", "A model that reads text").Tokenizer.from_file(path)
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error}.") from None
        except Exception as error:
            if type(error) is not Exception:  # the library raises the bare class for what it cannot read
                raise
            raise InputError(f"{path} is no tokenizer: {error}.") from None
        self._tokenizer.no_padding()
        if length is None:
            self._tokenizer.no_truncation()
        else:
            self._tokenizer.enable_truncation(length)

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """The number of each token."""
        numbers: Mapping[str, int] = self._tokenizer.get_vocab(with_added_tokens=True)
        return numbers

    def __call__(self, texts: Sequence[str]) -> list[Tokenized]:
        """The tokens of each text."""
        # Lone surrogates, which stand for bytes that are no UTF-8, cannot go to the library.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return [
            Tokenized(
                np.array(encoding.ids, dtype=np.int64), np.array(encoding.special_tokens_mask, dtype=np.int64) == 0
            )
            for encoding in self._tokenizer.encode_batch(clean, add_special_tokens=self._marks)
        ]


class StaticEncoder:
    """`weights` is a safetensors file with one table of tokens x dimensions, `tokenizer` its tokenizer.json."""

    prompts: Mapping[str, str] = {"query": "", "document": ""}

    def __init__(self, weights: str, tokenizer: str, length: int | None = None) -> None:
        self._weights, self._path, self._length = weights, tokenizer, length
        self._tokenizer = Tokenizer(tokenizer, length, marks=False)

    @cached_property
    def identity(self) -> str:
        """Hash of both files, and where texts are cut."""
        digest = sha256(b"rankproof static model 1\n")
        for path in (self._weights, self._path):
            with open(path, "rb") as file:
                digest.update(sha256(file.read()).digest())
        return f"model {digest.hexdigest()} static {self._length or 'all'} tokens"

    @cached_property
    def _table(self) -> Vectors:
        tables = list(library("safetensors.numpy", "A table of token vectors").load_file(self._weights).values())
        if len(tables) != 1 or tables[0].ndim != 2:
            raise InputError(f"{self._weights} must hold one table of tokens x dimensions.")
        return np.asarray(tables[0], dtype=np.float32)

    def _rows(self, tokenized: Tokenized) -> Vectors:
        # Tokens that the table was not made for count as its last one, as the table's own library has it.
        rows: Vectors = self._table[np.minimum(tokenized.numbers, len(self._table) - 1)]
        return rows

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """The mean of the tokens; zeros for a text without any."""
        rows = np.zeros((len(texts), self._table.shape[1]), np.float32)
        for i, tokenized in enumerate(self._tokenizer(texts)):
            if len(tokenized.numbers):
                rows[i] = self._rows(tokenized).mean(axis=0)
        return rows

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The rows of the tokens."""
        return [unit(self._rows(tokenized)) for tokenized in self._tokenizer(texts)]


Tokens = NDArray[np.float32]  # texts x tokens x dimensions


def _cls(tokens: Tokens) -> Vectors:
    return tokens[:, 0]


def _last(tokens: Tokens) -> Vectors:
    return tokens[:, -1]


def _max(tokens: Tokens) -> Vectors:
    return np.asarray(tokens.max(axis=1), dtype=np.float32)


def _mean(tokens: Tokens) -> Vectors:
    return np.asarray(tokens.mean(axis=1), dtype=np.float32)


def _mean_sqrt_len(tokens: Tokens) -> Vectors:
    return np.asarray(tokens.sum(axis=1) / np.sqrt(tokens.shape[1]), dtype=np.float32)


POOLINGS: Mapping[str, Callable[[Tokens], Vectors]] = {
    "cls_token": _cls,
    "mean_tokens": _mean,
    "max_tokens": _max,
    "mean_sqrt_len_tokens": _mean_sqrt_len,
    "lasttoken": _last,
}


def pooled(tokens: Tokens, ways: tuple[str, ...]) -> Vectors:
    """A row for each text; several ways stand side by side, in the order of POOLINGS."""
    return np.concatenate([pool(tokens) for name, pool in POOLINGS.items() if name in ways], axis=1)


# So many texts are encoded together, for texts of the same length to meet: the most an interruption can lose.
TOGETHER = 512


# Called with how many texts have their vectors, and how many there are.
EncodingProgress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Reports nothing."""


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True, eq=False)
class Kept(Generic[Row]):
    """How rows of one kind are made and kept: one for each text.

    what       names the kind in the key
    identity   everything a row depends on besides its text
    encode     rows of some texts
    pack       rows of a chunk as bytes; `unpack` gives them back, None where the bytes are not those of so many
    """

    what: str
    identity: str
    encode: Callable[[list[str]], Iterable[Row]]
    pack: Callable[[list[Row]], bytes]
    unpack: Callable[[bytes | None, int], Iterable[Row] | None]

    def rows(self, texts: Sequence[str], cache: Cache, report: EncodingProgress = _silent) -> list[Row]:
        """A row for each text: from the cache, or made now and kept."""
        hashes = [_hash(text) for text in texts]
        of_hash = dict(zip(hashes, texts, strict=True))
        made: dict[bytes, Row] = {}
        waiting: list[tuple[str, list[bytes]]] = []
        for chunk in _chunks(sorted(of_hash)):
            key = _key(self.what, self.identity, chunk)
            rows = self.unpack(cache.get(key), len(chunk))
            if rows is None:
                waiting.append((key, chunk))
            else:
                made.update(zip(chunk, rows, strict=True))
        if waiting:
            report(len(made), len(of_hash))
        for group in _groups(waiting):
            every = [text_hash for _, chunk in group for text_hash in chunk]
            made.update(zip(every, self.encode([of_hash[h] for h in every]), strict=True))
            for key, chunk in group:
                cache.put(key, self.pack([made[h] for h in chunk]))
            report(len(made), len(of_hash))
        return [made[h] for h in hashes]


def kept_vectors(
    encoder: Encoder,
    texts: Sequence[str],
    cache: Cache,
    report: EncodingProgress = _silent,
    encode: Callable[[list[str]], Iterable[NDArray[np.float32]]] | None = None,
) -> Vectors:
    """A row for each text, made by `encode` where it is given, and else by the encoder."""
    made = encode or encoder.vectors
    kept: Kept[NDArray[np.float32]] = Kept("vectors", encoder.identity, made, _pack, _unpack)
    rows = kept.rows(texts, cache, report)
    return np.stack(rows) if rows else np.empty((0, 0), np.float32)


def _pack(rows: list[NDArray[np.float32]]) -> bytes:
    return np.stack(rows).astype("<f4").tobytes()


def kept_token_vectors(encoder: Encoder, texts: Sequence[str], cache: Cache) -> list[NDArray[np.float16]]:
    """For each text the rows of its tokens, each text under a key of its own; 16 bits are enough for a cosine."""
    keys = [_key("tokens", encoder.identity, [_hash(text)]) for text in texts]
    stored = [_unpack_tokens(cache.get(key)) for key in keys]
    missing = [i for i, rows in enumerate(stored) if rows is None]
    for i, rows in zip(missing, encoder.token_vectors([texts[i] for i in missing]) if missing else [], strict=True):
        stored[i] = keep_tokens(encoder.identity, texts[i], rows, cache)
    return [rows for rows in stored if rows is not None]


def keep_tokens(identity: str, text: str, rows: Vectors, cache: Cache) -> NDArray[np.float16]:
    """Puts the rows of a text's tokens into the cache, where `kept_token_vectors` looks for them; gives what it put."""
    small = np.asarray(rows, dtype="<f2")
    cache.put(_key("tokens", identity, [_hash(text)]), np.array(small.shape, "<u4").tobytes() + small.tobytes())
    return small


def _hash(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogateescape")).digest()


def _key(what: str, identity: str, hashes: list[bytes]) -> str:
    return sha256(b"\n".join([f"{what} 1\n{identity}\n".encode(), b"".join(hashes)])).hexdigest()


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
