"""A small ColBERT, as colbert-ai and as PyLate lay it out, and a plain implementation of it, one text at a time."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from tests.stack.models import tiny
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

WORDS = [*tiny.WORDS, "[MASK]", "[unused0]", "[unused1]", ".", ",", "!"]
OUT = 6
QUERY_LENGTH, DOCUMENT_LENGTH = 9, 12


def weights(seed: int = 0) -> dict[str, NDArray[np.float32]]:
    """BERT's, for the words here, and the projection."""
    rng = np.random.default_rng([seed, 7])
    words = (rng.normal(size=(len(WORDS) + 2, tiny.SIZE)) * 0.5).astype(np.float32)
    linear = rng.normal(size=(OUT, tiny.SIZE)).astype(np.float32)
    return {**tiny.weights(seed), "embeddings.word_embeddings.weight": words, "linear.weight": linear}


def _tokenizer(path: Path, added: tuple[str, ...] = ()) -> None:
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.add_special_tokens([AddedToken(mark, special=True) for mark in ("[MASK]", "[unused0]", "[unused1]")])
    made.add_tokens(list(added))
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.save(str(path))


def _config(folder: Path) -> None:
    said = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_hidden_layers": tiny.LAYERS,
        "num_attention_heads": tiny.HEADS,
        "max_position_embeddings": tiny.POSITIONS,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(said))


def colbert_ai(folder: Path, seed: int = 0, **metadata: Any) -> Path:
    """One file with bert.* and linear.weight, and artifact.metadata."""
    folder.mkdir(parents=True, exist_ok=True)
    _config(folder)
    _tokenizer(folder / "tokenizer.json")
    found = weights(seed)
    linear = found.pop("linear.weight")
    save_file({"linear.weight": linear, **{f"bert.{n}": v for n, v in found.items()}}, folder / "model.safetensors")
    said = {
        "query_token_id": "[unused0]",
        "doc_token_id": "[unused1]",
        "query_maxlen": QUERY_LENGTH,
        "doc_maxlen": DOCUMENT_LENGTH,
        "mask_punctuation": True,
        "attend_to_mask_tokens": False,
        **metadata,
    }
    (folder / "artifact.metadata").write_text(json.dumps(said))
    return folder


def pylate(folder: Path, seed: int = 0, **settings: Any) -> Path:
    """The transformer, 1_Dense beside it, and markers that were added to the vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    _config(folder)
    _tokenizer(folder / "tokenizer.json", ("[Q] ", "[D] "))
    found = weights(seed)
    linear = found.pop("linear.weight")
    save_file(found, folder / "model.safetensors")
    (folder / "1_Dense").mkdir(exist_ok=True)
    save_file({"linear.weight": linear}, folder / "1_Dense" / "model.safetensors")
    activation = "torch.nn.modules.linear.Identity"
    dense = {"in_features": tiny.SIZE, "out_features": OUT, "bias": False, "activation_function": activation}
    (folder / "1_Dense" / "config.json").write_text(json.dumps(dense))
    kinds = [("", "sentence_transformers.models.Transformer"), ("1_Dense", "pylate.models.Dense.Dense")]
    entries = [{"idx": i, "name": str(i), "path": path, "type": kind} for i, (path, kind) in enumerate(kinds)]
    (folder / "modules.json").write_text(json.dumps(entries))
    said = {
        "query_prefix": "[Q] ",
        "document_prefix": "[D] ",
        "query_length": QUERY_LENGTH,
        "document_length": DOCUMENT_LENGTH,
        "attend_to_expansion_tokens": False,
        "skiplist_words": list("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
        **settings,
    }
    (folder / "config_sentence_transformers.json").write_text(json.dumps(said))
    return folder


# ---- the plain implementation ---------------------------------------------------------------------


def numbers(text: str) -> list[int]:
    return [WORDS.index(word) if word in WORDS else 1 for word in text.split()]


def query(text: str, mark: int, expands: bool = True, attends: bool = False, seed: int = 0) -> NDArray[np.float64]:
    """[CLS] mark words [SEP] [MASK] ..., every token of it."""
    tokens = [2, mark, *numbers(text)[: QUERY_LENGTH - 3], 3]
    masks = QUERY_LENGTH - len(tokens) if expands else 0
    seen = [True] * len(tokens) + [attends] * masks
    return _projected(tokens + [WORDS.index("[MASK]")] * masks, seen, seed)


def document(text: str, mark: int, skips: bool = True, seed: int = 0) -> NDArray[np.float64]:
    """[CLS] mark words [SEP], without punctuation, which was read all the same."""
    tokens = [2, mark, *numbers(text)[: DOCUMENT_LENGTH - 3], 3]
    rows = _projected(tokens, [True] * len(tokens), seed)
    left_out = {WORDS.index(sign) for sign in ".,!:"} if skips else set()
    return np.array([row for token, row in zip(tokens, rows, strict=True) if token not in left_out])


def _projected(tokens: list[int], seen: list[bool], seed: int) -> NDArray[np.float64]:
    w = {name: value.astype(np.float64) for name, value in weights(seed).items()}
    rows = [
        w["embeddings.word_embeddings.weight"][token]
        + w["embeddings.position_embeddings.weight"][place]
        + w["embeddings.token_type_embeddings.weight"][0]
        for place, token in enumerate(tokens)
    ]
    rows = [_norm(row, w, "embeddings.LayerNorm") for row in rows]
    for layer in range(tiny.LAYERS):
        rows = _layer(rows, seen, w, f"encoder.layer.{layer}")
    projected = [w["linear.weight"] @ row for row in rows]
    return np.array([row / math.sqrt(float(row @ row)) for row in projected])


def _layer(rows: list[Any], seen: list[bool], w: dict[str, Any], at: str) -> list[Any]:
    size = tiny.SIZE // tiny.HEADS
    parts = {
        part: [w[f"{at}.attention.self.{part}.weight"] @ row + w[f"{at}.attention.self.{part}.bias"] for row in rows]
        for part in ("query", "key", "value")
    }
    out = []
    for i, row in enumerate(rows):
        heads = []
        for head in range(tiny.HEADS):
            cut = slice(head * size, (head + 1) * size)
            likeness = [float(parts["query"][i][cut] @ key[cut]) / math.sqrt(size) for key in parts["key"]]
            share = [math.exp(x) if looked_at else 0.0 for x, looked_at in zip(likeness, seen, strict=True)]
            values = zip(share, parts["value"], strict=True)
            heads.append(sum(weight * value[cut] for weight, value in values) / sum(share))
        mixed = w[f"{at}.attention.output.dense.weight"] @ np.concatenate(heads)
        mixed = _norm(row + mixed + w[f"{at}.attention.output.dense.bias"], w, f"{at}.attention.output.LayerNorm")
        up = w[f"{at}.intermediate.dense.weight"] @ mixed + w[f"{at}.intermediate.dense.bias"]
        up = np.array([x * (1 + math.erf(x / math.sqrt(2))) / 2 for x in up])
        down = w[f"{at}.output.dense.weight"] @ up + w[f"{at}.output.dense.bias"]
        out.append(_norm(mixed + down, w, f"{at}.output.LayerNorm"))
    return out


def _norm(row: Any, w: dict[str, Any], at: str) -> Any:
    away = row - row.mean()
    return away / math.sqrt(float((away**2).mean()) + 1e-12) * w[f"{at}.weight"] + w[f"{at}.bias"]
