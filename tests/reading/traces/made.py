"""Spans made by hand, as OTLP has them, and what is read of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from rankproof.reading.traces.gather import LeftOut, TaskCall, gather_traces
from rankproof.reading.traces.notes import notes_of, summary_of
from rankproof.reading.traces.records import TraceOptions

Span = dict[str, Any]
MILLISECOND = 1_000_000
# 2026-01-02T03:04:05Z
BEGIN = 1_767_323_045 * 1000 * MILLISECOND
TRACE = "5b8efff798038103d269b633813fc60c"


def value(plain: object) -> dict[str, object]:
    """OTLP's AnyValue."""
    if isinstance(plain, bool):
        return {"boolValue": plain}
    if isinstance(plain, int):
        return {"intValue": str(plain)}
    if isinstance(plain, float):
        return {"doubleValue": plain}
    if isinstance(plain, Mapping):
        return {"kvlistValue": {"values": [{"key": key, "value": value(inner)} for key, inner in plain.items()]}}
    if isinstance(plain, list | tuple):
        return {"arrayValue": {"values": [value(inner) for inner in plain]}}
    return {"stringValue": plain}


def span(
    name: str,
    parent: str = "",
    at: int = 0,
    lasts: int = 10,
    trace: str = TRACE,
    failed: bool = False,
    **attributes: Any,
) -> Span:
    """A span from `at` on, in milliseconds; names of attributes have `__` for a dot."""
    made: Span = {
        "traceId": trace,
        "spanId": name.encode().hex().ljust(16, "0"),
        "name": name,
        "startTimeUnixNano": str(BEGIN + at * MILLISECOND),
        "endTimeUnixNano": str(BEGIN + (at + lasts) * MILLISECOND),
        "attributes": [{"key": key.replace("__", "."), "value": value(given)} for key, given in attributes.items()],
    }
    if parent:
        made["parentSpanId"] = parent.encode().hex().ljust(16, "0")
    if failed:
        made["status"] = {"code": 2, "message": "timeout"}
    return made


def genai(name: str, query: str | None, docs: Iterable[Any] | None, parent: str = "", **more: Any) -> Span:
    """A retrieval by OpenTelemetry's GenAI conventions; documents are ids, or objects."""
    attributes: dict[str, Any] = {"gen_ai__operation__name": "retrieval"}
    if query is not None:
        attributes["gen_ai__retrieval__query__text"] = query
    if docs is not None:
        listed = [doc if isinstance(doc, Mapping) else {"id": doc} for doc in docs]
        attributes["gen_ai__retrieval__documents"] = json.dumps(listed)
    return span(name, parent, **{**attributes, **more})


def inference(
    name: str, kind: str, query: str | None, docs: Sequence[Any] | None, parent: str = "", **more: Any
) -> Span:
    """A retriever or a reranker by OpenInference's conventions."""
    reranks = kind == "RERANKER"
    attributes: dict[str, Any] = {"openinference__span__kind": kind}
    if query is not None:
        attributes["reranker__query" if reranks else "input__value"] = query
    for place, doc in enumerate(docs or ()):
        fields = doc if isinstance(doc, Mapping) else {"id": doc}
        prefix = "reranker__output_documents" if reranks else "retrieval__documents"
        for key, given in fields.items():
            attributes[f"{prefix}__{place}__document__{key}"] = given
    return span(name, parent, **{**attributes, **more})


def otlp(*spans: Span) -> bytes:
    """One line of the collector's file exporter."""
    return json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}).encode()


@dataclass(frozen=True)
class Told:
    """Everything that traces say; queries by their texts."""

    topics: list[str]
    run: dict[str, list[str]]
    calls: list[TaskCall]
    times: list[float]
    sessions: list[dict[str, object]]
    left_out: list[LeftOut]
    summary: Mapping[str, Any]
    notes: str

    @property
    def reasons(self) -> list[str]:
        return [search.reason for search in self.left_out]

    @property
    def tasks(self) -> dict[str, list[list[str]]]:
        found: dict[str, list[list[str]]] = {}
        for call in self.calls:
            found.setdefault(call.task, []).append(call.docs)
        return found


def told(*files: bytes, size: int = 1 << 20, **options: Any) -> Told:
    """What files say, read in chunks of so many bytes."""
    chunks = [
        (f"file{number}", [file[at : at + size] for at in range(0, len(file), size)])
        for number, file in enumerate(files, 1)
    ]
    with closing(gather_traces(chunks, TraceOptions(**options))) as traces:
        texts = dict(traces.topics())
        return Told(
            list(texts.values()),
            {texts[query]: docs for query, docs in traces.rankings()},
            list(traces.calls_of_tasks()),
            [ms for _, ms in traces.latencies()],
            list(traces.sessions_of_users()),
            list(traces.left_out()),
            summary_of(traces),
            "\n".join(notes_of(traces)),
        )


def of(*spans: Span, **options: Any) -> Told:
    """What the spans of one file say."""
    return told(otlp(*spans), **options)
