"""Vectors of queries, for engines that search by vectors that somebody else indexed: from a column, or from a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Protocol

from rankproof.errors import InputError
from rankproof.kernel.specs.kinds import Param, Text, finite
from rankproof.reading.collection import Query
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.models.encoder import Encoder
from rankproof.stack.models.find import ENDPOINT_PARAMS, MODEL_PARAMS, open_model, prefixes
from rankproof.stack.records import Ground, Values

_OF_MODEL = tuple(param for param in MODEL_PARAMS if param.name not in ("model", "document_prefix"))

VECTOR_PARAMS = (
    Param(
        "vector", Text(), "vector", "column of the queries that holds their vectors as JSON, where no model is named"
    ),
    Param("model", Text(), None, "model that makes vectors of queries, the one the documents were indexed with"),
    *_OF_MODEL,
    *ENDPOINT_PARAMS,
)


class QueryVectors(Protocol):
    """The vector of a query.

    identity   what the vectors depend on besides the queries; where it is asked, everything is made ready
    """

    @property
    def identity(self) -> Mapping[str, str]:
        """By what it is."""

    def __call__(self, query: Query) -> list[float]:
        """The numbers; AskFailed where there are none."""


def open_vectors(values: Values, ground: Ground) -> QueryVectors:
    """As VECTOR_PARAMS say."""
    if values["model"] is None:
        return ColumnVectors(values["vector"])
    encoder = open_model(values, ground)
    return ModelVectors(encoder, prefixes({**values, "document_prefix": ""}, encoder)[0])


class ColumnVectors:
    """Vectors from a column of the queries, as JSON: [0.1, -0.2]."""

    identity: Mapping[str, str] = {}

    def __init__(self, column: str) -> None:
        self._column = column

    def __call__(self, query: Query) -> list[float]:
        """The numbers in the column."""
        text = query.columns.get(self._column)
        if text is None:
            raise AskFailed(
                "missing column",
                f"The query has no column {self._column!r}, which should hold its vector. Add it, or name a model.",
                again=False,
            )
        try:
            vector = json.loads(text)
        except ValueError:
            vector = None
        return _checked(vector, f"The column {self._column!r} holds {text!r:.40}")


class ModelVectors:
    """Vectors that a model makes while the query is asked: its time is part of the query's time."""

    def __init__(self, encoder: Encoder, prefix: str) -> None:
        self._encoder, self._prefix = encoder, prefix

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """The model and the prefix. Its weights are read now: the first query should not pay for that."""
        try:
            self._encoder.vectors(["ready"])
        except InputError as error:
            raise AskFailed("no vector", str(error), again=False) from None
        return {"model": self._encoder.identity, "query_prefix": self._prefix}

    def __call__(self, query: Query) -> list[float]:
        """The numbers that the model gives."""
        try:
            vector = self._encoder.vectors([f"{self._prefix}{query.text}"])[0].tolist()
        except InputError as error:
            raise AskFailed("no vector", str(error), again=False) from None
        return _checked(vector, "The model gave a vector without a direction")


def _checked(vector: object, description: str) -> list[float]:
    """The numbers, if they are a vector that has a direction."""
    numbers = [finite(n) for n in vector] if isinstance(vector, list) else []
    if None in numbers or not any(numbers):
        why = f"{description}. A vector is a list of numbers, not all of them 0, such as [0.1, -0.2]."
        raise AskFailed("bad vector", why, again=False)
    return [n for n in numbers if n is not None]
