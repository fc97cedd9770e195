"""Files of ragas, deepeval and promptfoo on the command line: evaluated, compared, gated, and their scores compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.reading.formats.recorded.shop import QUESTIONS, SYSTEMS, reciprocal_rank

from rankproof.cli.shared.root import cli

RECORDED = Path(__file__).parents[1] / "reading/formats/recorded"
# Gold, and the runs of the two systems.
FILES = {
    "ragas, by ids": ("ragas/after.json", "ragas/before.csv", "ragas/after.jsonl"),
    "ragas, by texts": ("ragas/testset.csv", "ragas/dataset-before.jsonl", "ragas/dataset-after.csv"),
    "deepeval": ("deepeval/goldens.csv", "deepeval/before.json", "deepeval/after.json"),
    "deepeval, with gold of ragas": ("ragas/testset.jsonl", "deepeval/before.json", "deepeval/goldens.jsonl"),
    "promptfoo": ("promptfoo/systems.jsonl", "before.run", "after.run"),
}
MEAN = {system: sum(reciprocal_rank(system, question) for question in QUESTIONS) / len(QUESTIONS) for system in SYSTEMS}
RULE = '[[rule]]\nrule = "no_regression"\nmeasure = "RR"\nmargin = 0.05\n'


def run(*args: object) -> tuple[int, str]:
    told = CliRunner().invoke(cli, [*map(str, args)])
    return told.exit_code, told.output


@pytest.fixture(params=FILES)
def files(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str, str]:
    """The three files of a tool. A promptfoo file holds both systems, and each is converted first."""
    gold, *runs = FILES[request.param]
    for system, name in zip(SYSTEMS, runs, strict=True):
        if name.endswith(".run"):
            status, told = run("convert", RECORDED / gold, tmp_path / name, "-O", f"provider={system}")
            assert status == 0, told
    before, after = (str(tmp_path / name if name.endswith(".run") else RECORDED / name) for name in runs)
    return str(RECORDED / gold), before, after


def test_a_system_is_evaluated(files: tuple[str, str, str]) -> None:
    gold, *runs = files
    for system, path in zip(SYSTEMS, runs, strict=True):
        status, told = run("evaluate", gold, path, "-m", "RR", "--json")
        assert status == 0, told
        evaluation = json.loads(told)["evaluations"][0]
        assert evaluation["measures"]["RR"]["value"] == pytest.approx(MEAN[system])


def test_two_systems_are_compared(files: tuple[str, str, str]) -> None:
    status, told = run("compare", *files, "-m", "RR", "--full")
    assert status == 0, told
    assert f"{MEAN['after'] - MEAN['before']:+.4f}" in told
    assert files[2].endswith(".run") or "queries without ids are named by their texts" in told


def test_the_change_is_gated(files: tuple[str, str, str], tmp_path: Path) -> None:
    """What the values say passes or fails; what can be shown by 16 questions stays open."""
    gold, before, after = files
    by_value, by_bound = tmp_path / "value.toml", tmp_path / "bound.toml"
    by_value.write_text(f'{RULE}basis = "point"\n')
    by_bound.write_text(RULE)
    for policy, baseline, candidate, expected in (
        (by_value, before, after, 0), (by_value, after, before, 1), (by_bound, after, before, 3),
    ):  # fmt: skip
        status, told = run("gate", policy, "--qrels", gold, "--baseline", baseline, "--candidate", candidate)
        assert status == expected, told


SCORES: dict[str, tuple[tuple[Any, ...], str]] = {
    "ragas": (("ragas/before.csv", "ragas/after.json"), "llm_context_precision_with_reference"),
    "deepeval": (("deepeval/before.json", "deepeval/after.json"), "Contextual Precision"),
    "promptfoo": (("promptfoo/systems.jsonl",), "right page first"),
}


@pytest.mark.parametrize("tool", SCORES)
def test_scores_that_stand_in_the_files_are_compared(tool: str) -> None:
    names, score = SCORES[tool]
    one_file = ["--system", "provider"] if len(names) == 1 else []
    paths = [RECORDED / name for name in names]
    status, told = run("compare", "--scores", *paths, *one_file, "-m", score, "--range", f"{score}=0:1", "--full")
    assert status == 0, told
    assert "not significant" in told
    if not one_file:
        assert f"records of {tool}" in told
        assert "What a model gives varies from run to run" in told


def test_two_systems_in_one_file_are_no_run() -> None:
    path = RECORDED / "promptfoo/systems.json"
    status, told = run("evaluate", path, path, "-m", "RR")
    assert status == 1
    assert "provider='before'" in told
