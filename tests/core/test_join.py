"""Every way into the core gives the table that the plain reference gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.core import Joined, Judgments, Rows
from rankproof.reading.records import Order
from rankproof.testing.tables import table_of

TREC = {
    "separator": " ", "query": 0, "doc": 2, "number": 4, "rank": 3, "label": 5,
    "least": 6, "most": 0, "skip": 0, "quoted": False, "comments": True,
}  # fmt: skip
QRELS = {"separator": " ", "query": 0, "doc": 2, "number": 3, "label": 1, "least": 4, "most": 4, "comments": True}

ORDERS = [
    Order(),
    Order(ties="id_ascending"),
    Order(ties="given"),
    Order(precision="float32"),
    Order(lower_is_better=True),
    Order(by="given"),
]

# Few distinct scores, so that ties are common; ids from any script, of any length around the quick path's limits.
IDS = st.text(
    st.characters(min_codepoint=33, blacklist_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=30
).filter(lambda s: not s.startswith("#") and not any(c.isspace() for c in s))
SCORES = st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False))
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, SCORES, max_size=12), max_size=5)
GRADES = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-2, 4), min_size=1, max_size=12), max_size=5)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and a run that share many of their ids."""
    run = draw(RUNS)
    qrels = draw(GRADES)
    for query, docs in run.items():
        if docs and draw(st.booleans()):
            judged = draw(st.lists(st.sampled_from(sorted(docs)), max_size=8))
            qrels.setdefault(query, {}).update({d: draw(st.integers(-2, 4)) for d in judged})
    return {q: d for q, d in qrels.items() if d}, {q: d for q, d in run.items() if d}


def arguments(order: Order) -> dict[str, Any]:
    return {
        "by": order.by, "ties": order.ties, "precision": order.precision, "lower_is_better": order.lower_is_better,
    }  # fmt: skip


def run_text(run: dict[str, dict[str, float]]) -> bytes:
    lines = [
        f"{query} Q0 {doc} {rank} {score!r} tag"
        for query, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    ]
    return "".join(line + "\n" for line in lines).encode()


def assert_equal(joined: Joined, qrels: Any, run: Any, order: Order) -> None:
    expected = table_of(qrels, run, order)
    assert not any(count for fault, count in joined.faults.items() if fault != "rank_disagrees"), joined.faults
    for column in ("in_run", "retrieved", "start", "rank", "tie_first", "tie_last"):
        np.testing.assert_array_equal(getattr(joined, column), getattr(expected, column), err_msg=column)
    assert joined.unjudged_queries == [q for q in run if q not in qrels]


@pytest.mark.parametrize("order", ORDERS, ids=str)
@settings(max_examples=examples(60), deadline=None)
@given(pair=pairs())
def test_all_ways_agree_with_the_reference(order: Order, pair: tuple[Any, Any]) -> None:
    qrels, run = pair
    grades = Judgments.from_dicts(qrels)
    expected = table_of(qrels, run, order)
    np.testing.assert_array_equal(grades.grade, expected.pool.grade)
    assert grades.query_ids == list(qrels)
    text = run_text(run)
    from_rows = Judgments.from_rows(Rows.from_dicts(qrels))
    joins = [
        grades.join_dicts(run, **arguments(order)),
        from_rows.join_dicts(run, **arguments(order)),
        grades.join_text(text, **TREC, **arguments(order), threads=1),
        grades.join_rows(Rows.from_text(text, **TREC), **arguments(order)),
        grades.join_rows(Rows.from_dicts(run), **arguments(order)),
    ]
    for joined in joins:
        assert_equal(joined, qrels, run, order)
        ids = [grades.doc_id(int(d)) for d in joined.doc]
        assert [qrels[expected.pool.query_ids[q]][d] for q, d in zip(expected.query, ids, strict=True)] == list(
            expected.grade
        )


@settings(max_examples=examples(100), deadline=None)
@given(pair=pairs(), seed=st.integers(0, 2**32 - 1))
def test_lines_in_any_order_give_the_same_table(pair: tuple[Any, Any], seed: int) -> None:
    qrels, run = pair
    lines = run_text(run).splitlines(keepends=True)
    np.random.default_rng(seed).shuffle(lines)
    joined = Judgments.from_dicts(qrels).join_text(b"".join(lines), **TREC, **arguments(Order()))
    expected = table_of(qrels, run)
    for column in ("in_run", "retrieved", "start", "rank", "tie_first", "tie_last"):
        np.testing.assert_array_equal(getattr(joined, column), getattr(expected, column), err_msg=column)


