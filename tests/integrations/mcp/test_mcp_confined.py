"""What no tool does, whatever it is asked: one process, confined as workers are, that answers all of this in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

pytest.importorskip("mcp", reason="the MCP server needs its SDK")

from jsonschema import Draft202012Validator
from tests.integrations.mcp.session import snapshot
from tests.integrations.mcp.test_mcp_tools import copied
from tests.reading.formats.samples import RECORDS, SAMPLES

from rankproof.integrations.mcp.paths import BY_PARTS
from rankproof.integrations.mcp.tools import TOOLS, ReadingTool, input_schema, options_of
from rankproof.kernel.schema_files import bundled

pytestmark = pytest.mark.skipif(not BY_PARTS, reason="the system has no descriptors of folders")
PROGRAM = Path(__file__).with_name("confined.py")
GOOD: dict[str, dict[str, Any]] = {
    "evaluate": {"qrels": "qrels.trec", "runs": ["bm25.run"]},
    "compare": {"qrels": "qrels.trec", "baseline": "bm25.run", "candidates": ["hybrid.run"], "measures": ["P@5"]},
    "gate": {"policy": "deep/ship.toml"},
    "power": {"qrels": "qrels.trec", "baseline": "bm25.run", "candidate": "hybrid.run", "measures": ["P@5"]},
    "next": {"qrels": "qrels.trec", "baseline": "bm25.run", "candidates": ["hybrid.run"]},
    "explain": {"name": "nDCG"},
    "validate": {"files": ["bm25.run"]},
}
NAMES = (
    "https://127.0.0.1:9/a.run",
    "irds:cranfield",
    "/etc/passwd",
    "../beside/secret.run",
    "link.run",
    "-",
    "/dev/stdin",
)
# Files that are opened before anything is decided.
OPENED = {
    "qrels",
    "runs",
    "baseline",
    "candidates",
    "candidate",
    "policy",
    "files",
    "topics",
    "queries",
    "latency",
    "pool",
}
SECRET = "SECRET Q0 x 1 1 t"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(tmp_path_factory.mktemp("mcp") / "served")
    (folder.parent / "beside").mkdir()
    (folder.parent / "beside" / "secret.run").write_text(SECRET)
    (folder / "link.run").symlink_to(folder.parent / "beside" / "secret.run")
    return folder


def asked(served: Path, home: Path, **what: Any) -> dict[str, Any]:
    """What the confined process says; it writes nothing, neither here nor in its home."""
    home.mkdir(exist_ok=True)
    variables = {**os.environ, "HOME": str(home), "TMPDIR": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
    before = snapshot(served.parent, home)
    told = subprocess.run(
        [sys.executable, str(PROGRAM), str(served)], input=json.dumps(what), env=variables, capture_output=True,
        text=True, timeout=300, check=True,
    )  # fmt: skip
    assert snapshot(served.parent, home) == before
    assert "SECRET" not in told.stdout
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def places(tool: ReadingTool) -> list[tuple[str, bool]]:
    """Every argument that names a file or could, and whether it is a list."""
    properties = input_schema(tool)["properties"]
    named = [file.name for file in tool.files]
    for name, option in options_of(tool).items():
        words = properties[name].get("items", properties[name])
        if isinstance(option.type, click.Path) or (words["type"] == "string" and "enum" not in words):
            named.append(name)
    return [(name, properties[name]["type"] == "array") for name in named]


def test_no_argument_of_any_tool_leads_to_a_network_another_file_or_a_change(served: Path, tmp_path: Path) -> None:
    requests = [
        [tool.name, {**GOOD[tool.name], place: [name] if many else name}]
        for tool in TOOLS for place, many in places(tool) for name in NAMES
    ]  # fmt: skip
    assert len(requests) > 400
    told = asked(served, tmp_path / "home", requests=requests)
    assert told["events"] == []
    for (tool, arguments), response in zip(requests, told["responses"], strict=True):
        assert "error" in response or "document" in response
        if "error" in response:
            assert response["error"]["type"] != "Fault", (tool, arguments)
            assert "not allowed" not in response["error"]["message"], (tool, arguments, response)
        opened = [arguments[name] for name in OPENED & arguments.keys()]
        if any(bad in opened or [bad] in opened for bad in NAMES):
            assert "error" in response, (tool, arguments)


def test_no_policy_names_what_a_call_may_not(served: Path, tmp_path: Path) -> None:
    inputs = {"qrels": "../qrels.trec", "baseline": "../bm25.run", "candidate": "../hybrid.run"}
    rules = {
        "rule": '[[rule]]\nrule = "protected"\nmeasure = "P@5"\nqueries = "NAME"\n',
        "collapse": '[evaluate]\ncollapse = "NAME.csv"\n',
    }
    requests: list[Any] = []
    for named in NAMES:
        from_here = f"../{named}" if named == "link.run" or named.startswith("..") else named
        # A link is refused when it is opened, and no rule here asks for these.
        unread = () if named == "link.run" else ("topics", "queries", "latency")
        for key in (*inputs, *unread, *rules):
            tables = inputs if key in rules else {**inputs, key: from_here}
            text = "[policy]\n" + "".join(f'{name} = "{value}"\n' for name, value in tables.items())
            text += rules.get(key, "").replace("NAME", from_here)
            text += '[[rule]]\nrule = "no_regression"\nmeasure = "P@5"\nmargin = 0.01\n'
            policy = served / "deep" / f"{len(requests)}.toml"
            policy.write_text(text)
            requests.append(["gate", {"policy": f"deep/{policy.name}"}])
    told = asked(served, tmp_path / "home", requests=requests)
    assert told["events"] == []
    for (_, arguments), response in zip(requests, told["responses"], strict=True):
        assert "error" in response, (arguments, response.get("text"))
        assert response["error"]["type"] != "Fault"
        assert "not allowed" not in response["error"]["message"], response


def test_a_policy_with_a_ledger_and_a_format_that_fetches_are_refused(served: Path, tmp_path: Path) -> None:
    policy = (served / "deep" / "ship.toml").read_text()
    (served / "deep" / "counted.toml").write_text(policy + '[ledger]\npath = "attempts.jsonl"\n')
    (served / "deep" / "fetched.toml").write_text(policy + '[evaluate]\nqrels_format = "irds"\n')
    requests = [
        ["gate", {"policy": "deep/counted.toml"}], ["gate", {"policy": "deep/fetched.toml"}],
        ["evaluate", {**GOOD["evaluate"], "run_format": "irds"}],
        ["validate", {"files": ["bm25.run"], "format": "irds"}],
    ]  # fmt: skip
    told = asked(served, tmp_path / "home", requests=requests)
    messages = [response["error"]["message"] for response in told["responses"]]
    assert "ledger" in messages[0]
    assert all("irds" in message and "fetched" in message for message in messages[1:])
    assert told["events"] == []


def test_arguments_are_never_options_of_the_command(served: Path, tmp_path: Path) -> None:
    words = (
        "--output=made",
        "-omade",
        "--html=made",
        "--save=made",
        "--manifest=made",
        "--",
        "--help",
        "--engine=spark",
    )
    requests = [
        [name, {**GOOD[name], place: [word] if many else word}]
        for word in words
        for name, place, many in (
            ("evaluate", "qrels", False), ("evaluate", "runs", True), ("evaluate", "measures", True),
            ("compare", "candidates", True), ("compare", "weights", False), ("explain", "name", False),
            ("gate", "candidate", False), ("validate", "files", True), ("next", "pool", False),
        )
    ]  # fmt: skip
    told = asked(served, tmp_path / "home", requests=requests)
    assert told["events"] == []
    kinds = {response["error"]["type"] for response in told["responses"] if "error" in response}
    assert kinds <= {"Unreadable", "UnknownName", "UsageError", "InputError"}
    # `--html=made` is looked up as a name; nothing else of these is an answer.
    answered = [asked for asked, response in zip(requests, told["responses"], strict=True) if "document" in response]
    assert all(name == "explain" for name, _ in answered)


WRONG: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("delete", {}, "evaluate"),
    ("explain", {"nam": "nDCG"}, "name"),
    ("explain", {"name": 5}, "text"),
    ("explain", {"name": None}, "text"),
    ("explain", {"name": "x" * 1001}, "1,001"),
    ("explain", {"name": "no such thing"}, "no such thing"),
    ("evaluate", {"qrels": "qrels.trec"}, "runs"),
    ("evaluate", {"qrels": "qrels.trec", "runs": []}, "runs"),
    ("evaluate", {"qrels": "qrels.trec", "runs": "bm25.run"}, "list"),
    ("evaluate", {"qrels": "qrels.trec", "runs": ["bm25.run"] * 51}, "50"),
    ("evaluate", {**GOOD["evaluate"], "depth": 0}, "depth"),
    ("evaluate", {**GOOD["evaluate"], "depth": True}, "whole number"),
    ("evaluate", {**GOOD["evaluate"], "depth": 1e300}, "whole number"),
    ("evaluate", {**GOOD["evaluate"], "per_query": "yes"}, "true or false"),
    ("evaluate", {**GOOD["evaluate"], "order": "luck"}, "score, rank, given"),
    ("evaluate", {**GOOD["evaluate"], "measures": ["nDGC@10"]}, "nDCG"),
    ("evaluate", {**GOOD["evaluate"], "measures": ["a\0b"]}, "character"),
    ("evaluate", {**GOOD["evaluate"], "output": "made"}, "output"),
    ("evaluate", {**GOOD["evaluate"], "threads": 4}, "threads"),
    ("compare", {**GOOD["compare"], "html": "made.html"}, "html"),
    ("compare", {**GOOD["compare"], "confidence": float("nan")}, "number"),
    ("compare", {**GOOD["compare"], "confidence": 95}, "confidence"),
    ("compare", {**GOOD["compare"], "resamples": -1}, "1,000"),
    ("compare", {"baseline": "bm25.run", "candidates": ["deep/dense.run", "hybrid.run"]}, "qrels"),
    ("compare", {**GOOD["compare"], "saved": True}, "qrels"),
    ("compare", {**GOOD["compare"], "scores": True}, "qrels"),
    ("power", {"qrels": "qrels.trec", "candidate": "bm25.run"}, "baseline"),
    ("power", {}, "qrels"),
    ("power", {"sd": 0.2, "qrels": "qrels.trec"}, "qrels"),
    ("gate", {"policy": "bm25.run"}, "TOML"),
    ("gate", {"policy": "nested.json"}, "TOML"),
    ("validate", {"files": ["deep"]}, "folder"),
)  # fmt: skip


def test_a_call_that_is_wrong_is_told_what_is(served: Path, tmp_path: Path) -> None:
    (served / "nested.json").write_text("[" * 200_000)
    requests = [[tool, arguments] for tool, arguments, _ in WRONG]
    told = asked(served, tmp_path / "home", requests=requests)
    for (tool, arguments, value), response in zip(WRONG, told["responses"], strict=True):
        assert "error" in response, (tool, arguments)
        assert response["error"]["type"] != "Fault", (tool, arguments)
        assert value in response["error"]["message"], (tool, str(arguments)[:200], response["error"]["message"])


# What a worker can no longer do, were it told to.
HARM = """
open('made', 'w')
open('a.run', 'a')
open('bm25.run', 'r+')
open('bm25.run')
open('/etc/passwd')
open('../beside/secret.run')
import os; os.open('made', os.O_WRONLY | os.O_CREAT)
import os; os.remove('bm25.run')
import os; os.rename('bm25.run', 'b')
import os; os.mkdir('made')
import os; os.symlink('a', 'made')
import os; os.link('bm25.run', 'made')
import os; os.truncate('bm25.run', 0)
import os; os.chmod('bm25.run', 0)
import os; os.utime('bm25.run')
import os; os.listdir('/')
import os; os.listdir()
import os; os.chdir('/')
import os; os.system('true')
import os; os.fork()
import os; os.kill(1, 0)
import os; os.execv('/bin/true', ['true'])
import subprocess; subprocess.run(['true'])
import shutil; shutil.rmtree('deep')
import shutil; shutil.copy('bm25.run', 'made')
import tempfile; tempfile.mkstemp(dir='.')
import sqlite3; sqlite3.connect('made')
import pathlib; pathlib.Path('made').touch()
import socket; socket.create_connection(('127.0.0.1', 9))
import socket; socket.socket()
import socket; socket.getaddrinfo('localhost', 80)
import urllib.request; urllib.request.urlopen('http://127.0.0.1:9')
import http.client; http.client.HTTPConnection('127.0.0.1', 9).connect()
""".strip().splitlines()


def test_a_worker_can_do_no_harm(served: Path, tmp_path: Path) -> None:
    told = asked(served, tmp_path / "home", code=[*HARM, "import os; open(os.__file__)", "1 + 1"])
    *harm, own, sum_ = told["code"]
    for line, outcome in zip(HARM, harm, strict=True):
        assert "not allowed" in outcome, (line, outcome)
    assert own == sum_ == "done"


def test_tables_of_scores_and_kept_reports_take_the_place_of_runs(served: Path, tmp_path: Path) -> None:
    values = {"baseline": "old.csv", "scores": True, "unit": "unit"}
    requests = [
        ["compare", {**values, "candidates": ["new.csv"]}],
        ["gate", {**values, "policy": "values.toml", "candidate": "new.csv"}],
        ["power", {**values, "candidate": "new.csv", "difference": 0.05}],
        ["power", {"sd": 0.2, "difference": 0.05}],
        ["explain", {"name": "corrections"}],
    ]
    told = asked(served, tmp_path / "home", requests=requests)
    documents = [json.loads(response["document"]) for response in told["responses"]]
    schemas = ["comparison/1", "verdict/1", "power/1", "power/1", "shelves/1"]
    assert [document["schema"] for document in documents] == schemas
    assert documents[1]["status"] == "PASS"
    for document in documents:
        Draft202012Validator(bundled(document["schema"])).validate(document)


def test_every_format_is_read_by_a_process_that_may_open_nothing_itself(tmp_path: Path) -> None:
    """Formats sort on disk, follow other files or load libraries: none of it meets the locks."""
    folder = tmp_path / "served"
    folder.mkdir()
    requests = []
    for number, ((name, noun), content) in enumerate([*SAMPLES.items(), *((k, v) for k, (v, _) in RECORDS.items())]):
        (folder / f"{number}.{name}").write_bytes(content)
        file, named = f"{number}.{name}", {"allow": ["no_common_query"]}
        if noun == "run":
            requests.append(["evaluate", {"qrels": f"{number}.qrels", "runs": [file], "run_format": name, **named}])
            (folder / f"{number}.qrels").write_bytes(SAMPLES["trec", "qrels"])
        elif noun == "scores":
            requests.append(["compare", {"baseline": file, "candidates": [file], "scores": True}])
        else:
            requests.append(["validate", {"files": [file]}])
    told = asked(folder, tmp_path / "home", requests=requests)
    assert told["events"] == []
    for (tool, arguments), response in zip(requests, told["responses"], strict=True):
        message = response.get("error", {}).get("message", "")
        assert "not allowed" not in message, (tool, arguments, message)
        assert "fault of its own" not in message, (tool, arguments, message)
