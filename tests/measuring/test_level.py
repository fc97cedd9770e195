"""A relevance level is part of a measure's name: AP at level 2 is another number than AP."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import rankproof
from rankproof.kernel.manifest import config_hash, experiment_id
from rankproof.measuring.names import at_level, parse
from rankproof.measuring.report import evaluation_of, report_of

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"a": 1, "b": 2}}
RUN = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"b": 2.0, "a": 1.0}}


def test_a_level_is_in_the_names_of_the_measures_that_it_changes() -> None:
    """AP with grade 2 alone: rank 2 of q1, rank 1 of q2: (1/2 + 1) / 2. nDCG has gains and no level."""
    ev = rankproof.evaluate(QRELS, RUN, "AP nDCG@10 P@1", level=2)
    assert list(ev.results) == ["AP(rel=2)", "nDCG@10", "P(rel=2)@1"]
    assert ev["AP(rel=2)"].mean == ev["AP"].mean == ev["map"].mean == pytest.approx(0.75)
    assert list(rankproof.evaluate(QRELS, RUN, "AP(rel=2)")) == ["AP(rel=2)"]
    assert ev["AP(rel=2)"].mean == rankproof.evaluate(QRELS, RUN, "AP(rel=2)")["AP(rel=2)"].mean


def test_the_usual_level_and_a_level_of_ones_own_stay_as_they_are() -> None:
    assert list(rankproof.evaluate(QRELS, RUN, "AP", level=1)) == ["AP"]
    assert list(rankproof.evaluate(QRELS, RUN, "AP(rel=3)", level=2)) == ["AP(rel=3)"]
    once = at_level(parse("AP RR@10"), 2)
    assert at_level(once, 2) == once
    assert [v.text for v in once] == ["AP(rel=2)", "RR(rel=2)@10"]


def test_a_name_with_a_level_reads_back_and_is_in_the_json() -> None:
    ev = rankproof.evaluate(QRELS, RUN, "AP", level=2)
    (text,) = ev.to_dict()["measures"]
    assert [v.text for v in parse(text)] == [text] == ["AP(rel=2)"]


def test_a_comparison_names_the_level_everywhere() -> None:
    other = {"q1": {"a": 3.0}, "q2": {"a": 2.0, "b": 1.0}}
    comparison = rankproof.compare(QRELS, RUN, other, "AP P@1", names=["a", "b"], level=2)
    assert comparison.measures == ("AP(rel=2)", "P(rel=2)@1")
    assert comparison.contrast("AP", "b").measure == "AP(rel=2)"
    assert comparison.holes is not None
    assert [bound.measure for bound in comparison.holes.bounds] == ["AP(rel=2)", "P(rel=2)@1"]
    assert {move.measure for move in comparison.moves} == {"AP(rel=2)", "P(rel=2)@1"}


def test_a_report_from_before_has_its_level_read_into_the_name() -> None:
    """Earlier versions said AP and the level apart; it is compared with a report of today."""
    now = report_of(rankproof.evaluate(QRELS, RUN, "AP", level=2, name="now"))
    before = replace(now, run="before", measures={"AP": now.measures["AP(rel=2)"]})
    assert list(evaluation_of(before)) == ["AP(rel=2)"]
    assert evaluation_of(before)["AP"].mean == pytest.approx(0.75)
    both = rankproof.compare_evaluations([before, now])
    assert both.measures == ("AP(rel=2)",)


def test_a_manifest_from_before_verifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from rankproof.cli.shared.root import cli

    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in QRELS.items() for d, g in docs.items()))
    Path("a.run").write_text("".join(f"{q} Q0 {d} 0 {s} a\n" for q, docs in RUN.items() for d, s in docs.items()))
    told = CliRunner().invoke(cli, ["evaluate", "qrels", "a.run", "-m", "AP P@1", "-l", "2", "--manifest", "m.json"])
    assert told.exit_code == 0, told.output
    assert CliRunner().invoke(cli, ["verify", "m.json"]).exit_code == 0
    document = json.loads(Path("m.json").read_text().replace("AP(rel=2)", "AP").replace("P(rel=2)@1", "P@1"))
    assert document["measures"] == ["AP", "P@1"]
    made = rankproof.read_manifest("m.json")
    config = config_hash(made.kind, ["AP", "P@1"], made.seed, made.parameters)
    document |= {"config_sha256": config, "id": experiment_id(config, made.qrels, made.runs, made.others)}
    Path("before.json").write_text(json.dumps(document))
    told = CliRunner().invoke(cli, ["verify", "before.json"])
    assert (told.exit_code, "values equal" in told.output) == (0, True), told.output
