"""One real browser for all tests of pages: a process can have only one Playwright at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real Chromium; skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if BROWSER is None:
        pytest.skip("no chromium or google-chrome on the path")
    with playwright.sync_playwright() as started:
        # Chromium refuses its sandbox to root, as which tests run in containers.
        opened = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield opened
        opened.close()
