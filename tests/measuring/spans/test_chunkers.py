"""The benchmark of chunkers prints what docs/spans.md shows of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.documents.pages import DOCS, ROOT
from tests.shared_data import needs_shared_data


@pytest.mark.slow
@needs_shared_data
def test_the_page_shows_what_the_benchmark_prints() -> None:
    told = subprocess.run(
        [sys.executable, "benchmarks/chunkers.py"], cwd=ROOT, capture_output=True, text=True, timeout=300, check=True
    )
    assert f"```text\n{told.stdout}```\n" in (DOCS / "spans.md").read_text("utf-8")
