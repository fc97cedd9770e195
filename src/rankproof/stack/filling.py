"""Filling: what an engine offers whose indexes `rankproof index` can make and fill from a dataset.

An engine says which of its parameters name an index, what else may be chosen of it, and opens a Filler: one small
object that makes the index, puts documents into it and reads them back. Batches, retries, resuming, refusing and
verifying are done for every engine alike by `stack/indexing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Param
from rankproof.reading.collection import Corpus
from rankproof.stack.engines._encoded import EncodedCorpus
from rankproof.stack.engines._in_process import holdable
from rankproof.stack.models.find import open_model
from rankproof.stack.records import Ground, Values

Vector = NDArray[np.float32]
DocumentVectors = Mapping[str, Vector | None]
# What the marker of an index is called, and its version: a change of what fillers write makes another one.
MARKER: Final = "rankproof index"
MARKER_VERSION: Final = 1
FILLING: Final = "being filled"
WHOLE: Final = "whole"


@dataclass(frozen=True, slots=True, eq=False)
class IndexDocument:
    """A document as an index holds it: texts and vectors by field; None for a text that the model makes nothing of."""

    doc_id: str
    texts: Mapping[str, str]
    vectors: DocumentVectors

    def differs(self, other: IndexDocument) -> list[str]:
        """The fields in which another document is not the same; vectors are compared as numbers of 32 bits."""
        wrong = [name for name, text in self.texts.items() if other.texts.get(name) != text]
        return wrong + [name for name, vector in self.vectors.items() if not _alike(vector, other.vectors.get(name))]


def _alike(one: Vector | None, other: Vector | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def short_numbers(vector: Vector) -> list[float]:
    """The numbers with nine digits, from which 32 bits read back the same number.

    >>> short_numbers(np.array([0.1], np.float32))
    [0.100000001]
    """
    return [float(f"{number:.9g}") for number in vector.tolist()]


def numbers_of(value: object) -> Vector | None:
    """A vector that was read back; None where it is none."""
    if not isinstance(value, list) or not all(isinstance(number, int | float) for number in value):
        return None
    return np.array(value, np.float32)


@dataclass(frozen=True, eq=False)
class IndexContent:
    """All that an index holds: documents in the order in which they are put.

    texts     by field of the index, a text for each document
    vectors   by field of the index, where they come from
    named     what people call the texts, where an index has other names for them
    """

    doc_ids: tuple[str, ...]
    texts: Mapping[str, Sequence[str]]
    vectors: Mapping[str, EncodedCorpus] = field(default_factory=dict)
    named: tuple[str, ...] = ()
    _places: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def documents(self, places: Iterable[int]) -> list[IndexDocument]:
        """The documents at these places."""
        return [
            IndexDocument(
                self.doc_ids[place],
                {name: holdable(texts[place]) for name, texts in self.texts.items()},
                {name: self._vector(name, self.doc_ids[place]) for name in self.vectors},
            )
            for place in places
        ]

    def prepare(self) -> None:
        """Encodes the texts: what takes long, and is kept in the cache."""
        for name, encoded in self.vectors.items():
            if name not in self._places:
                self._places[name] = {doc: row for row, doc in enumerate(encoded.doc_ids)}

    def _vector(self, name: str, doc_id: str) -> Vector | None:
        self.prepare()
        row = self._places[name].get(doc_id)
        return None if row is None else self.vectors[name].vectors[row]

    def dimensions(self, name: str) -> int:
        """How many numbers the vectors of a field have."""
        return int(self.vectors[name].encoder.vectors(["size"]).shape[1])

    @property
    def models(self) -> dict[str, str]:
        """By field what its vectors are made with."""
        return {name: encoded.encoder.identity for name, encoded in self.vectors.items()}


@dataclass(frozen=True, slots=True, eq=False)
class FillRequest:
    """What a Filler is opened for.

    modes      the values of each mode that searches the index, by its name; they agree in what says which index it is
    settings   what [index.ENGINE] says, with defaults
    """

    engine: str
    modes: Mapping[str, Values]
    settings: Values
    ground: Ground

    @property
    def first(self) -> Values:
        """The values of one mode, for those parameters in which all agree."""
        return next(iter(self.modes.values()))

    @property
    def corpus(self) -> Corpus:
        """The documents."""
        return self.ground.documents(self.engine)

    def agreed(self, names: Sequence[str]) -> Values:
        """The values of these parameters; UsageError where two modes want the index in two ways."""
        for mode, values in self.modes.items():
            for name in names:
                if values[name] != self.first[name]:
                    raise UsageError(
                        f"{self.engine}: the modes {next(iter(self.modes))} and {mode} name one index and differ in "
                        f"{name} ({self.first[name]!r} and {values[name]!r}), which decides how it is made. Give one "
                        "of them an index of its own."
                    )
        return {name: self.first[name] for name in names}

    def fields_named(self, parameter: str = "fields") -> None:
        """UnknownName for a field with a weight that the documents do not have."""
        for values in self.modes.values():
            for part in (values[parameter] or "").split():
                name = part.partition("^")[0]
                if name not in self.corpus.fields:
                    raise UnknownName(f"field of {self.corpus.name}", name, self.corpus.fields)

    def vectors(self, fields: Mapping[str, str], cosine: bool = True) -> dict[str, EncodedCorpus]:
        """What gives the vectors of each field; `fields` has the field of each mode that searches by vector.

        The texts are all fields of a document, as dense() has them when nothing is said.
        """
        found: dict[str, EncodedCorpus] = {}
        for mode, name in fields.items():
            values = self.modes[mode]
            if values["model"] is None:
                raise UsageError(
                    f"{self.engine}, mode {mode}: the field {name!r} holds vectors, and no model is named that makes "
                    "them of the documents. Name one, such as model='minilm', or fill the index yourself."
                )
            own = {**values, "fields": None, "document_prefix": None, "similarity": "cosine" if cosine else "dot"}
            encoded = EncodedCorpus(
                self.engine, self.corpus, own, open_model(own, self.ground), self.ground.cache, self.ground.progress
            )
            if name in found and found[name].encoder.identity != encoded.encoder.identity:
                other = next(mode for mode, field in fields.items() if field == name)
                raise UsageError(
                    f"{self.engine}: the modes {other} and {mode} search the field {name!r} with vectors of two "
                    "models. Give each model a field of its own."
                )
            found.setdefault(name, encoded)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class IndexFound:
    """What is there already under the name of an index.

    marker   what `rankproof index` wrote into it; None where it made something else, or somebody else did
    birth    another text for each time that it is made: whoever fills it can tell when it was made anew meanwhile
    what     in words, for whoever has to decide: "1,200 documents, fields sku and text"
    """

    marker: Mapping[str, object] | None
    birth: str
    what: str = ""


def marker_of(content: IndexContent, corpus: str, plan: Mapping[str, object], state: str) -> dict[str, object]:
    """What stands in an index, by which it is known again."""
    return {
        MARKER: MARKER_VERSION,
        "corpus": corpus,
        "documents": len(content.doc_ids),
        "vectors": {name: sha256(model.encode()).hexdigest() for name, model in content.models.items()},
        "plan": sha256(to_json(plan).encode()).hexdigest(),
        "state": state,
    }


_DIFFERENCES = {
    MARKER: "another version of rankproof, which writes other indexes",
    "corpus": "another dataset",
    "vectors": "another model",
    "plan": "another mapping or other settings",
}


def differences(found: IndexFound, marker: Mapping[str, object]) -> list[str]:
    """In what an index that is there is another one than that of a marker."""
    there = found.marker or {}
    return [words for name, words in _DIFFERENCES.items() if there.get(name) != marker[name]]


def seconds_of(marker: Mapping[str, object]) -> float | None:
    """How long filling took, as the marker has it."""
    observed = marker.get("observed")
    seconds = observed.get("seconds") if isinstance(observed, dict) else None
    return float(seconds) if isinstance(seconds, int | float) else None


class Filler(Protocol):
    """An index that can be made and filled. AskFailed where the server does not do it; `again` says whether to retry.

    name      for people: "the index 'shop' of opensearch"
    plan      what is made: a mapping, or statements; the same for the same configuration and dataset
    content   what is put into it
    """

    name: str
    content: IndexContent

    @property
    def plan(self) -> Mapping[str, object]:
        """What is made, as JSON has it."""

    def found(self) -> IndexFound | None:
        """What is there; None where there is nothing."""

    def create(self, marker: Mapping[str, object]) -> None:
        """Makes it, empty, with the marker in it: both or neither."""

    def remove(self) -> None:
        """Removes it: called for what this engine made, when it is to be made anew."""

    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """Which of these documents it has."""

    def put(self, documents: Sequence[IndexDocument]) -> None:
        """Puts documents into it. Putting one twice does no harm."""

    def finish(self) -> None:
        """Makes everything searchable: called when every document was put."""

    def mark(self, marker: Mapping[str, object]) -> None:
        """Writes the marker anew."""

    def count(self) -> int:
        """How many documents it has; all of them are searchable."""

    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """Documents as it has them now."""

    def size(self) -> int | None:
        """Its bytes; None where that is not told."""

    def close(self) -> None:
        """Gives back what it holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Fills:
    """How `rankproof index` fills an engine's indexes.

    place    the parameters that say which index it is: modes that agree in all of them share one. A mode that leaves
             the last one empty has no index to fill.
    open     gives the Filler of one index; whatever can be wrong is refused here
    params   what [index.ENGINE] in a configuration may say of how it is made
    """

    place: tuple[str, ...]
    open: Callable[[FillRequest], Filler]
    params: tuple[Param, ...] = ()


