"""What the page carries of queries: compact, bounded, and safe inside a script element."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from tests.reports.comparisons import HOSTILE, comparison_of, verdict_of
from tests.reports.ranked import ranked_comparison

from rankproof.kernel.later import Later
from rankproof.kernel.verdict import Ruling
from rankproof.proving.records import Comparison
from rankproof.reports.forms.html import comparison, verdict
from rankproof.reports.page import queries


def page_of(record: Comparison) -> str:
    return comparison(record, per_query=False, observed={})


def data_of(page: str) -> dict[str, Any]:
    (text,) = re.findall(r'<script type="application/json" class="queries">(.*?)</script>', page, re.DOTALL)
    found: dict[str, Any] = json.loads(text)
    return found


def test_rankings_are_numbers_of_documents_that_stand_there_once() -> None:
    record = ranked_comparison(6)
    rankings = record.rankings()
    assert rankings is not None
    data = data_of(page_of(record))["rankings"]
    assert len(set(data["documents"])) == len(data["documents"]) == len(data["titles"])
    for at, query in enumerate(record.query_ids):
        own, grades, orders = data["queries"][at]
        for system, order in zip(record.systems, orders, strict=True):
            docs = [data["documents"][own[i]] for i in order]
            assert docs == list(rankings.by_system[system][query])
        assert [grades[i] for i in orders[0]] == [
            rankings.grades[query].get(doc) for doc in rankings.by_system[record.systems[0]][query]
        ]


def test_beyond_its_bytes_the_page_keeps_the_queries_that_changed_most_and_says_so() -> None:
    record = ranked_comparison(40, titles=False)
    whole = page_of(record)
    with patch.object(queries, "MOST_BYTES", 10_000):
        page = page_of(record)
    kept = [i for i, found in enumerate(data_of(page)["rankings"]["queries"]) if found is not None]
    assert 0 < len(kept) < 40
    contrast = record.contrast("nDCG@10")
    change = {q: abs(float(d)) for q, d in zip(contrast.query_ids, contrast.by_query, strict=True)}
    least = min(change[record.query_ids[i]] for i in kept)
    assert all(change[q] <= least for i, q in enumerate(record.query_ids) if i not in kept)
    assert f"Rankings of the {len(kept)} queries that changed most are here" in page
    assert "queries that changed most are here" not in whole
    assert len(whole) - len(page) > 5_000


def test_values_that_no_shown_contrast_needs_give_way_where_there_are_too_many() -> None:
    record = ranked_comparison(40, ("a", "b", "c", "d"), titles=False)
    with patch.object(queries, "MOST_CONTRASTS", 2), patch.object(queries, "MOST_BYTES", 5_000):
        values = data_of(page_of(record))["values"]
    # The first two contrasts are those of b and c against a in nDCG@10.
    assert [[column is not None for column in columns] for columns in values] == [
        [True, True, True, False], [False] * 4, [False] * 4,
    ]  # fmt: skip
    assert all(column for columns in data_of(page_of(record))["values"] for column in columns)


@pytest.mark.parametrize("prefix", ["d", "<&>" * 20, "日本語" * 20])
def test_the_data_is_never_heavier_than_its_bound(prefix: str) -> None:
    """Every sign that a script element or JSON makes longer is counted as long as it gets."""
    record = ranked_comparison(200, ("a", "b", "c"), prefix=prefix)
    with patch.object(queries, "MOST_BYTES", 120_000):
        page = page_of(record)
    block = re.search(r'class="queries">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    assert 60_000 < len(block[1].encode()) <= 120_000
    assert "queries that changed most are here" in page


def test_ids_of_thousands_of_characters_do_not_make_the_page_too_heavy() -> None:
    """40 queries with 12 documents each and ids of 20,000 characters are 10 MB of ids."""
    page = page_of(ranked_comparison(40, prefix="<&" * 10_000, query_prefix="é" * 20_000))
    assert len(page.encode()) < 2_000_000


@pytest.mark.parametrize("name", [HOSTILE, "</script><script>alert(1)</script>", "<!--", "]]>", "a\u2028b"])
def test_no_name_ends_the_data_or_begins_markup(name: str) -> None:
    page = page_of(ranked_comparison(4, (name, "after"), prefix=name, query_prefix=name))
    block = re.search(r'class="queries">(.*?)</script>', page, re.DOTALL)
    assert block is not None
    assert not set("<>&\u2028\u2029") & set(block[1])
    assert json.loads(block[1])["rankings"]["depth"] == 10


def test_a_query_that_one_system_did_not_answer_has_an_empty_ranking() -> None:
    record = ranked_comparison(6)
    rankings = record.rankings()
    assert rankings is not None
    lists = {**rankings.by_system, "after": {}}
    data = data_of(page_of(replace(record, rankings=Later(lambda: replace(rankings, by_system=lists)))))
    assert all(found[2][1] == [] for found in data["rankings"]["queries"])


def test_without_rankings_the_page_says_where_they_come_from() -> None:
    page = page_of(comparison_of())
    assert data_of(page)["rankings"] is None
    assert "compare(..., rankings=True)" in page


def test_the_same_rankings_give_the_same_bytes() -> None:
    assert page_of(ranked_comparison(8)) == page_of(ranked_comparison(8))


def ruled(statuses: list[str]) -> list[str]:
    """The verdicts of the page's tables of rules, from top to bottom."""
    rulings = tuple(Ruling("least_value", f"rule {i}", s, "Because.") for i, s in enumerate(statuses))
    page = verdict(replace(verdict_of(comparison_of(), "FAIL"), rulings=rulings), observed={})
    (section,) = re.findall(r'<section id="rules".*?</section>', page, re.DOTALL)
    found = re.findall(r"[✓✕?] (PASS|FAIL|UNDECIDED)|(<details>)", section)
    return [word or "folded" for word, _ in found]


def test_rules_stand_worst_first_and_many_passed_ones_are_folded() -> None:
    few = ruled(["PASS", "UNDECIDED", "PASS", "FAIL"])
    assert few == ["FAIL", "UNDECIDED", "PASS", "PASS"]
    many = ruled(["PASS"] * 4 + ["UNDECIDED", "FAIL"])
    assert many == ["FAIL", "UNDECIDED", "folded", *["PASS"] * 4]
    assert ruled(["PASS"] * 6) == ["PASS"] * 6


def test_the_warning_that_could_turn_the_headline_comes_before_others() -> None:
    record = comparison_of(("bm25", "dense"))
    risky = replace(record.tie_risks[0], note="another order of ties turns it", changes=True)
    page = page_of(replace(record, tie_risks=(risky,), holes=None))
    head = re.search(r"Warning: </strong>(.*?)</aside>", page, re.DOTALL)
    assert head is not None
    assert head[1].startswith("Another order of tied scores could change the result of dense")
    assert 'href="#caveats"' in head[1]
    assert '<section id="caveats"' in page


def test_a_note_that_changes_no_verdict_is_no_warning_on_the_first_screen() -> None:
    """What the method says of secondary tests is read before quoting; a warning is what could turn the headline."""
    record = replace(comparison_of(("bm25", "dense")), tie_risks=(), holes=None, warnings=("bounds by Gaffke",))
    page = page_of(record)
    head = page[page.index("<header") : page.index("<main")]
    assert "Warning: " not in head
    assert "before you quote it" in head
    assert "bounds by Gaffke" in page
