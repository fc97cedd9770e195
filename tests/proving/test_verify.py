"""Verify: the same inputs give the same values; what changed, is missing or differs is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import UnknownName
from rankproof.kernel.manifest import ContrastResult, ExperimentManifest, Results
from rankproof.measuring.prepare import join_run, prepare_qrels
from rankproof.proving.compare import compare
from rankproof.proving.manifest import Given, manifest_of
from rankproof.proving.records import Design
from rankproof.proving.verify import Verification, compare_results, verify

QRELS = "".join(f"q{i} 0 d{i} {1 + i % 3}\n" for i in range(8))
# Run a finds the relevant document at rank 2 for even queries, b at rank 1 for all but the last.
RUN_A = "".join(f"q{i} Q0 {'x' if i % 2 == 0 else f'd{i}'} 1 2 a\nq{i} Q0 d{i} 2 1 a\n" for i in range(0, 8, 2))
RUN_A += "".join(f"q{i} Q0 d{i} 1 2 a\n" for i in range(1, 8, 2))
RUN_B = "".join(f"q{i} Q0 d{i} 1 2 b\n" for i in range(7)) + "q7 Q0 x 1 2 b\n"
COLUMNS = "query_id,kind\n" + "".join(f"q{i},{'head' if i < 4 else 'tail'}\n" for i in range(8))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels": QRELS, "a.run": RUN_A, "b.run": RUN_B, "queries.csv": COLUMNS}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def evaluated(**choices: Any) -> ExperimentManifest:
    reading = {name: choices.pop(name) for name in ("order", "collapse") if name in choices}
    qrels = prepare_qrels("qrels")
    runs = [join_run(qrels, path, **reading) for path in ("a.run", "b.run")]
    evaluations = [rankproof.evaluate(qrels, run, "RR nDCG@10", **choices) for run in runs]
    given = [Given(path, run) for path, run in zip(("a.run", "b.run"), runs, strict=True)]
    return manifest_of(evaluations, Given("qrels", qrels), given, reading=reading)


def compared(design: Design, **more: Any) -> ExperimentManifest:
    qrels = prepare_qrels("qrels")
    runs = [join_run(qrels, path) for path in ("a.run", "b.run")]
    choices = {name: getattr(design, name) for name in ("significance", "resamples", "seed")}
    found = compare(qrels, runs[0], runs[1], "RR nDCG@10", beyond=False, **choices, **more)
    given = [Given(path, run) for path, run in zip(("a.run", "b.run"), runs, strict=True)]
    return manifest_of(found, Given("qrels", qrels), given, design=design, **more)


def problems(found: Verification) -> list[tuple[str, str]]:
    return [(d.problem, d.what) for d in found.discrepancies]


def test_an_evaluation_is_verified(here: Path) -> None:
    found = verify(evaluated())
    assert found.verified
    # The number of queries, and two measures of two runs.
    assert (found.compared, found.equal, found.largest) == (5, 5, 0.0)
    assert found.exit_status == 0


@pytest.mark.parametrize(
    "choices",
    [
        {"depth": 1},
        {"dialect": "trec_eval"},
        {"level": 2},
        {"ties": "expected"},
        {"order": "rank"},
        {"collapse": "(d[0-9]+)"},
    ],
)
def test_choices_are_made_again(here: Path, choices: dict[str, Any]) -> None:
    assert verify(evaluated(**choices)).verified


@pytest.mark.parametrize(
    "design",
    [Design(), Design(significance="randomization", resamples=2_000, seed=7), Design(significance="bca", seed=3)],
)
def test_a_comparison_is_verified_with_its_seed(here: Path, design: Design) -> None:
    made = compared(design)
    assert made.seed == design.seed
    found = verify(made)
    assert found.verified, found.discrepancies
    assert found.compared > 9  # queries, four means, and each contrast's difference, queries, interval and p-values


def test_segments_are_compared_again(here: Path) -> None:
    made = compared(Design(), queries="queries.csv", by=["kind"])
    assert {c.segment for c in made.results.contrasts} == {"", "kind=head", "kind=tail"}
    assert verify(made).verified
    (here / "queries.csv").write_text(COLUMNS.replace("q3,head", "q3,tail"))
    found = verify(made)
    assert ("input_changed", "queries queries.csv") in problems(found)
    assert any(what.endswith("[kind=head]: queries") for _, what in problems(found))
    (here / "queries.csv").rename(here / "moved.csv")
    assert problems(verify(made)) == [("input_missing", "queries queries.csv")]
    assert not verify(made, others={"queries": "moved.csv"}).verified


def test_segments_that_were_no_file_must_be_given(here: Path) -> None:
    columns = {f"q{i}": {"kind": "head" if i < 4 else "tail"} for i in range(8)}
    made = compared(Design(), queries=columns, by=["kind"])
    assert "Segments need" in verify(made).discrepancies[0].message
    assert verify(made, others={"queries": "queries.csv"}).verified


def test_a_changed_run_and_its_values_are_named(here: Path) -> None:
    made = evaluated()
    (here / "a.run").write_text(RUN_B)
    found = verify(made)
    assert problems(found) == [
        ("input_changed", "run a"),
        ("value_differs", "a RR"),
        ("value_differs", "a nDCG@10"),
    ]
    # RR of a: 1/2 for four queries and 1 for four; of b: 1 for seven and 0 for one.
    worse = found.discrepancies[1]
    assert (worse.old, worse.new, worse.difference) == (0.75, 0.875, 0.125)
    assert worse.message == "a RR is 0.875, was 0.75 (by +0.125)."
    assert found.equal == 3
    assert found.exit_status == 1


def test_other_bytes_with_the_same_content_are_a_note(here: Path) -> None:
    made = evaluated()
    (here / "a.run").write_text(RUN_A.replace(" ", "\t"))
    (here / "qrels").write_text("".join(reversed(QRELS.splitlines(keepends=True))))
    found = verify(made)
    assert found.verified
    assert set(found.notes) == {
        "other bytes, the same content: qrels",
        "other bytes, the same content: run a",
    }


def test_a_large_run_has_changed_with_its_bytes(here: Path) -> None:
    made = evaluated()
    runs = tuple(replace(run, content=None) for run in made.runs)
    from rankproof.kernel.manifest import experiment_id

    large = replace(made, runs=runs, id=experiment_id(made.config_sha256, made.qrels, runs))
    assert verify(large).verified
    (here / "a.run").write_text(RUN_A.replace(" ", "\t"))
    assert problems(verify(large)) == [("input_changed", "run a")]


def test_a_missing_file_is_sought_where_one_says(here: Path) -> None:
    made = evaluated()
    (here / "b.run").rename(here / "c.run")
    (here / "qrels").rename(here / "judged")
    found = verify(made)
    assert problems(found) == [("input_missing", "qrels"), ("input_missing", "run b")]
    assert found.discrepancies[1].message == "Missing: run b is not at b.run. Say where it is: --run b=PATH"
    assert not found.verified
    assert found.compared == 0
    assert verify(made, qrels="judged", runs={"b": "c.run"}).verified
    with raises(UnknownName) as unknown:
        verify(made, runs={"c": "c.run"})
    assert (unknown.value.kind, unknown.value.name, unknown.value.near) == ("run of the manifest", "c", [])


def test_what_was_never_a_file_must_be_given(here: Path) -> None:
    qrels = prepare_qrels("qrels")
    scores = {f"q{i}": {f"d{i}": 1.0} for i in range(8)}
    run = join_run(qrels, scores)
    made = manifest_of([rankproof.evaluate(qrels, run, "RR")], Given("qrels", qrels), [Given(scores, run)])
    found = verify(made)
    assert found.discrepancies[0].message == "Missing: run has never been a file. Say where it is: --run run=PATH"
    rankproof.write(rankproof.read_run(scores), "written.run", "trec")
    assert verify(made, runs={"run": "written.run"}).verified


def test_an_input_that_can_no_longer_be_read_is_said(here: Path) -> None:
    made = evaluated()
    (here / "a.run").write_text("q1 Q0 d1 1 nan a\n")
    found = verify(made)
    assert problems(found) == [("input_changed", "run a"), ("not_computed", "results")]
    assert "Nothing could be computed again: a.run, line 1" in found.discrepancies[1].message


def test_a_choice_that_nobody_knows_is_said(here: Path) -> None:
    made = evaluated()
    from rankproof.kernel.manifest import config_hash, experiment_id

    parameters = {**made.parameters, "settings": {**made.parameters["settings"], "mood": "good"}}
    config = config_hash(made.kind, made.measures, made.seed, parameters)
    odd = replace(made, parameters=parameters, config_sha256=config, id=experiment_id(config, made.qrels, made.runs))
    assert "a choice 'mood' that this rankproof does not know" in verify(odd).discrepancies[0].message


def test_other_versions_are_a_note(here: Path) -> None:
    made = evaluated()
    old = replace(made, versions={**made.versions, "numpy": "1.0"})
    (note,) = verify(old).notes
    assert note.startswith("numpy is ")
    assert note.endswith(", was 1.0")
    assert verify(old).verified


def results(value: float | None, p: float = 0.5) -> Results:
    return Results(1, {"a": {"RR": value}}, (ContrastResult("RR", "a", "b", "", 1, 0.0, -1.0, 1.0, p),))


def test_values_are_held_against_each_other_with_a_tolerance() -> None:
    """0.5 and the next larger numbers: 2e-13 is within 1e-12 of a half, 2e-12 is not. 1e-17 is rounding of 0."""
    held = compare_results(results(0.5), results(0.5 + 1e-13), 1e-12)
    assert (held.compared, held.equal, held.apart) == (7, 7, ())
    assert held.largest == pytest.approx(2e-13, rel=1e-2)
    assert compare_results(results(0.5), results(0.5 + 1e-12), 1e-12).equal == 6
    assert compare_results(results(0.5), results(0.5 + 1e-13), 0.0).equal == 6
    assert compare_results(results(0.0), results(1e-17), 1e-12).equal == 7
    (apart,) = compare_results(results(None), results(0.25), 1e-12).apart
    assert apart.message == "a RR is 0.25, was missing."
    assert apart.difference is None
