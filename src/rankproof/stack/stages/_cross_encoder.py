"""A cross-encoder: a graph that reads a query and a passage together and says how well they fit."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.libraries import library
from rankproof.kernel.sections import counted
from rankproof.stack.models.find import hub_folder
from rankproof.stack.models.transformer import ModelFolder

_WHO = "rerank_cross_encoder"
# Weights of the project's own, in a package beside this one, and the module that holds them.
SHOP = "shop-cross-encoder"
_MODULE = "rankproof_shop_cross_encoder"
_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_INPUTS = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}


def find_folder(name: str, beside: str) -> ModelFolder:
    """The folder that a configuration names, the one of our own model, or the one that holds a model of the hub."""
    if name == SHOP:
        return ModelFolder(_shop_folder())
    path = os.path.join(beside, os.path.expanduser(name))
    if not os.path.isdir(path):
        if not _HUB.fullmatch(name):
            raise UsageError(
                f"{_WHO}: {path} is no folder. A model is {SHOP!r}, a folder with model.onnx, tokenizer.json and "
                "config.json, or a name on the hub such as 'cross-encoder/ms-marco-MiniLM-L6-v2'."
            )
        path = hub_folder(name, path)
    folder = ModelFolder(path)
    if folder.graph is None:
        raise UsageError(
            f"{_WHO}: the model folder {path} has no model.onnx. Make one from its weights with: "
            f"optimum-cli export onnx --model {name} --task text-classification FOLDER"
        )
    return folder


def _shop_folder() -> str:
    """Where the installed package has its weights; UsageError where it is not installed."""
    spec = find_spec(_MODULE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        raise UsageError(
            f"The model {SHOP!r} is not installed. Its weights are a package of their own in rankproof's repository. "
            "Install it there with: pip install packages/shop_cross_encoder"
        )
    return places[0]


class CrossEncoder:
    """A model folder, opened. `length` is the most tokens of a pair; `threads` work on one batch (0: all)."""

    def __init__(self, folder: ModelFolder, length: int | None, threads: int) -> None:
        self.identity = folder.content_hash
        self._folder = folder
        self._session = _session(folder, threads)
        self._inputs = [node.name for node in self._session.get_inputs()]
        strange = [name for name in self._inputs if name not in _INPUTS]
        if strange or "input_ids" not in self._inputs:
            raise InputError(
                f"{folder.graph} takes {', '.join(self._inputs)}; a cross-encoder takes input_ids and maybe "
                "attention_mask and token_type_ids."
            )
        self._tokenizer = _tokenizer(folder)
        self._tokenizer.no_padding()
        self._length = min(length or folder.tokens, folder.tokens)
        self._tokenizer.enable_truncation(self._length, strategy="longest_first")

    @property
    def settings(self) -> str:
        """All that a score depends on besides the pair, in one line."""
        return f"model {self.identity} {self._length} tokens, onnxruntime {library('onnxruntime', _WHO).__version__}"

    def scores(self, query: str, passages: Sequence[str], batch: int) -> NDArray[np.float64]:
        """How well each passage fits the query; the higher, the better. NaN where the model gives no number."""
        out = np.full(len(passages), np.nan)
        read = self._tokenizer.encode_batch([(_clean(query), _clean(passage)) for passage in passages])
        for places in _alike(read, batch):
            inputs = {
                name: np.array([getattr(read[i], _INPUTS[name]) for i in places], dtype=np.int64)
                for name in self._inputs
            }
            out[places] = self._logits(inputs)
        return out

    def _logits(self, inputs: dict[str, NDArray[np.int64]]) -> NDArray[np.float64]:
        try:
            first = self._session.run(None, inputs)[0]
        except Exception as error:  # the library has a class for each of its reasons; all say the same of the folder
            lines = str(error).strip().splitlines()
            raise InputError(
                f"{self._folder.graph} could not read what tokenizer.json beside it made of a text"
                f"{': ' + lines[0][:160] if lines else ''}. Do the two belong together?"
            ) from None
        logits = np.asarray(first, dtype=np.float64)
        rows = len(inputs["input_ids"])
        if logits.shape in ((rows,), (rows, 1)):
            return logits.reshape(rows)
        if logits.shape == (rows, 2):
            difference: NDArray[np.float64] = logits[:, 1] - logits[:, 0]  # log-odds of the second label, "relevant"
            return difference
        raise InputError(
            f"{self._folder.graph} answered {counted(rows, 'pair')} with an array of shape {logits.shape}; a "
            'cross-encoder has one label, or two of which the second is "relevant".'
        )


def _alike(read: Sequence[Any], batch: int) -> Iterator[list[int]]:
    """Places of pairs with the same number of tokens: nothing is padded, so no pair changes the score of another."""
    by_length = sorted(range(len(read)), key=lambda i: len(read[i].ids))
    for _, same in groupby(by_length, key=lambda i: len(read[i].ids)):
        places = list(same)
        yield from (places[at : at + batch] for at in range(0, len(places), batch))


def _session(folder: ModelFolder, threads: int) -> Any:
    runtime = library("onnxruntime", _WHO)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    try:
        return runtime.InferenceSession(folder.graph, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # as above: many classes, one meaning
        raise InputError(f"{folder.graph} is no graph that onnxruntime can run: {str(error)[:200]}") from None


def _tokenizer(folder: ModelFolder) -> Any:
    tokenizers = library("tokenizers", _WHO)
    try:
        return tokenizers.Tokenizer.from_file(folder.tokenizer)
    except Exception as error:  # the library raises the bare class
        raise InputError(f"{folder.tokenizer} is no tokenizer: {error}.") from None


def _clean(text: str) -> str:
    """Without lone surrogates, which stand for bytes that are no UTF-8 and cannot go to the library."""
    return text.encode("utf-8", "replace").decode("utf-8")
