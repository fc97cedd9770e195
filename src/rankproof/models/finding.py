"""Finding a model by what a configuration says: a packaged name, a folder, a name on the hub, or an endpoint."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

from rankproof.errors import UsageError
from rankproof.models.directory import ModelFolder
from rankproof.models.encoder import Encoder
from rankproof.models.endpoint import EndpointEncoder
from rankproof.models.hub import hub_folder
from rankproof.models.packaged import MINILM, PACKAGED, WORDLLAMA, minilm_folder, wordllama_files
from rankproof.models.static import StaticEncoder
from rankproof.models.transformer import TransformerEncoder
from rankproof.records.ground import Ground
from rankproof.records.params import Choice, Param, Text, Whole

PRECISIONS: Final = ("float32", "int8")
# What every item that reads text with a model may say of it.
MODEL_PARAMS: Final = (
    Param("model", Text(), MINILM, "'minilm', 'wordllama', a folder, a name on the hub such as 'org/name'"),
    Param("precision", Choice(PRECISIONS), "float32", "of a graph built from weights; int8 is faster, less exact"),
    Param("length", Whole(8), None, "most tokens of a text that are read; as the model says when nothing is said"),
    Param(
        "query_prefix", Text(empty=True), None, "what stands before every query; as the model says when nothing is said"
    ),
    Param(
        "document_prefix",
        Text(empty=True),
        None,
        "what stands before every document; as the model says when nothing is said",
    ),
)
ENDPOINT_PARAMS: Final = (
    Param("endpoint", Text(), None, "address of an OpenAI-style embeddings endpoint, which is asked for `model`"),
    Param("key_env", Text(), None, "name of the environment variable that holds the endpoint's key"),
)
_HUB = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")


def open_model(values: Mapping[str, Any], ground: Ground) -> Encoder:
    """The model that MODEL_PARAMS and ENDPOINT_PARAMS say."""
    name, endpoint = values["model"], values.get("endpoint")
    if endpoint is not None:
        return EndpointEncoder(endpoint, name, values["key_env"])
    if name == WORDLLAMA:
        return StaticEncoder(*wordllama_files(), values["length"])
    folder = ModelFolder(_folder(name, ground.folder))
    return TransformerEncoder(folder, values["precision"], values["length"], ground.threads)


def _folder(name: str, beside: str) -> str:
    if name == MINILM:
        return minilm_folder()
    path = os.path.join(beside, os.path.expanduser(name))
    if os.path.isdir(path):
        return path
    if _HUB.fullmatch(name):
        return hub_folder(name, path)
    raise UsageError(
        f"No model is called {name!r}, and {path} is no folder. Possible are {', '.join(map(repr, PACKAGED))}, a "
        "folder laid out as sentence-transformers saves a model, or a name on the hub such as "
        "'sentence-transformers/all-MiniLM-L6-v2'."
    )


def prefixes(values: Mapping[str, Any], encoder: Encoder) -> tuple[str, str]:
    """What stands before a query and before a document: as said, else as the model has it."""
    query, document = values["query_prefix"], values["document_prefix"]
    return (
        encoder.prompts["query"] if query is None else query,
        encoder.prompts["document"] if document is None else document,
    )
