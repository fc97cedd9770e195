"""BERT's encoder: its weights under plain names, its forward pass in NumPy, and its ONNX graph.

The forward pass is the reference that the graph of the same weights is tested against, and what runs where onnxruntime
is not installed. The graph uses fused operations of onnxruntime and is written as a protocol buffer.

source: Devlin, Chang, Lee and Toutanova, BERT, NAACL 2019; RoBERTa: Liu et al., arXiv 1907.11692, 2019
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.libraries import library

Array = NDArray[np.float32]
Linear = tuple[Array, Array]  # in x out, and what is added
Norm = tuple[Array, Array]
# RoBERTa and those after it differ in where their positions begin.
FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert")

# Families whose positions begin after the number of the padding token.
_PADDED = ("roberta", "xlm-roberta", "camembert", "mpnet")


def first_position(config: Mapping[str, Any]) -> int:
    """The row of the table of positions that the first token has."""
    return int(config.get("pad_token_id", 1)) + 1 if config.get("model_type") in _PADDED else 0


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
        tensors = library("safetensors.numpy", "A model folder").load_file(path)
    except (OSError, TypeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None
    except Exception as error:
        if type(error).__name__ != "SafetensorError":
            raise
        raise InputError(f"{path} is damaged or no safetensors file: {error}.") from None
    return _Names(path, tensors).bert(config, first_position(config))


class _Names:
    """Weights as the file has them, with or without the name of the family before each."""

    def __init__(self, path: str, tensors: Mapping[str, NDArray[np.generic]]) -> None:
        mark = "embeddings.word_embeddings.weight"
        self._path, self._tensors = path, tensors
        self._before = next((name.removesuffix(mark) for name in tensors if name.endswith(mark)), "")

    def __getitem__(self, name: str) -> Array:
        try:
            return np.asarray(self._tensors[self._before + name], dtype=np.float32)
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


def forward(bert: Bert, numbers: NDArray[np.int64], attended: NDArray[np.bool_] | None = None) -> Array:
    """Texts x tokens to texts x tokens x dimensions; all texts have the same number of tokens.

    attended    texts x tokens: which tokens the others look at; all without it
    """
    x = bert.words[numbers] + bert.positions[: numbers.shape[1]]
    x = _norm(x, bert.norm, bert.epsilon)
    for layer in bert.layers:
        x = _norm(x + _linear(_attention(x, layer, bert.heads, attended), layer.out), layer.attended, bert.epsilon)
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


def _attention(x: Array, layer: Layer, heads: int, attended: NDArray[np.bool_] | None) -> Array:
    texts, tokens, size = x.shape
    one = size // heads

    def split(weights: Linear) -> Array:
        return _linear(x, weights).reshape(texts, tokens, heads, one).transpose(0, 2, 1, 3)

    likeness = split(layer.query) @ split(layer.key).transpose(0, 1, 3, 2) / np.float32(math.sqrt(one))
    if attended is not None:
        likeness = np.where(attended[:, None, None, :], likeness, np.float32(-np.inf))
    share = np.exp(likeness - likeness.max(axis=-1, keepdims=True))
    share /= share.sum(axis=-1, keepdims=True)
    mixed: Array = (share @ split(layer.value)).transpose(0, 2, 1, 3).reshape(texts, tokens, size)
    return mixed


_TYPES: Final = {np.dtype(np.float32): 1, np.dtype(np.uint8): 2, np.dtype(np.int8): 3, np.dtype(np.int64): 7}
_FLOAT, _INT = 1, 2  # kinds of attributes
INT32: Final = 6


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


class Graph:
    """A graph that grows node by node. The first value that a node gives has its name."""

    def __init__(self) -> None:
        self._nodes: list[bytes] = []
        self._constants: list[bytes] = []

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        """Adds a constant and gives its name. TensorProto: dims 1, data_type 2, name 8, raw_data 9."""
        dims = b"".join(_number(1, size) for size in value.shape)
        little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
        tensor = dims + _number(2, _TYPES[value.dtype]) + _bytes(8, name) + _bytes(9, little.tobytes())
        self._constants.append(tensor)
        return name

    def node(
        self,
        operation: str,
        inputs: Sequence[str],
        name: str,
        domain: str = "",
        also: Sequence[str] = (),
        **attributes: float,
    ) -> str:
        """Adds a node and gives its name; `also` are further values it gives.

        NodeProto: input 1, output 2, name 3, op_type 4, attribute 5, domain 7.
        """
        node = b"".join(_bytes(1, value) for value in inputs) + b"".join(_bytes(2, value) for value in (name, *also))
        node += _bytes(3, name) + _bytes(4, operation)
        for key, number in attributes.items():  # AttributeProto: name 1, f 2, i 3, type 20
            encoded = (
                _varint(2 << 3 | 5) + struct.pack("<f", number) if isinstance(number, float) else _number(3, number)
            )
            node += _bytes(5, _bytes(1, key) + encoded + _number(20, _FLOAT if isinstance(number, float) else _INT))
        self._nodes.append(node + (_bytes(7, domain) if domain else b""))
        return name

    def model(self, inputs: Sequence[str], output: str, size: int) -> bytes:
        """The file: whole numbers texts x tokens come in, numbers texts x tokens x `size` go out.

        GraphProto: node 1, name 2, initializer 5, input 11, output 12.
        ModelProto: ir_version 1, graph 7, opset_import 8.
        """
        taken = b"".join(_bytes(11, _value(name, 7, ("texts", "tokens"))) for name in inputs)
        produced = _bytes(12, _value(output, 1, ("texts", "tokens", size)))
        nodes = b"".join(_bytes(1, node) for node in self._nodes)
        constants = b"".join(_bytes(5, constant) for constant in self._constants)
        graph = nodes + _bytes(2, "encoder") + constants + taken + produced
        sets = [("", 17), ("com.microsoft", 1)]  # OperatorSetIdProto: domain 1, version 2
        opsets = b"".join(_bytes(8, _bytes(1, domain) + _number(2, version)) for domain, version in sets)
        return _number(1, 9) + _bytes(7, graph) + opsets


def _value(name: str, kind: int, shape: tuple[str | int, ...]) -> bytes:
    """ValueInfoProto: name 1, type 2; its tensor_type 1: elem_type 1, shape 2; a dim 1: dim_value 1, dim_param 2."""
    dims = b"".join(_bytes(1, _bytes(2, d) if isinstance(d, str) else _number(1, d)) for d in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, dims)))


_FUSED = "com.microsoft"
INPUT, OUTPUT = "input_ids", "last_hidden_state"


def bert_graph(bert: Bert, int8: bool) -> bytes:
    """The model file: `input_ids` to `last_hidden_state`. It has no mask: texts of a batch have as many tokens."""
    return _Builder(bert, int8).model()


class _Builder:
    def __init__(self, bert: Bert, int8: bool) -> None:
        self.bert, self.int8, self.graph = bert, int8, Graph()

    def model(self) -> bytes:
        bert, graph = self.bert, self.graph
        numbers = graph.node("Cast", [INPUT], "numbers", to=INT32)
        words, positions = graph.constant("words", bert.words), graph.constant("positions", bert.positions)
        x = graph.node(
            "EmbedLayerNormalization",
            [numbers, "", words, positions, "", *self.norm("embedded", bert.norm)],
            "embedded",
            _FUSED,
            also=["unmasked"],
            epsilon=bert.epsilon,
        )
        for i, layer in enumerate(bert.layers):
            x = self.layer(x, layer, f"layer{i}", OUTPUT if i + 1 == len(bert.layers) else f"layer{i}")
        return graph.model([INPUT], OUTPUT, bert.words.shape[1])

    def layer(self, x: str, layer: Layer, at: str, name: str) -> str:
        graph, heads = self.graph, self.bert.heads
        three = {"query": layer.query, "key": layer.key, "value": layer.value}
        parts = [self.times(x, weights, f"{at}.{part}") for part, weights in three.items()]
        added = graph.constant(f"{at}.three.added", np.concatenate([weights[1] for weights in three.values()]))
        attended = graph.node("MultiHeadAttention", [*parts, added], f"{at}.attended", _FUSED, num_heads=heads)
        x = self.joined(attended, layer.out, x, layer.attended, f"{at}.out")
        up = self.times(x, layer.up, f"{at}.up")
        up = graph.node("BiasGelu", [up, graph.constant(f"{at}.up.added", layer.up[1])], f"{at}.gelu", _FUSED)
        return self.joined(up, layer.down, x, layer.done, name)

    def joined(self, x: str, weights: Linear, before: str, norm: Norm, name: str) -> str:
        """Times weights, plus what came before, normed."""
        product = self.times(x, weights, f"{name}.product")
        added = self.graph.constant(f"{name}.added", weights[1])
        inputs = [product, before, *self.norm(name, norm), added]
        return self.graph.node("SkipLayerNormalization", inputs, name, _FUSED, epsilon=self.bert.epsilon)

    def norm(self, name: str, norm: Norm) -> list[str]:
        return [self.graph.constant(f"{name}.norm.{i}", part) for i, part in enumerate(norm)]

    def times(self, x: str, weights: Linear, name: str) -> str:
        """Times the matrix; what is added is left to the operation that follows."""
        matrix = weights[0]
        if not self.int8:
            return self.graph.node("MatMul", [x, self.graph.constant(f"{name}.weights", matrix)], name)
        small, scale = eight_bits(matrix)
        inputs = [x, self.graph.constant(f"{name}.weights", small), self.graph.constant(f"{name}.scale", scale)]
        zero = self.graph.constant(f"{name}.zero", np.zeros(len(scale), dtype=np.int8))
        return self.graph.node("DynamicQuantizeMatMul", [*inputs, zero], name, _FUSED)


def eight_bits(matrix: Array) -> tuple[np.ndarray, Array]:
    """Whole numbers from -127 to 127 and the scale of each column that brings them back."""
    scale = np.abs(matrix).max(axis=0) / np.float32(127)
    scale = np.asarray(np.where(scale > 0, scale, 1), dtype=np.float32)
    return np.rint(matrix / scale).astype(np.int8), scale
