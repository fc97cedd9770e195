"""Click logs on two workers: the same pages, and from counts the same models, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import UsageError
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clicks.read import read_pages
from rankproof.online.impressions import Impressions
from rankproof.scale import spark as on_spark

pytestmark = pytest.mark.slow


def log_file(path: Path, pages: Impressions) -> Path:
    """A row for each shown document, in an order that means nothing."""
    import pyarrow
    import pyarrow.parquet

    page, rank = np.nonzero(pages.there)
    pair = pages.shown[page, rank]
    turn = np.random.default_rng(0).permutation(len(page))
    ids = np.array(pages.pairs.query_ids), np.array(pages.pairs.doc_ids)
    columns = {
        "page": page,
        "query": ids[0][pages.pairs.queries[pair]],
        "doc": ids[1][pages.pairs.docs[pair]],
        "rank": rank + 1,
        "clicked": pages.clicks[page, rank],
    }
    table = pyarrow.table({name: column[turn] for name, column in columns.items()})
    pyarrow.parquet.write_table(table, path)
    return path


@pytest.mark.full
@needs_shared_data
def test_pages_and_counts(spark: Any, tmp_path: Path) -> None:
    (source,) = (path for path in (SHARED / "clicks").iterdir() if path.suffix != ".md")
    whole = read_pages(source).take(np.arange(2000))
    whole = renumbered(whole)
    path = log_file(tmp_path / "log.parquet", whole)
    found = on_spark.pages(spark, path)
    assert (found.pairs.query_ids, found.pairs.doc_ids) == (whole.pairs.query_ids, whole.pairs.doc_ids)
    for name in ("shown", "lengths", "clicks", "numbers"):
        assert np.array_equal(getattr(found, name), getattr(whole, name)), name
    asked = read_configured("clickmodels", "position_based")
    learned = on_spark.fit_clicks(spark, path)
    here = asked.item.fit(whole, asked.values)
    assert learned.fitted.attractiveness.tobytes() == here.attractiveness.tobytes()
    assert learned.fitted.trail == here.trail


def renumbered(pages: Impressions) -> Impressions:
    """The same with numbers in order of first appearance on these pages, as reading them alone would give."""
    pair = pages.shown[pages.there]
    page = np.nonzero(pages.there)[0]
    queries, docs = pages.pairs.queries[pair], pages.pairs.docs[pair]
    query_ids, query = named(pages.pairs.query_ids, queries)
    doc_ids, doc = named(pages.pairs.doc_ids, docs)
    at = np.zeros(pages.shown.shape, dtype=np.int64)
    at[pages.there] = doc
    starts = np.flatnonzero(np.diff(page, prepend=-1))
    return Impressions.of(query_ids, doc_ids, query[starts], at, pages.lengths, pages.clicks)


def named(ids: tuple[str, ...], places: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    numbers = {place: number for number, place in enumerate(dict.fromkeys(places.tolist()))}
    return tuple(ids[place] for place in numbers), np.array([numbers[place] for place in places.tolist()])


def test_broken_pages_are_left_out(spark: Any) -> None:
    """Page 2 has a gap, page 3 a document twice, page 4 two queries; page 1 stays."""
    rows = [
        (1, "q", "a", 1, True), (1, "q", "b", 2, None), (2, "q", "a", 1, True), (2, "q", "b", 3, False),
        (3, "q", "a", 1, True), (3, "q", "a", 2, False), (4, "q", "a", 1, True), (4, "p", "b", 2, False),
    ]  # fmt: skip
    frame = spark.createDataFrame(rows, "page long, query string, doc string, rank int, clicked boolean")
    found = on_spark.pages(spark, frame)
    assert (len(found), found.clicks.tolist(), sum(found.dropped.values())) == (1, [[True, False]], 3)
    with raises(UsageError, "page", "query", "doc", "rank", "columns={'clicked': ...}"):
        on_spark.pages(spark, frame.drop("clicked"))
