"""Read: from a stream of JSON to spans, one at a time, whatever exporter wrote them."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import cast

from rankproof.errors import InputError
from rankproof.reading.formats._records import text_id
from rankproof.reading.source import Source
from rankproof.reading.traces.attributes import DOCUMENTS, attributes_of
from rankproof.reading.traces.documents import REDACTED, SPREAD, ranking_of
from rankproof.reading.traces.pieces import JsonPieces
from rankproof.reading.traces.records import UNRECORDED, Role, SpanRanking, SpanRecord, TraceCounts, TraceOptions

CHUNK = 1 << 20
RESOURCES = ("resourceSpans", "resource_spans")
SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
# What a list of flat spans may stand under: pages of Phoenix's API.
PAGES = ("data", "spans")
# Other signals, which a collector may write into the same file.
SIGNALS = ("resourceLogs", "resourceMetrics", "resourceProfiles", "resource_logs", "resource_metrics")
# Operations of OpenTelemetry that are one call of a model; an agent's or a workflow's span sums up those below it.
MODEL_OPERATIONS = ("chat", "text_completion", "generate_content")
KINDS: Mapping[str, Role] = {"RETRIEVER": "retriever", "RERANKER": "reranker", "LLM": "model"}
# Under which names an input that is a JSON object has the query.
QUERY_KEYS = ("query", "query_str", "query_bundle", "question", "input", "text")
NO_RANKING = SpanRanking(None, UNRECORDED)
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]+)")
_THRESHOLD = re.compile(r"(?:^|,)\s*ot=(?:[^,]*;)?th:(?!0+(?:[;,]|$))[0-9a-f]")
_HALF = re.compile("[\ud800-\udfff]")
# Greater numbers are no times: SQLite keeps 64 bits.
_LATEST = 2**63 - 1


def chunks_of(source: Source) -> Iterator[bytes]:
    """The bytes of a source, a piece at a time."""
    for begin in range(0, source.size, CHUNK):
        yield source.part(begin, CHUNK)


def records_of(chunks: Iterable[bytes], name: str, options: TraceOptions, counts: TraceCounts) -> Iterator[SpanRecord]:
    """The spans of one file. InputError where it has none, or where it is no JSON."""
    before = counts.spans
    pieces = JsonPieces(chunks, name)
    for span in _spans(pieces, counts):
        counts.spans += 1
        yield record_of(span, f"{pieces.place}, span {counts.spans - before}", options, counts)
    if counts.spans == before and not counts.skipped_signals:
        raise InputError(
            f'{name} has no spans. Traces are OTLP JSON ({{"resourceSpans": [...]}}, whole or in lines), or spans as '
            "SDKs write them in JSON, one object for each."
        )


# ---- the nesting around spans -----------------------------------------------------------------------


def _spans(pieces: JsonPieces, counts: TraceCounts) -> Iterator[Mapping[str, object]]:
    """Every span of a stream: documents one after the other, or in lists."""
    while pieces.peek():
        if pieces.peek() == "[":
            for _ in pieces.elements():
                yield from _document(pieces, counts)
        else:
            yield from _document(pieces, counts)


def _document(pieces: JsonPieces, counts: TraceCounts) -> Iterator[Mapping[str, object]]:
    """The spans of one document, or the span that it is."""
    if pieces.peek() == "{" and pieces.first_key() in (*RESOURCES, *PAGES):
        for key in pieces.members():
            if key in RESOURCES:
                for _ in pieces.elements():
                    yield from _resource(pieces)
            elif key in PAGES and pieces.peek() == "[":
                for _ in pieces.elements():
                    yield _object(pieces)
            else:
                pieces.value()
        return
    place = pieces.place
    value = pieces.value()
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: a span is a JSON object; got {value!r:.60}.")
    if any(key in value for key in SIGNALS):
        counts.skipped_signals += 1
    elif any(key in value for key in RESOURCES):  # after another key
        # A document that was read as a whole; only its nesting is walked again.
        yield from _document(JsonPieces([json.dumps(_front(value)).encode()], place), counts)
    elif value:
        yield value


def _front(value: Mapping[str, object]) -> dict[str, object]:
    return {key: value[key] for key in RESOURCES if key in value}


def _resource(pieces: JsonPieces) -> Iterator[Mapping[str, object]]:
    for key in pieces.members():
        if key not in SCOPES:
            pieces.value()
            continue
        for _ in pieces.elements():
            for inner in pieces.members():
                if inner != "spans":
                    pieces.value()
                    continue
                for _ in pieces.elements():
                    yield _object(pieces)


def _object(pieces: JsonPieces) -> Mapping[str, object]:
    place = pieces.place
    value = pieces.value()
    if not isinstance(value, Mapping):
        raise InputError(f"{place}: a span is a JSON object; got {value!r:.60}.")
    return value


# ---- one span ---------------------------------------------------------------------------------------


def record_of(span: Mapping[str, object], where: str, options: TraceOptions, counts: TraceCounts) -> SpanRecord:
    """What one span says."""
    context = span.get("context")
    context = context if isinstance(context, Mapping) else {}
    given = _first(span, "traceId", "trace_id", "context.trace_id")
    given = context.get("trace_id") if given is None else given
    trace = _id(given, 16)
    if not trace:
        keys = ", ".join(map(str, list(span)[:8])) or "nothing"
        got = f"there is {keys:.200}" if given is None else f"got {given!r:.60}"
        raise InputError(
            f"{where}: a span has a traceId (or context.trace_id) that is not all zeros; {got}. Export the traces "
            "again, or take this span out."
        )
    attributes = attributes_of(span, where)
    role = _role(span, attributes)
    text, ranking = None, NO_RANKING
    if role in SPREAD:
        text = _query_text(attributes, counts)
        dropped = _dropped(span)
        counts.dropped += dropped
        counts.sampled += _sampled(span, context)
        ranking = ranking_of(attributes, role, dropped, options.doc_id, counts)
    start, stop = (_time(_first(span, *names)) for names in _TIMES)
    return SpanRecord(
        trace=trace,
        span=_id(_first(span, "spanId", "span_id", "context.span_id") or context.get("span_id"), 8),
        parent=_id(_first(span, "parentSpanId", "parent_span_id", "parent_id"), 8),
        role=role,
        text=text,
        query=None if text is None else text_id(text, where),
        session=_name(attributes.get("session.id"), attributes.get("gen_ai.conversation.id")),
        user=_name(attributes.get("user.id")),
        source=_name(attributes.get("gen_ai.data_source.id")) if role in SPREAD else None,
        start=start,
        stop=stop,
        failed=_failed(span),
        tokens=_tokens(attributes) if role == "model" else None,
        ranking=ranking,
    )


_TIMES = (
    ("startTimeUnixNano", "start_time_unix_nano", "start_time"),
    ("endTimeUnixNano", "end_time_unix_nano", "end_time"),
)


def _first(span: Mapping[str, object], *names: str) -> object:
    return next((span[name] for name in names if span.get(name) is not None), None)


def _id(value: object, size: int) -> str:
    """An id of a trace or a span as hexadecimal digits; some exporters write the base64 of protobuf's JSON.

    '' where there is none, which zeros say too.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value else ""
    if not isinstance(value, str):
        return ""
    digits = value
    if len(value) == (size + 2) // 3 * 4 and value.endswith("="):
        with suppress(ValueError):
            digits = b64decode(value, validate=True).hex()
    if len(digits) in (2 * size, 2 * size + 2) and (found := _HEX.fullmatch(digits)):
        return found[1].lower() if found[1].strip("0") else ""
    return value.encode("utf-8", "replace").decode()


