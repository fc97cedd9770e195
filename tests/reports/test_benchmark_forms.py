"""A benchmark in every form: what is marked, what is folded, what the published schema says."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator
from tests.reports.benchmarks import MODES, benchmark_of
from tests.reports.comparisons import HOSTILE

from rankproof.kernel import shelf
from rankproof.kernel.schema_files import bundled
from rankproof.stack.benchmark.records import Benchmark


@pytest.fixture(scope="module")
def found() -> Benchmark:
    return benchmark_of()


def told(found: Benchmark, form: str) -> str:
    text: str = shelf.find("reports", form).benchmark(found, per_query=False, observed={"seconds": 1.0})
    return text


def part(text: str, title: str) -> list[str]:
    """The lines below a title, up to the next empty one."""
    lines = text[text.index(f"{title}\n") :].splitlines()[1:]
    return lines[: lines.index("")]


def test_the_best_is_marked_only_where_it_is_shown(found: Benchmark) -> None:
    """RR: turned has c first in 19 queries, plain third. Of R@5 nothing is shown, so nobody leads there."""
    assert found.best == {"RR": "turned", "R@5": None}
    rows = part(told(found, "table"), "letters: 4 modes on 20 queries, 26 documents")
    assert [line.split()[:3] for line in rows[1:]] == [
        ["plain", "0.3667", "0.5000"],  # 19 thirds and 1 for q6, of 20
        ["turned", "0.9667*", "0.5000"],
        ["wide", "0.3667", "0.5250"],  # g of c and g; a and g in q6
        ["both", "0.3667", "0.5000"],
    ]
    assert "| turned | **0.9667** | 0.5000 |" in told(found, "markdown")
    assert "Bold: significantly better than every other mode, after the correction." in told(found, "markdown")


def test_each_mode_stands_against_what_it_builds_on_and_the_baseline(found: Benchmark) -> None:
    rows = part(told(found, "table"), "What each stage buys in RR")
    assert [re.split(r"\s{2,}", line.strip())[:2] for line in rows[1:]] == [
        ["turned", "plain (before, baseline)"],
        ["wide", "plain (baseline)"],
        ["both", "plain (input, baseline)"],
        ["both", "wide (input)"],
    ]
    turned = re.split(r"\s{2,}", rows[1].strip())
    assert turned[2] == "+0.6000"  # 0.9667 less 0.3667
    assert turned[5:] == ["19/0/1", "better"]


def test_inside_a_rerank_and_a_fusion(found: Benchmark) -> None:
    table = told(found, "table")
    (rerank,) = part(table, "What a rerank won, lost and could have won")[1:]
    assert rerank.split() == ["turned", "first", "3", "50.0%", "0.3667", "0.9667", "1.0000", "95%", "19/0/1", "0/0"]
    fusion = [line.split() for line in part(table, "Relevant documents that a fusion brought into the first 10")[1:]]
    # Fused a b c d e g j m: c in 19 queries, g in all, a in q6: 40. Plain has c or a: 20. Wide has g, and a in q6: 21.
    assert fusion == [
        ["both", "plain", "20", "20", "0", "40", "+20"],
        ["both", "wide", "21", "19", "0", "40", "+19"],
    ]
    grades = [line.split() for line in part(table, "Grades in the first 10")]
    assert grades[0] == ["mode", "grade", "3", "grade", "2", "grade", "1", "grade", "0", "unjudged", "not", "returned"]
    assert grades[1] == ["plain", "9.5%", "0.5%", "0.0%", "19.5%", "20.5%", "50.0%"]  # five of ten; 19 of 200 are c


def test_notes_failures_and_prices_are_told(found: Benchmark) -> None:
    table = told(found, "table")
    assert "letters: recall@5: 0.9 of 20 (in plain, turned, wide)" in table
    assert "turned: 20 x turn: odd\n      query q1: it failed; instead: incoming order" in table
    assert "EUR per 1,000" in table
    assert "no other mode beats plain (0.4 ms), turned (12.5 ms) in both; wide and both are beaten." in table
    cheap = "plain (0.100 EUR), wide (0.100 EUR), turned (0.125 EUR)"
    assert f"no other mode beats {cheap} in both; both is beaten." in table


def test_the_json_holds_to_its_schema(found: Benchmark) -> None:
    document = json.loads(told(found, "json"))
    assert [error.message for error in Draft202012Validator(bundled("benchmark/1")).iter_errors(document)] == []
    turned, both = document["modes"][1], document["modes"][3]
    assert (turned["ceiling"]["wins"], turned["ceiling"]["losses"], turned["cost"]) == (19, 1, 0.125)
    assert turned["notes"] == {"letters": {"recall@5": "0.9 of 20"}}
    assert both["rescue"] == {
        "k": 10, "relevant": 40, "rescued": {"plain": 20, "wide": 19}, "lost": {"plain": 0, "wide": 0},
        "dropped": 0, "new": 0,
    }  # fmt: skip
    assert document["observed"]["unbeaten"] == ["plain", "turned"]
    segments = {contrast["segment"] for contrast in document["by_segment"]["contrasts"]}
    assert {"kind=odd", "kind=even"} <= segments


def test_markdown_is_short_at_first_sight(found: Benchmark) -> None:
    """What not everybody reads is folded, and every fold is closed."""
    text = told(found, "markdown")
    headings = [line for line in text.splitlines() if line.startswith("### ")]
    assert headings[0] == "### letters: 4 modes on 20 queries, 26 documents"
    assert len(headings) <= 8
    assert text.count("<details>") == text.count("</details>") >= 4
    assert "<details><summary>Fine print</summary>" in text
    assert "```\nplain = letters()\n" in text


def test_what_comes_from_elsewhere_cannot_break_the_page() -> None:
    page = told(benchmark_of(note=HOSTILE, name=HOSTILE), "html")
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    for mode in MODES:
        assert mode in page
