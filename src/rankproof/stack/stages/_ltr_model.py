"""The file of a learned fusion: a line that names it, a line of JSON that says what it was trained on, LightGBM's text.

The texts of the queries are not in it, only their ids and hashes: enough to tell whether a query was trained on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.jsontext import from_json, to_json
from rankproof.kernel.libraries import library
from rankproof.kernel.sections import counted
from rankproof.reading.collection import Query
from rankproof.reading.datasets.queries import normal
from rankproof.reading.source import open_source
from rankproof.stack.records import Step

MARK: Final = "# rankproof learned fusion 1"
WHO: Final = "The stage fuse_ltr"


class Trees(Protocol):
    """What LightGBM made."""

    def predict(self, data: NDArray[np.float64], num_iteration: int | None = None) -> NDArray[np.float64]:
        """A score for each row, by the first trees, or by all."""

    def feature_importance(self, importance_type: str = "split") -> NDArray[np.float64]:
        """What splits on each feature saved ("gain"), or how many there are."""

    def model_to_string(self, num_iteration: int | None = None) -> str:
        """As text."""


@dataclass(frozen=True, slots=True)
class LtrHeader:
    """What a model was trained on.

    features     their names, in order
    fields       of the corpus whose texts were read; None where no text was
    inputs       the pipelines that flowed in, as text, and `keys` of them
    identities   what the steps of each depended on: hashes of models, versions
    depth        how many documents of each pipeline were looked at
    corpus       hash of the documents; "" without texts
    dataset      hash of the queries and judgments it was trained on
    split        which queries those were
    queries      their ids, and a hash of each text
    grades       how many judged candidates had each grade
    text         SHA-256 of what follows the header
    """

    features: tuple[str, ...]
    fields: tuple[str, ...] | None
    inputs: tuple[str, ...]
    keys: tuple[str, ...]
    identities: tuple[tuple[Mapping[str, str], ...], ...]
    depth: int
    corpus: str
    dataset: str
    split: str
    queries: Mapping[str, str]
    grades: Mapping[str, int]
    measure: str
    trees: int
    seed: int
    lightgbm: str
    rankproof: str
    text: str = field(default="")

    def trained_on(self, query: Query, corpus: str) -> bool:
        """Whether it has seen the query: its text, or its id among the same documents."""
        return text_hash(query.text) in self.queries.values() or (
            corpus == self.corpus and query.query_id in self.queries
        )

    def refuse_inputs(self, name: str, inputs: Sequence[Step], depth: int) -> None:
        """UsageError where other pipelines flow in than it was trained for, or less of them."""
        if len(inputs) != len(self.keys):
            raise UsageError(
                f"{name} was trained for {counted(len(self.keys), 'pipeline')} ({'; '.join(self.inputs)}), and "
                f"{len(inputs)} flow into it. Give it those, in this order, or train it again: rankproof tune."
            )
        for number, (step, key) in enumerate(zip(inputs, self.keys, strict=True), 1):
            if step.key != key:
                same = " (a parameter that is not shown differs)" if step.text == self.inputs[number - 1] else ""
                raise UsageError(
                    f"{name} was trained with {self.inputs[number - 1]} as pipeline {number}, and {step.text} flows "
                    f"into it{same}. Give it the pipelines it knows, in their order, or train it again: rankproof tune."
                )
        if depth < self.depth:
            raise UsageError(
                f"{name} was trained on the first {self.depth} documents of each pipeline, and here are {depth}. Set "
                f"depth = {self.depth} in [benchmark], or train it again: rankproof tune."
            )


@dataclass(frozen=True, slots=True, eq=False)
class LtrModel:
    """A file that was read: header, trees, and the hash of the whole."""

    header: LtrHeader
    trees: Trees
    content_hash: str


def text_hash(text: str) -> str:
    """Of a query's text, for which case and white space count as they do when splits are made."""
    return sha256(normal(text).encode("utf-8", "surrogateescape")).hexdigest()[:32]


def model_text(header: LtrHeader, trees: str) -> str:
    """The file of a model."""
    sealed = {**asdict(header), "text": sha256(trees.encode()).hexdigest()}
    return f"{MARK}\n# {to_json(sealed)}\n{trees}"


def read_ltr_model(path: str, name: str) -> LtrModel:
    """The model at a path; a file that is none, or was changed, is refused before LightGBM sees it.

    name    what messages call it
    """
    data = open_source(path, name).data
    text = data.decode("utf-8", "replace")
    first, _, rest = text.partition("\n")
    head, _, trees = rest.partition("\n")
    if first.strip() != MARK:
        what = f"its first line is {first!r:.60}" if text else "it is empty"
        raise InputError(
            f"{name} is no learned fusion of this version: {what}, and not {MARK!r}. `rankproof tune` writes one with "
            "method = 'train' in [tune]."
        )
    document = from_json(head.removeprefix("# "), f"{name}, line 2")
    header = _header(document, name)
    if sha256(trees.encode()).hexdigest() != header.text:
        raise InputError(f"{name} is damaged or was changed: its trees are not those of its header. Train it again.")
    booster: Trees = library("lightgbm", WHO).Booster(model_str=trees)
    return LtrModel(header, booster, sha256(data).hexdigest())


_KINDS: Final[Mapping[str, type]] = {
    **dict.fromkeys(("features", "inputs", "keys", "identities"), list),
    **dict.fromkeys(("queries", "grades"), dict),
    **dict.fromkeys(("depth", "trees", "seed"), int),
    **dict.fromkeys(("corpus", "dataset", "split", "measure", "lightgbm", "rankproof", "text"), str),
}


def _header(document: object, name: str) -> LtrHeader:
    known = [entry.name for entry in fields(LtrHeader)]
    if not isinstance(document, dict) or sorted(document) != sorted(known):
        raise InputError(f"{name}, line 2: the header must have {', '.join(known)}; got {document!r:.80}.")
    for key, kind in _KINDS.items():
        if not isinstance(document[key], kind) or isinstance(document[key], bool):
            raise InputError(f"{name}, line 2: {key!r} of the header is {document[key]!r:.60}.")
    of_fields = document["fields"]
    return LtrHeader(
        **{
            **document,
            **{key: tuple(document[key]) for key in ("features", "inputs", "keys")},
            "fields": None if of_fields is None else tuple(of_fields),
            "identities": tuple(tuple(steps) for steps in document["identities"]),
        }
    )


def same_identities(one: object, other: object) -> bool:
    """Whether steps depend on the same, the documents aside, which may be others than those trained on."""
    return _without_corpus(one) == _without_corpus(other)


def _without_corpus(identities: object) -> object:
    plain = json.loads(json.dumps(identities, default=dict))
    return [[{k: v for k, v in step.items() if k != "corpus"} for step in steps] for steps in plain]