def _role(span: Mapping[str, object], attributes: Mapping[str, object]) -> Role:
    kind = attributes.get("openinference.span.kind") or span.get("span_kind")
    if isinstance(kind, str) and kind.upper() in KINDS:
        return KINDS[kind.upper()]
    operation = attributes.get("gen_ai.operation.name")
    if operation == "retrieval" or DOCUMENTS in attributes:
        return "retriever"
    return "model" if operation in MODEL_OPERATIONS else ""


def _query_text(attributes: Mapping[str, object], counts: TraceCounts) -> str | None:
    """The query of a retrieval; None where it was not recorded, or is hidden."""
    names = ("gen_ai.retrieval.query.text", "reranker.query", "input.value")
    text = next((attributes[name] for name in names if isinstance(attributes.get(name), str)), None)
    text = _unwrapped(cast("str | None", text))
    if text is None or not text.strip() or text == REDACTED:
        return None
    counts.query_texts.saw(text)
    if _HALF.search(text):
        counts.repaired_texts += 1
        text = _HALF.sub("\ufffd", text)
    return text


def _unwrapped(text: str | None) -> str | None:
    """The query in an input that is a JSON object of one of the usual names, such as {"query": "..."}."""
    if text is None or not text.lstrip().startswith("{"):
        return text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for _ in range(3):  # {"query_bundle": {"query_str": "..."}}
        value = next((value[key] for key in QUERY_KEYS if key in value), None) if isinstance(value, Mapping) else value
    return value if isinstance(value, str) else text


