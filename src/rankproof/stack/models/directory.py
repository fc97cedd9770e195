"""A model folder as sentence-transformers lays it out: what is in it, and what it says about itself.

config.json, tokenizer.json                    needed
model.onnx, onnx/model.onnx                    a graph, used as it is; or
model.safetensors                              weights, for which a graph is built here
modules.json, 1_Pooling/config.json            pooling, normalizing; mean of the tokens without them
sentence_bert_config.json                      how many tokens it reads
config_sentence_transformers.json              what it wants before queries and documents
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.stack.models.encoder import POOLINGS

_GRAPHS = ("model.onnx", os.path.join("onnx", "model.onnx"))
_WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"


# Families whose positions begin after the number of the padding token.
_PADDED = ("roberta", "xlm-roberta", "camembert", "mpnet")


def first_position(config: Mapping[str, Any]) -> int:
    """The row of the table of positions that the first token has."""
    return int(config.get("pad_token_id", 1)) + 1 if config.get("model_type") in _PADDED else 0


def _beside(graph: str) -> list[str]:
    """Files that hold the weights of a large graph, as exporters name them."""
    return [path for path in (f"{graph}_data", f"{graph}.data") if os.path.isfile(path)]


@dataclass(frozen=True, eq=False)
class ModelFolder:
    """A folder with everything a model needs; reading one that lacks something is an error that says what."""

    folder: str

    def __post_init__(self) -> None:
        if not os.path.isdir(self.folder):
            raise UsageError(f"The model folder {self.folder} does not exist.")
        missing = [name for name in ("config.json", _TOKENIZER) if not os.path.isfile(self.path(name))]
        if self.graph is None and not os.path.isfile(self.path(_WEIGHTS)):
            missing.append(f"{_WEIGHTS} or {' or '.join(_GRAPHS)}")
        if missing:
            raise UsageError(
                f"The model folder {self.folder} lacks {', '.join(missing)}. It must be laid out as "
                "sentence-transformers saves a model."
            )

    def path(self, name: str) -> str:
        """Of a file in it."""
        return os.path.join(self.folder, name)

    def _read(self, name: str, kind: type) -> Any:
        try:
            with open(self.path(name), "rb") as file:
                document = json.loads(file.read())
        except FileNotFoundError:
            return kind()
        except (OSError, ValueError) as error:
            raise InputError(f"{self.path(name)} cannot be read: {error}.") from None
        if not isinstance(document, kind):
            raise InputError(f"{self.path(name)} must hold a JSON {'table' if kind is dict else 'list'}.")
        return document

    @property
    def graph(self) -> str | None:
        """The path of its ONNX graph."""
        return next((self.path(name) for name in _GRAPHS if os.path.isfile(self.path(name))), None)

    @property
    def weights(self) -> str | None:
        """The path of its weights."""
        return self.path(_WEIGHTS) if os.path.isfile(self.path(_WEIGHTS)) else None

    @property
    def tokenizer(self) -> str:
        """The path of its tokenizer."""
        return self.path(_TOKENIZER)

    @cached_property
    def config(self) -> Mapping[str, Any]:
        """What config.json says."""
        config: Mapping[str, Any] = self._read("config.json", dict)
        return config

    @cached_property
    def _modules(self) -> list[tuple[str, str]]:
        """Kind and folder of each module: Transformer, Pooling, Normalize."""
        found = [module for module in self._read("modules.json", list) if isinstance(module, dict)]
        modules = [(str(m.get("type", "")).split(".")[-1], str(m.get("path", ""))) for m in found]
        other = sorted({kind for kind, _ in modules} - {"Transformer", "Pooling", "Normalize"})
        if other:
            raise UsageError(
                f"The model in {self.folder} has a module {other[0]!r}, which is not known here. "
                "Transformer, Pooling and Normalize are."
            )
        return modules

    @cached_property
    def normalizes(self) -> bool:
        """Whether its vectors have length 1."""
        return any(kind == "Normalize" for kind, _ in self._modules)

    @cached_property
    def pooling(self) -> tuple[str, ...]:
        """The ways its tokens become one vector."""
        place = next((path for kind, path in self._modules if kind == "Pooling"), "1_Pooling")
        config = self._read(os.path.join(place, "config.json"), dict)
        ways = [name.removeprefix("pooling_mode_") for name, value in config.items() if value is True]
        ways = [way for way in ways if way != "include_prompt"]
        unknown = [way for way in ways if way not in POOLINGS]
        if unknown:
            raise UsageError(
                f"{self.path(place)} asks for the pooling {unknown[0]!r}, which is not known here. "
                f"Known: {', '.join(POOLINGS)}."
            )
        return tuple(ways) or ("mean_tokens",)

    @cached_property
    def tokens(self) -> int:
        """How many tokens of a text it reads, its marks included."""
        length = self._read("sentence_bert_config.json", dict).get("max_seq_length")
        positions = int(self.config.get("max_position_embeddings", 512))
        most = positions - first_position(self.config)
        return min(int(length), most) if length else most

    @cached_property
    def prompts(self) -> Mapping[str, str]:
        """What it wants before a query and before a document."""
        prompts = self._read("config_sentence_transformers.json", dict).get("prompts") or {}
        document = next((prompts[name] for name in ("document", "passage", "corpus") if prompts.get(name)), "")
        return {"query": prompts.get("query") or "", "document": document}

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the files that its vectors depend on."""
        used = self.graph or self.path(_WEIGHTS)
        digest = sha256(b"rankproof model 1\n")
        for path in (used, *_beside(used), self.tokenizer, self.path("config.json")):
            with open(path, "rb") as file:
                part = sha256()
                while block := file.read(1 << 20):
                    part.update(block)
            digest.update(part.digest())
        digest.update(repr((self.pooling, self.normalizes, self.tokens, dict(self.prompts))).encode())
        return digest.hexdigest()