def refuse_ids(who: str, doc_ids: Sequence[str], most_bytes: int) -> None:
    """InputError for ids that an engine cannot hold, before anything is written."""
    wrong: dict[str, list[str]] = {}
    for doc in doc_ids:
        try:
            size = len(doc.encode())
        except UnicodeEncodeError:
            wrong.setdefault("holds bytes that are no UTF-8", []).append(doc)
            continue
        if not doc:
            wrong.setdefault("is empty", []).append(doc)
        elif "\0" in doc:
            wrong.setdefault("holds the character 0", []).append(doc)
        elif size > most_bytes:
            wrong.setdefault(f"has more than {most_bytes} bytes, the most that {who} takes", []).append(doc)
    for why, docs in wrong.items():
        also = f" ({counted(len(docs), 'document')} like it)" if len(docs) > 1 else ""
        raise InputError(
            f"{who}: the id {docs[0]!r:.100} {why}{also}. Nothing was written. Give such documents other ids, in the "
            "judgments too."
        )


def refuse_names(who: str, names: Iterable[str], taken: Iterable[str], fits: Callable[[str], bool], how: str) -> None:
    """InputError for fields of the documents that an engine cannot call so; `taken` are names it needs itself."""
    taken = set(taken)
    for name in names:
        if name in taken:
            raise InputError(
                f"{who}: the documents have a field {name!r}, which is also the name of something that the index has "
                "besides. Rename one of the two."
            )
        if not fits(name):
            raise InputError(f"{who}: the documents have a field {name!r}, and {how}. Rename the field.")
