"""The HTML report as text: one file, escaped, the same each time. What a browser does with it is in tests/web."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from tests.reports.comparisons import HOSTILE, comparison_of, verdict_of

from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.records import Comparison
from rankproof.reports.forms.html import cell, comparison, render, verdict


class Elements(HTMLParser):
    """Every element with its attributes, and the text of all of them but scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def shown(record: Comparison) -> str:
    return comparison(record, per_query=False, observed={"seconds": 1.5})


@pytest.fixture(scope="module")
def three() -> str:
    return shown(comparison_of(("bm25", "dense", "hybrid"), segments=True))


def test_the_same_comparison_gives_the_same_bytes(three: str) -> None:
    assert three == shown(comparison_of(("bm25", "dense", "hybrid"), segments=True))
    assert three.endswith("</html>\n")


def test_every_part_has_its_section_and_its_entry_in_the_contents(three: str) -> None:
    elements = Elements(three)
    sections = [a["id"] for a in elements.named("section")]
    assert sections == [
        "caveats", "differences", "queries", "segments", "grades", "blind-spots", "unjudged", "ties", "power",
        "diagnoses", "fine-print", "manifest",
    ]  # fmt: skip
    links = [a["href"] for a in elements.named("a")]
    # The first skips to the content, the second stands in the head.
    assert [f"#{name}" for name in sections] == links[2:]


def test_parts_without_anything_to_say_are_left_out() -> None:
    bare = replace(
        comparison_of(), moves=(), blind_spots=(), holes=None, tie_risks=(), diagnoses=(), grade_shares=None,
        topics={}, warnings=(),
    )  # fmt: skip
    page = Elements(shown(bare))
    assert [a["id"] for a in page.named("section")] == ["differences", "queries", "power", "fine-print", "manifest"]
    assert "Before you quote it" not in page.text


def test_the_headline_says_it_with_numbers() -> None:
    """hybrid differs from bm25 in RR@10; the sentence has the difference, its interval and the adjusted p-value."""
    base = comparison_of(("bm25", "dense", "hybrid"))
    chosen = [c for c in base.contrasts if c.candidate == "hybrid" and c.measure == "RR@10"]
    alone = replace(base, systems=("bm25", "hybrid"), measures=("RR@10",), contrasts=tuple(chosen), holes=None,
                    evaluations=(base.evaluations[0], base.evaluations[2]), moves=(), blind_spots=())  # fmt: skip
    text = Elements(shown(alone)).text
    assert "hybrid is significantly better than bm25 in RR@10." in text
    assert re.search(
        r"\+0\.0970, adjusted 95% confidence interval \+0\.\d{4} to \+0\.\d{4}, adjusted p\s=\s0\.\d{4}; "
        r"effect size \+\d\.\d\d; 40 queries\.",
        text,
    )


def test_what_cannot_be_tested_says_why() -> None:
    base = comparison_of()
    reason = NotEstimable("no query differs", "t", 40, 0.0)
    untested = replace(base, contrasts=(replace(base.contrasts[0], difference=reason, adjusted=None, effect=None),))
    text = Elements(shown(replace(untested, measures=("nDCG@10",), holes=None))).text
    assert "cannot be compared by a test in nDCG@10" in text
    assert "No test of nDCG@10 for dense: no query differs." in text


def test_names_from_files_are_text_and_nothing_else() -> None:
    page = shown(comparison_of((HOSTILE, HOSTILE + "2"), topic=HOSTILE))
    elements = Elements(page)
    assert elements.named("img") == []
    scripts = elements.named("script")
    assert len([a for a in scripts if a.get("type") != "application/json"]) == 1
    assert not any(name.startswith("on") for _, attributes in elements.found for name in attributes)
    assert "<script>alert(1)</script>" in elements.text


def test_a_script_that_is_not_the_pages_own_cannot_run_and_nothing_can_be_loaded(three: str) -> None:
    elements = Elements(three)
    policy = next(a["content"] for a in elements.named("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert "default-src 'none'" in policy
    script = three[three.rindex("<script>") + len("<script>") : three.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    addresses = [a[key] for _, a in elements.found for key in ("src", "href") if key in a]
    assert all(address is not None and address.startswith(("#", "data:")) for address in addresses)
    assert "url(" not in three
    assert "@import" not in three


def test_tables_have_captions_and_headers_say_what_they_head(three: str) -> None:
    elements = Elements(three)
    assert len(elements.named("caption")) == len(elements.named("table"))
    assert all(a.get("scope") in ("col", "row") for a in elements.named("th"))
    assert all(a.get("aria-label") for a in elements.named("svg"))


def test_every_figure_is_drawn_for_wide_windows_and_for_phones(three: str) -> None:
    drawings = [a["class"] for a in Elements(three).named("div") if str(a.get("class")).startswith("chart")]
    assert drawings.count("chart wide") == drawings.count("chart phone") > 10


@pytest.mark.parametrize("status", ["PASS", "FAIL", "UNDECIDED"])
def test_a_verdict_stands_above_its_comparison(status: str) -> None:
    page = verdict(verdict_of(comparison_of(), status), observed={})
    elements = Elements(page)
    assert [a["id"] for a in elements.named("section")][:3] == ["rules", "caveats", "differences"]
    assert status in elements.text
    assert "About 120 queries more would decide it." in elements.text
    assert "≥ 0.4000" in elements.text


def test_a_verdict_without_a_baseline_shows_the_values() -> None:
    record = comparison_of()
    alone = replace(verdict_of(record), comparison=None, baseline=None, evaluation=record.evaluations[1])
    sections = [a["id"] for a in Elements(verdict(alone, observed={})).named("section")]
    assert sections == ["rules", "values", "fine-print", "manifest"]


def test_evaluations_show_a_chart_for_each_measure() -> None:
    page = render(comparison_of().evaluations, per_query=True, observed={})
    elements = Elements(page)
    assert len(elements.named("figure")) == 3
    assert [a["id"] for a in elements.named("section")] == ["values", "queries", "fine-print"]


def test_a_notebook_gets_charts_in_colors_for_light_and_dark() -> None:
    drawn = cell(comparison_of())
    assert drawn.count("<svg") == 2
    assert 'fill="currentColor"' in drawn
    assert cell(comparison_of().evaluations[0]).count("<svg") == 3
