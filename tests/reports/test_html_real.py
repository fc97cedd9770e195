"""The HTML report of real runs: every part, a size that can be mailed, and nothing missing told as a number."""

from __future__ import annotations

import re

import pytest
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.reports.forms.html import comparison

pytestmark = [pytest.mark.slow, needs_shared_data]
MEASURES = "nDCG@10 RR@10 AP@100 R@100"


def page_of(folder: str, runs: list[str], **choices: object) -> str:
    base = SHARED / folder
    paths = [str(base / name) for name in runs]
    found = rankproof.compare(
        str(base / "qrels.trec"), paths[0], paths[1:], MEASURES, topics=str(base / "queries.jsonl"), **choices
    )
    return comparison(found, per_query=False, observed={})


def sound(page: str, systems: int) -> None:
    for part in ("differences", "queries", "grades", "blind-spots", "unjudged", "diagnoses", "fine-print"):
        assert f'<section id="{part}"' in page, part
    text = re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)
    assert not re.search(r"\b(nan|inf)\b", text, re.IGNORECASE)
    assert page.count('class="chart wide"') >= 4 + 4 * (systems - 1)
    assert len(page) < 2_000_000


def test_seven_runs_of_dl20() -> None:
    runs = sorted(f"runs/{path.name}" for path in (SHARED / "dl20" / "runs").glob("*.run"))
    page = page_of("dl20", runs)
    sound(page, 7)
    assert "systems are significantly better than BM25 in nDCG@10." in page
    assert '<section id="power"' in page  # not every difference is shown


def test_all_pairs_of_dl20_are_named_by_both_sides() -> None:
    runs = sorted(f"runs/{path.name}" for path in (SHARED / "dl20" / "runs").glob("*.run"))[:4]
    page = page_of("dl20", runs, all_pairs=True, correction="tukey", resamples=2_000)
    sound(page, 4)
    assert "BM25_then_gpt35_depth100 − BM25_RM3" in page


def test_two_runs_of_scifact() -> None:
    page = page_of("scifact", ["sparse.run", "dense.run"])
    sound(page, 2)
    assert page.count("<tr data-key=") == 300
