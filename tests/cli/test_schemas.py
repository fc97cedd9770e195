"""Every JSON document that the installed command writes holds to its published schema, errors too."""

from __future__ import annotations

import ast
import copy
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests import forking
from tests.cli import several
from tests.cli.every_command import commands
from tests.cli.json_case import Case, faults
from tests.cli.json_cases import CASES, FILES, STORED
from tests.raising import raises

from rankproof.cli.shared.root import cli
from rankproof.errors import UnknownName
from rankproof.kernel.schema_files import bundled, names, schema

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "rankproof"
KEPT = "evaluate qrels.trec bm25.run --manifest kept.json --save report.json --target nDCG@10=0.3"
COMPARED = "compare qrels.trec bm25.run dense.run -m nDCG@10 --no-beyond --manifest compared.json"


def run(args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a process of its own that has its modules loaded."""
    command = [*forking.command(), *args.split()]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("schemas") / "sample"
    shutil.copytree(ROOT / "src/rankproof/stack/samples/rankings", folder)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    several.write(folder)
    for args in (KEPT, COMPARED, *STORED):
        told = run(args, folder)
        assert told.returncode == 0, told.stderr
    return folder


def by_weight() -> Iterator[Any]:
    """The first case of each command and schema is quick, unless it says otherwise; the others are slow."""
    seen = set()
    for case in CASES:
        kind = case.schema if case.schema == "error/1" else (case.command, case.schema)
        marks = [pytest.mark.full] if case.full else [pytest.mark.slow] if kind in seen else []
        yield pytest.param(case, id=case.args, marks=marks)
        seen.add(kind)


@pytest.mark.parametrize("case", list(by_weight()))
def test_what_a_command_prints_holds_to_its_schema(here: Path, case: Case) -> None:
    told = run(case.args, here)
    assert told.returncode == case.status, told.stdout + told.stderr
    document = json.loads(told.stdout)
    assert faults(document, case.schema) == []
    if case.schema != "error/1":
        assert document["schema"] == case.schema
    else:
        assert document["error"]["exit_status"] == case.status


@pytest.mark.parametrize(
    ("file", "name"),
    [("kept.json", "manifest/1"), ("compared.json", "manifest/1"), ("report.json", "evaluation-report/1")],
)
def test_what_a_command_keeps_holds_to_its_schema(here: Path, file: str, name: str) -> None:
    assert faults(json.loads((here / file).read_text()), name) == []


def test_released_files_hold_to_their_schemas() -> None:
    for path in sorted((ROOT / "tests" / "proving" / "released").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        assert faults(document, document["schema"]) == [], path.name


# ---- nothing is left out -------------------------------------------------------------------------


def named_in_source() -> set[str]:
    """Every text in the source that names a schema and its version, and nothing else."""
    found = set()
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            value = node.value if isinstance(node, ast.Constant) else None
            if isinstance(value, str) and re.fullmatch(r"[a-z][a-z-]*/[1-9][0-9]*", value):
                found.add(value)
    return found


def test_every_schema_named_in_the_source_is_published() -> None:
    # An error names no schema: it is known by its one field. Answers that are kept for a fetch are nobody's document,
    # and what they said of documents is a file of lines.
    assert named_in_source() - {"answers/1", "hit-documents/1"} == set(names()) - {"error/1"}


def test_every_schema_is_tried() -> None:
    # The summary of preferences is what the workbench gives: tests/web/judging/test_compare.py tries it. A draft is a
    # line of a file: tests/cli/test_dataset_draft.py tries it. A training needs a library that few have:
    # tests/stack/tune/test_train.py tries it.
    elsewhere = {"manifest/1", "evaluation-report/1", "preferences-summary/1", "draft/1", "training/1"}
    assert {case.schema for case in CASES} | elsewhere == set(names())


def test_every_command_that_gives_json_is_tried_with_a_document_and_an_error() -> None:
    giving = {
        name for name, command in commands(cli) if any("--json" in parameter.opts for parameter in command.params)
    }
    assert {case.command for case in CASES if case.schema != "error/1"} == giving
    refusing = {case.command for case in CASES if case.schema == "error/1"}
    # Validation answers with its own document whatever it is given.
    assert giving - refusing == {"validate", "runs validate", "qrels validate"}


# ---- the schemas themselves ----------------------------------------------------------------------


def parts(value: Any, path: str = "$") -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield path, value
        for key, item in value.items():
            yield from parts(item, f"{path}.{key}")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from parts(item, f"{path}[{i}]")


@pytest.mark.parametrize("name", names())
def test_a_schema_is_one_and_closed(name: str) -> None:
    """It is a JSON Schema, says what it is of, and lets no field pass that nobody has described."""
    found = schema(name)
    Draft202012Validator.check_schema(found)
    assert found["$id"] == f"{name.replace('/', '-')}.schema.json"
    assert found["title"]
    assert found["description"]
    closing = {"additionalProperties", "unevaluatedProperties"}
    open_ones = [
        path for path, part in parts(found) if "properties" in part and "type" in part and not closing & set(part)
    ]
    # Held by verdicts too, where the fields around it are others: those who refer to it close it.
    assert open_ones == (["$.$defs.comparison"] if name == "comparison/1" else [])


@pytest.mark.parametrize("name", names())
def test_a_printed_schema_stands_alone(name: str) -> None:
    printed = bundled(name)
    there = {part["$id"] for _, part in parts(printed) if isinstance(part.get("$id"), str)}
    wanted = {
        part["$ref"].partition("#")[0]
        for _, part in parts(printed)
        if isinstance(part.get("$ref"), str) and not part["$ref"].startswith("#")
    }
    assert wanted <= there


def test_the_schema_test_can_fail(here: Path) -> None:
    """Every field of a document counts: one less, or one more, is a fault."""
    document = json.loads(run("evaluate qrels.trec bm25.run -q --json", here).stdout)
    for path, part in list(parts(document)):
        if "by_query" in path or path.endswith((".measures", ".spelled")):
            continue  # names of queries and measures, not fields
        more = copy.deepcopy(document)
        place(more, path)["mistake"] = 1
        assert faults(more, "evaluation/1"), f"a field more in {path}"
        for key in part:
            if key in ("by_query", "ties"):
                continue
            less = copy.deepcopy(document)
            del place(less, path)[key]
            assert faults(less, "evaluation/1"), f"{key} missing in {path}"


def place(document: Any, path: str) -> Any:
    """The part of a document that a path of `parts` names; measures' names have dots in them nowhere here."""
    for key, index in re.findall(r"\.([^.\[]+)|\[(\d+)\]", path):
        document = document[int(index)] if index else document[key]
    return document


def test_a_name_without_its_number_is_the_newest() -> None:
    assert schema("evaluation") == schema("evaluation/1")
    with raises(UnknownName, "'evalution/1'", "'evaluation/1'"):
        schema("evalution/1")
