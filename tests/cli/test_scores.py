"""`compare --scores` and `leaderboard --scores`: tables of any tool, from the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import rankproof
from rankproof.cli.shared.root import cli

RUN = CliRunner()
SHIFTS = {"old": 0.0, "new": 0.2, "third": 0.01}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """40 units: two scores between 0 and 1, a cost, and a text; new is better, third is about as old."""
    rng = np.random.default_rng(5)
    hard = rng.random(40) * 0.5
    everything = ["model,set,qid,faithfulness\n"]
    for name, shift in SHIFTS.items():
        values = hard + rng.random(40) * 0.2 + shift
        cost = rng.integers(50, 400, 40)
        lines = [f"q{i},{v:.4f},{v / 2:.4f},{c},x" for i, (v, c) in enumerate(zip(values, cost, strict=True))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["qid,faithfulness,relevancy,cost,note", *lines]) + "\n")
        for part in ("nq", "fever"):
            everything += [f"{name},{part},q{i},{v:.4f}\n" for i, v in enumerate(values)]
    (tmp_path / "all.csv").write_text("".join(everything))
    (tmp_path / "kinds.csv").write_text("query_id,kind\n" + "".join(f"q{i},{'ab'[i % 2]}\n" for i in range(40)))
    (tmp_path / "topics.tsv").write_text("".join(f"q{i}\tquestion {i}\n" for i in range(40)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def invoke(line: str) -> Result:
    return RUN.invoke(cli, line.split(), prog_name="rankproof")


def answered(line: str) -> dict[str, Any]:
    told = invoke(f"{line} --json")
    assert told.exit_code == 0, told.output
    document: dict[str, Any] = json.loads(told.stdout)
    return document


def test_the_answer_is_that_of_compare_scores(tables: Path) -> None:
    document = answered("compare --scores old.csv new.csv -m faithfulness -m relevancy --range faithfulness=0:1")
    expected = rankproof.compare_scores(
        "old.csv", "new.csv", ["faithfulness", "relevancy"], ranges={"faithfulness": (0, 1)}
    )
    assert document["schema"] == "comparison/1"
    assert document["measures"] == ["faithfulness", "relevancy"]
    assert document["systems"] == ["old", "new"]
    assert document["contrasts"] == json.loads(json.dumps(expected.to_dict(by_query=False)))["contrasts"]


def test_several_names_in_one_option_and_a_name_with_a_blank(tables: Path) -> None:
    assert answered("compare --scores old.csv new.csv -m relevancy,cost")["measures"] == ["relevancy", "cost"]
    for name in ("old", "new"):
        text = (tables / f"{name}.csv").read_text().replace("relevancy", "answer relevancy", 1)
        (tables / f"{name}.csv").write_text(text)
    told = RUN.invoke(cli, ["compare", "--scores", "old.csv", "new.csv", "-m", "answer relevancy", "--json"])
    assert json.loads(told.stdout)["measures"] == ["answer relevancy"]


def test_a_cost_is_better_when_it_is_lower(tables: Path) -> None:
    text = (tables / "new.csv").read_text().splitlines()
    cheaper = [line.split(",") for line in text[1:]]
    (tables / "cheap.csv").write_text(
        "\n".join([text[0], *(",".join([*row[:3], str(int(row[3]) // 2), row[4]]) for row in cheaper)]) + "\n"
    )
    assert answered("compare --scores new.csv cheap.csv -m cost --lower cost")["contrasts"][0]["direction"] == "better"
    assert answered("compare --scores new.csv cheap.csv -m cost")["contrasts"][0]["direction"] == "worse"


def test_one_file_of_several_systems_and_another_baseline(tables: Path) -> None:
    (tables / "one.csv").write_text(
        "\n".join(line for line in (tables / "all.csv").read_text().splitlines() if ",fever," not in line) + "\n"
    )
    line = "compare --scores one.csv --system model -m faithfulness"
    assert answered(line)["systems"] == ["old", "new", "third"]
    assert answered(f"{line} --baseline third")["systems"] == ["third", "old", "new"]
    assert answered("compare --scores old.csv new.csv --baseline new.csv")["systems"] == ["new", "old"]


def test_segments_topics_and_every_form(tables: Path) -> None:
    line = "compare --scores old.csv new.csv -m faithfulness --queries kinds.csv --by kind --topics topics.tsv"
    document = answered(line)
    assert {contrast["segment"] for contrast in document["contrasts"]} == {None, "kind=a", "kind=b"}
    for form in ("table", "markdown", "csv", "latex", "html"):
        told = invoke(f"{line} --format {form} --full -q" if form == "table" else f"{line} --format {form}")
        assert told.exit_code == 0, told.output
        assert "faithfulness" in told.stdout
    told = invoke(f"{line} --html page.html --charts charts")
    assert told.exit_code == 0, told.output
    assert "question 7" in (tables / "page.html").read_text(encoding="utf-8")
    assert any((tables / "charts").iterdir())


def test_repeats_and_missing_values(tables: Path) -> None:
    text = (tables / "new.csv").read_text()
    (tables / "twice.csv").write_text(text + "\n".join(text.splitlines()[1:]) + "\n")
    assert invoke("compare --scores old.csv twice.csv").exit_code == 1
    once = answered("compare --scores old.csv new.csv -m relevancy")["contrasts"][0]["difference"]
    assert answered("compare --scores old.csv twice.csv -m relevancy --repeats")["contrasts"][0]["difference"] == once
    (tables / "gone.csv").write_text("\n".join(text.splitlines()[:-1]) + "\n")
    line = "compare --scores old.csv gone.csv -m relevancy"
    assert "reason" in answered(line)["contrasts"][0]["difference"]
    assert answered(f"{line} --missing drop")["contrasts"][0]["difference"]["n"] == 39
    assert answered(f"{line} --range relevancy=0:1")["contrasts"][0]["difference"]["n"] == 40


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        ("compare --scores old.csv new.csv --depth 5", 2, ["--depth", "--scores"]),
        ("compare --scores old.csv new.csv --lower-is-better", 2, ["--lower-is-better", "--lower SCORE"]),
        ("compare --scores old.csv new.csv --manifest m.json", 2, ["--manifest"]),
        ("compare --scores --saved old.csv new.csv", 2, ["--saved"]),
        ("compare old.csv new.csv third.csv --unit qid", 2, ["--unit", "--scores"]),
        ("compare old.csv new.csv third.csv --missing worst", 2, ["--missing", "--scores"]),
        ("compare --scores old.csv", 2, ["old", "--system"]),
        ("compare --scores old.csv new.csv -m faithfulnes", 2, ["'faithfulnes'", "'faithfulness'"]),
        ("compare --scores old.csv new.csv -m note", 1, ["row 1", "'x'", "'note'"]),
        ("compare --scores old.csv new.csv --unit qd", 2, ["'qd'", "qid"]),
        ("compare --scores old.csv new.csv --baseline nwe", 2, ["'nwe'", "'new'"]),
        ("compare --scores old.csv new.csv --range faithfulness=1", 2, ["SCORE=LOW:HIGH", "faithfulness=1"]),
        ("compare --scores old.csv new.csv --range faithfulness=0:nan", 2, ["SCORE=LOW:HIGH"]),
        ("compare --scores old.csv new.csv --range faithfulness=0.9:1", 1, ["faithfulness", "0.9"]),
        ("compare --scores old.csv new.csv --lower latency", 2, ["'latency'", "cost"]),
        ("compare --scores old.csv absent.csv", 1, ["absent.csv"]),
        ("leaderboard old.csv new.csv third.csv --dataset set", 2, ["--dataset", "--scores"]),
        ("leaderboard --scores old.csv", 2, ["two or more", "--system"]),
        ("leaderboard --scores all.csv --system model", 1, ["old", "'q0'", "--repeats"]),
        ("leaderboard --scores all.csv --system model --dataset sets", 2, ["'sets'", "set"]),
        ("leaderboard old.csv", 2, ["QRELS RUN..."]),
        ("leaderboard old.csv new.csv --clusters document", 2, ["--clusters", "--scores"]),
        ("leaderboard old.csv new.csv --queries kinds.csv", 2, ["--queries", "--scores"]),
        ("leaderboard --scores old.csv new.csv third.csv --clusters kind", 2, ["'kind'", "--queries FILE"]),
        (
            "leaderboard --scores old.csv new.csv third.csv --queries kinds.csv --clusters kind --correction tukey",
            2,
            ["'tukey'", "max_t", "clusters"],
        ),
        ("leaderboard --scores all.csv --system model --dataset set --clusters qid", 2, ["clusters", "dataset"]),
    ],
)
def test_what_makes_no_sense_is_refused(tables: Path, line: str, status: int, told: list[str]) -> None:
    done = invoke(line)
    assert done.exit_code == status, done.output
    assert "Traceback" not in done.output
    for word in told:
        assert word in done.stderr, done.stderr


def test_a_leaderboard_of_scores(tables: Path) -> None:
    document = answered("leaderboard --scores old.csv new.csv third.csv -m faithfulness")
    assert document["schema"] == "leaderboard/1"
    assert document["rows"][0]["system"] == "new"
    assert document["rows"][0]["rank_interval"] == [1, 1]
    assert [row["rank_interval"] for row in document["rows"][1:]] == [[2, 3], [2, 3]]
    assert document["groups"] == [["new"], ["old", "third"]]
    assert document["hold_together"] is True
    assert answered("leaderboard --scores old.csv new.csv --baseline old")["reference"] == "old"


def test_a_leaderboard_over_datasets(tables: Path) -> None:
    """With two datasets nothing is left out; the mean is that over datasets, each of which has the same rows here."""
    document = answered("leaderboard --scores all.csv --system model --dataset set")
    assert document["rows"][0]["system"] == "new"
    assert document["without"] == []
    assert any("datasets: 2 (nq, fever)" in note for note in document["notes"])
    alone = answered("leaderboard --scores old.csv new.csv third.csv -m faithfulness")
    assert document["rows"][0]["means"]["faithfulness"] == pytest.approx(alone["rows"][0]["means"]["faithfulness"])


def test_two_files_of_one_name_are_called_by_their_paths(tables: Path) -> None:
    for name in ("old", "new"):
        (tables / name).mkdir()
        (tables / name / "scores.csv").write_text((tables / f"{name}.csv").read_text())
    paths = ["old/scores.csv", "new/scores.csv"]
    assert answered(f"compare --scores {' '.join(paths)} -m faithfulness")["systems"] == paths
    for name in ("old", "new"):
        lines = (tables / f"{name}.csv").read_text().splitlines()
        twice = [f"{line},{part}" for part in ("nq", "fever") for line in lines[1:]]
        (tables / name / "scores.csv").write_text("\n".join([f"{lines[0]},set", *twice]) + "\n")
    board = answered(f"leaderboard --scores {' '.join(paths)} -m faithfulness --dataset set")
    assert [row["system"] for row in board["rows"]] == ["new/scores.csv", "old/scores.csv"]


@pytest.mark.parametrize("form", ["table", "markdown", "csv"])
def test_a_leaderboard_shows_rank_intervals(tables: Path, form: str) -> None:
    told = invoke(f"leaderboard --scores old.csv new.csv third.csv -m faithfulness --format {form}")
    assert told.exit_code == 0, told.output
    shown: Callable[[str], bool] = told.stdout.__contains__
    assert shown("rank_low" if form == "csv" else "rank 95% CI")
    assert shown(",2,3," if form == "csv" else "2 to 3")


def clustered(folder: Path) -> None:
    """12 documents of 5 questions each: systems differ from document to document, not from question to question."""
    rng = np.random.default_rng(1)
    for name, gain in {"a": 0.0, "b": 0.05, "c": 0.1}.items():
        means = np.repeat(rng.normal(0.5 + gain, 0.1, 12), 5)
        values = means + rng.normal(0, 0.02, 60)
        lines = [f"q{i},d{i // 5},{1 + i % 5},{value:.6f}" for i, value in enumerate(values)]
        (folder / f"{name}.csv").write_text("\n".join(["qid,document,share,score", *lines]) + "\n")
    rows = "".join(f"q{i},d{i // 5}\n" for i in range(60))
    (folder / "documents.csv").write_text(f"query_id,document\n{rows}")


def test_a_leaderboard_of_scores_respects_clusters_and_weights(tables: Path) -> None:
    clustered(tables)
    line = "leaderboard --scores a.csv b.csv c.csv -m score"
    alone, together = answered(line), answered(f"{line} --clusters document")
    wide = [
        [row["adjusted"]["high"] - row["adjusted"]["low"] for row in board["rows"] if row["adjusted"] is not None]
        for board in (alone, together)
    ]
    # Units of a document are alike: 60 tell about as much as 12, and the intervals are about sqrt(5) as wide.
    assert all(1.5 < clusters / units < 3.5 for units, clusters in zip(*wide, strict=True))
    assert "queries: 12 clusters by document" in together["notes"]
    assert any("design effect" in text for text in together["warnings"])
    assert answered(f"{line} --clusters document --queries documents.csv")["rows"] == together["rows"]
    board = rankproof.leaderboard_scores(["a.csv", "b.csv", "c.csv"], "score", clusters="document")
    assert [list(row.rank_interval or ()) for row in board.rows] == [row["rank_interval"] for row in together["rows"]]
    weighted = answered(f"{line} --clusters document --weights share")
    assert weighted["rows"][0]["means"] != together["rows"][0]["means"]


def test_a_leaderboard_tells_what_became_of_missing_values(tables: Path) -> None:
    (tables / "gone.csv").write_text("\n".join((tables / "old.csv").read_text().splitlines()[:-1]) + "\n")
    board = answered("leaderboard --scores gone.csv new.csv third.csv -m relevancy --range relevancy=0:1")
    assert any("a missing value counts as the worst" in note and "gone" in note for note in board["notes"])
