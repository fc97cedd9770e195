"""Tiny model folders, written with real libraries and random weights from a seed: real enough to be read and run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "red", "green", "tent", "lamp", "rope", "query", "passage", ":"]
SIZE, INNER, HEADS, LAYERS, POSITIONS = 16, 32, 4, 2, 24


def tokenizer(path: Path) -> None:
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.save(str(path))


def weights(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)

    def some(*shape: int) -> np.ndarray:
        return (rng.normal(size=shape) * 0.5).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(len(WORDS), SIZE),
        "embeddings.position_embeddings.weight": some(POSITIONS, SIZE),
        "embeddings.token_type_embeddings.weight": some(2, SIZE),
    }
    norms = ["embeddings.LayerNorm"]
    linear = {}
    for i in range(LAYERS):
        at = f"encoder.layer.{i}"
        linear |= {f"{at}.attention.self.{part}": (SIZE, SIZE) for part in ("query", "key", "value")}
        linear |= {f"{at}.attention.output.dense": (SIZE, SIZE)}
        linear |= {f"{at}.intermediate.dense": (INNER, SIZE), f"{at}.output.dense": (SIZE, INNER)}
        norms += [f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    for name, (out, into) in linear.items():
        found |= {f"{name}.weight": some(out, into), f"{name}.bias": some(out)}
    for name in norms:
        found |= {f"{name}.weight": 1 + some(SIZE), f"{name}.bias": some(SIZE)}
    return found


def model(
    folder: Path,
    pooling: str = "mean_tokens",
    normalize: bool = True,
    prompts: dict[str, str] | None = None,
    before: str = "",
    tensors: dict[str, np.ndarray] | None = None,
    **config: Any,
) -> Path:
    """A folder as sentence-transformers saves it. `before` stands before the name of every weight."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer(folder / "tokenizer.json")
    save_file({before + name: value for name, value in (tensors or weights()).items()}, folder / "model.safetensors")
    said = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": POSITIONS,
        **config,
    }
    (folder / "config.json").write_text(json.dumps(said))
    modules = ["Transformer", "Pooling", *(["Normalize"] if normalize else [])]
    paths = ["", "1_Pooling", "2_Normalize"]
    (folder / "modules.json").write_text(
        json.dumps(
            [
                {"idx": i, "name": str(i), "path": paths[i], "type": f"sentence_transformers.models.{kind}"}
                for i, kind in enumerate(modules)
            ]
        )
    )
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": SIZE, f"pooling_mode_{pooling}": True})
    )
    if prompts is not None:
        (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    return folder
