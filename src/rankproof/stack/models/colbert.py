"""ColBERT: a transformer whose tokens are projected to short vectors, for late interaction.

A query is read as [CLS] marker words [SEP], filled up with [MASK] to a fixed length: these stand for words that could
have been said as well. A document is read as [CLS] marker words [SEP], and its punctuation is left out of what is
compared. Every vector has length 1.

What says so, in a folder:

    artifact.metadata                    colbert-ai: query_maxlen, doc_maxlen, query_token_id, doc_token_id,
                                         mask_punctuation, attend_to_mask_tokens; linear.weight is in model.safetensors
    modules.json, 1_Dense/...            PyLate: the projections, in their order, after the transformer
    config_sentence_transformers.json    PyLate: query_length, document_length, query_prefix, document_prefix,
                                         do_query_expansion, attend_to_expansion_tokens, skiplist_words

source: Khattab and Zaharia, ColBERT, SIGIR 2020; Santhanam et al., ColBERTv2, NAACL 2022; Chaffin and Sourty, PyLate,
    CIKM 2025
"""

from __future__ import annotations

import os
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.libraries import library
from rankproof.kernel.system import processors
from rankproof.reading.source import open_source
from rankproof.stack.models.bert import bert_graph, forward, read_bert
from rankproof.stack.models.cards import file_hash
from rankproof.stack.models.encoder import Tokenizer, Vectors, unit
from rankproof.stack.models.transformer import (
    ALONE,
    TOKENS,
    MaskedRun,
    ModelFolder,
    Precision,
    Run,
    beside_graph,
    session,
    spread,
)

METADATA: Final = "artifact.metadata"
OF_PYLATE: Final = "config_sentence_transformers.json"
LINEAR: Final = "linear.weight"
_MASKS: Final = ("[MASK]", "<mask>")
_WHAT: Final = "A ColBERT"


def is_late(folder: ModelFolder) -> bool:
    """Whether a folder holds a model of late interaction: with a projection of tokens, and without pooling."""
    if os.path.isfile(folder.path(METADATA)):
        return True
    kinds = [kind for kind, _ in folder.parts]
    return "Dense" in kinds and "Pooling" not in kinds


@dataclass(frozen=True, slots=True)
class LateSettings:
    """How texts are read.

    query, document      the tokens that mark them
    expands, attends     whether queries are filled up with [MASK], and whether other tokens look at these
    skipped              tokens of documents that are not compared
    """

    query: str
    document: str
    query_length: int
    document_length: int
    expands: bool
    attends: bool
    skipped: tuple[str, ...]


def settings_of(folder: ModelFolder) -> LateSettings:
    """As the folder says; InputError for what cannot be."""
    path = folder.path(METADATA)
    if os.path.isfile(path):
        said = _Said(path)
        skips = said.flag("mask_punctuation", True)
        return LateSettings(
            said.text("query_token_id", "[unused0]"),
            said.text("doc_token_id", "[unused1]"),
            said.whole("query_maxlen", 32),
            said.whole("doc_maxlen", 220),
            True,
            said.flag("attend_to_mask_tokens", False),
            tuple(string.punctuation) if skips else (),
        )
    said = _Said(folder.path(OF_PYLATE))
    return LateSettings(
        said.text("query_prefix", "[Q] "),
        said.text("document_prefix", "[D] "),
        said.whole("query_length", 32),
        said.whole("document_length", 180),
        said.flag("do_query_expansion", True),
        said.flag("attend_to_expansion_tokens", False),
        said.texts("skiplist_words", tuple(string.punctuation)),
    )


