"""Nuggets that no document supports: every form of `evaluate` says that recall is over the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import rankproof
from rankproof.cli.shared.root import cli
from rankproof.reading.formats.contract import UNSUPPORTED

RUN = CliRunner()
# q1: two of four nuggets are supported. q2: no nugget was held against a document.
NUGGETS = [
    {"query_id": "q1", "nugget": "a", "importance": "vital", "support": {"d1": "support"}},
    {"query_id": "q1", "nugget": "b", "importance": "okay", "support": {"d2": "support"}},
    {"query_id": "q1", "nugget": "c", "importance": "vital", "support": {"d2": "not_support"}},
    {"query_id": "q1", "nugget": "d", "importance": "vital", "support": {}},
    {"query_id": "q2", "nugget": "e", "importance": "vital", "support": {}},
]
TOLD = f"judgments: {UNSUPPORTED}3 of 5; recall is over the others"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nuggets.jsonl").write_text("".join(json.dumps(nugget) + "\n" for nugget in NUGGETS))
    Path("some.run").write_text("q1 Q0 d1 1 2 t\nq1 Q0 d9 2 1 t\nq2 Q0 d1 1 1 t\n")


@pytest.mark.parametrize("form", ["", "--full", "--json", "--format markdown", "--format html"])
def test_unsupported_nuggets_are_told(form: str) -> None:
    done = RUN.invoke(cli, f"evaluate nuggets.jsonl some.run NuggetRecall@10 {form}".split(), prog_name="rankproof")
    assert done.exit_code == 0, done.output
    assert TOLD in done.stdout


def test_nothing_is_told_where_every_nugget_is_supported() -> None:
    Path("nuggets.jsonl").write_text("".join(json.dumps(nugget) + "\n" for nugget in NUGGETS[:2]))
    done = RUN.invoke(cli, ["evaluate", "nuggets.jsonl", "some.run", "NuggetRecall@10"], prog_name="rankproof")
    assert UNSUPPORTED not in done.stdout


@pytest.mark.parametrize("qrels", ["nuggets.jsonl", rankproof.read_nuggets(NUGGETS)])
def test_a_query_without_any_held_nugget_was_left_out(qrels: object) -> None:
    found = rankproof.evaluate(qrels, "some.run", "StRecall@10")
    assert found.population.judged == 2
    assert found["StRecall@10"].by_query["q1"] == 0.5  # a of a and b
    assert found["StRecall@10"].undefined == ("q2",)
    assert TOLD in list(found.fine_print)
