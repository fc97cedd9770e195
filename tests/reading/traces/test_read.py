"""Reading spans, whatever wrote them: nesting, ids, times, states, and what is no trace at all."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.traces.made import BEGIN, MILLISECOND, TRACE, Told, genai, inference, of, otlp, span, told, value

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.reading.traces import pieces, store
from rankproof.reading.traces.records import TraceOptions

SPANS = [
    span("agent", lasts=50, session__id="s", user__id="u"),
    inference("find", "RETRIEVER", "q", ["a", "b"], "agent", at=1, lasts=5),
    inference("rerank", "RERANKER", "q", [{"id": "b", "score": 0.5}], "agent", at=10, lasts=5),
    genai("next", "r", ["c"], "agent", at=20, lasts=5),
]
PLAIN = of(*SPANS)


def snake(given: Any) -> Any:
    """The same with the names of protobuf's fields."""
    if isinstance(given, dict):
        return {re.sub("([A-Z])", lambda m: f"_{m[1].lower()}", key): snake(inner) for key, inner in given.items()}
    return [snake(inner) for inner in given] if isinstance(given, list) else given


def in_base64(one: dict[str, Any]) -> dict[str, Any]:
    ids = ("traceId", "spanId", "parentSpanId")
    return {k: base64.b64encode(bytes.fromhex(v)).decode() if k in ids else v for k, v in one.items()}


def flat(one: dict[str, Any]) -> dict[str, Any]:
    """A span as SDKs print it."""
    attributes = {pair["key"]: next(iter(pair["value"].values())) for pair in one["attributes"]}
    return {
        "name": one["name"],
        "context": {"trace_id": f"0x{one['traceId']}", "span_id": f"0x{one['spanId']}", "trace_state": "[]"},
        "kind": "SpanKind.INTERNAL",
        "parent_id": f"0x{one['parentSpanId']}" if "parentSpanId" in one else None,
        "start_time": _iso(one["startTimeUnixNano"]),
        "end_time": _iso(one["endTimeUnixNano"]),
        "status": {"status_code": "UNSET"},
        "attributes": attributes,
    }


def _iso(nanoseconds: str) -> str:
    millisecond = (int(nanoseconds) - BEGIN) // MILLISECOND
    return f"2026-01-02T03:04:05.{millisecond:03}000Z"


def column(one: dict[str, Any]) -> dict[str, Any]:
    """A row of a frame, as Phoenix gives spans: columns with dots, documents in one."""
    made = flat(one)
    row = {f"attributes.{key}": given for key, given in made["attributes"].items() if "documents" not in key}
    for key in ("retrieval.documents", "reranker.output_documents"):
        docs = {k: v for k, v in made["attributes"].items() if k.startswith(key)}
        if docs:
            ids = [v for k, v in docs.items() if k.endswith(".id")]
            row[f"attributes.{key}"] = [{"document.id": doc} for doc in ids]
    if "gen_ai.retrieval.documents" in made["attributes"]:
        row["attributes.gen_ai.retrieval.documents"] = json.loads(made["attributes"]["gen_ai.retrieval.documents"])
    context = {f"context.{key}": given for key, given in made["context"].items()}
    return {**context, **row, "parent_id": made["parent_id"], "start_time": made["start_time"],
            "end_time": made["end_time"], "status_code": "OK"}  # fmt: skip


def nested(one: dict[str, Any]) -> dict[str, Any]:
    """A span whose agent has its attributes in objects, without dots."""
    made = flat(one)
    return {**made, "attributes": {"session": {"id": "s"}, "user": {"id": "u"}}} if one["name"] == "agent" else made


def lines(*documents: Any, between: str = "\n") -> bytes:
    return between.join(map(json.dumps, documents)).encode()


