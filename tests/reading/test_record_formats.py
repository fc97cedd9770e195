"""Formats of another tool's records wherever scores and calls are read: by content, by name, with options."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.raising import raises

import rankproof
from rankproof.cli.shared.root import cli as root
from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.manifest import ExperimentManifest
from rankproof.proving.score_tables import plan_scores
from rankproof.proving.verify import verify
from rankproof.reading.calls import read_calls
from rankproof.reading.detect import by_name, record_source
from rankproof.reading.formats.contract import CallRecords, Format, Noun, Options, Read, ScoreRows, Sure
from rankproof.reading.score_tables import read_score_table
from rankproof.reading.source import Source

UNITS = [f"u{i}" for i in range(12)]


def detect(source: Source, noun: Noun) -> Sure:
    return Sure.CERTAIN if source.head.startswith(b'{"toolbox"') else Sure.NO


def scores(source: Source, options: Options) -> ScoreRows:
    part = options.get("part", "all")
    rows = [{"unit": unit, **values} for unit, values in json.loads(source.text())["toolbox"].items()]
    return ScoreRows(rows, (f"faithfulness: a model gave it; part {part}",))


def calls(source: Source, options: Options) -> CallRecords:
    def records() -> Iterator[tuple[int, Mapping[str, object]]]:
        for at, unit in enumerate(json.loads(source.text())["toolbox"], 1):
            yield at, {"task_id": unit, "docs": ["a", str(options.get("part", "all"))]}
        return ("retries were left out",)  # type: ignore[return-value]

    return records()


def rows(source: Source, noun: Noun, options: Options) -> Read:
    from rankproof.core import Rows

    return Read(Rows.from_columns(["q"], [str(options["part"])]))


TOOLBOX = Format(
    name="toolbox", page="A toolbox's records.", holds=("run", "scores", "calls"), detect=detect, rows=rows,
    scores=scores, calls=calls, prefix="toolbox:", options={"part": "which part"},
)  # fmt: skip


@pytest.fixture(autouse=True)
def toolbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """A format on the shelf for the length of a test."""
    items = dict(shelf.offered("formats"))
    monkeypatch.setitem(shelf._loaded, "formats", {**items, "toolbox": TOOLBOX})


def record(shift: float) -> bytes:
    values = {unit: {"faithfulness": round((i * 7 % 12) / 20 + shift * (1 + i % 3), 3)} for i, unit in enumerate(UNITS)}
    return json.dumps({"toolbox": values}).encode()


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, shift in (("old", 0.0), ("new", 0.1)):
        (tmp_path / f"{name}.json").write_bytes(record(shift))
    return str(tmp_path / "old.json"), str(tmp_path / "new.json")


def run(*arguments: str) -> tuple[int, str]:
    told = CliRunner().invoke(root, arguments)
    return told.exit_code, told.output


def test_scores_are_found_by_content_and_say_what_they_are() -> None:
    table = read_score_table(record(0))
    assert dict(zip(table.unit_ids, table.values["faithfulness"].tolist(), strict=True))["u1"] == 0.35
    assert [note.partition(": ")[2] for note in table.notes] == [
        "records of toolbox", "faithfulness: a model gave it; part all",
    ]  # fmt: skip


def test_several_systems_in_one_file_keep_what_the_format_told() -> None:
    def of(names: Mapping[str, float]) -> bytes:
        values = {
            f"{u} {name}": {"unit": u, "model": name, "faithfulness": 0.5 + add, "set": f"s{i % 2}"}
            for name, add in names.items()
            for i, u in enumerate(UNITS)
        }
        return json.dumps({"toolbox": values}).encode()

    both = of({"old": 0.0, "new": 0.1})
    comparison = rankproof.compare_scores(both, [], system="model")
    assert comparison.contrast("faithfulness").difference.value == pytest.approx(0.1)
    told = [line for line in comparison.fine_print if "a model gave it" in line]
    assert [line.partition(":")[0] for line in told] == ["old", "new"]
    board = rankproof.leaderboard_scores([both], system="model")
    assert any("a model gave it" in note for note in board.notes)
    board = rankproof.leaderboard_scores([both], "faithfulness", system="model", dataset="set")
    assert [note for note in board.notes if "a model gave it" in note] == [
        f"{name}: faithfulness: a model gave it; part all" for name in ("old", "new")
    ]
    # A system whose rows stand in two files has the notes of both, once.
    apart = rankproof.compare_scores(of({"old": 0.0}), of({"new": 0.1}), system="model")
    assert apart.fine_print == comparison.fine_print


def test_options_stand_in_brackets_after_the_name() -> None:
    assert read_score_table(record(0), format="toolbox(part='b')").notes[1].endswith("part b")
    assert list(read_calls(record(0), format="toolbox(part=b)")["u0"][0]) == ["a", "b"]
    assert list(rankproof.read_run(record(0), "toolbox(part=b)")["q"]) == ["b"]
    # An option that is given beside the name stands above the one within it.
    assert list(rankproof.read_run(record(0), "toolbox(part=b)", part="c")["q"]) == ["c"]
    with raises(UsageError, "toolbox", "'porty'", "part"):
        read_score_table(record(0), format="toolbox(porty=b)")
    with raises(UsageError, "toolbox(part=b)@3"):
        read_score_table(record(0), format="toolbox(part=b)@3")
    with raises(UsageError, "trec", "scores", "toolbox"):
        read_score_table(record(0), format="trec")


def test_a_prefix_names_records_without_a_file() -> None:
    source, form = record_source("toolbox:shop", "scores")
    assert form is TOOLBOX
    assert source.name == "toolbox:shop"


def test_calls_keep_the_notes_of_their_format() -> None:
    read = read_calls(record(0), name="agent")
    assert read.notes == ("agent: records of toolbox", "agent: retries were left out")
    assert len(read) == len(UNITS)


def test_a_named_format_that_is_another_is_still_itself() -> None:
    assert by_name("toolbox", "scores") is TOOLBOX
    assert by_name("toolbox(part=b)", "scores").name == "toolbox"


def test_two_formats_that_are_certain_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Format(name="other", page="", holds=("scores",), detect=detect, scores=scores)
    items: Any = shelf._loaded["formats"]
    monkeypatch.setitem(items, "other", other)
    with raises(InputError, "toolbox or other", "--scores-format"):
        read_score_table(record(0))
    assert read_score_table(record(0), format="other").notes


@pytest.mark.parametrize("format", [None, "toolbox(part=b)"])
def test_every_door_of_scores_takes_them(files: tuple[str, str], format: str | None, tmp_path: Path) -> None:
    old, new = files
    how = {} if format is None else {"format": format}
    comparison = rankproof.compare_scores(old, new, **how)
    assert comparison.contrast("faithfulness").candidate_mean - comparison.contrast("faithfulness").baseline_mean > 0.1
    assert any("a model gave it" in line for line in comparison.fine_print)
    board = rankproof.leaderboard_scores([old, new], **how)
    assert board.rows[0].system == "new"
    assert plan_scores([old, new], **how).sizings
    policy = {"scores": how, "rule": [{"rule": "no_regression", "measure": "faithfulness", "margin": 0.01}]}
    verdict = rankproof.gate(policy, baseline=old, candidate=new)
    assert verdict.status == "PASS"
    assert rankproof.gate(policy, baseline=new, candidate=old).status == "FAIL"
    assert any("a model gave it" in line for line in verdict.notes)
    option = [] if format is None else ["--scores-format", format]
    (tmp_path / "policy.toml").write_text('[[rule]]\nrule = "no_regression"\nmeasure = "faithfulness"\nmargin = 0.01\n')
    for command, status in (
        (["compare", "--scores", old, new], 0), (["leaderboard", "--scores", old, new], 0),
        (["power", "--scores", old, new], 0), (["gate", str(tmp_path / "policy.toml"), "--scores", old, new], 0),
        (["gate", str(tmp_path / "policy.toml"), "--scores", new, old], 1),
    ):  # fmt: skip
        assert run(*command, *option)[0] == status, run(*command, *option)[1]


def mean_of(told: str) -> float:
    value = json.loads(told)["evaluations"][0]["measures"]["R@5"]["value"]
    assert isinstance(value, float)
    return value


def test_tasks_take_calls_of_a_tool(files: tuple[str, str], tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.trec"
    qrels.write_text("".join(f"{unit} 0 b 1\n" for unit in UNITS))
    status, told = run("tasks", str(qrels), files[0], "-m", "R@5", "--json")
    assert status == 0, told
    assert mean_of(told) == 0.0
    status, told = run("tasks", str(qrels), files[0], "-m", "R@5", "--json", "--calls-format", "toolbox(part=b)")
    assert mean_of(told) == 1.0


def test_a_manifest_keeps_the_format(files: tuple[str, str], tmp_path: Path) -> None:
    policy = {
        "scores": {"format": "toolbox(part=b)"},
        "rule": [{"rule": "no_regression", "measure": "faithfulness", "margin": 0.01}],
    }
    verdict = rankproof.gate(policy, baseline=files[0], candidate=files[1])
    assert verdict.manifest["parameters"]["scores"]["format"] == "toolbox(part=b)"
    kept = ExperimentManifest.from_dict({**verdict.manifest, "observed": {"time": "2026-01-01T00:00:00Z"}})
    assert verify(kept, str(tmp_path)).verified


def test_the_option_is_for_scores_alone(files: tuple[str, str]) -> None:
    status, told = run("compare", *files, files[0], "--scores-format", "toolbox")
    assert status == 2
    assert "--scores-format" in told
    assert "--scores" in told
