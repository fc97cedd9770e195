"""Robots and broken sessions: each rule by hand, with its limit changed and turned off, and counted once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.online.clicks.sessions import RULES, filter_sessions, read_limits
from rankproof.online.impressions import CLICKED, ClickLog
from rankproof.testing.statistics import pages_of


def log_of(*pages: str, sessions: list[int] | None = None, times: list[float] | None = None) -> ClickLog:
    found = pages_of(*pages)
    found = replace(found, sessions=None if sessions is None else np.array(sessions))
    deeds = found.clicks.astype(np.uint8) * np.uint8(CLICKED)
    return ClickLog(found, deeds, 30.0, None if times is None else np.array(times, dtype=np.float64))


def took(log: ClickLog) -> dict[str, tuple[int, int]]:
    return {one.name: (one.pages, one.clicks) for one in log.dropped if one.pages}


def test_agents_that_say_they_are_programs() -> None:
    log = replace(log_of("q: A b", "q: a B"), robots=np.array([True, False]))
    kept = filter_sessions(log)
    assert (len(kept), took(kept)) == (1, {"robot_agent": (1, 1)})
    assert kept.pages.clicks.tolist() == [[False, True]]
    assert len(filter_sessions(log, {"robot_agent": None})) == 2


def test_sessions_with_too_many_pages() -> None:
    log = log_of(*["q: A b"] * 4, "q: a b", sessions=[7, 7, 7, 7, 2])
    assert len(filter_sessions(log, {"too_many_pages": 4})) == 5
    kept = filter_sessions(log, {"too_many_pages": 3})
    assert (len(kept), took(kept)) == (1, {"too_many_pages": (4, 4)})
    assert kept.dropped[0].why == "pages of sessions with more than 3 pages"


def test_sessions_with_too_many_pages_within_an_hour() -> None:
    """Session 0 has three pages within 3,599 seconds, session 1 three within 3,600; neither is in order."""
    times = [3599.0, 0, 10, 3600, 10, 0]
    log = log_of(*["q: a b"] * 6, sessions=[0, 0, 0, 1, 1, 1], times=times)
    off = {"time_backward": None}
    assert took(filter_sessions(log, {**off, "too_fast": 2})) == {"too_fast": (3, 0)}
    assert took(filter_sessions(log, {**off, "too_fast": 3})) == {}


def test_sessions_that_click_everything() -> None:
    """Ten pages of three documents: 27 of 30 clicked is 0.9. Nine such pages, or pages of two, say nothing."""
    pages = ["q: A B C"] * 9 + ["q: a b c"]
    log = log_of(*pages, "q: a b c", sessions=[3] * 10 + [4])
    assert took(filter_sessions(log)) == {"clicks_all": (10, 27)}
    assert took(filter_sessions(log, {"clicks_all": 0.91})) == {}
    assert took(filter_sessions(log_of(*["q: A B C"] * 9, "q: a b c", sessions=[3] * 9 + [4]))) == {}
    assert took(filter_sessions(log_of(*["q: A B"] * 10, "q: a b c", sessions=[3] * 10 + [4]))) == {}


def test_clocks_that_go_back() -> None:
    """Session 0 goes back by 61 seconds, session 1 by 60, session 2 not at all."""
    log = log_of(*["q: A b"] * 6, sessions=[0, 1, 2, 0, 1, 2], times=[100, 100, 100, 39, 40, 200])
    assert took(filter_sessions(log)) == {"time_backward": (2, 2)}
    assert took(filter_sessions(log, {"time_backward": 61})) == {}


def test_a_log_that_is_not_in_the_order_of_time_is_no_broken_clock() -> None:
    kept = filter_sessions(log_of(*["q: A b"] * 4, sessions=[0, 1, 0, 1], times=[500, 500, 0, 0]))
    assert (len(kept), took(kept)) == (4, {})
    assert kept.notes == ("time_backward was not applied: the pages of this log are not in the order of time",)


def test_unknown_times_are_no_times() -> None:
    nan = float("nan")
    log = log_of(*["q: a b"] * 4, sessions=[0, 0, 0, 1], times=[nan, 0, nan, 5])
    assert took(filter_sessions(log, {"too_fast": 1})) == {}


def test_rules_without_data_do_nothing_and_say_nothing() -> None:
    kept = filter_sessions(log_of("q: A b"))
    assert (len(kept), kept.dropped, kept.notes) == (1, (), ())


def test_a_page_is_counted_by_the_first_rule_that_takes_it() -> None:
    log = replace(log_of(*["q: A b"] * 5, "q: a b", sessions=[0] * 5 + [1]), robots=np.array([True] * 2 + [False] * 4))
    assert took(filter_sessions(log, {"too_many_pages": 2})) == {"robot_agent": (2, 2), "too_many_pages": (3, 3)}


def test_nothing_left_and_rules_that_are_none() -> None:
    with raises(InputError, "too_many_pages", "2 pages", "--drop too_many_pages=off"):
        filter_sessions(log_of("q: a", "q: a", sessions=[0, 0]), {"too_many_pages": 1})
    with raises(UnknownName) as unknown:
        filter_sessions(log_of("q: a"), {"too_fats": 1})
    assert (unknown.value.name, unknown.value.near) == ("too_fats", ["too_fast"])


def test_limits_from_texts() -> None:
    assert read_limits(["too_fast=60", "robot_agent=off", "clicks_all = 1"]) == {
        "too_fast": 60, "robot_agent": None, "clicks_all": 1,
    }  # fmt: skip
    for text, values in [
        ("too_fast", ["NAME=LIMIT", "NAME=off", "'too_fast'"]),
        ("too_fast=0", ["too_fast", "off", "'0'"]),
        ("too_fast=nan", ["too_fast", "off", "'nan'"]),
        ("clicks_all=2", ["clicks_all", "share", "0.01", "off", "'2'"]),
        ("robot_agent=3", ["robot_agent", "robot_agent=off"]),
        ("time_backward=soon", ["time_backward", "seconds", "off", "'soon'"]),
    ]:
        with raises(UsageError, *values):
            read_limits([text])
    with raises(UnknownName) as unknown:
        read_limits(["fast=3"])
    assert (unknown.value.name, unknown.value.near) == ("fast", ["too_fast"])


def test_every_rule_with_a_limit_can_be_given_one() -> None:
    for rule in RULES:
        if rule.limit is not None:
            assert read_limits([f"{rule.name}={rule.limit}"]) == {rule.name: rule.limit}
