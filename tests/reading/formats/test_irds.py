"""Collections of ir_datasets, through the library itself, with a collection made for the test."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_qrels, read_rows, read_run, read_topics

# The library makes folders in the home folder as soon as it is imported: give it another home.
HOME = tempfile.TemporaryDirectory()
os.environ.setdefault("IR_DATASETS_HOME", HOME.name)
ir_datasets = pytest.importorskip("ir_datasets", reason="ir_datasets is not installed (extra: irds)")
NAME = "rankproof-made-for-a-test"


@pytest.fixture(scope="module", autouse=True)
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    from ir_datasets.datasets.base import Dataset
    from ir_datasets.formats import TrecQrels, TrecScoredDocs, TsvQueries
    from ir_datasets.util import PackageDataFile

    class Local(PackageDataFile):
        """A file of this machine, in the library's own clothes."""

        def __init__(self, path: Path) -> None:
            self._path = str(path)

        def path(self, force: bool = True) -> str:
            return self._path

        def stream(self) -> object:
            return open(self._path, "rb")

    folder = tmp_path_factory.mktemp("irds")
    (folder / "qrels").write_text("q1 0 d1 2\nq1 0 d2 0\n")
    (folder / "run").write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n")
    (folder / "queries").write_text("q1\topening hours\n")
    whole = Dataset(
        TrecQrels(Local(folder / "qrels"), {0: "no", 2: "yes"}),
        TrecScoredDocs(Local(folder / "run")),
        TsvQueries(Local(folder / "queries")),
    )
    ir_datasets.registry.register(NAME, whole)
    ir_datasets.registry.register(f"{NAME}/bare", Dataset(TsvQueries(Local(folder / "queries"))))
    yield
    for name in (NAME, f"{NAME}/bare"):
        del ir_datasets.registry._registered[name]


def test_qrels_run_and_topics() -> None:
    assert read_qrels(f"irds:{NAME}").to_dict() == {"q1": {"d1": 2, "d2": 0}}
    assert read_run(f"irds:{NAME}").to_dict() == {"q1": {"d1": 2.5, "d2": 1.5}}
    assert read_topics(f"irds:{NAME}") == {"q1": "opening hours"}
    assert read_rows(f"irds:{NAME}", "qrels")[1].format == "irds"


def test_what_is_not_there() -> None:
    with raises(InputError, f"irds:{NAME}/bare", "qrels"):
        read_qrels(f"irds:{NAME}/bare")
    with raises(UsageError, "'no-such-thing'", "https://ir-datasets.com/"):
        read_qrels("irds:no-such-thing")
