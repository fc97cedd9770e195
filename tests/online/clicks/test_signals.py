"""What counts as the event: clicks, clicks that satisfied, conversions; what is not known stays so and is counted."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.online.clicks.logs.writing import jsonl
from tests.raising import raises

from rankproof.errors import InputError, UnknownName
from rankproof.online.clicks.read import read_log
from rankproof.online.clicks.signals import count_signals, event_pages
from rankproof.online.impressions import ClickLog


@pytest.fixture
def log(tmp_path: Path) -> ClickLog:
    rows = [
        {"query": "q", "docs": ["a", "b"], "clicks": ["a", "b"], "dwell": {"a": 30, "b": 4}, "conversions": ["a"]},
        {"query": "q", "docs": ["b", "a"], "clicks": ["b", "a"], "dwell": {"b": 90}},
        {"query": "q", "docs": ["b", "a"], "clicks": []},
    ]
    return read_log([jsonl(tmp_path / "log.jsonl", *rows)])


def test_counts(log: ClickLog) -> None:
    found = count_signals(log)
    assert (found.clicked, found.satisfied, found.unsatisfied, found.unknown, found.converted) == (4, 2, 1, 1, 1)


def test_clicks_are_as_they_are(log: ClickLog) -> None:
    assert event_pages(log, "click").pages is log.pages


def test_a_page_with_a_click_of_unknown_time_says_nothing_of_satisfaction(log: ClickLog) -> None:
    found = event_pages(log, "dwell")
    assert found.pages.numbers.tolist() == [0, 2]
    assert found.pages.clicks.tolist() == [[True, False], [False, False]]
    assert found.dropped is not None
    assert (found.dropped.pages, found.dropped.clicks) == (1, 2)


def test_conversions(log: ClickLog) -> None:
    assert event_pages(log, "conversion").pages.clicks.tolist() == [[True, False], [False, False], [False, False]]


def test_signals_that_the_log_has_not_got(tmp_path: Path) -> None:
    log = read_log([jsonl(tmp_path / "log.jsonl", {"query": "q", "docs": ["a"], "clicks": ["a"]})])
    with raises(InputError, "dwell", "click"):
        event_pages(log, "dwell")
    with raises(InputError, "conversion", "click"):
        event_pages(log, "conversion")
    with raises(UnknownName) as unknown:
        event_pages(log, "dwel")
    assert (unknown.value.name, unknown.value.near) == ("dwel", ["dwell"])