def _dropped(span: Mapping[str, object]) -> bool:
    value = _first(span, "droppedAttributesCount", "dropped_attributes_count")
    return value not in (None, 0, "0")


def _sampled(span: Mapping[str, object], context: Mapping[str, object]) -> bool:
    """Whether the state of a trace says that not every trace was kept: OpenTelemetry's threshold, above 0."""
    given = _first(span, "traceState", "trace_state") or context.get("trace_state")
    return isinstance(given, str) and _THRESHOLD.search(given) is not None


def _failed(span: Mapping[str, object]) -> bool:
    """Whether a span's status is an error, as OTLP, the SDKs and Phoenix write it."""
    status = span.get("status")
    code = _first(status, "code", "status_code") if isinstance(status, Mapping) else None
    code = code if code is not None else span.get("status_code")
    return code == 2 or (isinstance(code, str) and code.upper().rpartition("_")[2].rpartition(".")[2] == "ERROR")


def _name(*values: object) -> str | None:
    """The first of these that is a name: a text or a whole number."""
    for value in values:
        if isinstance(value, str) and value.strip() and value != REDACTED:
            return _HALF.sub("\ufffd", value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _LATEST:
            return str(value)
    return None


def _tokens(attributes: Mapping[str, object]) -> float | None:
    """What a call of a model took: its total, or the sum of what it read and wrote."""
    total = _count(attributes.get("llm.token_count.total"))
    if total is not None:
        return total
    for names in (
        ("llm.token_count.prompt", "llm.token_count.completion"),
        ("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
    ):
        counted = [count for count in (_count(attributes.get(name)) for name in names) if count is not None]
        if counted:
            return sum(counted)
    return None


def _count(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 2**53:
        return None
    return float(value)


def _time(value: object) -> int | None:
    """Nanoseconds since 1970: of OTLP's numbers, of ISO texts, and of numbers in seconds, milli- or microseconds."""
    if isinstance(value, str):
        value = _parsed(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= _LATEST:
        return None
    # Seconds of today have 10 digits, milliseconds 13, microseconds 16, nanoseconds 19.
    factor = 10**9 if value < 1e11 else 10**6 if value < 1e14 else 10**3 if value < 1e17 else 1
    moment = value * factor if isinstance(value, int) else round(value * factor)
    return moment if moment <= _LATEST else None


def _parsed(text: str) -> int | None:
    if text.isascii() and text.isdecimal():
        return int(text) if len(text) <= 20 else None
    try:
        moment = datetime.fromisoformat(text)
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
    return (since.days * 86400 + since.seconds) * 10**9 + since.microseconds * 1000
