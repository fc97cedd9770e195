"""Static vectors: a table of one vector for each token; a text is the mean of its tokens. No network is run.

source: WordLlama, github.com/dleemiller/WordLlama: token tables of large language models, made small by training
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import sha256

import numpy as np

from rankproof.errors import InputError
from rankproof.models.encoder import Vectors, unit
from rankproof.models.library import library
from rankproof.models.tokens import Tokenized, Tokenizer


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
        found = np.zeros((len(texts), self._table.shape[1]), np.float32)
        for i, tokenized in enumerate(self._tokenizer(texts)):
            if len(tokenized.numbers):
                found[i] = self._rows(tokenized).mean(axis=0)
        return found

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The rows of the tokens."""
        return [unit(self._rows(tokenized)) for tokenized in self._tokenizer(texts)]