class _Said:
    """A JSON object in a file, read key by key; a key that is missing or null has its default."""

    def __init__(self, path: str) -> None:
        self._path = path
        document = from_json(open_source(path).text(), path) if os.path.isfile(path) else {}
        if not isinstance(document, Mapping):
            raise InputError(f"{path} must hold a JSON object; got {document!r:.60}.")
        self._document: Mapping[str, object] = document

    def _value(self, key: str, kind: type, default: object, what: str) -> object:
        value = self._document.get(key)
        if value is None:
            return default
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise InputError(f"{self._path}: {key!r} must be {what}; got {value!r:.60}.")
        return value

    def text(self, key: str, default: str) -> str:
        return str(self._value(key, str, default, "a text"))

    def flag(self, key: str, default: bool) -> bool:
        return bool(self._value(key, bool, default, "true or false"))

    def whole(self, key: str, default: int) -> int:
        value = self._value(key, int, default, "a whole number, 8 or more")
        if not isinstance(value, int) or value < 8:
            raise InputError(f"{self._path}: {key!r} must be a whole number, 8 or more; got {value!r}.")
        return value

    def texts(self, key: str, default: tuple[str, ...]) -> tuple[str, ...]:
        value = self._value(key, list, list(default), "a list of texts")
        return tuple(str(text) for text in value) if isinstance(value, list) else default


