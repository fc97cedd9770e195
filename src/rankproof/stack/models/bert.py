"""BERT's encoder: its weights under plain names, and its forward pass in NumPy.

The forward pass is the reference that the ONNX graph of the same weights is held against, and what runs where
onnxruntime is not installed.

source: Devlin, Chang, Lee and Toutanova, BERT, NAACL 2019; RoBERTa: Liu et al., arXiv 1907.11692, 2019
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.libraries import library
from rankproof.stack.models.directory import first_position

Array = NDArray[np.float32]
Linear = tuple[Array, Array]  # in x out, and what is added
Norm = tuple[Array, Array]
# RoBERTa and those after it differ in where their positions begin.
FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert")


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer: attention, a norm, a network of two layers, a norm."""

    query: Linear
    key: Linear
    value: Linear
    out: Linear
    attended: Norm
    up: Linear
    down: Linear
    done: Norm


@dataclass(frozen=True, slots=True, eq=False)
class Bert:
    """The weights. `positions` begins at the first position and has the type of the only segment added in."""

    words: Array
    positions: Array
    norm: Norm
    layers: tuple[Layer, ...]
    heads: int
    epsilon: float


def read_bert(path: str, config: Mapping[str, Any]) -> Bert:
    """The weights of a model.safetensors; UsageError for a model of another family."""
    family, activation = config.get("model_type"), config.get("hidden_act", "gelu")
    positions = config.get("position_embedding_type", "absolute")
    if family not in FAMILIES or activation != "gelu" or positions != "absolute":
        raise UsageError(
            f"{path} holds a model of the type {family!r} ({activation}, {positions} positions), for which no "
            f"graph can be built here: {', '.join(FAMILIES)} with gelu and absolute positions can. "
            "Put the model's own model.onnx beside it."
        )
    try:
        found = library("safetensors.numpy", "A model folder").load_file(path)
    except (OSError, TypeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    except Exception as error:
        if type(error).__name__ != "SafetensorError":
            raise
        raise InputError(f"{path} is damaged or no safetensors file: {error}.") from None
    return _Names(path, found).bert(config, first_position(config))


class _Names:
    """Weights as the file has them, with or without the name of the family before each."""

    def __init__(self, path: str, found: Mapping[str, NDArray[Any]]) -> None:
        mark = "embeddings.word_embeddings.weight"
        self._path, self._found = path, found
        self._before = next((name.removesuffix(mark) for name in found if name.endswith(mark)), "")

    def __getitem__(self, name: str) -> Array:
        try:
            return np.asarray(self._found[self._before + name], dtype=np.float32)
        except KeyError:
            raise InputError(f"{self._path} has no {name!r}: it is not the model that its config.json says.") from None

    def linear(self, name: str) -> Linear:
        return np.ascontiguousarray(self[f"{name}.weight"].T), self[f"{name}.bias"]

    def norm(self, name: str) -> Norm:
        return self[f"{name}.weight"], self[f"{name}.bias"]

    def layer(self, number: int) -> Layer:
        at = f"encoder.layer.{number}"
        return Layer(
            query=self.linear(f"{at}.attention.self.query"),
            key=self.linear(f"{at}.attention.self.key"),
            value=self.linear(f"{at}.attention.self.value"),
            out=self.linear(f"{at}.attention.output.dense"),
            attended=self.norm(f"{at}.attention.output.LayerNorm"),
            up=self.linear(f"{at}.intermediate.dense"),
            down=self.linear(f"{at}.output.dense"),
            done=self.norm(f"{at}.output.LayerNorm"),
        )

    def bert(self, config: Mapping[str, Any], first: int) -> Bert:
        positions = self["embeddings.position_embeddings.weight"][first:]
        return Bert(
            words=self["embeddings.word_embeddings.weight"],
            positions=positions + self["embeddings.token_type_embeddings.weight"][0],
            norm=self.norm("embeddings.LayerNorm"),
            layers=tuple(self.layer(i) for i in range(int(config["num_hidden_layers"]))),
            heads=int(config["num_attention_heads"]),
            epsilon=float(config.get("layer_norm_eps", 1e-12)),
        )


def forward(bert: Bert, numbers: NDArray[np.int64]) -> Array:
    """Texts x tokens to texts x tokens x dimensions; all texts have the same number of tokens."""
    x = bert.words[numbers] + bert.positions[: numbers.shape[1]]
    x = _norm(x, bert.norm, bert.epsilon)
    for layer in bert.layers:
        x = _norm(x + _linear(_attention(x, layer, bert.heads), layer.out), layer.attended, bert.epsilon)
        x = _norm(x + _linear(_gelu(_linear(x, layer.up)), layer.down), layer.done, bert.epsilon)
    return x


def _linear(x: Array, weights: Linear) -> Array:
    return np.asarray(x @ weights[0] + weights[1], dtype=np.float32)


def _norm(x: Array, weights: Norm, epsilon: float) -> Array:
    x = x - x.mean(axis=-1, keepdims=True)
    spread = np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + np.float32(epsilon))
    return np.asarray(x / spread * weights[0] + weights[1], dtype=np.float32)


def _gelu(x: Array) -> Array:
    from scipy.special import erf

    return np.asarray(x * (erf(x / np.float32(math.sqrt(2))) + 1) / 2, dtype=np.float32)


def _attention(x: Array, layer: Layer, heads: int) -> Array:
    texts, tokens, size = x.shape
    one = size // heads

    def split(weights: Linear) -> Array:
        return _linear(x, weights).reshape(texts, tokens, heads, one).transpose(0, 2, 1, 3)

    likeness = split(layer.query) @ split(layer.key).transpose(0, 1, 3, 2) / np.float32(math.sqrt(one))
    share = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
    share /= share.sum(axis=-1, keepdims=True)
    mixed: Array = (share @ split(layer.value)).transpose(0, 2, 1, 3).reshape(texts, tokens, size)
    return mixed
