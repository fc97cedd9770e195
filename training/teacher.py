"""The teacher: how well a query fits a text by the vectors of models that were trained on texts of people.

Generated texts teach a model their templates. What the words mean it has from its own weights, and it keeps that where
it also learns to agree with models that have it: all-MiniLM-L6-v2 itself and e5-small-v2.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import BertConfig, BertModel

LENGTH = 128


class VectorModel:
    """A model that makes vectors of texts, with what stands before queries and passages."""

    def __init__(self, model: Any, folder: Path, before: tuple[str, str], device: str) -> None:
        self.model, self.before, self.device = model.to(device).eval(), before, device
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(LENGTH)
        self.tokenizer.enable_padding()

    @torch.no_grad()
    def vectors(self, texts: Sequence[str], passages: bool) -> torch.Tensor:
        """Of length 1."""
        made = []
        for at in range(0, len(texts), 512):
            read = self.tokenizer.encode_batch([self.before[passages] + text for text in texts[at : at + 512]])
            ids = torch.tensor([one.ids for one in read], device=self.device)
            mask = torch.tensor([one.attention_mask for one in read], device=self.device)
            with torch.autocast(self.device, dtype=torch.bfloat16, enabled=self.device == "cuda"):
                hidden = self.model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
            weight = mask.unsqueeze(-1).float()
            made.append(torch.nn.functional.normalize((hidden * weight).sum(1) / weight.sum(1), dim=1))
        return torch.cat(made)


class Teacher:
    """The mean of several models, each with its scores of a list brought to mean 0 and deviation 1."""

    def __init__(self, models: Sequence[VectorModel]) -> None:
        self.models = models

    def scores(self, queries: Sequence[str], texts: Sequence[Sequence[str]]) -> torch.Tensor:
        """One row of scores for every query; all lists are of one length."""
        distinct = list(dict.fromkeys(text for own in texts for text in own))
        place = {text: at for at, text in enumerate(distinct)}
        places = torch.tensor([[place[text] for text in own] for own in texts])
        total = 0
        for model in self.models:
            documents = model.vectors(distinct, True)
            asked = model.vectors(list(queries), False)
            cosine = torch.einsum("qd,qtd->qt", asked, documents[places.to(documents.device)])
            total = total + (cosine - cosine.mean(1, keepdim=True)) / cosine.std(1, keepdim=True).clamp(min=1e-4)
        return total / len(self.models)


def quantized_bert(folder: Path) -> BertModel:
    """A BERT out of an ONNX file with 8-bit weights, as `rankproof models fetch` brings them, in 32-bit numbers."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(folder / "model.onnx")).graph
    held = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def whole(name: str) -> np.ndarray[Any, Any]:
        stem = name.removesuffix("_quantized")
        scale, zero = held[f"{stem}_scale"], held[f"{stem}_zero_point"]
        return ((held[name].astype(np.float32) - zero.astype(np.float32)) * scale).astype(np.float32)

    weights = {
        name.removesuffix("_quantized"): whole(name)
        for name in held
        if name.startswith("embeddings") and name.endswith("_quantized")
    }
    weights |= {
        name: value for name, value in held.items() if name.endswith((".weight", ".bias")) and name not in weights
    }
    products = [
        name
        for node in graph.node
        if node.op_type == "MatMulInteger"
        for name in node.input
        if name.endswith("_quantized") and "MatMul" in name and name in held
    ]
    layers = len(products) // 6
    parts = (
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "intermediate.dense",
        "output.dense",
    )
    for at, name in enumerate(products):
        weights[f"encoder.layer.{at // 6}.{parts[at % 6]}.weight"] = whole(name).T
    config = BertConfig(
        vocab_size=len(weights["embeddings.word_embeddings.weight"]), hidden_size=384, num_hidden_layers=layers,
        num_attention_heads=12, intermediate_size=1536,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False)
    lacking, strange = model.load_state_dict(
        {name: torch.tensor(np.array(value)) for name, value in weights.items()}, strict=False
    )
    bad = [name for name in [*lacking, *strange] if "position_ids" not in name and "pooler" not in name]
    if bad:
        raise SystemExit(f"{folder}: these weights are no BERT as e5-small-v2 is: {bad[:5]}")
    return model


def bert(folder: Path) -> BertModel:
    """A BERT out of model.safetensors and config.json."""
    from safetensors.torch import load_file

    model = BertModel(BertConfig(**json.loads((folder / "config.json").read_text())), add_pooling_layer=False)
    weights = {
        name.removeprefix("bert."): value.float()
        for name, value in load_file(str(folder / "model.safetensors")).items()
    }
    lacking, strange = model.load_state_dict(weights, strict=False)
    bad = [name for name in [*lacking, *strange] if "position_ids" not in name and "pooler" not in name]
    if bad:
        raise SystemExit(f"{folder}: these weights are no MiniLM: {bad[:5]}")
    return model


def open_teacher(minilm: Path, e5: Path, device: str) -> Teacher:
    """Both models."""
    return Teacher(
        [
            VectorModel(bert(minilm), minilm, ("", ""), device),
            VectorModel(quantized_bert(e5), e5, ("query: ", "passage: "), device),
        ]
    )
