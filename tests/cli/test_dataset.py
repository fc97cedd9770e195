"""The command `dataset`: what it prints, writes and refuses."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator
from tests.reading.datasets import made

from rankproof.cli.shared.root import cli
from rankproof.kernel.schema_files import bundled


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["dataset", *args])


def faults(text: str) -> list[str]:
    return [error.message for error in Draft202012Validator(bundled("dataset/1")).iter_errors(json.loads(text))]


def shop(folder: Path) -> str:
    """Twelve queries of two kinds; one judged document is not in the corpus."""
    numbers = range(12)
    queries = [{"_id": f"q{i}", "text": f"query {i}", "kind": "vague" if i % 3 else "exact"} for i in numbers]
    corpus = [{"_id": f"d{i}", "title": f"thing {i // 2}"} for i in numbers]
    qrels = "".join(f"q{i} 0 d{i} {i % 4}\n" for i in numbers) + "q0 0 gone 3\n"
    return made.beir(folder, corpus=made.json_lines(*corpus), queries=made.json_lines(*queries), qrels=qrels)


def test_show(tmp_path: Path) -> None:
    told = run("show", shop(tmp_path / "shop"))
    assert told.exit_code == 0, told.output
    assert told.output.splitlines()[2:] == [
        "documents  12; fields: title",
        "           12 documents share 6 texts; judged differently for one query: 0",
        "queries    12; judged: 12",
        "           kind: vague 8, exact 4",
        "judgments  13 for 12 queries; per query 1 to 2, median 1, mean 1.1",
        "joins      every judged query has its text; 1 judgment of 1 document not in the corpus",
        *told.output.splitlines()[8:9],
        "",
        "grade  judgments  share",
        "    0          3  23.1%",
        "    1          3  23.1%",
        "    2          3  23.1%",
        "    3          4  30.8%",
        "",
        "note: columns by place: query_id subtopic doc_id grade",
        "warning judged_document_missing",
        "  1 judgment names 1 document that the corpus does not have, 1 of them relevant ('gone').",
        "  -> No system can find them, and even a perfect one stays below 1. Add them, or remove the judgments.",
        "note no_relevant_document",
        "  2 queries have no relevant document.",
        "  -> Most measures are 0 for them whatever a system does.",
        "warning copy_unjudged",
        "  9 times a document is judged relevant for a query and another with the same text is not judged.",
        "  -> A system that finds the copy gets nothing for it. Judge the copies alike, or keep one of each.",
    ]
    assert told.output.splitlines()[8].startswith("content    sha256 ")


def test_show_as_json_with_splits(tmp_path: Path) -> None:
    told = run("show", made.splits(tmp_path), "--json")
    assert told.exit_code == 0, told.output
    assert faults(told.output) == []
    document = json.loads(told.output)
    assert document["leaks"] == [{"splits": ["dev", "test"], "texts": 1, "examples": [["q1", "q3"]]}]
    assert document["documents"]["count"] == 3


def test_prepare_and_the_manifest(tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = run("prepare", shop(tmp_path / "shop"), str(out), "--sample", "6", "--documents", "judged", "--json")
    assert told.exit_code == 0, told.output
    assert faults(told.output) == []
    manifest = (out / "manifest.json").read_text()
    assert faults(manifest) == []
    assert json.loads(told.output) == {**json.loads(manifest), "folder": str(out)}
    shown = json.loads(run("show", str(out), "--json").output)
    assert shown["content_hash"] == json.loads(manifest)["content_hash"]
    assert shown["queries"]["count"] == 6


def test_split_by_kind(tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = run("split", shop(tmp_path / "shop"), str(out), "--by", "kind", "--seed", "3", "--json")
    assert told.exit_code == 0, told.output
    assert faults(told.output) == []
    document = json.loads(told.output)
    assert document["splitting"] == {"parts": {"dev": 0.5, "test": 0.5}, "by": ["kind"], "seed": 3, "left_out": 0}
    assert set(document["files"]) == {"corpus.jsonl", "queries.jsonl", "qrels/dev.trec", "qrels/test.trec"}
    for name in ("dev", "test"):
        part = json.loads(run("show", str(out), "--split", name, "--json").output)
        assert part["queries"]["columns"] == {"kind": {"vague": 4, "exact": 2}}
        assert part["content_hash"] == document["splits"][name]["content_hash"]


def test_split_in_words(tmp_path: Path) -> None:
    told = run("split", shop(tmp_path / "shop"), str(tmp_path / "out"), "--part", "dev=4", "--part", "test=6")
    assert told.exit_code == 0, told.output
    assert "           no query text in two of them" in told.output
    assert "note: 2 queries are in no split" in told.output
    assert told.output.splitlines()[-5] == f"written: {tmp_path / 'out'}"


def test_refusals(tmp_path: Path) -> None:
    folder = shop(tmp_path / "shop")
    for args, message in (
        (("show", str(tmp_path)), "no dataset can be seen in it. There: shop."),
        (("prepare", folder, folder), "is a folder with something in it"),
        (("split", folder, str(tmp_path / "out"), "--part", "dev"), "a part is NAME=SIZE"),
        (("split", folder, str(tmp_path / "out"), "--by", "kin"), "Did you mean 'kind'"),
        (("show", folder, "--locale", "us"), "A beir dataset has no option 'locale'"),
        (("show", "sample:nothing"), "No bundled sample is called 'nothing'"),
    ):
        told = run(*args)
        assert told.exit_code in (1, 2), told.output
        assert message in told.output
    assert not (tmp_path / "out").exists()
