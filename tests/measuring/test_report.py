"""Evaluation reports: values against targets, kept and read back, and compared again without the runs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.measuring.report import EvaluationReport, evaluation_of, read_report, report_of, write_report
from rankproof.proving.per_unit import refuse_other_ground

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
RUN = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d3": 1.0}}


def evaluated(measures: str = "RR P@5", **choices: object) -> rankproof.Evaluation:
    return rankproof.evaluate(QRELS, RUN, measures, **choices)


def test_values_stand_beside_their_targets() -> None:
    # RR: 1/2 and 1. P@5: 1/5 and 1/5.
    report = report_of(evaluated(), targets={"RR": 0.75, "P@5": 0.21})
    assert (report.measures["RR"].value, report.measures["RR"].target, report.measures["RR"].passed) == (
        0.75,
        0.75,
        True,
    )
    assert report.measures["P@5"].passed is False
    assert report.passed is False
    assert report_of(evaluated(), targets={"RR": 0.75}).passed is True
    free = report_of(evaluated())
    assert free.passed is None
    assert free.measures["RR"].passed is free.measures["RR"].target is None


def test_what_it_stands_on_is_kept() -> None:
    report = report_of(evaluated(name="mine"), run_sha256="ab" * 32, qrels="judged.trec", observed={"seconds": 0.5})
    assert (report.run, report.dialect, report.qrels) == ("mine", "rankproof", "judged.trec")
    assert report.query_ids == ("q1", "q2")
    assert report.judgments_sha256 == rankproof.read_qrels(QRELS).content_hash
    assert set(report.diagnostics.versions) == {"rankproof", "python", "numpy", "scipy"}
    assert any("order: score descending" in line for line in report.diagnostics.fine_print)
    assert report.observed["seconds"] == 0.5
    assert str(report.observed["time"]).endswith("Z")


def test_a_target_needs_its_measure() -> None:
    with raises(UsageError, "AP", "target", "RR, P@5"):
        report_of(evaluated(), targets={"AP": 0.2})


def test_a_report_reads_back_as_it_was_written(tmp_path: Path) -> None:
    report = report_of(evaluated("RR relstring bpref"), targets={"RR": 0.5})
    write_report(tmp_path / "r.json", report)
    again = read_report(tmp_path / "r.json")
    assert again.to_dict() == report.to_dict()
    assert isinstance(again, EvaluationReport)


def test_an_evaluation_comes_back_with_its_numbers() -> None:
    before = evaluated("RR P@5 relstring", depth=5)
    after = evaluation_of(report_of(before))
    assert after["mrr"].mean == before["RR"].mean
    assert after["P@5"].by_query == before["P@5"].by_query
    assert after["relstring"].labels == before["relstring"].labels
    assert (after.settings, after.dialect, after.run_name) == (before.settings, before.dialect, before.run_name)
    refuse_other_ground([before, after])


def test_a_value_that_does_not_exist_stays_one() -> None:
    """Every query is undefined and left out: no mean at all."""
    before = rankproof.evaluate({"q1": {"d1": 0}}, {"q1": {"d1": 1.0}}, "R@5", undefined="skip")
    assert math.isnan(before["R@5"].mean)
    report = report_of(before, targets={"R@5": 0.1})
    assert report.measures["R@5"].value is None
    assert report.measures["R@5"].passed is False
    assert math.isnan(evaluation_of(report)["R@5"].mean)


def test_reports_on_other_judgments_or_rules_are_not_compared() -> None:
    ours = evaluation_of(report_of(evaluated()))
    other = rankproof.evaluate({**QRELS, "q2": {"d3": 2}}, RUN, "RR P@5")
    with raises(InputError, "'run'", "judgments", "qrels"):
        refuse_other_ground([ours, evaluation_of(report_of(other))])
    with raises(InputError, "'run'", "rules", "depth=None", "depth=1"):
        refuse_other_ground([ours, evaluation_of(report_of(evaluated(depth=1)))])
    fewer = rankproof.evaluate(QRELS, {"q1": RUN["q1"]}, "RR P@5", dialect="trec_eval")
    more = rankproof.evaluate(QRELS, RUN, "RR P@5", dialect="trec_eval")
    with raises(InputError, "'run'", "1 (q2)", "--complete"):
        refuse_other_ground([evaluation_of(report_of(fewer)), evaluation_of(report_of(more))])


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("value", 0.95, ["RR", "0.95", "0.75"]),
        ("value", None, ["RR", "None", "0.75"]),
        ("by_query", {"q1": 1.0, "q2": 1.0}, ["RR", "0.75", "1"]),
        ("by_query", {}, ["RR", "0.75"]),
        ("passed", False, ["RR", "False", "0.5"]),
    ],
)
def test_a_report_whose_mean_contradicts_its_values_is_refused(
    tmp_path: Path, field: str, value: object, named: list[str]
) -> None:
    path = tmp_path / "r.json"
    write_report(path, report_of(evaluated(), targets={"RR": 0.5}))
    document = json.loads(path.read_text())
    document["measures"]["RR"][field] = value
    path.write_text(json.dumps(document))
    with raises(InputError, path, *named):
        read_report(path)


@pytest.mark.parametrize("dialect", ["rankproof", "trec_eval", "beir"])
def test_a_rounded_mean_agrees_with_its_values(tmp_path: Path, dialect: str) -> None:
    """Of three queries: a third is no decimal. One dialect rounds its means."""
    qrels, run = {f"q{i}": {"d": 1} for i in range(3)}, {f"q{i}": {"d" if i else "x": 1.0} for i in range(3)}
    write_report(tmp_path / "r.json", report_of(rankproof.evaluate(qrels, run, "nDCG@10", dialect=dialect)))
    document = json.loads((tmp_path / "r.json").read_text())
    assert read_report(tmp_path / "r.json").measures["nDCG@10"].value is not None
    document["measures"]["nDCG@10"]["value"] += 1e-4
    (tmp_path / "r.json").write_text(json.dumps(document))
    with raises(InputError, "nDCG@10"):
        read_report(tmp_path / "r.json")


def test_a_total_that_trec_eval_counts_anew_is_no_contradiction() -> None:
    """With -c and -l2 `num_rel` of all queries counts from grade 1 on, and those of the queries from grade 2 on."""
    qrels = {"q": {"a": 2, "b": 1}, "r": {"a": 1}}
    found = rankproof.evaluate(
        qrels, {"q": {"a": 1.0}}, "num_rel", dialect="trec_eval", complete=True, level=2, name="run"
    )
    assert found["NumRel"].mean == 3
    report = report_of(found)
    assert EvaluationReport.from_dict(report.to_dict()).measures["NumRel"].value == 3
