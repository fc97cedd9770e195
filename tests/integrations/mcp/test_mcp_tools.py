"""The tools as a client of the SDK sees and calls them: the commands' own documents, by the published schemas."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the MCP server needs its SDK")

from jsonschema import Draft202012Validator
from tests.integrations.mcp.session import Session, snapshot

from rankproof.cli.shared.root import cli
from rankproof.integrations.mcp.tools import TOOLS, input_schema, output_schema
from rankproof.kernel.schema_files import bundled

SAMPLE = Path(__file__).resolve().parents[3] / "src/rankproof/stack/samples/rankings"
PAIR = {"qrels": "qrels.trec", "baseline": "bm25.run", "measures": ["nDCG@10"]}
# Every tool with a call, and the command line that means the same.
CALLS: dict[str, tuple[dict[str, Any], str]] = {
    "evaluate": (
        {"qrels": "qrels.trec", "runs": ["bm25.run", "deep/dense.run"], "measures": ["nDCG@10", "AP"], "depth": 20},
        "evaluate qrels.trec bm25.run deep/dense.run -m nDCG@10 -m AP --depth 20",
    ),
    "compare": (
        {**PAIR, "candidates": ["deep/dense.run", "hybrid.run"], "topics": "topics.tsv", "per_query": True},
        "compare qrels.trec bm25.run deep/dense.run hybrid.run -m nDCG@10 --topics topics.tsv -q",
    ),
    "gate": (
        {"policy": "deep/ship.toml", "candidate": "deep/dense.run"},
        "gate deep/ship.toml --candidate deep/dense.run",
    ),
    "power": (
        {**PAIR, "candidate": "deep/dense.run", "difference": 0.05},
        "power qrels.trec bm25.run deep/dense.run -m nDCG@10 -d 0.05",
    ),
    "next": (
        {"qrels": "few.trec", "baseline": "bm25.run", "candidates": ["hybrid.run"], "number": 3},
        "next few.trec bm25.run hybrid.run -n 3",
    ),
    "explain": ({"name": "effect size"}, "explain effect size"),
    "validate": (
        {"files": ["qrels.trec", "bm25.run.gz", "broken.run"], "qrels": "qrels.trec"},
        "validate qrels.trec bm25.run.gz broken.run --qrels qrels.trec",
    ),
}
POLICY = """
[policy]
qrels = "../qrels.trec"
baseline = "../bm25.run"
candidate = "../hybrid.run"
[[rule]]
rule = "no_regression"
measure = "nDCG@10"
margin = 0.01
"""


def copied(folder: Path) -> Path:
    """The sample with a folder inside it, a packed run and a broken one."""
    import gzip

    shutil.copytree(SAMPLE, folder)
    (folder / "deep").mkdir()
    (folder / "dense.run").rename(folder / "deep" / "dense.run")
    (folder / "deep" / "ship.toml").write_text(POLICY)
    (folder / "few.trec").write_text("".join((folder / "qrels.trec").read_text().splitlines(True)[::4]))
    (folder / "bm25.run.gz").write_bytes(gzip.compress((folder / "bm25.run").read_bytes()))
    (folder / "broken.run").write_text("q01 Q0 d1 1 2 t\nq01 Q0 d1 2 1 t\n")
    for name, more in (("old", 0.0), ("new", 0.1)):
        values = [f"u{i},{0.4 + i % 7 / 20 + (i % 3 + 1) * more}" for i in range(40)]
        (folder / f"{name}.csv").write_text("\n".join(["unit,faith", *values, ""]))
    (folder / "values.toml").write_text('[[rule]]\nrule = "no_regression"\nmeasure = "faith"\nmargin = 0.01\n')
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("mcp") / "served")


@pytest.fixture(scope="module")
def session(served: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    aside = tmp_path_factory.mktemp("aside")
    with Session(served, aside=aside) as session:
        before = snapshot(served, session.home)
        yield session
        # Whatever the tests of this module asked for: nothing was written, and nobody was called.
        assert snapshot(served, session.home) == before
        assert session.noted() == []


def test_the_client_lists_every_tool_as_read_only(session: Session) -> None:
    listed = session.tools()
    assert list(listed) == [tool.name for tool in TOOLS] == list(CALLS)
    for tool in TOOLS:
        told = listed[tool.name]
        assert told.input_schema == json.loads(json.dumps(input_schema(tool)))
        assert told.output_schema == output_schema(tool)
        assert told.annotations.read_only_hint
        assert not told.annotations.destructive_hint
        assert not told.annotations.open_world_hint
        Draft202012Validator.check_schema(told.input_schema)
        Draft202012Validator.check_schema(told.output_schema)
        assert told.output_schema["type"] == "object"
        assert "$id" not in json.dumps(told.output_schema)


@pytest.mark.parametrize("tool", CALLS)
def test_a_tool_answers_with_the_document_of_its_command(
    tool: str, session: Session, served: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments, line = CALLS[tool]
    result = session.call(tool, **arguments)  # the client raises where it does not follow the listed schema
    assert not result.is_error, result.content
    document = result.structured_content
    Draft202012Validator(bundled(document["schema"])).validate(document)
    monkeypatch.chdir(served)
    with pytest.raises(SystemExit):
        cli.main([*line.split(), "--json"])
    typed = json.loads(capfd.readouterr().out)
    for one in (document, typed):
        one.pop("observed", None)
    assert document == typed
    (text,) = result.content
    assert 0 < len(text.text) < 8_200
    assert "--full" not in text.text
    assert str(served.parent) not in json.dumps(document) + text.text


def test_a_verdict_that_is_undecided_is_an_answer_that_says_what_decides_it(session: Session) -> None:
    result = session.call("gate", policy="deep/ship.toml", candidate="deep/dense.run")
    assert not result.is_error
    verdict = result.structured_content
    assert verdict["status"] == "UNDECIDED"
    (decides,) = (ruling["decides"] for ruling in verdict["rulings"] if ruling["status"] == "UNDECIDED")
    text = result.content[0].text
    assert "UNDECIDED is an answer" in text
    assert decides in text
    # The call that it proposes is one: an agent may make it as it stands.
    proposed = json.loads(text.partition("the tool next, with ")[2].partition("\n")[0].rstrip("."))
    assert proposed["candidates"] == ["deep/dense.run"]
    assert session.call("next", **proposed).structured_content["schema"] == "next/1"


def test_a_verdict_that_passes_says_nothing_of_what_would_decide_it(session: Session) -> None:
    result = session.call("gate", policy="deep/ship.toml")
    assert result.structured_content["status"] == "PASS"
    assert "would decide" not in result.content[0].text


def test_a_verdict_that_fails_is_an_answer(session: Session) -> None:
    result = session.call("gate", policy="deep/ship.toml", baseline="hybrid.run", candidate="bm25.run")
    assert not result.is_error
    assert result.structured_content["status"] == "FAIL"
    assert result.content[0].text.startswith("FAIL: ")
    assert "would decide" not in result.content[0].text


def test_what_checks_find_in_a_run_is_told_with_its_findings(session: Session) -> None:
    result = session.call("evaluate", qrels="qrels.trec", runs=["broken.run"])
    assert result.is_error
    message, findings = (part.text for part in result.content)
    assert "broken.run" in message
    assert json.loads(findings)["findings"][0]["code"] == "duplicate_document"


def test_the_second_lock_holds_where_the_first_is_open(session: Session) -> None:
    """`collapse` is a text or a file, and no argument of files: whatever it names is opened by the same folder."""
    told = session.refused("evaluate", qrels="qrels.trec", runs=["bm25.run"], collapse="/etc/chunks.csv")
    assert "/etc/chunks.csv" in told
    assert "not a name from the folder on" in told
