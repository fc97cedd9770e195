"""Files of every released version keep reading, to the numbers they were written with."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest

from rankproof.kernel import manifest
from rankproof.measuring import report as evaluation_report
from rankproof.measuring.report import evaluation_of, read_report
from rankproof.proving.manifest import read_manifest
from rankproof.proving.verify import verify

RELEASED = Path(__file__).resolve().parent / "released"


@pytest.mark.parametrize("module", [evaluation_report, manifest], ids=lambda module: module.SCHEMA)
def test_there_is_a_file_of_every_version(module: ModuleType) -> None:
    """And a step from each version to the next: a new version needs both."""
    noun, newest = module.SCHEMA.split("/")
    assert len(module.UPGRADES) == int(newest) - 1
    for version in range(1, int(newest) + 1):
        document = json.loads((RELEASED / f"{noun}-{version}.json").read_text(encoding="utf-8"))
        assert document["schema"] == f"{noun}/{version}"


def test_the_first_evaluation_report() -> None:
    report = read_report(RELEASED / "evaluation-report-1.json")
    assert (report.run, report.qrels, report.rankproof) == ("lexical", "qrels.trec", "0.1.0")
    assert report.measures["nDCG@10"].target == 0.5
    assert report.measures["nDCG@10"].passed is True
    assert report.measures["RR"].passed is False
    assert report.passed is False
    assert report.query_ids == tuple(f"q{i}" for i in range(1, 7))
    assert report.population.scored == 6
    assert report.diagnostics.versions["numpy"] == "2.0.0"
    assert report.observed["time"] == "2026-01-02T03:04:05Z"
    again = evaluation_of(report)
    assert again["nDCG@10"].mean == report.measures["nDCG@10"].value
    assert again["relstring"].labels is not None


def test_the_first_manifest() -> None:
    """Its inputs lie beside it: it is not only read but computed again."""
    found = read_manifest(RELEASED / "manifest-1.json")
    assert (found.name, found.kind, found.seed) == ("neural reranker", "comparison", 11)
    assert found.run_ids == ("lexical", "neural")
    assert found.measures == ("nDCG@10", "RR")
    assert found.index_snapshots == {"lexical": "idx-0001"}
    assert found.parameters["design"]["significance"] == "randomization"
    assert {contrast.segment for contrast in found.results.contrasts} == {"", "kind=head", "kind=tail"}
    again = verify(found, str(RELEASED))
    assert again.verified, again.discrepancies


def test_what_is_read_is_written_as_it_was() -> None:
    """The newest version's file, read and written, has the same fields and values."""
    for name, read in (("evaluation-report-1.json", read_report), ("manifest-1.json", read_manifest)):
        path = RELEASED / name
        assert read(path).to_dict() == json.loads(path.read_text(encoding="utf-8"))
