"""Transformers in folders: two ways to run the same weights agree, and the folder's own settings are followed."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from tests.raising import raises

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")

from tests.stack.models import tiny

from rankproof.errors import InputError, MissingExtra
from rankproof.stack.models.bert import bert_graph, eight_bits, read_bert
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder

TEXTS = ["red tent", "green lamp : rope", "", "tent", "red red red red red red red red tent lamp"]


def encoder(folder: Path, **said: object) -> TransformerEncoder:
    return TransformerEncoder(ModelFolder(str(folder)), **said)


@pytest.mark.parametrize("pooling", ["mean_tokens", "cls_token", "max_tokens"])
def test_numpy_and_onnxruntime_agree(tmp_path: Path, pooling: str) -> None:
    folder = tiny.model(tmp_path, pooling, normalize=False)
    plain = encoder(folder, backend="numpy").vectors(TEXTS)
    graph = encoder(folder, backend="onnxruntime").vectors(TEXTS)
    assert plain.shape == (5, tiny.SIZE)
    assert np.abs(plain - graph).max() < 1e-5
    assert np.abs(plain[0] - plain[1]).max() > 0.1  # and they are no constants


def test_int8_is_near_and_not_the_same(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path)
    exact = encoder(folder).vectors(TEXTS)
    small = encoder(folder, precision="int8").vectors(TEXTS)
    cosine = (exact * small).sum(axis=1)
    assert cosine.min() > 0.99
    assert np.abs(exact - small).max() > 1e-5


def test_eight_bits_by_hand() -> None:
    """A column from -2.54 to 1.27 has the scale 2.54 / 127 = 0.02; a column of zeros stays one."""
    small, scale = eight_bits(np.array([[-2.54, 0], [1.27, 0]], np.float32))
    assert small.tolist() == [[-127, 0], [64, 0]]  # 1.27 / 0.02 = 63.5, which rounds to the even 64
    assert scale.round(6).tolist() == np.array([0.02, 1], np.float32).tolist()


def test_a_text_has_the_same_vector_alone_and_among_others(tmp_path: Path) -> None:
    made = encoder(tiny.model(tmp_path))
    together = made.vectors(TEXTS * 3)
    for i, text in enumerate(TEXTS):
        assert np.abs(made.vectors([text])[0] - together[i]).max() < 1e-6
        assert np.abs(together[i] - together[i + 10]).max() < 1e-6


def test_normalizing_is_the_folders_choice(tmp_path: Path) -> None:
    plain = encoder(tiny.model(tmp_path / "a", normalize=False)).vectors(TEXTS)
    normed = encoder(tiny.model(tmp_path / "b")).vectors(TEXTS)
    assert np.abs(np.linalg.norm(normed, axis=1) - 1).max() < 1e-6
    assert np.abs(np.linalg.norm(plain, axis=1) - 1).max() > 0.1


def test_texts_are_cut_where_the_model_ends_or_earlier(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path)
    long = "tent " * 100
    assert (encoder(folder).vectors([long]) == encoder(folder).vectors([long + "lamp"])).all()
    three = encoder(folder, length=8)  # [CLS], six words, [SEP]
    assert (three.vectors(["red tent lamp rope red tent"]) == three.vectors(["red tent lamp rope red tent lamp"])).all()


def test_roberta_begins_its_positions_after_the_padding(tmp_path: Path) -> None:
    """The same weights with two rows more before the positions (padding is number 1) are the same model."""
    tensors = tiny.weights()
    name = "embeddings.position_embeddings.weight"
    shifted = {**tensors, name: np.concatenate([np.full((2, tiny.SIZE), 9, np.float32), tensors[name]])}
    bert = tiny.model(tmp_path / "bert")
    positions = tiny.POSITIONS + 2
    said = {"model_type": "roberta", "pad_token_id": 1, "max_position_embeddings": positions}
    roberta = tiny.model(tmp_path / "roberta", before="roberta.", tensors=shifted, **said)
    assert np.abs(encoder(bert).vectors(TEXTS) - encoder(roberta).vectors(TEXTS)).max() < 1e-6
    assert ModelFolder(str(roberta)).tokens == tiny.POSITIONS


@pytest.mark.parametrize("family", ["camembert", "xlm-roberta"])
def test_a_text_as_long_as_the_model_reads_fits_its_positions(tmp_path: Path, family: str) -> None:
    """Two of the rows of the table of positions stand before the first token, for the padding."""
    name = "embeddings.position_embeddings.weight"
    tensors = tiny.weights()
    longer = {**tensors, name: np.concatenate([np.zeros((2, tiny.SIZE), np.float32), tensors[name]])}
    said = {"model_type": family, "pad_token_id": 1, "max_position_embeddings": tiny.POSITIONS + 2}
    folder = tiny.model(tmp_path, tensors=longer, **said)
    assert ModelFolder(str(folder)).tokens == tiny.POSITIONS
    assert np.isfinite(encoder(folder).vectors(["tent " * 100])).all()


def test_in_int8_too_a_text_has_the_same_vector_alone_and_among_others(tmp_path: Path) -> None:
    small = encoder(tiny.model(tmp_path), precision="int8")
    texts = ["red tent", "green lamp", "rope rope", "tent red"]
    together = small.vectors(texts)
    for text, vector in zip(texts, together, strict=True):
        assert (small.vectors([text])[0] == vector).all()


def test_weights_that_give_no_numbers_are_told(tmp_path: Path) -> None:
    tensors = tiny.weights()
    tensors["embeddings.LayerNorm.bias"][0] = np.nan
    broken = encoder(tiny.model(tmp_path, tensors=tensors))
    for encode in (broken.vectors, broken.token_vectors):
        with raises(InputError, tmp_path, "NaN"):
            encode(["red tent"])


def test_weights_beside_the_graph_count(tmp_path: Path) -> None:
    """Exporters put the weights of a large graph into a file of their own: other weights are another model."""
    folder = tiny.model(tmp_path)
    bert = read_bert(str(folder / "model.safetensors"), ModelFolder(str(folder)).config)
    (folder / "model.onnx").write_bytes(bert_graph(bert, int8=False))
    hashes = [ModelFolder(str(folder)).content_hash]
    for content in (b"one", b"two"):
        (folder / "model.onnx_data").write_bytes(content)
        hashes.append(ModelFolder(str(folder)).content_hash)
    assert len(set(hashes)) == 3


def test_token_vectors_leave_marks_out_and_have_length_one(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path)
    ways = [encoder(folder, backend=backend).token_vectors(TEXTS) for backend in ("numpy", "onnxruntime")]
    assert [len(rows) for rows in ways[0]] == [2, 4, 0, 1, 10]
    for plain, graph in zip(*ways, strict=True):
        assert plain.shape == graph.shape
        assert np.abs(np.linalg.norm(graph, axis=1) - 1).max(initial=0) < 1e-6
        assert np.abs(plain - graph).max(initial=0) < 1e-5


def test_a_folder_with_a_graph_runs_that_graph(tmp_path: Path) -> None:
    folder = tiny.model(tmp_path)
    built = encoder(folder).vectors(TEXTS)
    bert = read_bert(str(folder / "model.safetensors"), ModelFolder(str(folder)).config)
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(bert_graph(bert, int8=False))
    (folder / "model.safetensors").unlink()
    assert (encoder(folder).vectors(TEXTS) == built).all()


def test_the_graph_is_one_that_onnx_itself_can_read(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    folder = tiny.model(tmp_path)
    bert = read_bert(str(folder / "model.safetensors"), ModelFolder(str(folder)).config)
    for int8 in (False, True):
        model = onnx.load_model_from_string(bert_graph(bert, int8))
        onnx.checker.check_model(model)
        words = next(t for t in model.graph.initializer if t.name == "words")
        assert (onnx.numpy_helper.to_array(words) == bert.words).all()
        assert [i.name for i in model.graph.input] == ["input_ids"]
        assert [o.name for o in model.graph.output] == ["last_hidden_state"]


def test_the_identity_says_what_vectors_depend_on(tmp_path: Path) -> None:
    one = tiny.model(tmp_path / "one")
    same = tiny.model(tmp_path / "same")
    other = tiny.model(tmp_path / "other", tensors=tiny.weights(seed=1))
    pooled = tiny.model(tmp_path / "pooled", pooling="cls_token")
    names = [
        encoder(one).identity,
        encoder(other).identity,
        encoder(pooled).identity,
        encoder(one, precision="int8").identity,
        encoder(one, length=9).identity,
        encoder(one, backend="numpy").identity,
    ]
    assert len(set(names)) == len(names)
    assert encoder(same).identity == names[0]
    assert str(tmp_path) not in names[0]


def test_without_onnxruntime_numpy_runs_the_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny.model(tmp_path)
    expected = encoder(folder).vectors(TEXTS)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    plain = encoder(folder)
    assert "numpy" in plain.identity
    assert np.abs(plain.vectors(TEXTS) - expected).max() < 1e-5
    with raises(MissingExtra, "precision='int8'", "'onnxruntime'", "pip install 'rankproof[stack]'"):
        encoder(folder, precision="int8")
    (folder / "model.onnx").write_bytes(b"")
    with raises(MissingExtra, "model.onnx", "'onnxruntime'", "pip install 'rankproof[stack]'"):
        encoder(folder)
