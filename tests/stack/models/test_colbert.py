"""ColBERT in both layouts against a plain implementation: markers, [MASK], what is looked at, punctuation, lengths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.models import small_colbert, tiny

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.cache import FolderCache
from rankproof.reading.ranking import Ranking
from rankproof.stack.models import colbert
from rankproof.stack.models.colbert import ColbertEncoder
from rankproof.stack.models.transformer import ModelFolder
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

for name in ("onnxruntime", "tokenizers", "safetensors"):
    pytest.importorskip(name)

LAYOUTS = {
    # layout -> how it is saved, and the numbers of the markers of queries and of documents
    "colbert_ai": (small_colbert.colbert_ai, 13, 14),
    "pylate": (small_colbert.pylate, 18, 19),
}
TEXTS = [
    "red tent , green rope .",
    "lamp",
    "",
    "rope ! rope red red red red red red red red red red",
    "unheard : words",
]
QUERIES = ["red tent", "lamp", "", "red green tent lamp rope red green tent lamp rope"]
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
# 32-bit sums in another order.
NEAR = 5e-6


def opened(folder: Path, **said: Any) -> ColbertEncoder:
    return ColbertEncoder(ModelFolder(str(folder)), **{"precision": "float32", "length": None, "threads": 1, **said})


@every_layout
def test_queries_and_documents_are_those_of_the_plain_implementation(layout: str, tmp_path: Path) -> None:
    save, of_query, of_document = LAYOUTS[layout]
    encoder = opened(save(tmp_path / "model"))
    for text, vectors in zip(QUERIES, encoder.query_token_vectors(QUERIES), strict=True):
        plain = small_colbert.query(text, of_query)
        assert vectors.shape == plain.shape == (small_colbert.QUERY_LENGTH, small_colbert.OUT)
        assert np.abs(vectors - plain).max() < NEAR
    for text, vectors in zip(TEXTS, encoder.token_vectors(TEXTS), strict=True):
        plain = small_colbert.document(text, of_document)
        assert vectors.shape == plain.shape
        assert np.abs(vectors - plain).max() < NEAR


@every_layout
def test_numpy_alone_gives_the_same(layout: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save, *_ = LAYOUTS[layout]
    one = opened(save(tmp_path / "model")).token_vectors(TEXTS)
    monkeypatch.setattr(colbert, "find_spec", lambda name: None)
    encoder = opened(tmp_path / "model")
    assert "numpy" in encoder.identity
    for vectors, other in zip(one, encoder.token_vectors(TEXTS), strict=True):
        assert np.abs(vectors - other).max() < NEAR


@pytest.mark.parametrize(
    ("layout", "said", "plain"),
    [
        ("colbert_ai", {"attend_to_mask_tokens": True}, {"attends": True}),
        ("pylate", {"attend_to_expansion_tokens": True}, {"attends": True}),
        ("pylate", {"do_query_expansion": False}, {"expands": False}),
    ],
)
def test_what_the_folder_says_of_masks_is_done(layout: str, said: Any, plain: Any, tmp_path: Path) -> None:
    save, of_query, _ = LAYOUTS[layout]
    (vectors,) = opened(save(tmp_path / "model", **said)).query_token_vectors(["red tent"])
    expected = small_colbert.query("red tent", of_query, **plain)
    assert vectors.shape == expected.shape
    assert np.abs(vectors - expected).max() < NEAR
    usual = small_colbert.query("red tent", of_query)
    assert expected.shape != usual.shape or np.abs(expected - usual).max() > 0.01


@pytest.mark.parametrize(
    ("layout", "said"), [("colbert_ai", {"mask_punctuation": False}), ("pylate", {"skiplist_words": []})]
)
def test_punctuation_stays_where_the_folder_says_so(layout: str, said: Any, tmp_path: Path) -> None:
    save, _, of_document = LAYOUTS[layout]
    (vectors,) = opened(save(tmp_path / "model", **said)).token_vectors(TEXTS[:1])
    plain = small_colbert.document(TEXTS[0], of_document, skips=False)
    assert len(plain) == len(small_colbert.document(TEXTS[0], of_document)) + 2
    assert np.abs(vectors - plain).max() < NEAR


def test_a_graph_of_the_transformer_is_projected(tmp_path: Path) -> None:
    """The graph stands in for the weights; it is the one that is built from them, which takes no attention mask."""
    from rankproof.stack.models.bert import bert_graph, read_bert

    folder = small_colbert.pylate(tmp_path / "model", do_query_expansion=False)
    plain = opened(folder)
    before = plain.identity
    one, asked = plain.token_vectors(TEXTS), plain.query_token_vectors(QUERIES)
    bert = read_bert(str(folder / "model.safetensors"), json.loads((folder / "config.json").read_text()))
    (folder / "model.onnx").write_bytes(bert_graph(bert, False))
    graph = opened(folder)
    assert graph.identity != before
    for vectors, other in zip(
        [*one, *asked], [*graph.token_vectors(TEXTS), *graph.query_token_vectors(QUERIES)], strict=True
    ):
        assert np.abs(vectors - other).max() < NEAR
    small_colbert.pylate(folder)
    with raises(InputError, "attention_mask"):
        opened(folder).query_token_vectors(["red"])


# ---- in the stage ---------------------------------------------------------------------------------


@every_layout
def test_the_stage_orders_by_the_sum_of_greatest_cosines(layout: str, tmp_path: Path) -> None:
    save, of_query, of_document = LAYOUTS[layout]
    save(tmp_path / "model")
    texts = dict(zip("abcde", TEXTS, strict=True))
    stage = shelf.find("stages", "rerank_maxsim")
    ground = Ground(corpus_of(texts), FolderCache(str(tmp_path / "cache")), str(tmp_path))
    for _ in range(2):  # the second time from the cache
        engine: Any = stage.open(parameters_of(stage, model="model"), ground)
        came = Ranking.in_order(list(texts))
        engine.prepare(queries_of(*QUERIES), [[came]] * len(QUERIES))
        passed = engine.apply(queries_of(*QUERIES), [[came]] * len(QUERIES))
        for text, one in zip(QUERIES, passed, strict=True):
            asked = small_colbert.query(text, of_query)
            plain = {
                doc: float((asked @ small_colbert.document(said, of_document).T).max(axis=1).mean())
                for doc, said in texts.items()
            }
            assert list(one.ranking.doc_ids) == sorted(plain, key=lambda doc: -plain[doc])
            assert one.ranking.scores.tolist() == pytest.approx(sorted(plain.values(), reverse=True), abs=2e-3)
        assert one.failures == ()


def test_the_length_of_documents_may_be_cut_and_is_in_the_identity(tmp_path: Path) -> None:
    folder = small_colbert.colbert_ai(tmp_path / "model")
    short, whole = opened(folder, length=8), opened(folder)
    assert len(short.token_vectors(["red " * 20])[0]) == 8
    assert len(whole.token_vectors(["red " * 20])[0]) == small_colbert.DOCUMENT_LENGTH
    assert short.identity != whole.identity
    small_colbert.colbert_ai(tmp_path / "other", seed=1)
    small_colbert.colbert_ai(tmp_path / "longer", query_maxlen=10)
    assert len({opened(tmp_path / name).identity for name in ("model", "other", "longer")}) == 3


# ---- what is refused ------------------------------------------------------------------------------


def test_a_colbert_has_no_vector_for_a_text(tmp_path: Path) -> None:
    small_colbert.pylate(tmp_path / "model")
    dense = shelf.find("engines", "dense")
    engine: Any = dense.open(parameters_of(dense, model="model"), Ground(corpus_of({"a": "red"}), folder=str(tmp_path)))
    with raises(UsageError, "ColBERT", "rerank_maxsim"):
        engine.prepare()


def test_folders_that_lack_something_are_refused_before_anything_runs(tmp_path: Path) -> None:
    def changed(name: str, file: str, content: str | None, layout: Any = small_colbert.pylate) -> Path:
        folder: Path = layout(tmp_path / name)
        if content is None:
            (folder / file).unlink()
        else:
            (folder / file).write_text(content)
        return folder

    tanh = json.dumps({"activation_function": "torch.nn.modules.activation.Tanh"})
    for folder, kind, words in (
        (changed("gone", "1_Dense/model.safetensors", None), UsageError, ("1_Dense", "missing")),
        (changed("tanh", "1_Dense/config.json", tanh), UsageError, ("Tanh", "Identity")),
        (changed("cut", "1_Dense/model.safetensors", "no tensors"), InputError, ("damaged",)),
        (changed("list", "config_sentence_transformers.json", "[]"), InputError, ("JSON object",)),
        (changed("mark", "config_sentence_transformers.json", '{"query_prefix": "[X]"}'), InputError, ("'[X]'",)),
        (
            changed("text", "artifact.metadata", '{"query_maxlen": "32"}', small_colbert.colbert_ai),
            InputError,
            ("'32'",),
        ),
        (
            changed("flag", "artifact.metadata", '{"mask_punctuation": 1}', small_colbert.colbert_ai),
            InputError,
            ("true",),
        ),
        (changed("short", "artifact.metadata", '{"doc_maxlen": 2}', small_colbert.colbert_ai), InputError, ("2", "8")),
    ):
        with raises(kind, *words):
            opened(folder)
    tiny.model(tmp_path / "bert")
    (tmp_path / "bert" / "artifact.metadata").write_text("{}")
    with raises(InputError, "linear.weight"):
        opened(tmp_path / "bert")


def test_a_projection_of_another_size_is_refused(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    folder = small_colbert.pylate(tmp_path / "model")
    save_file({"linear.weight": np.ones((4, 5), np.float32)}, folder / "1_Dense" / "model.safetensors")
    with raises(InputError, "5 dimensions"):
        opened(folder).token_vectors(["red"])
