"""What every model is to those who use it: texts in, vectors out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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
