"""The values on docs/engines/index.md are those of the engines of this process, and what "equal up to ties" means."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.contracts.test_engines import lacking
from tests.documents.pages import DOCS, ROOT

from rankproof.kernel import shelf

SPEC = importlib.util.spec_from_file_location("benchmark_engines", ROOT / "benchmarks" / "engines.py")
assert SPEC is not None
assert SPEC.loader is not None
SCRIPT: Any = importlib.util.module_from_spec(SPEC)
sys.modules["benchmark_engines"] = SCRIPT
SPEC.loader.exec_module(SCRIPT)

KEPT: dict[str, dict[str, Any]] = {
    row["engine"]: row for row in json.loads((DOCS / "engines" / "values.json").read_text("utf-8"))
}
HELD = ("bm25", "sqlite", "tantivy")


def test_the_values_of_the_page_are_those_of_the_engines(tmp_path: Path) -> None:
    for name in ("bm25s", "wordllama"):
        pytest.importorskip(name)
    here = [name for name in HELD if not lacking(name)]
    modes = SCRIPT.modes_here(set(), {*here, "dense"})
    for row in SCRIPT.rows_of(modes, SCRIPT.ran(modes, tmp_path)):
        if row["engine"] == "dense":
            continue
        kept = KEPT[row["engine"]]
        # Another version may have another value; with the version of the page the value is that of the page.
        if row["version"] == kept["version"]:
            assert row == kept, "run: python benchmarks/engines.py --servers --save"


def test_every_row_is_an_engine_whose_words_have_an_analyzer() -> None:
    assert set(KEPT) <= set(shelf.offered("engines"))
    assert set(HELD) <= set(KEPT)
    assert all(bool(row["analyzer"]) is (row["nDCG@10"] is not None) for row in KEPT.values())
    assert all(row["of"] in (None, 84) for row in KEPT.values())


def test_the_versions_of_the_page_are_those_that_tests_use() -> None:
    assert KEPT["bm25"]["version"] == version("bm25s") or lacking("bm25")


@pytest.mark.parametrize(
    ("other", "differ"),
    [
        ({"a": 0.9, "b": 0.5, "c": 0.5}, 0),
        ({"a": 0.9, "c": 0.5, "b": 0.5}, 0),  # a tie
        ({"a": 0.9, "b": 0.5, "d": 0.5}, 0),  # another document that ties with the last
        ({"a": 0.9000001, "b": 0.5, "c": 0.5}, 0),  # the digits of 32 bits
        ({"b": 0.9, "a": 0.5, "c": 0.5}, 1),
        ({"d": 0.9, "b": 0.5, "c": 0.5}, 1),  # a document that should not be there
        ({"a": 0.9, "b": 0.5}, 1),
        ({"a": 0.9, "b": 0.5, "c": 0.4}, 1),
        ({}, 1),
    ],
)
def test_rankings_are_equal_up_to_ties(other: Mapping[str, float], differ: int) -> None:
    assert SCRIPT.differing({"q": {"a": 0.9, "b": 0.5, "c": 0.5}}, {"q": other}) == differ
