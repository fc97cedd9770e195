"""Sparse vectors: terms with weights, from a masked language model of the SPLADE kind, or from a file.

The model's logits say for each token of a text how much each term of its vocabulary would fit there. A term's weight is
log(1 + relu(logit)), the greatest over the tokens, marks included: most weights are 0, and a text gets terms that it
does not have.

source: Formal, Lassance, Piwowarski and Clinchant, SPLADE v2, arXiv 2109.10086, 2021, equations 1 and 6
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.libraries import library
from rankproof.kernel.specs.kinds import finite
from rankproof.kernel.system import processors
from rankproof.reading.source import open_source
from rankproof.stack.models.cards import file_hash
from rankproof.stack.models.encoder import Kept, Tokenizer
from rankproof.stack.models.find import hub_folder
from rankproof.stack.models.transformer import TOKENS, ModelFolder, Run, beside_graph, session, spread
from rankproof.stack.models.vector_files import IDS, VECTORS, id_text, only_one

_WHO = "splade"
_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
IDF = "idf.json"


@dataclass(frozen=True, slots=True, eq=False)
class SparseVector:
    """Numbers of terms, rising, and the weight of each, above 0."""

    terms: NDArray[np.int32]
    weights: NDArray[np.float32]


def open_sparse(name: str, beside: str, length: int | None, threads: int) -> SpladeEncoder:
    """The model in a folder, or of a name on the hub."""
    path = os.path.join(beside, os.path.expanduser(name))
    if not os.path.isdir(path):
        if not _HUB.fullmatch(name):
            raise UsageError(
                f"{_WHO}: {path} is no folder. A model is a folder with model.onnx, tokenizer.json and config.json, or "
                "a name on the hub such as 'naver/splade-v3'."
            )
        path = hub_folder(name, path)
    folder = ModelFolder(path)
    if folder.graph is None:
        raise UsageError(
            f"{_WHO}: the model folder {path} has no model.onnx. Make one from its weights with: optimum-cli export "
            f"onnx --model {name} --task fill-mask FOLDER"
        )
    return SpladeEncoder(folder, folder.graph, length, threads)


class SpladeEncoder:
    """A masked language model, ready. `length` cuts texts off earlier than the model does."""

    def __init__(self, folder: ModelFolder, graph: str, length: int | None, threads: int) -> None:
        self._folder, self._graph = folder, graph
        self._length = folder.tokens if length is None else min(length, folder.tokens)
        self._threads = threads or processors()
        self._tokenizer = Tokenizer(folder.tokenizer, self._length)
        library("onnxruntime", "The engine splade")

    @cached_property
    def identity(self) -> str:
        """Hash of the files, and where texts are cut."""
        digest = sha256(b"rankproof splade 1\n")
        for path in (self._graph, *beside_graph(self._graph), self._folder.tokenizer):
            digest.update(file_hash(path).encode())
        version = library("onnxruntime", "The engine splade").__version__
        return f"model {digest.hexdigest()} splade {self._length} tokens, onnxruntime {version}"

    @cached_property
    def _run(self) -> Run:
        return session(self._graph, self._graph)

    @cached_property
    def names(self) -> Mapping[int, str]:
        """The term that each number stands for."""
        return {number: term for term, number in self._tokenizer.vocabulary.items()}

    def vectors(self, texts: Sequence[str]) -> list[SparseVector]:
        """One for each text."""
        tokenized = self._tokenizer(texts)
        found: list[SparseVector] = [SparseVector(np.empty(0, np.int32), np.empty(0, np.float32))] * len(texts)
        # A text that the tokenizer makes nothing of, not even marks, has no terms.
        filled = [i for i, tokens in enumerate(tokenized) if len(tokens.numbers)]
        batch = TOKENS if not self._folder.quantizes else 1
        for places, weights in spread(self._weights, [tokenized[i] for i in filled], self._threads, batch):
            for place, row in zip(places, weights, strict=True):
                terms = np.flatnonzero(row)
                found[filled[place]] = SparseVector(terms.astype(np.int32), row[terms])
        return found

    def _weights(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        logits = self._run(tokens)
        if logits.ndim != 3 or logits.shape[:2] != tokens.shape:
            raise InputError(
                f"{self._graph} gives an array of shape {logits.shape} for {tokens.shape[0]} x {tokens.shape[1]} "
                "tokens. A masked language model gives logits, texts x tokens x terms: export it for fill-mask."
            )
        if logits.shape[2] <= max(self.names, default=0):
            raise InputError(
                f"{self._graph} gives logits for {logits.shape[2]:,} terms, and tokenizer.json beside it has "
                f"{len(self.names):,}. Do the two belong together? A masked language model is exported for fill-mask."
            )
        if not np.isfinite(logits).all():
            raise InputError(
                f"{self._graph} gives logits that are no numbers (NaN or infinity): its weights are damaged."
            )
        return np.asarray(np.log1p(np.maximum(logits.max(axis=1), 0)), dtype=np.float32)

    def words(self, texts: Sequence[str]) -> list[NDArray[np.int64]]:
        """The different terms of each text, marks left out."""
        return [np.unique(tokens.numbers[tokens.of_text]) for tokens in self._tokenizer(texts)]

    @cached_property
    def idf(self) -> Mapping[str, float] | None:
        """The weights of terms in queries, where the folder has them (idf.json), by term."""
        path = self._folder.path(IDF)
        if not os.path.isfile(path):
            return None
        document = from_json(open_source(path).text(), path)
        numbers = {term: finite(weight) for term, weight in document.items()} if isinstance(document, dict) else {}
        if not numbers or None in numbers.values():
            raise InputError(f"{path} must be a JSON object of terms and numbers.")
        return {term: weight for term, weight in numbers.items() if weight is not None}

    @property
    def idf_hash(self) -> str:
        """Of idf.json; "" without it."""
        return file_hash(self._folder.path(IDF)) if self.idf is not None else ""

    def kept(self) -> Kept[SparseVector]:
        """How its vectors of documents are kept."""
        return Kept("sparse", self.identity, self.vectors, _pack, _unpack)


def _pack(rows: list[SparseVector]) -> bytes:
    lengths = np.array([len(row.terms) for row in rows], "<u4")
    parts = [part for row in rows for part in (row.terms.astype("<u4").tobytes(), row.weights.astype("<f4").tobytes())]
    return lengths.tobytes() + b"".join(parts)


def _unpack(data: bytes | None, count: int) -> list[SparseVector] | None:
    if data is None or len(data) < 4 * count:
        return None
    ends = np.cumsum([0, *np.frombuffer(data, "<u4", count=count).tolist()]).tolist()
    if len(data) != 4 * count + 8 * ends[-1]:
        return None
    rows = []
    for begin, end in pairwise(ends):
        at, many = 4 * count + 8 * begin, end - begin
        terms = np.frombuffer(data, "<u4", count=many, offset=at).astype(np.int32)
        rows.append(
            SparseVector(terms, np.frombuffer(data, "<f4", count=many, offset=at + 4 * many).astype(np.float32))
        )
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class SparseFile:
    """Terms with weights by id, as a file has them."""

    name: str
    vectors: Mapping[str, Mapping[str, float]]
    content_hash: str


def read_sparse_file(path: str) -> SparseFile:
    """JSON lines such as {"id": "d1", "vector": {"tent": 1.5}}; weights of 0 are left out, others must be above it."""
    source = open_source(path)
    vectors: dict[str, Mapping[str, float]] = {}
    for number, line in enumerate(source.text().split("\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        record = from_json(line, where)
        if not isinstance(record, Mapping):
            raise InputError(f"{where}: must be an object with an id and a vector; got {record!r:.60}.")
        name = id_text(record[only_one(where, "key", record, IDS)], where)
        if name in vectors:
            raise InputError(f"{where}: {name!r} stands there twice. Keep one of the two.")
        vectors[name] = _terms(record[only_one(where, "key", record, VECTORS)], where)
    if not vectors:
        raise InputError(f'{path} holds no vector. It needs JSON lines: {{"id": "d1", "vector": {{"tent": 1.5}}}}.')
    return SparseFile(path, vectors, sha256(source.data).hexdigest())


def _terms(value: object, where: str) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: a sparse vector is an object of terms and weights; got {value!r:.60}.")
    for term, weight in value.items():
        number = finite(weight)
        if number is None or number < 0:
            raise InputError(f"{where}: the weight of {term!r} must be a number, 0 or more; got {weight!r:.40}.")
    return {str(term): float(weight) for term, weight in value.items() if weight}


def rarity(documents: int, having: int) -> float:
    """Inverse document frequency, as BM25 has it in Lucene."""
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))
