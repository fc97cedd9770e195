"""Answers as dicts that MLflow and Weights & Biases take: keys, numbers, texts, and what the libraries kept."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.documents.pages import DOCS, blocks
from tests.integrations.tracked import answers, file
from tests.raising import raises

import rankproof
from rankproof.errors import UsageError
from rankproof.integrations import tracking
from rankproof.kernel.estimate import Estimate
from rankproof.measuring.report import report_of

RECORDED = json.loads((Path(__file__).parent / "recorded/tracking.json").read_text("utf-8"))
KINDS = sorted(RECORDED["mlflow"]["kept"])


@cache
def made() -> dict[str, Any]:
    return answers()


def legal(key: str) -> bool:
    """Our own rule for keys with a prefix."""
    prefix, slash, name = key.rpartition("/")
    return (
        tracking.PREFIX.fullmatch(prefix + slash) is not None
        and tracking.KEY.fullmatch(name) is not None
        and len(key) <= tracking.LONGEST_KEY
    )


def test_what_mlflow_refuses_is_no_key_of_ours() -> None:
    refused = RECORDED["mlflow"]["refused"]
    assert "nDCG@10" in refused
    assert len(refused) >= 12
    assert [key for key in refused if legal(key)] == []
    taken = [key for key in RECORDED["keys"] if key not in refused]
    assert {"nDCG_at_10", "eval/nDCG_at_10", "_10", "x" * 250} <= {key for key in taken if legal(key)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tool", ["mlflow", "wandb"])
def test_the_numbers_are_those_that_the_library_kept(tool: str, kind: str) -> None:
    assert tracking.metrics(made()[kind]) == pytest.approx(RECORDED[tool]["kept"][kind], rel=1e-9)


def test_every_kind_of_answer_was_recorded() -> None:
    assert set(RECORDED["mlflow"]["kept"]) == set(RECORDED["wandb"]["kept"]) == set(made())


@pytest.mark.parametrize("name", ["to_mlflow.py", "to_wandb.py"])
def test_the_example_of_the_page_is_the_one_that_ran(name: str) -> None:
    """Where it differs: run tests/integrations/recorded/write_tracking.py."""
    (block,) = (block for block in blocks(DOCS / "tools/tracking.md") if f"`{name}`" in block.above)
    assert hashlib.sha256(block.text.encode()).hexdigest() == RECORDED["page"][name]


@pytest.mark.parametrize("kind", KINDS)
def test_keys_are_legal_and_numbers_finite(kind: str) -> None:
    answer = made()[kind]
    for prefix in ("", "eval/", "a/b_"):
        given = tracking.metrics(answer, prefix)
        assert all(key.startswith(prefix) and legal(key) for key in given)
        assert all(type(value) is float and math.isfinite(value) for value in given.values())
        assert len({key.casefold() for key in given}) == len(given)
    for texts, longest in ((tracking.params(answer), 500), (tracking.tags(answer), 5000)):
        assert texts
        assert all(legal(key) and 0 < len(value) <= longest for key, value in texts.items())
    assert all(legal(key) for row in tracking.rows(answer) for key in row)


def test_an_evaluation_has_its_means_and_queries() -> None:
    evaluation = made()["evaluation"]
    assert tracking.metrics(evaluation) == {
        "nDCG_at_10": evaluation["nDCG@10"].mean,
        "RR_at_10": evaluation["RR@10"].mean,
        "P_rel_2_at_5": evaluation["P(rel=2)@5"].mean,
        "queries": 20.0,
    }
    assert tracking.params(evaluation) == {
        "rankproof_run": "bm25",
        "rankproof_dialect": "rankproof",
        "rankproof_measures": "nDCG@10, RR@10, P(rel=2)@5",
    }
    assert tracking.tags(evaluation)["rankproof_judgments_sha256"] == evaluation.judgments_hash()
    first = tracking.rows(evaluation)[0]
    assert first["nDCG_at_10"] == evaluation["nDCG@10"].by_query[str(first["query_id"])]


def test_a_saved_report_is_an_evaluation() -> None:
    evaluation = made()["evaluation"]
    assert tracking.metrics(report_of(evaluation)) == tracking.metrics(evaluation)


def test_settings_that_are_not_the_usual_ones_are_told() -> None:
    told = tracking.params(
        rankproof.evaluate(file("qrels.trec"), file("bm25.run"), "AP", depth=5, judged_only=True), ""
    )
    assert told["settings_depth"] == "5"
    assert told["settings_judged_only"] == "True"
    assert "settings_ties" not in told


def test_ties_are_a_range() -> None:
    numbers = tracking.metrics(made()["ties"])
    assert numbers["AP_ties_least"] <= numbers["AP"] <= numbers["AP_ties_greatest"]


def test_a_comparison_has_the_interval_that_decides() -> None:
    comparison = made()["comparison"]
    contrast = comparison.contrast("RR@10")
    numbers = tracking.metrics(comparison)
    assert isinstance(contrast.difference, Estimate)
    assert numbers["RR_at_10_difference"] == contrast.difference.value
    assert numbers["RR_at_10_difference_low"] == contrast.adjusted.low
    assert numbers["RR_at_10_difference_high"] == contrast.adjusted.high
    assert numbers["RR_at_10_p_value"] == contrast.adjusted.p_value
    alone = replace(comparison, contrasts=tuple(replace(c, adjusted=None) for c in comparison.contrasts))
    assert tracking.metrics(alone)["RR_at_10_p_value"] == contrast.difference.p_value


def test_an_end_without_a_limit_is_left_out_and_named() -> None:
    comparison = made()["comparison"]
    open_ended = [
        replace(c, adjusted=None, difference=replace(c.difference, high=math.inf)) for c in comparison.contrasts
    ]
    answer = replace(comparison, contrasts=tuple(open_ended))
    assert "nDCG_at_10_difference_low" in tracking.metrics(answer)
    assert "nDCG_at_10_difference_high" not in tracking.metrics(answer)
    assert "nDCG@10 difference high: no limit" in tracking.tags(answer, "")["not_estimable"]


def test_what_has_no_value_is_named_and_never_a_number() -> None:
    answer = made()["no value"]
    assert math.isnan(answer["AvgPos"].mean)
    assert set(tracking.metrics(answer)) == {"nDCG_at_10", "queries"}
    told = tracking.tags(answer, "")["not_estimable"]
    assert "AvgPos: no query has a value" in told
    assert "RelString@10: its values are texts" in told
    assert tracking.rows(answer)[0]["AvgPos"] is None
    assert "one query only" in tracking.tags(made()["one query"], "")["not_estimable"]
    assert "not_estimable" not in tracking.tags(made()["evaluation"], "")


def test_a_verdict_is_one_of_three_and_says_what_would_decide_it() -> None:
    verdict = made()["verdict"]
    assert verdict.status == "UNDECIDED"
    numbers, told = tracking.metrics(verdict), tracking.tags(verdict, "")
    assert (numbers["passed"], numbers["failed"], numbers["undecided"]) == (0.0, 0.0, 1.0)
    assert told["verdict"] == "UNDECIDED"
    assert told["what_would_decide"]
    assert told["reasons"]
    assert told["manifest_id"] == verdict.manifest["id"]
    assert told["manifest_config_sha256"] == verdict.manifest["config_sha256"]
    assert [row["status"] for row in tracking.rows(verdict)] == [ruling.status for ruling in verdict.rulings]


def test_two_rules_on_one_measure_keep_their_limits_apart() -> None:
    numbers = tracking.metrics(made()["verdict"])
    assert numbers["least_value_nDCG_at_10_threshold"] == 0.35
    assert numbers["least_value_nDCG_at_10_2_threshold"] == 0.7


def test_several_pairs_and_segments_have_keys_of_their_own() -> None:
    answer = made()["several"]
    numbers = tracking.metrics(answer)
    assert len(numbers) == 6 * len(answer.contrasts) + 1
    assert "hybrid_against_bm25_nDCG_at_10_on_wants_product_difference" in numbers


def test_names_that_would_be_one_key_stay_two() -> None:
    qrels, bm25, dense = map(file, ("qrels.trec", "bm25.run", "dense.run"))
    evaluations = rankproof.evaluate(qrels, {"a+b": bm25, "a b": dense, "A-b": dense, "北": bm25, "京": dense}, "AP")
    numbers = tracking.metrics(evaluations)
    assert len(numbers) == 10
    assert sorted(set(numbers.values()) - {20.0}) == sorted({evaluations[run]["AP"].mean for run in evaluations})
    fewer = tracking.metrics(rankproof.evaluate(qrels, {"a b": dense, "a+b": bm25}, "AP"))
    assert fewer.items() <= numbers.items()  # a key does not depend on the order


def test_a_key_that_is_too_long_is_cut_and_stays_its_own() -> None:
    qrels, bm25, dense = map(file, ("qrels.trec", "bm25.run", "dense.run"))
    numbers = tracking.metrics(rankproof.evaluate(qrels, {"x" * 400: bm25, "x" * 401: dense}, "AP"), "eval/")
    assert len(numbers) == 4
    assert {len(key) for key in numbers} == {250}


@given(st.text())
def test_every_name_makes_a_key(name: str) -> None:
    assert tracking.KEY.fullmatch(tracking.key(name))
    assert tracking.key(tracking.key(name)) == tracking.key(name)


@pytest.mark.parametrize("prefix", ["eval//", "/eval", "1st/", "a@b", "a b", "a.b/", "é/", "x" * 200, "../", None, 3])
def test_a_prefix_that_makes_no_legal_key_is_refused(prefix: Any) -> None:
    for take in (tracking.metrics, tracking.params, tracking.tags):
        with raises(UsageError, "prefix"):
            take(made()["evaluation"], prefix)


@pytest.mark.parametrize("answer", [None, {"AP": 0.4}, 0.4, "AP", [1], np.float64(0.3)])
def test_what_is_no_answer_is_refused(answer: Any) -> None:
    for take in (tracking.metrics, tracking.params, tracking.tags, tracking.rows):
        with raises(UsageError, type(answer).__name__, "evaluate"):
            take(answer)


def test_texts_are_cut_and_can_be_stored() -> None:
    runs = {f"run {number} \x00 \udc80": file("bm25.run") for number in range(300)}
    answer = rankproof.evaluate(file("qrels.trec"), runs, "AP")
    told = {**tracking.params(answer), **tracking.tags(answer)}
    assert len(told["rankproof_runs"]) == 500
    assert told["rankproof_runs"].endswith(" ...")
    assert len(told["rankproof_fine_print"]) == 5000
    assert all(text.isprintable() for value in told.values() for text in value.encode("utf-8").decode().splitlines())
    assert len(tracking.metrics(answer)) == 600
