"""A log in files, gone over in pieces, says what it says in memory: counts exactly, sums to the last digits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.online.clicks.logs.writing import csv, jsonl, shown

from rankproof.kernel import column_files as kept
from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import read_configured
from rankproof.online import impressions
from rankproof.online.clicks.examination import curve, mean_examination, proportions
from rankproof.online.clicks.qrels import limits_mapping, steps_mapping
from rankproof.online.clicks.read import read_log
from rankproof.online.clicks.sessions import filter_sessions
from rankproof.online.clicks.study import even_and_odd, score, study
from rankproof.online.impressions import ClickLog, Impressions

MODELS = tuple(shelf.everything("clickmodels"))
NEAR = 1e-12


def rows() -> Iterator[dict[str, Any]]:
    """Pages of 200 sessions, one of them a robot's, with times on documents that are not always known."""
    rng = np.random.default_rng(3)
    for page in range(800):
        query = int(rng.integers(4))
        docs = [f"{query}-{doc}" for doc in rng.permutation(8)[: rng.integers(2, 6)]]
        clicks = [doc for rank, doc in enumerate(docs) if rng.random() < 0.6 * int(doc[-1]) / 7 / (1 + rank / 2)]
        dwell = {doc: int(rng.integers(60)) for doc in clicks if rng.random() < 0.9}
        agent = "robot" if page % 200 == 7 else "Firefox"
        yield {
            "session": f"s{page % 200}", "time": page, "query": f"q{query}", "docs": docs, "clicks": clicks,
            "dwell": dwell, "conversions": clicks[:1] if page % 5 == 0 else [], "agent": agent,
        }  # fmt: skip


@pytest.fixture(params=[7, 100])
def both(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ClickLog, ClickLog]:
    """The log in memory, and in files with pieces of so many pages."""
    path = jsonl(tmp_path / "log.jsonl", *rows())
    whole = filter_sessions(read_log([path]))
    in_files(monkeypatch, request.param)
    parted = filter_sessions(read_log([path]))
    assert len(list(whole.pages.pieces())) == 1
    assert [len(piece) for piece in parted.pages.pieces()][:2] == [request.param] * 2
    return whole, parted


def in_files(monkeypatch: pytest.MonkeyPatch, pages: int) -> None:
    monkeypatch.setattr(kept, "LARGE", 0)
    monkeypatch.setattr(kept, "BLOCK", 2**16)
    monkeypatch.setattr(impressions, "PAGES_AT_ONCE", pages)


def same(one: Any, other: Any) -> None:
    """Numbers with a fraction to the last digits, all else exactly."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for name, value in one.items():
            same(value, other[name])
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            same(left, right)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=NEAR, abs=NEAR)
    else:
        assert one == other


def near(one: np.ndarray, other: np.ndarray) -> None:
    np.testing.assert_allclose(one, other, rtol=NEAR, atol=NEAR)


def test_the_pages_are_the_same(both: tuple[ClickLog, ClickLog]) -> None:
    whole, parted = both
    assert shown(whole) == shown(parted)
    assert whole.dropped == parted.dropped
    halves = [even_and_odd(log.pages, "sessions") for log in both]
    for one, other in zip(*halves, strict=True):
        assert np.array_equal(one.numbers, other.numbers)
        assert np.array_equal(one.shown, other.shown)
        assert np.array_equal(one.clicks, other.clicks)
    again = np.array([5, 5, 700, 0])
    assert np.array_equal(whole.pages.take(again).shown, parted.pages.take(again).shown)


@pytest.mark.parametrize("name", MODELS)
def test_models_learn_and_foretell_the_same(name: str, both: tuple[ClickLog, ClickLog]) -> None:
    asked = read_configured("clickmodels", name)
    (train, test), (train_parted, test_parted) = (even_and_odd(log.pages) for log in both)
    one, other = asked.item.fit(train, asked.values), asked.item.fit(train_parted, asked.values)
    near(one.attractiveness, other.attractiveness)
    near(np.array(one.trail), np.array(other.trail))
    told, told_parted = score(one, test), score(other, test_parted)
    assert told.floored == told_parted.floored
    same(told.conditional.by_rank, told_parted.conditional.by_rank)
    same(told.marginal.by_rank, told_parted.marginal.by_rank)
    same(told.log_likelihood, told_parted.log_likelihood)
    looked, looked_parted = mean_examination(one, test), mean_examination(other, test_parted)
    if looked is None or looked_parted is None:
        assert looked is looked_parted
    else:
        near(looked, looked_parted)


def test_proportions_and_curves_are_the_same(both: tuple[ClickLog, ClickLog]) -> None:
    one, other = (proportions(log.pages) for log in both)
    near(one.values, other.values)
    near(one.influences, other.influences)
    for model in ("position_based", "user_browsing(passes=5)"):
        one_curve, other_curve = (curve(log.pages, model, resamples=20) for log in both)
        assert one_curve.notes == other_curve.notes
        for left, right in zip(one_curve.ranks, other_curve.ranks, strict=True):
            same((left.value, left.low, left.high, left.telling), (right.value, right.low, right.high, right.telling))


@pytest.mark.parametrize("signal", ["click", "dwell", "conversion"])
def test_studies_are_the_same(signal: str, both: tuple[ClickLog, ClickLog]) -> None:
    mapped = steps_mapping({"click": 0.1, "dwell": 0.2}) if signal == "dwell" else limits_mapping()
    one, other = (study(log, mapped, signal=signal, models=["ctr", "position_based"]) for log in both)
    same(one.to_dict(), other.to_dict())
    assert len(one.judged.rows) > 20
    for left, right in zip(one.judged.rows, other.judged.rows, strict=True):
        assert (left.query_id, left.doc_id, left.grade, left.showings, left.clicks) == (
            right.query_id, right.doc_id, right.grade, right.showings, right.clicks,
        )  # fmt: skip
        same((left.value, left.confidence, left.looks), (right.value, right.confidence, right.looks))


def test_rows_of_pages_that_stand_apart_are_joined_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rank by rank, so that every page is in three places."""
    lines = [f"{page},q,d{rank},{rank},{page % 3 == rank:d}" for rank in (1, 2, 3) for page in range(50)]
    path = csv(tmp_path / "log.csv", "page_id,query,doc,rank,clicked", *lines)
    whole = shown(read_log([path]))
    in_files(monkeypatch, 8)
    assert shown(read_log([path])) == whole
    assert whole[1] == "1 q: d1+c d2 d3"


def test_other_clicks_are_asked_for_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    in_files(monkeypatch, 2)
    docs = np.array([[0, 1]] * 5)
    pages = Impressions.of(("q",), ("a", "b"), np.zeros(5, dtype=np.int64), docs, np.full(5, 2), np.zeros((5, 2), bool))
    asked = []

    def clicks(at: slice) -> np.ndarray:
        asked.append((at.start, at.stop))
        return np.ones((at.stop - at.start, 2), dtype=np.bool_)

    assert pages.clicked_as(clicks).clicks.all()
    assert asked == [(0, 2), (2, 4), (4, 5)]
    assert not pages.clicks.any()
