"""What `evaluate --save` noticed reaches the reader of `compare --saved` and `gate --saved`, in every form."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rankproof.cli.shared.root import cli
from rankproof.kernel.version import __version__

RUN = CliRunner()
POLICY = '[[rule]]\nrule = "no_regression"\nmeasure = "nDCG@10"\nmargin = 0.05\n'


def invoke(line: str) -> Result:
    return RUN.invoke(cli, line.split(), prog_name="rankproof")


@pytest.fixture(autouse=True)
def reports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two kept reports: a in order, b with ids that meet no judgment, which `evaluate` warns of."""
    monkeypatch.chdir(tmp_path)
    pairs = [(i, j) for i in range(20) for j in range(4)]
    (tmp_path / "qrels.trec").write_text("".join(f"q{i} 0 d{i}{j} {j % 2}\n" for i, j in pairs))
    for name, letter in (("a", "d"), ("b", "x")):
        rows = "".join(f"q{i} Q0 {letter}{i}{(j + i) % 4} {j + 1} {9 - j} {name}\n" for i, j in pairs)
        (tmp_path / f"{name}.run").write_text(rows)
    (tmp_path / "policy.toml").write_text(POLICY)
    assert invoke("evaluate qrels.trec a.run nDCG@10 RR --save a.json").exit_code == 0
    assert invoke("evaluate qrels.trec b.run nDCG@10 P@5 --save b.json").exit_code == 0
    return tmp_path


def kept(path: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads(path.read_text())
    return document


def only_warning(path: Path) -> object:
    warnings = kept(path)["warnings"]
    assert isinstance(warnings, list)
    (warned,) = warnings
    return warned


@pytest.mark.parametrize("form", ["table", "json", "html", "markdown"])
def test_warnings_of_kept_reports_were_lost_in_compare_saved(reports: Path, form: str) -> None:
    warned = only_warning(reports / "b.json")
    told = invoke(f"compare --saved a.json b.json --format {form}")
    assert told.exit_code == 0, told.output
    shown = html.unescape(told.stdout)
    assert str(warned)[:60] in shown  # no document id is in both
    assert "Judged@10 is 0.000." in shown  # a diagnosis of severity warning
    assert "different versions" not in shown
    if form != "table":  # the short form leaves fine print to --full
        assert "a has no P@5; b has no RR" in shown
        assert "ties and unjudged documents were not looked at" in shown


def test_the_full_table_says_what_was_not_compared() -> None:
    told = invoke("compare --saved a.json b.json --full").stdout
    assert "a has no P@5; b has no RR" in told
    assert "ties and unjudged documents were not looked at" in told


@pytest.mark.parametrize("form", ["table", "json", "html", "markdown"])
def test_warnings_of_kept_reports_were_lost_in_gate_saved(reports: Path, form: str) -> None:
    warned = only_warning(reports / "b.json")
    told = invoke(f"gate policy.toml --saved a.json b.json --format {form}")
    assert told.exit_code == 1, told.output
    assert str(warned)[:60] in html.unescape(told.stdout)


@pytest.mark.parametrize("command", ["compare --saved", "gate policy.toml --saved"])
def test_reports_of_different_versions_are_told(reports: Path, command: str) -> None:
    document = kept(reports / "b.json")
    (reports / "b.json").write_text(json.dumps({**document, "rankproof": "0.0.9"}))
    told = invoke(f"{command} a.json b.json --json").stdout
    assert f"a by {__version__}" in told or f"b by 0.0.9, a by {__version__}" in told
    assert "b by 0.0.9" in told


def test_reports_on_other_judgments_and_by_other_settings_are_refused(reports: Path) -> None:
    (reports / "other.trec").write_text((reports / "qrels.trec").read_text().replace("q0 0 d00 0", "q0 0 d00 1"))
    invoke("evaluate other.trec a.run nDCG@10 --save other.json")
    told = invoke("compare --saved a.json other.json")
    assert told.exit_code == 1
    assert "different judgments" in told.stderr
    invoke("evaluate qrels.trec a.run nDCG@10 --depth 2 --save shallow.json")
    told = invoke("compare --saved a.json shallow.json")
    assert told.exit_code == 1
    assert "different rules" in told.stderr


def test_a_report_without_anything_amiss_adds_no_warning() -> None:
    invoke("evaluate qrels.trec a.run nDCG@10 RR --save same.json")
    warnings = json.loads(invoke("compare --saved a.json same.json --json").stdout)["warnings"]
    assert warnings == ["0 of 20 queries changed: bounds by Gaffke, not by t"]  # of the comparison itself
