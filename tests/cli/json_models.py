"""A model so small that its files are texts: all weights are 0. And the command lines that give JSON about models."""

from __future__ import annotations

import json
import struct
from hashlib import sha256

from tests.cli.json_case import Case

SIZE, POSITIONS = 4, 8


def _weights() -> str:
    """A safetensors file: the length of the header, the header, zeros. The padding keeps every byte below 128."""
    tables = {"word": 2, "position": POSITIONS, "token_type": 2}
    shapes = {f"embeddings.{name}_embeddings.weight": (rows, SIZE) for name, rows in tables.items()}
    at = "encoder.layer.0"
    linear = [f"{at}.attention.self.{part}" for part in ("query", "key", "value")]
    linear += [f"{at}.attention.output.dense", f"{at}.intermediate.dense", f"{at}.output.dense"]
    norms = ["embeddings.LayerNorm", f"{at}.attention.output.LayerNorm", f"{at}.output.LayerNorm"]
    shapes |= {f"{name}.weight": (SIZE, SIZE) for name in linear} | {f"{name}.weight": (SIZE,) for name in norms}
    shapes |= {f"{name}.bias": (SIZE,) for name in (*linear, *norms)}
    header, end = {}, 0
    for name, shape in shapes.items():
        begin, end = end, end + 4 * shape[0] * (shape[1] if len(shape) == 2 else 1)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header)
    text += " " * (-len(text) % 256)
    return struct.pack("<Q", len(text)).decode("ascii") + text + "\0" * end


CARD = {
    "card": 1, "name": "tiny", "pooling": "mean", "normalize": True, "dimensions": SIZE, "length": POSITIONS,
    "query_prefix": "query: ", "document_prefix": "", "license": "MIT",
}  # fmt: skip
TOKENIZER = {
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "a": 1}, "unk_token": "[UNK]"},
}  # fmt: skip
CONFIG = {"model_type": "bert", "num_hidden_layers": 1, "num_attention_heads": 1, "max_position_embeddings": POSITIONS}
MODEL = {
    "model.safetensors": _weights(), "tokenizer.json": json.dumps(TOKENIZER), "config.json": json.dumps(CONFIG),
}  # fmt: skip
FILES = {**MODEL, "tiny-card.json": json.dumps(CARD)}
ACCEPTED = " ".join(f"--sha256 {sha256(text.encode()).hexdigest()}" for text in MODEL.values())
FETCH = f"models fetch tiny --from . --card tiny-card.json {ACCEPTED} --folder fetched-models"

CASES = [
    Case(f"{FETCH} --json", "model-fetch/1"),
    Case("models fetch tiny --from . --card tiny-card.json --folder elsewhere --json", "error/1", 1),
    Case("models fetch nothing-here --folder elsewhere --json", "error/1", 2),
    Case("models list --folder elsewhere --json", "models/1"),
    Case("models list --nonsense --json", "error/1", 2),
    Case("models show e5-small-v2 --folder elsewhere --json", "model/1"),
    Case("models show e5-small-v3 --folder elsewhere --json", "error/1", 2),
]
