"""A transformer in a model folder, run by onnxruntime in batches of equal length: on its own graph or a built one.

Where onnxruntime is not installed the weights are run by NumPy, which gives the same vectors and takes longer.

Small batches are the fastest on a processor: what a layer makes of 512 tokens stays in its cache. Batches and not
operations are spread over threads: no thread waits for another within a layer, and how many there are changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import groupby
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, MissingExtra, UsageError
from rankproof.kernel.libraries import library
from rankproof.stack.models.bert import INPUT, bert_graph, forward, read_bert
from rankproof.stack.models.directory import ModelFolder
from rankproof.stack.models.encoder import Tokenized, Tokenizer, Vectors, pooled, unit

TOKENS = 512
ALONE = 1  # each text by itself
Run = Callable[[NDArray[np.int64]], NDArray[np.float32]]


def batches(texts: Sequence[Tokenized], tokens: int) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
    """Places of texts, and their tokens, texts x tokens; longest texts first."""
    turn = sorted(range(len(texts)), key=lambda i: -len(texts[i].numbers))
    for length, alike in groupby(turn, key=lambda i: len(texts[i].numbers)):
        places = list(alike)
        most = max(1, tokens // max(1, length))
        for at in range(0, len(places), most):
            some = places[at : at + most]
            yield some, np.stack([texts[i].numbers for i in some])


def processors() -> int:
    """How many this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


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
            raise MissingExtra(what, "onnxruntime", "dense")
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
        run, ways = self._run(), self._folder.pooling

        def work(tokens: NDArray[np.int64]) -> Vectors:
            output = run(tokens)
            vectors = pooled(output, ways) if output.ndim == 3 else output
            self._refuse_nan(vectors)
            return unit(vectors) if self._folder.normalizes else vectors

        rows: list[Vectors] = [np.empty(0, np.float32)] * len(texts)
        for places, vectors in self._each(work, self._tokenizer(texts)):
            for place, vector in zip(places, vectors, strict=True):
                rows[place] = vector
        return np.stack(rows) if rows else np.empty((0, 0), np.float32)

    def token_vectors(self, texts: Sequence[str]) -> list[Vectors]:
        """The last layer's rows of the tokens of each text."""
        run = self._run()
        tokenized: list[Tokenized] = self._tokenizer(texts)
        vectors: list[Vectors] = [np.empty((0, 0), np.float32)] * len(texts)
        for places, rows in self._each(run, tokenized):
            if rows.ndim != 3:
                raise UsageError(
                    f"{self._folder.graph} gives one vector for a text and none for its tokens. "
                    "Name a model whose graph gives last_hidden_state."
                )
            self._refuse_nan(rows)
            for place, row in zip(places, rows, strict=True):
                vectors[place] = unit(row[tokenized[place].of_text])
        return vectors

    def _each(self, work: Run, texts: Sequence[Tokenized]) -> Iterator[tuple[list[int], Vectors]]:
        threads = self._threads if self._backend == "onnxruntime" else 1  # NumPy's own library uses all processors
        # In int8, what stands beside a text in a batch would change its vector.
        return spread(work, texts, threads, ALONE if self._precision == "int8" else TOKENS)

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
            return _session(self._folder.graph, self._folder.graph)
        assert self._folder.weights is not None
        bert = read_bert(self._folder.weights, self._folder.config)
        return _session(bert_graph(bert, self._precision == "int8"), self._folder.folder)


def _session(model: str | bytes, name: str) -> Run:
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

    def run(tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        every = {
            INPUT: tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
            "position_ids": np.broadcast_to(np.arange(tokens.shape[1]), tokens.shape).copy(),
        }
        (values,) = session.run([output], {key: value for key, value in every.items() if key in known})
        return np.asarray(values, dtype=np.float32)

    return run
