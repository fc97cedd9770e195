"""Models by their name on the Hugging Face hub, where huggingface_hub is installed and the hub can be reached."""

from __future__ import annotations

import os
from typing import Final

from rankproof.errors import UsageError
from rankproof.models.library import library

# What a folder needs; weights in other forms would only be downloaded.
_WEIGHTS: Final = ("model.safetensors", "model.onnx", "onnx/model.onnx")
_FILES: Final = ["*.json", *_WEIGHTS, "model.onnx_data", "onnx/model.onnx_data", "*/config.json"]


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
        said = str(error).strip().splitlines()
        raise UsageError(
            f"The model {name!r} is not on this machine: there is no folder {beside}, and it could not be fetched from "
            f"the hub ({type(error).__name__}{': ' + said[0][:160] if said else ''}). Check the name and the network; "
            f"or fetch it where there is one, with `hf download {name} --local-dir FOLDER`, and name that folder."
        ) from None
