"""A transformer in a model folder, run by onnxruntime in batches of equal length: on its own graph or a built one.

Where onnxruntime is not installed the weights are run by NumPy, which gives the same vectors and takes longer.

The folder is as sentence-transformers lays it out:

config.json, tokenizer.json                    needed
model.onnx, onnx/model.onnx                    a graph, used as it is; or
model.safetensors                              weights, for which a graph is built here
modules.json, 1_Pooling/config.json            pooling, normalizing; mean of the tokens without them
sentence_bert_config.json                      how many tokens it reads
config_sentence_transformers.json              what it wants before queries and documents
card.json                                      in place of the three above; `rankproof models fetch` writes it

Small batches are the fastest on a processor: what a layer makes of 512 tokens stays in its cache. Batches and not
operations are spread over threads: no thread waits for another within a layer, and how many there are changes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from itertools import groupby
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.libraries import library, missing
from rankproof.kernel.system import processors
from rankproof.stack.models.bert import INPUT, bert_graph, first_position, forward, read_bert
from rankproof.stack.models.cards import CARD, POOLING_WORDS, ModelCard, of_folder
from rankproof.stack.models.encoder import POOLINGS, Tokenized, Tokenizer, Vectors, pooled, unit

_GRAPHS = ("model.onnx", os.path.join("onnx", "model.onnx"))
_WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"
TOKENS = 512
ALONE = 1  # each text by itself
# Operations that take the range of a whole batch: what stands beside a text would change its vector.
_BY_RANGE = (b"DynamicQuantizeLinear", b"DynamicQuantizeMatMul", b"DynamicQuantizeLSTM")
Run = Callable[[NDArray[np.int64]], NDArray[np.float32]]


class MaskedRun(Protocol):
    """A model, run. `attended` says which tokens the others look at; all without it."""

    def __call__(self, tokens: NDArray[np.int64], attended: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """Texts x tokens to texts x tokens x dimensions."""


def _bytes(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None


def beside_graph(graph: str) -> list[str]:
    """Files that hold the weights of a large graph, as exporters name them."""
    return [path for path in (f"{graph}_data", f"{graph}.data") if os.path.isfile(path)]


@dataclass(frozen=True, eq=False)
class ModelFolder:
    """A folder with everything a model needs; reading one that lacks something is an error that says what."""

    folder: str

    def __post_init__(self) -> None:
        if not os.path.isdir(self.folder):
            raise UsageError(f"The model folder {self.folder} does not exist.")
        if self.card is not None and self.weights is None:
            return  # it has said what is needed, and that is there
        missing = [name for name in ("config.json", _TOKENIZER) if not os.path.isfile(self.path(name))]
        if self.graph is None and not os.path.isfile(self.path(_WEIGHTS)):
            missing.append(f"{_WEIGHTS} or {' or '.join(_GRAPHS)}")
        if missing:
            raise UsageError(
                f"The model folder {self.folder} lacks {', '.join(missing)}. It must be laid out as "
                "sentence-transformers saves a model."
            )

    def path(self, name: str) -> str:
        """Of a file in it."""
        return os.path.join(self.folder, name)

    def _read(self, name: str, kind: type) -> Any:
        try:
            with open(self.path(name), "rb") as file:
                document = json.loads(file.read())
        except FileNotFoundError:
            return kind()
        except (OSError, ValueError) as error:
            raise InputError(f"{self.path(name)} cannot be read: {error}.") from None
        if not isinstance(document, kind):
            raise InputError(f"{self.path(name)} must hold a JSON {'table' if kind is dict else 'list'}.")
        return document

    @cached_property
    def card(self) -> ModelCard | None:
        """The card beside the weights, which then says what the other files would."""
        return of_folder(self.folder)

    @property
    def graph(self) -> str | None:
        """The path of its ONNX graph."""
        return next((self.path(name) for name in _GRAPHS if os.path.isfile(self.path(name))), None)

    @cached_property
    def quantizes(self) -> bool:
        """Whether its graph brings numbers to 8 bits by the range that they have in one batch."""
        return self.graph is not None and any(name in _bytes(self.graph) for name in _BY_RANGE)

    @property
    def weights(self) -> str | None:
        """The path of its weights."""
        return self.path(_WEIGHTS) if os.path.isfile(self.path(_WEIGHTS)) else None

    @property
    def tokenizer(self) -> str:
        """The path of its tokenizer."""
        return self.path(_TOKENIZER)

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """What config.json says."""
        config: Mapping[str, Any] = self._read("config.json", dict)
        return config

    @cached_property
    def parts(self) -> list[tuple[str, str]]:
        """Kind and folder of each module, whatever it is."""
        entries = [module for module in self._read("modules.json", list) if isinstance(module, dict)]
        return [(str(m.get("type", "")).split(".")[-1], str(m.get("path", ""))) for m in entries]

    @property
    def _modules(self) -> list[tuple[str, str]]:
        """Kind and folder of each module: Transformer, Pooling, Normalize."""
        modules = self.parts
        other = sorted({kind for kind, _ in modules} - {"Transformer", "Pooling", "Normalize"})
        if other:
            raise UsageError(
                f"The model in {self.folder} has a module {other[0]!r}, which is not known here. "
                "Transformer, Pooling and Normalize are."
            )
        return modules

    @cached_property
    def normalizes(self) -> bool:
        """Whether its vectors have length 1."""
        if self.card is not None:
            return self.card.normalize
        return any(kind == "Normalize" for kind, _ in self._modules)

    @cached_property
    def pooling(self) -> tuple[str, ...]:
        """The ways its tokens become one vector."""
        if self.card is not None:
            return (POOLING_WORDS[self.card.pooling],)
        place = next((path for kind, path in self._modules if kind == "Pooling"), "1_Pooling")
        config = self._read(os.path.join(place, "config.json"), dict)
        ways = [name.removeprefix("pooling_mode_") for name, value in config.items() if value is True]
        ways = [way for way in ways if way != "include_prompt"]
        unknown = [way for way in ways if way not in POOLINGS]
        if unknown:
            raise UsageError(
                f"{self.path(place)} asks for the pooling {unknown[0]!r}, which is not known here. "
                f"Known: {', '.join(POOLINGS)}."
            )
        return tuple(ways) or ("mean_tokens",)

    @cached_property
    def tokens(self) -> int:
        """How many tokens of a text it reads, its marks included."""
        if self.card is not None:
            return self.card.length
        length = self._read("sentence_bert_config.json", dict).get("max_seq_length")
        positions = int(self.config.get("max_position_embeddings", 512))
        most = positions - first_position(self.config)
        return min(int(length), most) if length else most

    @cached_property
    def prompts(self) -> Mapping[str, str]:
        """What it wants before a query and before a document."""
        if self.card is not None:
            return {"query": self.card.query_prefix, "document": self.card.document_prefix}
        prompts = self._read("config_sentence_transformers.json", dict).get("prompts") or {}
        document = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), "")
        return {"query": prompts.get("query") or "", "document": document}

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the files that its vectors depend on."""
        used = self.graph or self.path(_WEIGHTS)
        digest = sha256(b"rankproof model 1\n" + (b"one text at a time\n" if self.quantizes else b""))
        settings = [self.path("config.json")] if os.path.isfile(self.path("config.json")) else []
        for path in (used, *beside_graph(used), self.tokenizer, *settings):
            with open(path, "rb") as file:
                part = sha256()
                while block := file.read(1 << 20):
                    part.update(block)
            digest.update(part.digest())
        digest.update(repr((self.pooling, self.normalizes, self.tokens, dict(self.prompts))).encode())
        return digest.hexdigest()


