"""Texts to the numbers of their tokens, as the model's own tokenizer has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.models.library import library


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

    def __call__(self, texts: Sequence[str]) -> list[Tokenized]:
        """The tokens of each text."""
        # Lone surrogates, which stand for bytes that are no UTF-8, cannot go to the library.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        return [
            Tokenized(np.array(found.ids, dtype=np.int64), np.array(found.special_tokens_mask, dtype=np.int64) == 0)
            for found in self._tokenizer.encode_batch(clean, add_special_tokens=self._marks)
        ]