class ColbertEncoder:
    """A model of late interaction, ready. `length` cuts documents off earlier than the model does."""

    prompts: Mapping[str, str] = {"query": "", "document": ""}

    def __init__(self, folder: ModelFolder, precision: Precision, length: int | None, threads: int) -> None:
        if folder.graph is not None and precision == "int8":
            raise UsageError(
                f"{folder.graph} is run as it is: precision='int8' is for weights that a graph is built from. Leave "
                "the precision out."
            )
        if precision == "int8":
            library("onnxruntime", "precision='int8'")
        self._folder, self._precision, self._threads = folder, precision, threads or processors()
        _ = self.projections  # what is missing is said before anything runs
        self.settings = settings = settings_of(folder)
        self._document_length = min(folder.tokens, settings.document_length, length or settings.document_length)
        self._query_length = min(folder.tokens, settings.query_length)
        self._documents = Tokenizer(folder.tokenizer, self._document_length - 1)
        self._queries = Tokenizer(folder.tokenizer, self._query_length - 1)
        numbers = self._documents.vocabulary
        self._marks = [self._number(mark, numbers) for mark in (settings.query, settings.document)]
        self._mask = self._number(next((mask for mask in _MASKS if mask in numbers), _MASKS[0]), numbers)
        self._skipped = np.array([numbers[word] for word in settings.skipped if word in numbers], dtype=np.int64)

    def _number(self, token: str, numbers: Mapping[str, int]) -> int:
        if token not in numbers:
            raise InputError(
                f"{self._folder.tokenizer} has no token {token!r}, which this ColBERT needs: it is not the tokenizer "
                "of these weights."
            )
        return numbers[token]

    @cached_property
    def identity(self) -> str:
        """Hash of the files, settings, what runs them."""
        main = self._folder.graph or self._folder.weights or ""
        files = [main, *beside_graph(main), self._folder.tokenizer, self._folder.path("config.json"), *self._dense()]
        files += [self._folder.weights] if self._folder.graph and not self._dense() and self._folder.weights else []
        digest = sha256(b"rankproof colbert 1\n")
        for path in files:
            digest.update(file_hash(path).encode())
        digest.update(repr(self.settings).encode())
        name = "onnxruntime" if self._with_onnxruntime else "numpy"
        ran = f"{name} {library(name, _WHAT).__version__}"
        return f"model {digest.hexdigest()} colbert {self._precision} {self._document_length} tokens, {ran}"

    @property
    def _with_onnxruntime(self) -> bool:
        return self._folder.graph is not None or find_spec("onnxruntime") is not None

    def _dense(self) -> list[str]:
        """The files of PyLate's projections."""
        places = [path for kind, path in self._folder.parts if kind == "Dense"]
        return [self._folder.path(os.path.join(place, "model.safetensors")) for place in places]

    @cached_property
    def projections(self) -> tuple[tuple[NDArray[np.float32], NDArray[np.float32] | None], ...]:
        """Matrices, in x out, and what is added after each, in their order."""
        files = self._dense()
        if not files:
            return (self._projection(self._folder.weights or self._folder.path("model.safetensors")),)
        for path in files:
            config = os.path.join(os.path.dirname(path), "config.json")
            activation = _Said(config).text("activation_function", "torch.nn.modules.linear.Identity")
            if not activation.endswith("Identity"):
                raise UsageError(f"{config} asks for {activation!r} after the projection; only Identity is known here.")
        return tuple(map(self._projection, files))

    def _projection(self, path: str) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        if not os.path.isfile(path):
            raise UsageError(f"{path} is missing: it holds the projection of this ColBERT. Copy the whole folder.")
        reader = library("safetensors", _WHAT)
        try:
            with reader.safe_open(path, framework="numpy") as file:
                names = set(file.keys())
                matrix = np.asarray(file.get_tensor(LINEAR), dtype=np.float32) if LINEAR in names else None
                added = np.asarray(file.get_tensor("linear.bias"), dtype=np.float32) if "linear.bias" in names else None
        except reader.SafetensorError as error:
            raise InputError(f"{path} is damaged or no safetensors file: {error}.") from None
        if matrix is None or matrix.ndim != 2:
            raise InputError(f"{path} has no {LINEAR!r}, out x in: it does not hold the projection of a ColBERT.")
        return np.ascontiguousarray(matrix.T), added

    def _projected(self, rows: Vectors) -> Vectors:
        """The last layer's rows as vectors of length 1; a graph that has projected them already is taken as it is."""
        (first, _), (last, _) = self.projections[0], self.projections[-1]
        if rows.ndim != 3 or rows.shape[2] not in (first.shape[0], last.shape[1]):
            raise InputError(
                f"The model in {self._folder.folder} gives an array of shape {rows.shape}, and its projection takes "
                f"{first.shape[0]} dimensions. Do the two belong together?"
            )
        if rows.shape[2] == first.shape[0]:
            for matrix, added in self.projections:
                rows = rows @ matrix if added is None else rows @ matrix + added
        if not np.isfinite(rows).all():
            raise InputError(f"The model in {self._folder.folder} gives vectors that are no numbers: it is damaged.")
        return unit(rows)

    @cached_property
    def _runs(self) -> tuple[Run, MaskedRun]:
        """For documents, and for queries, in which some tokens may not be looked at."""
        folder = self._folder
        if folder.graph is not None:
            graph = session(folder.graph, folder.graph)
            return graph, graph
        assert folder.weights is not None
        bert = read_bert(folder.weights, folder.config)

        def plain(tokens: NDArray[np.int64], attended: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
            return forward(bert, tokens, attended)

        if not self._with_onnxruntime:
            return plain, plain
        return session(bert_graph(bert, self._precision == "int8"), folder.folder), plain

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """UsageError: there is none for a whole text."""
        raise UsageError(
            f"The model in {self._folder.folder} is a ColBERT: it gives vectors of tokens and none for a text. Use it "
            "in rerank_maxsim, and another model in dense."
        )

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """For each document the vectors of its tokens, marks included, punctuation left out."""
        found: list[Vectors] = [np.empty((0, 0), np.float32)] * len(texts)
        tokenized = self._documents(texts)
        numbers = [self._marked(tokens.numbers, self._marks[1]) for tokens in tokenized]
        marked = [type(tokens)(n, n >= 0) for tokens, n in zip(tokenized, numbers, strict=True)]
        threads = self._threads if self._with_onnxruntime else 1
        alone = self._precision == "int8" or self._folder.quantizes
        run = self._runs[0]
        for places, rows in spread(
            lambda tokens: self._projected(run(tokens)), marked, threads, ALONE if alone else TOKENS
        ):
            for place, row in zip(places, rows, strict=True):
                found[place] = row[~np.isin(numbers[place], self._skipped)]
        return found

    def query_token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """For each query the vectors of its tokens, marks and [MASK] included."""
        return [self._of_query(tokens.numbers) for tokens in self._queries(texts)]

    def _of_query(self, numbers: NDArray[np.int64]) -> Vectors:
        marked = self._marked(numbers, self._marks[0])
        filling = self._query_length - len(marked) if self.settings.expands else 0
        whole = np.concatenate([marked, np.full(filling, self._mask, dtype=np.int64)])
        attended = None
        if filling and not self.settings.attends:
            attended = (np.arange(len(whole)) < len(marked))[None]
        rows: Vectors = self._projected(self._runs[1](whole[None], attended))[0]
        return rows

    @staticmethod
    def _marked(numbers: NDArray[np.int64], mark: int) -> NDArray[np.int64]:
        whole: NDArray[np.int64] = np.insert(numbers, 1, mark)
        return whole
