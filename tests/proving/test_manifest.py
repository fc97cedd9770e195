"""Manifests: ids from content, hashes of every input, paths that can be moved, and refusals by field."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.kernel.manifest import ExperimentManifest, InputFile
from rankproof.measuring.prepare import join_run, prepare_qrels
from rankproof.measuring.report import write_manifest
from rankproof.proving import manifest as making
from rankproof.proving.manifest import Given, manifest_of, read_manifest

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 2\n"
RUN = "q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\nq2 Q0 d3 1 1 t\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "a.run").write_text(RUN)
    return tmp_path


def manifest(qrels: Any = "qrels", run: Any = "a.run", measures: str = "RR P@5", **more: Any) -> ExperimentManifest:
    judged = prepare_qrels(qrels)
    joined = join_run(judged, run)
    evaluation = rankproof.evaluate(judged, joined, measures)
    return manifest_of([evaluation], Given(qrels, judged), [Given(run, joined)], **more)


def test_what_was_measured_is_on_record(here: Path) -> None:
    made = manifest(name="first", dataset_version="v2", index_snapshots={"bm25": "2024-01"}, notes=["a note"])
    assert (made.kind, made.name, made.dataset_version, made.notes) == ("evaluation", "first", "v2", ("a note",))
    assert made.run_ids == ("a",)
    assert made.measures == ("RR", "P@5")
    assert made.seed is None
    assert made.qrels == InputFile(
        "qrels", "qrels", sha256(QRELS.encode()).hexdigest(), rankproof.read_qrels("qrels").content_hash
    )
    assert made.runs[0].sha256 == sha256(RUN.encode()).hexdigest()
    assert made.runs[0].content == rankproof.read_run("a.run").content_hash
    # RR: 1/2 and 1. P@5: 1/5 and 1/5.
    assert made.results.means == {"a": {"RR": 0.75, "P@5": 0.2}}
    assert made.results.queries == 2
    assert made.parameters["settings"]["dialect"] == "rankproof"
    assert made.parameters["reading"] == {}


def test_the_same_inputs_have_the_same_id(here: Path) -> None:
    first = manifest()
    (here / "b.run").write_text(RUN)
    assert manifest(run="b.run").id == first.id  # a name is no content
    # Another form of the same content.
    assert manifest(qrels={"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}).id == first.id
    assert first.id.startswith("exp-")
    assert len(first.id) == 20
    others = [
        manifest(measures="RR"),
        manifest(qrels={"q1": {"d1": 2}}),
        manifest(run={"q1": {"d1": 1.0}}),
        manifest(reading={"drop_self": True}),
    ]
    assert len({first.id, *(other.id for other in others)}) == 5
    assert len({first.config_sha256, *(other.config_sha256 for other in others)}) == 3


def test_a_run_that_was_no_file_is_known_by_its_content(here: Path) -> None:
    run = manifest(run={"q1": {"d1": 1.0}}).runs[0]
    assert (run.path, run.sha256) == (None, None)
    assert run.content == rankproof.read_run({"q1": {"d1": 1.0}}).content_hash


def test_a_large_run_is_known_by_its_bytes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "CHEAP", len(RUN) - 1)
    made = manifest()
    assert made.runs[0].content is None
    assert made.runs[0].identity == sha256(RUN.encode()).hexdigest()
    assert made.qrels.content is not None


def test_paths_are_seen_from_the_folder_of_the_manifest(here: Path) -> None:
    (here / "kept").mkdir()
    made = manifest()
    write_manifest("kept/m.json", made)
    read = read_manifest("kept/m.json")
    assert (read.qrels.path, read.runs[0].path) == ("../qrels", "../a.run")
    assert read.id == made.id
    assert read.to_dict() == made.beside(str(here / "kept")).to_dict()
    os.symlink(here / "kept" / "m.json", here / "link.json")
    write_manifest("link.json", made)  # a link stays a link, and its goal has the folder that counts
    assert read_manifest("link.json").qrels.path == "../qrels"


def test_other_files_are_hashed_too(here: Path) -> None:
    (here / "topics.tsv").write_text("q1\tone\n")
    made = manifest(others={"topics": "topics.tsv"})
    assert made.others["topics"].sha256 == sha256(b"q1\tone\n").hexdigest()
    assert made.id != manifest().id
    in_memory = manifest(others={"topics": {"q1": "one"}, "pool": None})
    assert in_memory.others == {}
    assert in_memory.notes == ("topics: no file, so what they held is not on record",)
    with raises(UsageError, "'threads'", "order", "qrels_format"):
        manifest(reading={"threads": 2})


def without(document: dict[str, Any], *path: str) -> None:
    *most, last = path
    for key in most:
        document = document[key]
    del document[last]


BROKEN = {
    ("'runs'", "missing"): lambda d: without(d, "runs"),
    ("'qrels.name'", "missing"): lambda d: without(d, "qrels", "name"),
    ("'seed'", "int", "str"): lambda d: d.update(seed="1"),
    ("'kind'", "'guess'"): lambda d: d.update(kind="guess"),
    ("'qrels'", "sha256", "'abc'"): lambda d: d["qrels"].update(sha256="abc"),
    ("config_sha256", "measures", "parameters"): lambda d: d.update(measures=["AP", "RR"]),
    ("id", "config", "inputs"): lambda d: d["qrels"].update(content="ab" * 32),
    ("results.means", "run"): lambda d: d["results"].update(means={}),
    ("'runs[0]'", "sha256", "content"): lambda d: d["runs"][0].update(sha256=None, content=None),
    ("'sede'", "manifest/1"): lambda d: d.update(sede=1),
    ("'runs.0.hash'", "manifest/1"): lambda d: d["runs"][0].update(hash="x"),
    ("manifest/2", "manifest/1"): lambda d: d.update(schema="manifest/2"),
    ("evaluation/1", "manifest/1"): lambda d: d.update(schema="evaluation/1"),
    ("'schema'", "manifest/1"): lambda d: without(d, "schema"),
}


@pytest.mark.parametrize("values", BROKEN)
def test_a_wrong_field_is_named(here: Path, values: tuple[str, ...]) -> None:
    document = manifest().to_dict()
    assert ExperimentManifest.from_dict(document).to_dict() == document
    BROKEN[values](document)
    with raises(InputError, "m.json", *values):
        ExperimentManifest.from_dict(document, "m.json")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ["line 1", "JSON"]),
        ("[1]", ["JSON object", "manifest/1"]),
        ('{"schema": "manifest/1",\n', ["line 2", "JSON"]),
        ('{"seed": NaN}', ["JSON", "NaN"]),
        ("[" * 100_000, ["JSON", "recursion"]),
    ],
)
def test_a_file_that_is_none_is_refused(here: Path, text: str, values: list[str]) -> None:
    (here / "m.json").write_text(text)
    with raises(InputError, "m.json", *values):
        read_manifest("m.json")