DOCUMENT = json.loads(otlp(*SPANS))
EXPORTS = {
    "one document, over many lines": json.dumps(DOCUMENT, indent=2).encode(),
    "a line for each span": b"\n".join(otlp(one) for one in SPANS) + b"\n",
    "lines of Windows, and empty ones": b"\r\n\r\n".join(otlp(one) for one in SPANS),
    "one after the other on one line": b" ".join(otlp(one) for one in SPANS),
    "a list of documents": lines([json.loads(otlp(one)) for one in SPANS]),
    "records with separators (RFC 7464)": b"".join(b"\x1e" + otlp(one) + b"\n" for one in SPANS),
    "snake_case": lines(snake(DOCUMENT)),
    "base64": otlp(*map(in_base64, SPANS)),
    "upper case": otlp(*({**one, "traceId": one["traceId"].upper()} for one in SPANS)),
    "spans after another key": lines({"schemaUrl": "x", **DOCUMENT}),
    "an older name of scopes": otlp(*SPANS).replace(b"scopeSpans", b"instrumentationLibrarySpans"),
    "keys nobody knows": lines({**DOCUMENT, "more": [{"spans": 3}]}),
    "nothing where nothing is": lines(
        {"resourceSpans": None}, {"resourceSpans": []}, {"resourceSpans": [{"scopeSpans": None}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": None}, {}]}, {}]}, {}, DOCUMENT,
    ),
    "with logs and metrics": lines({"resourceLogs": []}, DOCUMENT, {"resourceMetrics": [{}]}),
    "byte order mark": b"\xef\xbb\xbf" + otlp(*SPANS),
    "UTF-16": otlp(*SPANS).decode().encode("utf-16"),
    "printed by the SDK, over many lines": "\n".join(json.dumps(flat(one), indent=4) for one in SPANS).encode(),
    "printed by the SDK, as a list": lines([flat(one) for one in SPANS]),
    "nested attributes": lines(*(nested(one) for one in SPANS)),
    "columns with dots": lines([column(one) for one in SPANS]),
    "pages of an API": lines({"data": [column(one) for one in SPANS], "next_cursor": None}),
}  # fmt: skip


@pytest.mark.parametrize("export", EXPORTS)
def test_one_trace_in_every_export(export: str) -> None:
    for size in (1 << 20, 1, 5):
        heard = told(EXPORTS[export], size=size)
        assert heard.run == {"q": ["b"], "r": ["c"]}
        assert heard.tasks == {"s": [["b"], ["c"]]}
        assert heard.times == [14.0, 5.0]
        same = ("traces", "spans", "sessions", "users", "retrievers", "rerankers", "reranked", "missing_parents")
        assert {key: heard.summary[key] for key in same} == {key: PLAIN.summary[key] for key in same}
        assert {call.trace for call in heard.calls} == {TRACE}


# What begins as an empty document does, or with a separator, is named: otlp:FILE.
NAMED = ("nothing where nothing is", "with logs and metrics", "records with separators (RFC 7464)")


@pytest.mark.parametrize("export", EXPORTS)
def test_an_export_is_recognized_by_its_content_or_named(export: str) -> None:
    run = rankproof.read_run(EXPORTS[export], "otlp" if export in NAMED else None)
    assert sorted(doc for docs in run.values() for doc in docs) == ["b", "c"]


# ---- values --------------------------------------------------------------------------------------


def with_attribute(given: dict[str, object]) -> Told:
    one = genai("a", "q", ["x"])
    one["attributes"].append({"key": "session.id", "value": given})
    return of(one)


@pytest.mark.parametrize(
    ("given", "session"),
    [
        ({"stringValue": "s"}, "s"),
        ({"intValue": "7"}, "7"),  # protobuf's JSON has 64-bit numbers as text
        ({"intValue": 7}, "7"),
        ({"int_value": "-7"}, "-7"),
        ({"intValue": "--7"}, "--7"),
        ({"intValue": "٧"}, "٧"),
        ({"intValue": "9" * 30}, "9" * 30),
        ({"intValue": 10**30}, TRACE),
        ({"doubleValue": 1.5}, TRACE),
        ({"boolValue": True}, TRACE),
        ({"bytesValue": "AAAA"}, TRACE),
        ({"arrayValue": {"values": [{"stringValue": "s"}]}}, TRACE),
        ({}, TRACE),
        ({"stringValue": " "}, TRACE),
        ({"stringValue": "ü 1\t2"}, "ü 1\t2"),
        ({"stringValue": "a\ud800"}, "a\ufffd"),
    ],
)
def test_the_session_is_a_text_or_a_whole_number(given: dict[str, object], session: str) -> None:
    assert list(with_attribute(given).tasks) == [session]


def test_a_conversation_is_a_session() -> None:
    both = genai("a", "q", ["x"], gen_ai__conversation__id="c", session__id="s")
    assert list(of(both).tasks) == ["s"]
    assert list(of(genai("a", "q", ["x"], gen_ai__conversation__id="c")).tasks) == ["c"]


@pytest.mark.parametrize(
    ("start", "end", "ms"),
    [
        (str(BEGIN), str(BEGIN + 3 * MILLISECOND), 3.0),
        (BEGIN, BEGIN + 1, 1e-6),
        (BEGIN / 1e9, BEGIN / 1e9 + 2, 2000.0),  # seconds
        (BEGIN // MILLISECOND, BEGIN // MILLISECOND + 4, 4.0),
        (BEGIN // 1000, BEGIN // 1000 + 500, 0.5),
        ("2026-01-02T03:04:05+01:00", "2026-01-02T02:04:06Z", 1000.0),
        ("2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.124456Z", 1.0),
        ("2026-01-02 03:04:05", "2026-01-02T03:04:05Z", 0.0),
        (str(BEGIN), None, None),
        (None, str(BEGIN), None),
        (str(BEGIN), "0", None),  # has not ended
        (str(BEGIN + 1), str(BEGIN), None),  # clocks differ
        ("yesterday", "today", None),
        (-5, -1, None),
        (5e10, 6e10, None),  # beyond what 64 bits of nanoseconds hold
        (float("nan"), float("inf"), None),
        ("9" * 30, 10**40, None),
        (True, [], None),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", None),
    ],
)
def test_times(start: object, end: object, ms: float | None) -> None:
    one = {**genai("a", "q", ["x"]), "startTimeUnixNano": start, "endTimeUnixNano": end}
    heard = of(one)
    assert heard.times == ([] if ms is None else [pytest.approx(ms)])
    assert heard.run == {"q": ["x"]}
    skewed = start == str(BEGIN + 1)
    assert heard.summary["skewed"] == skewed
    assert ("without both times" in heard.notes) is (ms is None and not skewed)


@pytest.mark.parametrize(
    ("status", "failed"),
    [
        ({"code": 2}, True), ({"code": "STATUS_CODE_ERROR"}, True), ({"status_code": "ERROR"}, True),
        ({"code": "Error"}, True), ({"code": "StatusCode.ERROR"}, True), ({"code": 1}, False), ({"code": 0}, False),
        ({}, False), (None, False), ({"code": "STATUS_CODE_OK"}, False), ({"code": None}, False), ("ERROR", False),
    ],
)  # fmt: skip
def test_states(status: object, failed: bool) -> None:
    assert of({**genai("a", "q", ["x"]), "status": status}).summary["failed"] == failed


@pytest.mark.parametrize(
    ("kept", "sampled"),
    [("ot=th:8", 1), ("other=1,ot=rv:ab;th:c", 1), ("ot=th:0", 0), ("ot=rv:ab", 0), ("other=th:8", 0), ("", 0), (3, 0)],
)
def test_a_sample_of_traces_is_said_as_far_as_they_say_it(kept: object, sampled: int) -> None:
    heard = of({**genai("a", "q", ["x"]), "traceState": kept})
    assert heard.summary["sampled"] == sampled
    assert ("of which a sample was kept" in heard.notes) is bool(sampled)


@pytest.mark.parametrize(
    ("given", "query"),
    [
        ('{"query": "q"}', "q"),
        ('{"query_bundle": {"query_str": "q"}}', "q"),
        ('{"other": "q"}', '{"other": "q"}'),
        ('{"query": ["q"]}', '{"query": ["q"]}'),
        ("{q", "{q"),
        ("  q\n", "  q\n"),
        ("q\ud800", "q\ufffd"),
    ],
)
def test_the_query_of_an_input(given: str, query: str) -> None:
    assert of(inference("a", "RETRIEVER", given, ["x"])).topics == [query]


@pytest.mark.parametrize("hidden", ["", "  ", "__REDACTED__", 7, None])
def test_a_query_that_was_not_recorded_has_no_topic_and_is_a_call(hidden: Any) -> None:
    one = inference("a", "RETRIEVER", None, ["x"], session__id="s")
    one["attributes"].append({"key": "input.value", "value": None if hidden is None else value(hidden)})
    heard = of(one)
    assert (heard.topics, heard.run, heard.tasks) == ([], {}, {"s": [["x"]]})
    assert "1 search without the query's text" in heard.notes


def test_equal_queries_are_one_white_space_apart() -> None:
    heard = of(genai("a", "red  shoes", ["x"]), genai("b", "red\nshoes ", ["y"], at=20), genai("c", "Red shoes", ["z"]))
    assert sorted(heard.topics) == ["Red shoes", "red  shoes"]
    assert heard.summary["repeated_queries"] == 1


@pytest.mark.parametrize("zero", ["0" * 16, "AAAAAAAAAAA=", 0, ""])
def test_a_parent_of_zeros_is_none(zero: object) -> None:
    assert of({**genai("a", "q", ["x"]), "parentSpanId": zero}).summary["missing_parents"] == 0


def test_ids_that_are_no_bytes_stay_as_they_are() -> None:
    spans = [{**genai("a", "q", ["x"]), "traceId": trace} for trace in (7, "trace 1", "ü\t", "\ud800", "A" * 31)]
    assert sorted(of(*spans).tasks) == ["7", "?", "A" * 31, "trace 1", "ü\t"]


def test_spans_without_ids_are_spans() -> None:
    spans = [{key: v for key, v in genai("a", q, ["x"]).items() if key != "spanId"} for q in "qr"]
    heard = of(*spans)
    assert heard.run == {"q": ["x"], "r": ["x"]}
    assert heard.summary["duplicate_spans"] == 0


# ---- refused -------------------------------------------------------------------------------------


REFUSED = {
    "empty": (b"", ["file1"]),
    "blank": (b" \n\n", ["file1"]),
    "no spans": (b'{"resourceSpans": []}', ["file1"]),
    "an empty object": (b"{}", ["file1"]),
    "cut": (otlp(*SPANS)[:-100], ["file1", 1]),
    "cut in the second line": (otlp(SPANS[0]) + b"\n" + otlp(SPANS[1])[:90], ["file1", 2]),
    "no JSON": (otlp(SPANS[1]) + b"\nonce upon a time\n", ["file1", 2]),
    "a span that is none": (b'{"resourceSpans": [{"scopeSpans": [{"spans": [3]}]}]}', ["file1", 3]),
    "a list of numbers": (b"[1, 2]", ["file1", 1]),
    "no trace": (otlp({"spanId": "00" * 8}), ["file1", "spanId", "traceId"]),
    "a trace of zeros": (otlp({**SPANS[1], "traceId": "0" * 32}), ["file1", "traceId"]),
    "attributes that are none": (otlp({**SPANS[1], "attributes": 7}), ["file1", 7]),
    "an attribute that is none": (otlp({**SPANS[1], "attributes": [7]}), ["file1", 7]),
    "a value that is none": (otlp({**SPANS[1], "attributes": [{"key": "a", "value": 7}]}), ["file1", 7]),
    "a key twice": (b'{"traceId": "a", "traceId": "b"}', ["file1", 1, "traceId"]),
    "no UTF-8": (otlp(SPANS[0]) + b"\n" + b'{"resourceSpans": "\xff"}', ["file1", 2, "0xff"]),
    "nested too deeply": (b'{"traceId": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", ["file1", 1]),
    "deep attributes": (lines({**SPANS[1], "attributes": json.loads('{"a":' * 60 + "1" + "}" * 60)}), ["file1"]),
    "nothing that retrieves": (otlp(span("a"), span("b")), ["file1", 2, "RETRIEVER", "gen_ai.operation.name"]),
    "a comma too many": (b'{"resourceSpans": [,]}', ["file1", 1]),
    "colon missing": (b'{"resourceSpans" []}', ["file1", 1]),
    "a key without quotes": (b'{"resourceSpans": [{scopeSpans: 1}]}', ["file1", 1]),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_trace_is_refused_with_its_place(what: str) -> None:
    data, values = REFUSED[what]
    for size in (1 << 20, 3) if len(data) < 5000 else (1 << 20,):
        with raises(InputError, *values) as error:
            told(data, size=size)
        assert "\n" not in str(error.value)
        assert len(str(error.value)) < 600


def test_a_value_that_never_ends_is_refused_before_memory_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "LONGEST", 10_000)
    with raises(InputError, "file1", 1):
        told(b'{"traceId": "' + b"x" * 50_000, size=1000)
    assert told(otlp(genai("a", "q", ["x" * 9000])), size=1000).run == {"q": ["x" * 9000]}


def test_a_source_that_nothing_searched_is_refused() -> None:
    one = genai("a", "q", ["x"], gen_ai__data_source__id="faq")
    assert of(one, source="faq").run == {"q": ["x"]}
    with raises(InputError, "file1", "'shop'"):
        of(one, source="shop")


def test_options_are_those_that_there_are() -> None:
    with raises(UsageError, "stage", "last", "retriever", "reranker", "'first'"):
        TraceOptions.of({"stage": "first"})
    assert TraceOptions.of({"stage": None, "doc_id": "source", "other": 1}) == TraceOptions(doc_id="source")


def test_a_full_disk_is_told_where_more_room_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_TABLES", f"PRAGMA max_page_count = 20; {store._TABLES}")
    spans = [genai(f"a{n}", f"query {n}", [f"{d} of {n}" for d in range(100)], at=n) for n in range(200)]
    with raises(InputError, "TMPDIR"):
        of(*spans)
