"""An ONNX graph of BERT's weights, made of the fused operations that onnxruntime has for this family.

In int8, every multiplication by weights takes weights of eight bits with a scale for each output, and brings what comes
in to eight bits as it comes: about twice as fast, and a little less exact. The scale of what comes in is that of a
batch, so each text is a batch of its own: no vector depends on the texts encoded beside it.

source: onnxruntime, ContribOperators.md
"""

from __future__ import annotations

import numpy as np

from rankproof.models.bert import Array, Bert, Layer, Linear, Norm
from rankproof.models.onnx_file import INT32, Graph

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
