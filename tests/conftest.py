"""What all tests share: which `make check` leaves out, which run in one process, which come first; a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

# Minutes of random examples against other tools and plain references: run by `make test`.
SLOW = ("against", "contracts/test_measures.py", "documents/test_adding.py", "measuring/test_ties.py", "hostile")
# Folders whose tests share a server that takes long to start: side by side each process would start its own.
TOGETHER = ("live", "scale", "judging/store")
# The longest files come first, so that no process ends with one while the others have nothing left to do.
LONGEST = (
    "scale", "live", "cli/test_demo.py", "documents/test_adding.py", "cli/test_schemas.py", "documents", "web",
    "stack", "hostile", "contracts/test_measures.py", "cli", "simulated", "against", "proving", "judging/store",
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the slow tests and puts the longest files first."""
    places = {item: _place(item.path) for item in items}
    for item, place in places.items():
        if place.startswith(SLOW):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: _rank(places[item]))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Which tests stay in one process, with `--dist loadfile`: those of a file, and those of a folder of TOGETHER."""
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return next((folder for folder in TOGETHER if f"tests/{folder}/" in file), file)

    return Scheduling(config, log)


@pytest.fixture(scope="session")
def demo_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where `rankproof demo` keeps what is expensive to make: one folder for all processes of a run of tests."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return str(tmp_path_factory.mktemp("demo-cache"))
    folder = tmp_path_factory.getbasetemp().parent / f"demo-cache-{run}"
    folder.mkdir(exist_ok=True)
    return str(folder)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium; skipped where there is none. One for all: a process can have only one Playwright at a time."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if BROWSER is None:
        pytest.skip("no chromium or google-chrome on the path")
    with playwright.sync_playwright() as started:
        # Chromium refuses its sandbox to root, as which tests run in containers.
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()


def _place(path: Path) -> str:
    """The path below this folder, or the whole path of a file that is elsewhere."""
    return (path.relative_to(HERE) if path.is_relative_to(HERE) else path).as_posix()


def _rank(place: str) -> int:
    return next((i for i, start in enumerate(LONGEST) if place.startswith(start)), len(LONGEST))
