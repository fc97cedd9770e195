"""The contract of the diagnoses shelf: every rule explains itself, sees its pattern, and nothing where it is not."""

from __future__ import annotations

import doctest
import re
from typing import Any

import pytest

from rankproof.kernel import shelf
from rankproof.proving.diagnoses.contract import Symptom
from rankproof.testing.tables import diagnosed

ITEMS: dict[str, Symptom] = dict(shelf.offered("diagnoses"))

# rule -> rankings that have its pattern, and rankings that just do not; relevant documents where not all are ranked
SICK: dict[str, tuple[dict[str, Any], int | None]] = {
    "best_buried": ({"q": [1, 0, 3]}, None),
    "ceiling": ({"q": [1], "r": [1], "s": [0, 1]}, None),
    "few_judged": ({"q": [1, None, 0], "r": [None, 1, 0, 0]}, None),
    "high_precision_low_recall": ({"q": [1] * 6 + [0] * 4}, 20),
    "low_precision_high_recall": ({"q": [0] * 10 + [1] * 5}, None),
    "low_rr": ({"q": [0, 1], "r": [0, 0, 1]}, None),
    "nothing_found": ({**{f"q{i}": [1] for i in range(9)}, "r": [0]}, 1),
    "poor_order": ({"q": [0] * 5 + [1]}, None),
    "recall_capped": ({"q": [1, 1], "r": [1]}, 3),
}
WELL: dict[str, tuple[dict[str, Any], int | None]] = {
    "best_buried": ({"q": [1, 3]}, None),  # RR of grade 3 is 1/2: not below
    "ceiling": ({"q": [1], "s": [0, 1]}, None),  # half of the queries, not more
    "few_judged": ({"q": [1, 0, 0, 0, None]}, None),  # 4 of 5
    "high_precision_low_recall": ({"q": [1] * 6 + [0] * 4}, 12),  # recall 6/12: not below 0.5
    "low_precision_high_recall": ({"q": [1] + [0] * 20 + [1, 1]}, None),  # 1 of the 3 that fit: above 0.3
    "low_rr": ({"q": [0, 1], "r": [1]}, None),
    "nothing_found": ({**{f"q{i}": [1] for i in range(10)}, "r": [0]}, 1),  # 1 of 11
    "poor_order": ({"q": [0, 1]}, None),  # nDCG 0.63
    "recall_capped": ({"q": [1, 0, 0], "r": [0, 0, 0]}, 3),  # three places for three
}


def test_every_rule_has_an_example_on_both_sides() -> None:
    assert set(ITEMS) == set(SICK) == set(WELL)


@pytest.mark.parametrize("name", sorted(SICK))
def test_a_rule_sees_its_pattern(name: str) -> None:
    rankings, relevant = SICK[name]
    message = diagnosed(name, rankings, relevant)
    assert message is not None
    assert re.search(r"\d", message), "a message shows its numbers"
    assert message.endswith(".")


@pytest.mark.parametrize("name", sorted(WELL))
def test_a_rule_sees_nothing_where_nothing_is(name: str) -> None:
    assert diagnosed(name, *WELL[name]) is None


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_the_page_says_why_and_what_to_try_and_its_example_runs(name: str) -> None:
    item = ITEMS[name]
    assert item.name == name
    assert item.summary.endswith(".")
    for heading in ("why:", "try:"):
        assert len(re.findall(rf"^{heading} \S", item.page, re.MULTILINE)) == 1, heading
    assert item.reason.endswith(".")
    assert item.remedy.endswith(".")
    example = doctest.DocTestParser().get_doctest(item.page, {}, name, None, None)
    results = doctest.DocTestRunner().run(example)
    assert results.attempted >= 2
    assert results.failed == 0
    assert f'diagnosed("{name}", ' in item.page


@pytest.mark.parametrize("name", sorted(ITEMS))
def test_a_rule_survives_empty_rankings(name: str) -> None:
    diagnosed(name, {"q": [], "r": [1]}, 2)
    diagnosed(name, {"q": []}, 1)
