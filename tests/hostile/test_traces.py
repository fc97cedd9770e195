"""Traces that nobody should write: read or refused with one message; and the same answer for the same spans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.reading.formats.samples import traced
from tests.reading.traces.made import Told, genai, inference, otlp, span, told

from rankproof.errors import RankproofError

QUICK = settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
RECORDED = sorted((Path(__file__).resolve().parents[1] / "reading" / "formats" / "recorded").glob("traces_*.json*"))
FILES = [traced(), *(path.read_bytes() for path in RECORDED)]
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "a", "\ud800", "__REDACTED__", "[]", '[{"id": 1}]', "ERROR", "2026-01-02", "5b8e", "1e9"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["key", "value", "values", "stringValue", "arrayValue", "id", "code"]), inner)
    ),
    max_leaves=5,
)
KEYS = st.sampled_from([
    "traceId", "spanId", "parentSpanId", "startTimeUnixNano", "endTimeUnixNano", "attributes", "status", "context",
    "droppedAttributesCount", "traceState", "trace_id", "resourceSpans", "scopeSpans", "data", "start_time",
    "attributes.retrieval.documents", "attributes.session.id", "name",
])  # fmt: skip
NAMES = st.sampled_from([
    "gen_ai.retrieval.documents", "gen_ai.retrieval.query.text", "retrieval.documents", "retrieval.documents.0",
    "retrieval.documents.0.document.id", "retrieval.documents.1.document.metadata", "input.value", "session.id",
    "openinference.span.kind", "gen_ai.usage.input_tokens", "output.value", "reranker.query", "user.id",
])  # fmt: skip


def read_or_refused(data: bytes, **options: Any) -> None:
    """Sound topics, rankings and calls, or one of our errors with one message for a person."""
    try:
        heard = told(data, **options)
    except RankproofError as error:
        message = str(error)
        assert 10 < len(message) < 1500
        assert "\n" not in message
        return
    json.dumps(heard.summary, allow_nan=False)
    heard.notes.encode()
    assert set(heard.run) <= set(heard.topics)
    for docs in [*heard.run.values(), *(call.docs for call in heard.calls)]:
        assert len(docs) == len(set(docs))
        "".join(docs).encode()
    assert all(ms >= 0 for ms in heard.times)
    assert heard.summary["calls"] + len(heard.left_out) == heard.summary["searches"]


@given(st.sampled_from(FILES), st.integers(0, 20_000), st.binary(max_size=3), st.integers(0, 3))
@QUICK
def test_damaged_recordings(data: bytes, at: int, new: bytes, gone: int) -> None:
    at %= len(data)
    read_or_refused(data[:at] + new + data[at + gone :])


@given(
    st.lists(st.tuples(KEYS, VALUES), max_size=3),
    st.lists(st.tuples(NAMES, VALUES), max_size=3),
    st.booleans(),
    st.sampled_from([{}, {"doc_id": "id"}, {"stage": "retriever"}]),
)
@QUICK
def test_values_that_nobody_writes(
    keys: list[tuple[str, Any]], names: list[tuple[str, Any]], is_flat: bool, options: dict[str, str]
) -> None:
    one = genai("a", "q", ["x"])
    if is_flat:
        plain = {pair["key"]: next(iter(pair["value"].values())) for pair in one["attributes"]}
        one["attributes"] = plain | dict(names)
    else:
        one["attributes"] += [{"key": name, "value": {"stringValue": value}} for name, value in names]
    one |= dict(keys)
    read_or_refused(json.dumps(one).encode() if is_flat else otlp(one, genai("b", "r", ["y"])), **options)


# ---- the same spans ------------------------------------------------------------------------------

PARENTS = st.sampled_from(["", "0", "1", "2", "3", "4", "5", "away"])
SPANS = st.lists(
    st.tuples(
        st.sampled_from(["hidden", "step", "RETRIEVER", "RETRIEVER", "RERANKER", "LLM"]),
        PARENTS,
        st.sampled_from(["q", "r", None]),
        st.integers(0, 3),  # how many documents; 0: none recorded
        st.booleans(),
        st.integers(1, 20),
    ),
    min_size=1,
    max_size=6,
)


def tree(drawn: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """A trace of any shape, with circles and missing parents; spans begin at different times."""
    spans = []
    for n, (kind, parent, query, docs, failed, lasts) in enumerate(drawn):
        more: dict[str, Any] = {"at": 3 * n, "lasts": lasts, "failed": failed and n % 2 == 0}
        if kind in ("RETRIEVER", "RERANKER"):
            spans.append(inference(f"{n}", kind, query, [f"d{n}.{d}" for d in range(docs)], parent, **more))
        else:
            spans.append(span(f"{n}", parent, openinference__span__kind=kind, llm__token_count__total=5, **more))
    return spans


def answers(heard: Told) -> object:
    return heard.run, heard.calls, heard.times, heard.sessions, heard.left_out, sorted(heard.notes.split("\n"))


@given(SPANS, st.randoms(use_true_random=False), st.sampled_from(["last", "retriever", "reranker"]))
@QUICK
def test_any_order_and_any_number_of_files_give_the_same(drawn: list[tuple[Any, ...]], rng: Any, stage: str) -> None:
    spans = [*tree(drawn), inference("end", "RETRIEVER", "s", ["x"], at=90)]
    if stage == "reranker":
        spans.append(inference("rerank", "RERANKER", "t", ["x"], at=95))
    expected = told(otlp(*spans), stage=stage)
    shuffled = rng.sample(spans, len(spans))
    cut = rng.randrange(len(spans))
    files = [otlp(*part) for part in (shuffled[:cut], shuffled[cut:]) if part]
    assert answers(told(*files, stage=stage)) == answers(expected)
    twice = told(*files, *reversed(files), stage=stage)
    assert (twice.run, twice.calls, twice.times) == (expected.run, expected.calls, expected.times)
    assert twice.summary["duplicate_spans"] == len(spans)


@given(SPANS)
@QUICK
def test_no_span_is_counted_twice(drawn: list[tuple[Any, ...]]) -> None:
    """A ranking is that of one span, and no span gives two searches, nor one within another that gave its own."""
    spans = [*tree(drawn), inference("end", "RETRIEVER", "s", ["x"], at=90)]
    heard = told(otlp(*spans))
    rankings = [docs[0] for docs in (call.docs for call in heard.calls) if docs]
    assert len(rankings) == len(set(rankings))
    searching = sum(drawn_one[0] in ("RETRIEVER", "RERANKER") for drawn_one in drawn) + 1
    assert heard.summary["searches"] <= searching
    assert heard.summary["searches"] + heard.summary["retries"] + heard.summary["reranked"] <= searching
    # Nobody's documents are mixed with another's.
    assert all(len({doc.split(".")[0] for doc in call.docs}) <= 1 for call in heard.calls)
