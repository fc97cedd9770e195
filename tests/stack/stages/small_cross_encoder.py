"""A small cross-encoder, real in all its parts: words to vectors, each word of the query against each of the passage.

Its weights are put together here. Words that mean the same share a direction, so that it knows what word matching does
not; each word of the query takes its best match in the passage, and the matches are added up.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

MARKS = ("[PAD]", "[CLS]", "[SEP]", "[UNK]")


def save(folder: Path, meanings: Sequence[Sequence[str]], labels: int = 1) -> Path:
    """Saves a model that knows these words; those of one group mean the same. Marks and other words match nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [*MARKS, *(word for group in meanings for word in group)]
    vectors = np.zeros((len(words), len(meanings)), dtype=np.float32)
    for direction, group in enumerate(meanings):
        for word in group:
            vectors[words.index(word), direction] = 1.0
    onnx.save(_graph(vectors, labels), str(folder / "model.onnx"))
    _tokenizer(words).save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 32}))
    return folder


def _tokenizer(words: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", words.index("[CLS]")), ("[SEP]", words.index("[SEP]"))],
    )
    return tokenizer


def _graph(vectors: NDArray[np.float32], labels: int) -> onnx.ModelProto:
    """input_ids and token_type_ids, pairs x tokens, to logits, pairs x labels."""
    constants = {"vectors": vectors, "one": np.array(1, np.float32), "axis 1": np.array([1]), "axis 2": np.array([2])}
    signs = np.array([[1.0]] if labels == 1 else [[-1.0, 1.0]], dtype=np.float32)  # two labels: no, yes
    constants["signs"] = signs
    nodes = [
        helper.make_node("Gather", ["vectors", "input_ids"], ["words"]),
        helper.make_node("Transpose", ["words"], ["turned"], perm=[0, 2, 1]),
        helper.make_node("MatMul", ["words", "turned"], ["matches"]),  # of each word with each
        helper.make_node("Cast", ["token_type_ids"], ["in passage"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["in passage", "axis 2"], ["rows of passage"]),
        helper.make_node("Mul", ["matches", "rows of passage"], ["matches in passage"]),
        helper.make_node("ReduceMax", ["matches in passage"], ["best"], axes=[1], keepdims=0),
        helper.make_node("Sub", ["one", "in passage"], ["in query"]),
        helper.make_node("Mul", ["best", "in query"], ["best of query"]),
        helper.make_node("ReduceSum", ["best of query", "axis 1"], ["sum"], keepdims=1),
        helper.make_node("Mul", ["sum", "signs"], ["logits"]),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", labels])]
    weights = [numpy_helper.from_array(value, name) for name, value in constants.items()]
    graph = helper.make_graph(nodes, "small cross-encoder", inputs, outputs, weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.checker.check_model(model)
    return model
