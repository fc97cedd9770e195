"""Reranking by a real ONNX cross-encoder, which is built here and improves what it was made to improve."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.stages.llm_cases import check_promises, values

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground

for library in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(library)

MEANINGS = [
    ("laptop", "notebook"), ("cheap", "affordable", "budget"), ("sofa", "couch"), ("gray", "grey"),
    ("kids", "children"), ("bike", "bicycle"), ("phone",), ("case",), ("large", "big"), ("red", "crimson"),
]  # fmt: skip
# Query -> texts of its documents; the first two say it in other words and are relevant, the others repeat a word of it.
SHOP = {
    "cheap laptop": ["affordable notebook", "a budget notebook", "laptop case laptop", "cheap phone", "laptop case"],
    "large gray sofa": ["big grey couch", "grey couch big size", "gray gray case", "large red phone", "sofa red red"],
    "kids red bike": ["crimson bicycle children", "children bicycle crimson", "kids kids phone", "red case", "bike"],
}  # fmt: skip
CORPUS = Corpus(
    tuple(f"{q}-{i}" for q in range(len(SHOP)) for i in range(5)),
    {"text": tuple(text for texts in SHOP.values() for text in texts)},
    "shop",
)
QUERIES = [Query(f"q{i}", text) for i, text in enumerate(SHOP)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.stack.stages.small_cross_encoder import save

    return save(tmp_path_factory.mktemp("models") / "one label", MEANINGS)


def opened(model: Path | str, ground: Ground | None = None, **said: Any) -> Any:
    stage = shelf.find("stages", "rerank_cross_encoder")
    return stage.open(values("rerank_cross_encoder", model=str(model), **said), ground or Ground(CORPUS))


def by_words(query: Query) -> Ranking:
    """Every document by how many of the query's words it repeats, as word matching would have it."""
    counts = [sum(word in query.text.split() for word in text.split()) for text in CORPUS.fields["text"]]
    return Ranking.of(CORPUS.doc_ids, [float(count) for count in counts])


def ndcg(rankings: list[Ranking]) -> float:
    run = {
        query.query_id: dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))
        for query, ranking in zip(QUERIES, rankings, strict=True)
    }
    qrels = {query.query_id: {f"{i}-0": 1, f"{i}-1": 1} for i, query in enumerate(QUERIES)}
    value = rankproof.evaluate(qrels, run, "nDCG@5")["nDCG@5"]
    return float(value)


def test_it_improves_the_ranking_it_was_made_to_improve(model: Path) -> None:
    incoming = [by_words(query) for query in QUERIES]
    passed = opened(model).apply(QUERIES, [[ranking] for ranking in incoming])
    before, after = ndcg(incoming), ndcg([one.ranking for one in passed])
    assert before < 0.1
    assert after == 1.0
    assert all(one.failures == () for one in passed)


def one(stage: Any, depth: int, query: Query = QUERIES[0]) -> Passed:
    incoming = by_words(query)
    passed: Passed = stage.apply([query], [[incoming]])[0]
    check_promises(passed, depth, incoming)
    return passed


def test_scores_are_the_models(model: Path) -> None:
    # "cheap laptop": both words of the query match in 0-0 and 0-1; one does in 0-2, 0-3 and 0-4; none elsewhere.
    ranking = one(opened(model), 50).ranking
    scores = dict(zip(ranking.doc_ids, ranking.scores.round(4).tolist(), strict=True))
    assert {scores["0-0"], scores["0-1"]} == {2.0}
    assert {scores["0-2"], scores["0-3"], scores["0-4"]} == {1.0}


def test_two_labels_are_their_difference(tmp_path: Path) -> None:
    from tests.stack.stages.small_cross_encoder import save

    ranking = one(opened(save(tmp_path / "two", MEANINGS, labels=2)), 50).ranking
    assert ranking.scores[0] == pytest.approx(4.0)  # 2 - (-2)


def test_three_labels_are_refused(tmp_path: Path) -> None:
    from tests.stack.stages.small_cross_encoder import save

    folder = save(tmp_path / "three", MEANINGS, labels=2)
    import onnx

    graph = onnx.load(folder / "model.onnx")
    signs = next(constant for constant in graph.graph.initializer if constant.name == "signs")
    signs.CopyFrom(onnx.numpy_helper.from_array(np.ones((1, 3), np.float32), "signs"))
    graph.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 3
    onnx.save(graph, folder / "model.onnx")
    with raises(InputError, folder / "model.onnx", (1, 3)):
        one(opened(folder), 50)


