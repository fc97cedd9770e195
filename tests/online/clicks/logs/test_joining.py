"""Pages whose pieces stand apart are joined the same, however many are handled at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.online.clicks.logs.writing import csv, gone, jsonl, shown
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.online import impressions
from rankproof.online.clicks.logs import clean as joining
from rankproof.online.clicks.read import read_log
from rankproof.online.impressions import Impressions


def scattered(path: Path) -> str:
    """Nine pages of three documents, rank by rank; each rank 2 is clicked, on every third page before it was shown."""
    lines = [
        f"s{page % 4},{page},q{page % 2},d{rank},{rank},{rank == 2:d},{time},{time + (9 if page % 3 else -9)}"
        for rank in (2, 1, 3)
        for page, time in enumerate(range(0, 900, 100))
    ]
    return csv(path, "session,page_id,query,doc,rank,clicked,time,click_time", *lines)


def test_pages_are_joined_the_same_however_many_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scattered(tmp_path / "log.csv")
    expected = [f"{page} q{page % 2}: d1 d2{'+c' if page % 3 else ''} d3" for page in range(9)]
    for at_once in (50_000, 9, 4, 1):
        monkeypatch.setattr(joining, "PAGES_AT_ONCE", at_once)
        log = read_log([path])
        assert shown(log) == expected
        assert gone(log) == {"click_early": (0, 3)}
        assert log.pages.sessions is not None
        assert log.pages.sessions.tolist() == [page % 4 for page in range(9)]
        assert log.times is not None
        assert log.times.tolist() == [100.0 * page for page in range(9)]


def test_pairs_are_numbered_the_same_however_many_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    docs = np.argsort(rng.random((30, 8)), axis=1)[:, :4]
    lengths = rng.integers(1, 5, 30)
    clicks = np.zeros((30, 4), dtype=np.bool_)
    ids = tuple("abc"), tuple("defghijk")
    queries = rng.integers(0, 3, 30)
    whole = Impressions.of(*ids, queries, docs, lengths, clicks)
    monkeypatch.setattr(impressions, "PAGES_AT_ONCE", 7)
    parted = Impressions.of(*ids, queries.astype(np.int32), docs.astype(np.int32), lengths, clicks)
    assert np.array_equal(whole.shown, parted.shown)
    assert np.array_equal(whole.pairs.docs, parted.pairs.docs)


def test_queries_that_found_nothing_are_pages_without_documents(tmp_path: Path) -> None:
    rows = [{"query_id": str(i), "user_query": "x", "query_response_hit_ids": []} for i in range(3)]
    with raises(InputError, "log.jsonl", "3", "documents"):
        read_log([jsonl(tmp_path / "log.jsonl", *rows)])