def batches(texts: Sequence[Tokenized], tokens: int) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
    """Places of texts, and their tokens, texts x tokens; longest texts first."""
    by_length = sorted(range(len(texts)), key=lambda i: -len(texts[i].numbers))
    for length, alike in groupby(by_length, key=lambda i: len(texts[i].numbers)):
        places = list(alike)
        most = max(1, tokens // max(1, length))
        for at in range(0, len(places), most):
            some = places[at : at + most]
            yield some, np.stack([texts[i].numbers for i in some])


def spread(
    work: Run, texts: Sequence[Tokenized], threads: int, tokens: int = TOKENS
) -> Iterator[tuple[list[int], Vectors]]:
    """What `work` gives for each batch of at most so many tokens, with the places of its texts."""
    cut = list(batches(texts, tokens))
    if threads == 1 or len(cut) == 1:
        yield from ((places, work(tokens)) for places, tokens in cut)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from zip([places for places, _ in cut], pool.map(work, [tokens for _, tokens in cut]), strict=True)


Precision = Literal["float32", "int8"]
Backend = Literal["onnxruntime", "numpy"]


class TransformerEncoder:
    """Tokens, the transformer, pooling. The weights are read when the first text comes.

    length   cuts texts off earlier than the model does; None leaves it to the model
    backend  None takes onnxruntime where it is installed
    """

    def __init__(
        self,
        folder: ModelFolder,
        precision: Precision = "float32",
        length: int | None = None,
        threads: int = 0,
        backend: Backend | None = None,
    ) -> None:
        self._folder, self._precision = folder, precision
        self._length = folder.tokens if length is None else min(length, folder.tokens)
        self._threads = threads or processors()
        self._backend = backend or ("onnxruntime" if find_spec("onnxruntime") is not None else "numpy")
        if self._backend == "numpy" and (folder.graph is not None or precision == "int8"):
            what = "A model.onnx" if folder.graph is not None else "precision='int8'"
            raise missing("onnxruntime", what)
        if folder.graph is not None and precision == "int8":
            raise UsageError(
                f"{folder.graph} is run as it is: precision='int8' is for weights that a graph is built from. "
                "Leave the precision out, or name a folder that has model.safetensors and no model.onnx."
            )
        self._tokenizer = Tokenizer(folder.tokenizer, self._length)
        self._ready: Run | None = None

    @property
    def identity(self) -> str:
        """Hash of the files, settings, what runs them."""
        ran = f"{self._backend} {library(self._backend, 'A model folder').__version__}"
        return f"model {self._folder.content_hash} {self._precision} {self._length} tokens, {ran}"

    @property
    def prompts(self) -> Mapping[str, str]:
        """As the folder has them."""
        return self._folder.prompts

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """A row for each text, pooled and normalized as the folder says."""
        run = self._run()
        rows: list[Vectors] = [np.empty(0, np.float32)] * len(texts)
        for places, vectors in self._each(lambda tokens: self._pooled(run(tokens)), self._tokenizer(texts)):
            for place, vector in zip(places, vectors, strict=True):
                rows[place] = vector
        return self._stacked(rows)

    def _pooled(self, output: NDArray[np.float32]) -> Vectors:
        """One vector for each text of what the model gave."""
        vectors = pooled(output, self._folder.pooling) if output.ndim == 3 else output
        self._refuse_nan(vectors)
        return unit(vectors) if self._folder.normalizes else vectors

    def _stacked(self, rows: list[Vectors]) -> Vectors:
        if rows and self._folder.card is not None and rows[0].shape != (self._folder.card.dimensions,):
            raise InputError(
                f"{self._folder.path(CARD)} is wrong: it says {self._folder.card.dimensions} dimensions, and the model "
                f"gives vectors of {len(rows[0])}."
            )
        return np.stack(rows) if rows else np.empty((0, 0), np.float32)

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The last layer's rows of the tokens of each text."""
        return [tokens for tokens, _ in self._read(texts)]

    def both(self, texts: Sequence[str]) -> tuple[list[Vectors], Vectors]:
        """`token_vectors` and `vectors` of one pass, the latter bit for bit what a pass of their own gives."""
        read = self._read(texts, pool=True)
        return [tokens for tokens, _ in read], self._stacked([vector for _, vector in read])

    def _read(self, texts: Sequence[str], pool: bool = False) -> list[tuple[Vectors, Vectors]]:
        """For each text the rows of its tokens, and with `pool` its vector."""
        nothing = np.empty(0, np.float32)
        tokenized: list[Tokenized] = self._tokenizer(texts)
        read: list[tuple[Vectors, Vectors]] = [(nothing, nothing)] * len(texts)
        for places, rows in self._each(self._run(), tokenized):
            if rows.ndim != 3:
                raise UsageError(
                    f"{self._folder.graph} gives one vector for a text and none for its tokens. "
                    "Name a model whose graph gives last_hidden_state."
                )
            self._refuse_nan(rows)
            vectors = self._pooled(rows) if pool else [nothing] * len(places)
            for place, row, vector in zip(places, rows, vectors, strict=True):
                read[place] = unit(row[tokenized[place].of_text]), vector
        return read

    def _each(self, work: Run, texts: Sequence[Tokenized]) -> Iterator[tuple[list[int], Vectors]]:
        threads = self._threads if self._backend == "onnxruntime" else 1  # NumPy's own library uses all processors
        # In int8, what stands beside a text in a batch would change its vector.
        alone = self._precision == "int8" or self._folder.quantizes
        return spread(work, texts, threads, ALONE if alone else TOKENS)

    def _refuse_nan(self, vectors: NDArray[np.float32]) -> None:
        if not np.isfinite(vectors).all():
            raise InputError(
                f"The model in {self._folder.folder} gives vectors that are no numbers (NaN or infinity): its weights "
                "are damaged, or were saved in a precision that they do not fit in."
            )

    def _run(self) -> Run:
        if self._ready is None:
            self._ready = self._numpy() if self._backend == "numpy" else self._onnxruntime()
        return self._ready

    def _numpy(self) -> Run:
        assert self._folder.weights is not None
        bert = read_bert(self._folder.weights, self._folder.config)
        return lambda tokens: forward(bert, tokens)

    def _onnxruntime(self) -> Run:
        if self._folder.graph is not None:
            return session(self._folder.graph, self._folder.graph)
        assert self._folder.weights is not None
        bert = read_bert(self._folder.weights, self._folder.config)
        return session(bert_graph(bert, self._precision == "int8"), self._folder.folder)


def session(model: str | bytes, name: str) -> MaskedRun:
    """A graph, ready to run from several threads; each run stays on the thread that asks for it."""
    runtime = library("onnxruntime", "A model folder")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session: Any = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its errors have no common base of their own
        raise InputError(f"{name}: onnxruntime cannot run this model: {str(error).splitlines()[0]}") from None
    known = {node.name for node in session.get_inputs()}
    strange = known - {INPUT, "attention_mask", "token_type_ids", "position_ids"}
    if INPUT not in known or strange:
        raise InputError(
            f"{name} takes {', '.join(sorted(known))}. A text encoder takes input_ids, and at most attention_mask, "
            "token_type_ids and position_ids."
        )
    outputs = [node.name for node in session.get_outputs()]
    output = next((n for n in ("last_hidden_state", "token_embeddings") if n in outputs), outputs[0])

    def run(tokens: NDArray[np.int64], attended: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        if attended is not None and "attention_mask" not in known:
            raise InputError(f"{name} takes no attention_mask, so no token can be left out of what the others look at.")
        every = {
            INPUT: tokens,
            "attention_mask": np.ones_like(tokens) if attended is None else attended.astype(tokens.dtype),
            "token_type_ids": np.zeros_like(tokens),
            "position_ids": np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape).copy(),
        }
        (values,) = session.run([output], {key: value for key, value in every.items() if key in known})
        return np.asarray(values, dtype=np.float32)

    return run