@pytest.mark.parametrize("batch", [1, 2, 50])
def test_the_batch_changes_nothing(model: Path, batch: int) -> None:
    ranking = one(opened(model, batch=batch), 50).ranking
    whole = one(opened(model), 50).ranking
    assert ranking.doc_ids == whole.doc_ids
    assert ranking.scores.tolist() == whole.scores.tolist()


def test_nothing_below_the_depth_moves(model: Path) -> None:
    incoming = by_words(QUERIES[1])
    ranking = one(opened(model, depth=4), 4, QUERIES[1]).ranking
    assert set(ranking.doc_ids[:4]) == set(incoming.doc_ids[:4])


def test_the_length_cuts_the_pair(model: Path) -> None:
    # [CLS] cheap laptop [SEP] laptop case laptop [SEP] has 8 tokens; 9 with a word more, which is cut off.
    corpus = Corpus(("a", "b"), {"text": ("phone case phone cheap", "phone case case")})
    incoming = Ranking.in_order(["b", "a"])
    cut = opened(model, Ground(corpus), length=8).apply([QUERIES[0]], [[incoming]])[0]
    assert cut.ranking.doc_ids == ("b", "a")
    assert opened(model, Ground(corpus)).apply([QUERIES[0]], [[incoming]])[0].ranking.doc_ids == ("a", "b")


def test_a_document_without_text_keeps_its_place(model: Path) -> None:
    incoming = Ranking.in_order(["0-4", "stranger", "0-0"])
    passed = opened(model).apply([QUERIES[0]], [[incoming]])[0]
    assert passed.ranking.doc_ids == ("0-0", "stranger", "0-4")
    assert [failure.kind for failure in passed.failures] == ["no text"]


def test_a_score_that_is_no_number_keeps_its_document_in_place(tmp_path: Path) -> None:
    import onnx
    from tests.stack.stages.small_cross_encoder import MARKS, save

    folder = save(tmp_path / "broken", MEANINGS)
    graph = onnx.load(folder / "model.onnx")
    constant = next(constant for constant in graph.graph.initializer if constant.name == "vectors")
    vectors = onnx.numpy_helper.to_array(constant).copy()
    vectors[len(MARKS)] = np.nan  # "laptop"
    constant.CopyFrom(onnx.numpy_helper.from_array(vectors, "vectors"))
    onnx.save(graph, folder / "model.onnx")
    query = Query("q", "affordable phone")
    passed = opened(folder).apply([query], [[Ranking.in_order(["0-2", "0-1", "0-3"])]])[0]
    assert passed.ranking.doc_ids == ("0-2", "0-3", "0-1")
    assert [failure.kind for failure in passed.failures] == ["no number"]


def test_the_identity_is_that_of_the_files(model: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(model, tmp_path / "copy")
    assert opened(copy).identity == opened(model).identity
    (copy / "config.json").write_text("{}")
    assert opened(copy).identity != opened(model).identity


def test_a_folder_is_named_from_the_configuration(model: Path) -> None:
    ground = Ground(CORPUS, folder=str(model.parent))
    assert opened(model.name, ground).identity == opened(model).identity


def test_a_hub_name_without_network_gives_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with raises(UsageError, "'cross-encoder/nowhere'", "hf download cross-encoder/nowhere") as caught:
        opened("cross-encoder/nowhere")
    assert "\n" not in str(caught.value)


def test_what_is_no_model_is_refused(model: Path, tmp_path: Path) -> None:
    with raises(UsageError, "./nowhere", "model.onnx", "tokenizer.json", "config.json"):
        opened("nowhere")
    empty = tmp_path / "empty"
    empty.mkdir()
    with raises(UsageError, empty, "config.json", "tokenizer.json"):
        opened(empty)
    for name in ("model.onnx", "tokenizer.json"):
        copy = shutil.copytree(model, tmp_path / name)
        (copy / name).write_bytes(b"nothing")
        with raises(InputError, copy / name):
            opened(copy)
    without = shutil.copytree(model, tmp_path / "weights")
    (without / "model.onnx").rename(without / "model.safetensors")
    with raises(UsageError, "model.onnx", f"optimum-cli export onnx --model {without}"):
        opened(without)


def test_a_tokenizer_of_another_model_is_found_out(model: Path, tmp_path: Path) -> None:
    from tests.stack.stages.small_cross_encoder import save

    few = save(tmp_path / "few", MEANINGS[:1])
    shutil.copy(model / "tokenizer.json", few / "tokenizer.json")
    with raises(InputError, few / "model.onnx", "tokenizer.json"):
        opened(few).apply([QUERIES[1]], [[by_words(QUERIES[1])]])
