"""The sample's click log is what its script makes, byte by byte."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def test_the_script_makes_the_file() -> None:
    pages = runpy.run_path(str(EXAMPLES / "clicks.py"))["log"]()
    made = "".join(json.dumps(page, separators=(",", ":")) + "\n" for page in pages)
    assert made == (EXAMPLES.parent / "src/rankproof/stack/samples/rankings" / "clicks.jsonl").read_text(
        encoding="utf-8"
    )
