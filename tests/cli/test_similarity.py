"""`rankproof similarity`: two runs, no judgments."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """q1: a has d1 d2 d3, b has d1 d3 d4; q2 is in a only, q3 in b only."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq1 Q0 d3 3 1 a\nq2 Q0 d1 1 1 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 3 b\nq1 Q0 d3 2 2 b\nq1 Q0 d4 3 1 b\nq3 Q0 d1 1 1 b\n")
    return tmp_path


def similarity(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["similarity", *args])


def test_a_table_with_what_is_compared_with_nothing(here: Path) -> None:
    """Jaccard of the first 3: 2 in both, 4 in either. Of the first 1: the same."""
    told = similarity("a.run", "b.run", "-m", "Jaccard@3", "-m", "Jaccard@1", "-q")
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines() == [
        "query_id  Jaccard@3  Jaccard@1",
        "q1           0.5000     1.0000",
        "all          0.5000     1.0000",
        "",
        "a.run and b.run: 1 query in both",
        "only in a.run: 1, compared with nothing (q2)",
        "only in b.run: 1, compared with nothing (q3)",
    ]


def test_json(here: Path) -> None:
    document = json.loads(similarity("a.run", "b.run", "-m", "Jaccard@3", "-q", "--json").stdout)
    assert document["similarities"] == {"Jaccard@3": {"value": 0.5, "undefined": [], "by_query": {"q1": 0.5}}}
    assert (document["only_a"], document["only_b"]) == (["q2"], ["q3"])


def test_a_run_is_wholly_like_itself(here: Path) -> None:
    document = json.loads(similarity("a.run", "a.run", "--json").stdout)
    (value,) = [told["value"] for told in document["similarities"].values()]
    assert value == pytest.approx(1.0)


def test_a_file(here: Path) -> None:
    assert similarity("a.run", "b.run", "-o", "out.txt").output == ""
    assert (here / "out.txt").read_text() == similarity("a.run", "b.run").stdout


def test_order_given(here: Path) -> None:
    """As given, run c ranks d2 d1; by score it ranks d1 d2, as a does."""
    (here / "c.run").write_text("q1 Q0 d2 1 1 c\nq1 Q0 d1 2 2 c\n")
    asked = ("a.run", "c.run", "-m", "Jaccard@1", "--json")
    by_score = json.loads(similarity(*asked).stdout)
    given = json.loads(similarity(*asked, "--order", "given").stdout)
    assert by_score["similarities"]["Jaccard@1"]["value"] == 1.0
    assert given["similarities"]["Jaccard@1"]["value"] == 0.0


def test_a_wrong_name_names_its_neighbor(here: Path) -> None:
    told = similarity("a.run", "b.run", "-m", "Jacard@10")
    assert told.exit_code == 2
    assert "Did you mean 'Jaccard'" in told.stderr
