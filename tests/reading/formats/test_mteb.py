"""MTEB: files that mteb itself wrote, by content; subsets and splits; results of models and benchmarks; and damage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.raising import raises

import rankproof
from rankproof.cli.shared.root import cli as root
from rankproof.errors import InputError, UsageError
from rankproof.reading.score_tables import read_score_table

HERE = Path(__file__).parent / "recorded" / "mteb"
RESULT = {"dataset_revision": "1", "task_name": "A", "scores": {"test": [{"hf_subset": "default", "main_score": 0.5}]}}


def predictions(**subsets: object) -> bytes:
    return json.dumps({"mteb_model_meta": {"model_name": "made/words"}, **subsets}).encode()


@pytest.mark.parametrize("model", ["words", "letters"])
def test_predictions_give_the_number_that_mteb_gives(model: str) -> None:
    """The run of mteb's predictions, measured here, against the score in mteb's own result."""
    run = rankproof.read_run(HERE / model / "MadeShop_predictions.json")
    assert run.name == f"made/{model}"
    told = json.loads((HERE / model / "MadeShop.json").read_text())["scores"]["test"][0]
    evaluation = rankproof.evaluate(HERE / "qrels.json", run, "nDCG@10 R@3 RR@10")
    for measure, name in (("nDCG@10", "ndcg_at_10"), ("R@3", "recall_at_3"), ("RR@10", "mrr_at_10")):
        assert evaluation[measure].mean == pytest.approx(told[name], abs=6e-6), measure  # rounded to five digits there


def test_one_subset_and_split_are_named_where_there_are_several() -> None:
    path = HERE / "words" / "MadeShopInTwo_predictions.json"
    with raises(UsageError, "eng", "deu", "mteb(subset=eng)"):
        rankproof.read_run(path)
    with raises(UsageError, "dev", "test", "split="):
        rankproof.read_run(path, subset="deu")
    with raises(UsageError, "'fra'", "eng"):
        rankproof.read_run(path, "mteb(subset=fra)")
    run = rankproof.read_run(path, "mteb(subset=deu, split=dev)")
    assert len(run) == 4
    assert any(
        name.startswith("not read") and "eng/test" in name
        for name in rankproof.read_run(path, "mteb(subset=deu, split=dev)").notes
    )
    assert run.to_dict() != rankproof.read_run(path, "mteb(subset=deu, split=test)").to_dict()


def test_results_of_a_task_a_model_a_benchmark_and_of_cat() -> None:
    table = read_score_table(HERE / "words" / "MadeShopInTwo.json")
    assert table.unit_ids == (
        "MadeShopInTwo/eng/dev",
        "MadeShopInTwo/deu/dev",
        "MadeShopInTwo/eng",
        "MadeShopInTwo/deu",
    )
    assert next(iter(table.values)) == "main_score"
    model = read_score_table(HERE / "words" / "model_result.json")
    assert model.unit_ids == ("MadeShop", *table.unit_ids)
    joined = b"\n".join((HERE / "words" / name).read_bytes() for name in ("MadeShop.json", "MadeShopInTwo.json"))
    for content in (joined, joined.replace(b"\n", b" ")):
        assert read_score_table(content).values["ndcg_at_10"].tolist() == pytest.approx(
            model.values["ndcg_at_10"].tolist(), abs=6e-6
        )
    assert read_score_table(HERE / "words" / "model_result.json", format="mteb(split=dev)").unit_ids == (
        "MadeShopInTwo/eng/dev", "MadeShopInTwo/deu/dev",
    )  # fmt: skip
    both = rankproof.compare_scores(HERE / "benchmark_results.json", [], "main_score", system="model")
    assert "made/letters against made/words, 5 queries" in str(both)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (RESULT | {"scores": {}}, ["no scores"]),
        (RESULT | {"scores": {"test": {}}}, ["'A'", "'test'", "list"]),
        (RESULT | {"scores": {"test": [{"main_score": 1}]}}, ["'A'", "entry 1", "hf_subset"]),
        (RESULT | {"scores": {"test": [{"hf_subset": "default"}]}}, ["'A'", "main_score"]),
        (RESULT | {"task_name": None}, ["task_name", "line 1"]),
    ],
)
def test_a_damaged_result_is_named(content: object, named: list[str]) -> None:
    with raises(InputError, *named):
        read_score_table(json.dumps(content).encode(), format="mteb")


def test_damaged_predictions_are_named() -> None:
    with raises(InputError, "<bytes>", "subset"):
        rankproof.read_run(predictions())
    with raises(InputError, "'default'", "'test'", "query 'q1'"):
        rankproof.read_run(predictions(default={"test": {"q1": ["d1"]}}))
    with raises(InputError, "'high'"):
        rankproof.read_run(predictions(default={"test": {"q1": {"d1": "high"}}}))
    whole = predictions(default={"test": {"q1": {"d1": 1.0}, "q 2 ü": {"d 2": 0.5}}})
    assert rankproof.read_run(whole).to_dict() == {"q1": {"d1": 1.0}, "q 2 ü": {"d 2": 0.5}}
    for cut in (len(whole) - 1, len(whole) - 20):
        with raises(InputError, "<bytes>", "JSON"):
            rankproof.read_run(whole[:cut])
    with raises(InputError, "'q1'", "twice"):
        rankproof.read_run(whole.replace("q 2 ü".encode("unicode_escape"), b"q1").replace(b"q 2 \\u00fc", b"q1"))
    none = rankproof.read_run(predictions(default={"test": {"q1": {"d1": 1.0}, "q2": {}}}))
    assert any("1 query with nothing retrieved" in note for note in none.notes)


def test_a_gate_over_predictions_and_one_over_results(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rule]]\nrule = "no_regression"\nmeasure = "nDCG@10"\nmargin = 0.02\n')
    runs = [str(HERE / model / "MadeShop_predictions.json") for model in ("words", "letters")]
    for given, status in ((runs, 0), (runs[::-1], 1)):
        told = CliRunner().invoke(
            root,
            ["gate", str(policy), "--qrels", str(HERE / "qrels.json"), "--baseline", given[0], "--candidate", given[1]],
        )
        assert told.exit_code == status, told.output
    policy.write_text(
        '[scores]\nformat = "mteb"\nrange = {main_score = [0, 1]}\nsystem = "model"\ncandidate = "made/letters"\n'
        '[[rule]]\nrule = "no_regression"\nmeasure = "main_score"\nmargin = 0.02\n'
    )
    told = CliRunner().invoke(root, ["gate", str(policy), "--scores", str(HERE / "benchmark_results.json")])
    assert told.exit_code in (0, 3), told.output
    assert "made/letters" in told.output


def test_beir_needs_no_format_of_its_own(tmp_path: Path) -> None:
    """The files that BEIR's loader reads and the results that its retrievers return, one by one and as a folder."""
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "a", "text": "x"}\n{"_id": "d2", "title": "", "text": "z"}\n'
    )
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "x?", "metadata": {}}\n{"_id": "q2", "text": "z?"}\n'
    )
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t2\nq2\td2\t1\n")
    for name, results in (
        ("old", {"q1": {"d2": 0.9}, "q2": {"d1": 0.4}}),
        ("new", {"q1": {"d1": 0.9}, "q2": {"d2": 0.4}}),
    ):
        (tmp_path / f"{name}.json").write_text(json.dumps(results))
    assert rankproof.read_topics(tmp_path / "queries.jsonl") == {"q1": "x?", "q2": "z?"}
    qrels = tmp_path / "qrels" / "test.tsv"
    assert rankproof.evaluate(qrels, tmp_path / "new.json", "R@1")["R@1"].mean == 1.0
    assert rankproof.evaluate(qrels, tmp_path / "old.json", "R@1")["R@1"].mean == 0.0
    told = CliRunner().invoke(root, ["dataset", "show", str(tmp_path)])
    assert told.exit_code == 0, told.output
    assert "beir" in told.output
