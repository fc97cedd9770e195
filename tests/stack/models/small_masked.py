"""A small masked language model, real in all its parts: tokens to vectors, their mean added, vectors to logits.

`logits` computes the same with NumPy, text by text: what the engine is held against.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tests.stack.models import tiny

SIZE = 6


def weights(seed: int = 0) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Vectors of tokens, vectors to logits, and what is added: most logits are below 0."""
    rng = np.random.default_rng(seed)
    words = len(tiny.WORDS)
    parts = rng.normal(size=(words, SIZE)), rng.normal(size=(SIZE, words)), np.full(words, -0.8)
    return tuple(part.astype(np.float32) for part in parts)  # type: ignore[return-value]


def logits(numbers: list[int], seed: int = 0) -> NDArray[np.float64]:
    """Tokens x terms of one text."""
    vectors, out, added = (part.astype(np.float64) for part in weights(seed))
    x = vectors[numbers]
    return (x + x.mean(axis=0)) @ out + added


def save(folder: Path, seed: int = 0, pooled: bool = False) -> Path:
    """Saves it; `pooled` gives one row for a text, as no masked language model does."""
    folder.mkdir(parents=True, exist_ok=True)
    tiny.tokenizer(folder / "tokenizer.json")
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 16}))
    vectors, out, added = weights(seed)
    nodes = [
        helper.make_node("Gather", ["vectors", "input_ids"], ["words"]),
        helper.make_node("ReduceMean", ["words"], ["mean"], axes=[1], keepdims=1),
        helper.make_node("Add", ["words", "mean"], ["mixed"]),
        helper.make_node("MatMul", ["mixed", "out"], ["product"]),
        helper.make_node("Add", ["product", "added"], ["whole"]),
    ]
    last = helper.make_node("ReduceMax", ["whole"], ["logits"], axes=[1], keepdims=0)
    nodes.append(last if pooled else helper.make_node("Identity", ["whole"], ["logits"]))
    shape: list[str | int] = ["texts", len(tiny.WORDS)] if pooled else ["texts", "tokens", len(tiny.WORDS)]
    graph = helper.make_graph(
        nodes,
        "small masked language model",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(v, n) for n, v in (("vectors", vectors), ("out", out), ("added", added))],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(made)
    onnx.save(made, str(folder / "model.onnx"))
    return folder