@settings(max_examples=examples(200), deadline=None)
@given(
    lines=st.lists(
        st.tuples(
            st.sampled_from(["q1", "q2", "é"]),
            st.sampled_from(["0", "1"]),
            st.sampled_from(["d1", "d2", "d" * 140, "д"]),
            st.sampled_from(["0", "1", "2", "3", "-1", "1.0", "12345678", "+2", "0.5", "nan", "x", "9" * 12]),
        ),
        max_size=12,
    ),
    end=st.sampled_from(["\n", "\r\n", " \n", "\n\n", "\n# comment\n"]),
    padding=st.booleans(),
)
def test_qrels_from_text_are_those_from_rows_or_none(lines: list[tuple[str, ...]], end: str, padding: bool) -> None:
    text = "".join(" ".join(line) + end for line in lines)
    # Far from the end of the text a line is cut in the quick way.
    text += "".join(f"last 0 p{i} {i % 3}\n" for i in range(40)) if padding else ""
    rows = Rows.from_text(text.encode(), **QRELS)
    slow = Judgments.from_rows(rows)
    fast = Judgments.from_text(text.encode(), **QRELS)
    doubtful = len(rows) == 0 or any(slow.faults.values()) or any(abs(n) > 1e6 for n in rows.number)
    together = [q for i, q in enumerate(rows.query) if i == 0 or rows.query[i - 1] != q]
    doubtful |= len(set(together)) < len(together) or len(rows.duplicates()[0]) > 0
    assert (fast is None) == doubtful
    if fast is not None:
        assert fast.query_ids == slow.query_ids
        assert fast.doc_ids() == slow.doc_ids()
        np.testing.assert_array_equal(fast.start, slow.start)
        np.testing.assert_array_equal(fast.grade, slow.grade)


def large(queries: int = 400, documents: int = 500, seed: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(seed)
    run = {
        f"q{i}": {
            f"doc{d}": float(s)
            for d, s in zip(
                rng.choice(10**6, documents, replace=False), np.round(rng.normal(size=documents), 2), strict=True
            )
        }
        for i in range(queries)
    }
    qrels = {
        query: {doc: int(rng.integers(-1, 4)) for doc in [*list(docs)[:: int(rng.integers(3, 60))], "elsewhere"]}
        for query, docs in run.items()
    }
    return qrels, run


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("layout", ["together", "interleaved", "halves"])
def test_thread_count_and_line_order_never_change_a_result(threads: int, layout: str) -> None:
    qrels, run = large()
    lines = run_text(run).splitlines(keepends=True)
    if layout == "interleaved":
        lines = [lines[i * 500 + j] for j in range(500) for i in range(400)]
    elif layout == "halves":
        lines = lines[::2] + lines[1::2]
    assert sum(map(len, lines)) > 2 * (2 << 20)  # more than one chunk
    joined = Judgments.from_dicts(qrels).join_text(b"".join(lines), **TREC, **arguments(Order()), threads=threads)
    expected = Judgments.from_dicts(qrels).join_dicts(run, **arguments(Order()))
    for column in ("in_run", "retrieved", "start", "rank", "tie_first", "tie_last", "doc"):
        np.testing.assert_array_equal(getattr(joined, column), getattr(expected, column), err_msg=column)


@pytest.mark.parametrize("documents", [5, 200])
def test_everything_tied(documents: int) -> None:
    run = {"q": {f"d{i}": 1.0 for i in range(documents)}}
    qrels = {"q": {f"d{i}": i % 3 for i in range(0, documents, 2)}}
    for order in ORDERS:
        assert_equal(Judgments.from_dicts(qrels).join_dicts(run, **arguments(order)), qrels, run, order)
        joined = Judgments.from_dicts(qrels).join_text(run_text(run), **TREC, **arguments(order))
        assert_equal(joined, qrels, run, order)


@pytest.mark.parametrize("fault", ["", "double", "again"])
def test_large_qrels_are_read_in_halves(fault: str) -> None:
    lines = [f"q{q} 0 doc{q}-{d} {(q * d) % 4}\n" for q in range(4000) for d in range(20)]
    if fault == "double":
        lines.append(lines[-1])
    elif fault == "again":
        lines.append("q1 0 another 1\n")
    text = "".join(lines).encode()
    assert len(text) > 1 << 20
    fast = Judgments.from_text(text, **QRELS)
    assert (fast is None) == bool(fault)
    if fast is not None:
        slow = Judgments.from_rows(Rows.from_text(text, **QRELS))
        assert fast.query_ids == slow.query_ids
        assert fast.doc_ids() == slow.doc_ids()
        np.testing.assert_array_equal(fast.start, slow.start)
        np.testing.assert_array_equal(fast.grade, slow.grade)
    one = "".join(f"q 0 doc{d} {d % 4}\n" for d in range(100_000)).encode()
    whole = Judgments.from_text(one, **QRELS)
    assert whole is not None
    assert whole.query_ids == ["q"]
