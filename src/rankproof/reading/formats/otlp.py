"""Traces of production: the searches that OpenTelemetry recorded, in its GenAI and in OpenInference's conventions.

OTLP JSON, a whole document or lines of such as the collector's file exporter writes; or spans as SDKs and Phoenix write
them, one JSON object each. A retrieval is a span with `openinference.span.kind` RETRIEVER or RERANKER, or with
`gen_ai.operation.name` retrieval; its documents are `retrieval.documents.0.document.id` and so on, or
`gen_ai.retrieval.documents`. The run has one ranking for each query text, in the order of the list; queries, and
documents without ids, are named by their texts (text:...). The calls of a session, or of a trace, are those of a
task. A ranking that a limit on attributes has cut is left out and counted, never read in half.

Options:

    stage=    last (what the application got), retriever or reranker: which ranking counts where both are there
    repeats=  last or first: which ranking counts where a query was searched several times
    unit=     session (a trace where it has none) or trace: what the calls of one task have in common
    source=   only searches in this data source (gen_ai.data_source.id)
    doc_id=   the field of documents' metadata that has their ids

holds: run, topics, calls
source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding

    {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "5b8e...", "spanId": "eee1...", "attributes": [
      {"key": "gen_ai.operation.name", "value": {"stringValue": "retrieval"}},
      {"key": "gen_ai.retrieval.query.text", "value": {"stringValue": "reset a password"}},
      {"key": "gen_ai.retrieval.documents", "value": {"stringValue": "[{\\"id\\": \\"faq-12\\"}]"}}]}]}]}]}
"""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING

from rankproof.reading.formats._gather import Gather
from rankproof.reading.formats._records import begins_as_json
from rankproof.reading.formats.contract import CallRecords, Format, Noun, Options, Read, Sure, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.traces.gather import Traces

_NESTED = re.compile(rb'"(resourceSpans|resource_spans)"\s*:\s*\[')
_CONTEXT = re.compile(rb'"context"\s*:\s*\{[^{}]*"trace_id"')
_OPTIONS = {
    "stage": "last, retriever or reranker",
    "repeats": "last or first, of a query's rankings",
    "unit": "session or trace, which is a task",
    "source": "a data source's id",
    "doc_id": "the field of metadata with the id",
}


def detect(source: Source, noun: Noun) -> Sure:
    """OTLP's nesting, or spans with the context that SDKs write."""
    if not begins_as_json(source) or noun in ("qrels", "scores"):
        return Sure.NO
    head = source.head
    if _NESTED.search(head):
        return Sure.CERTAIN
    is_span = _CONTEXT.search(head) or b'"context.trace_id"' in head or (b'"traceId"' in head and b'"spanId"' in head)
    return Sure.CERTAIN if is_span and b'"attributes' in head else Sure.NO


def gathered(source: Source, options: Options) -> Traces:
    """The searches of a source."""
    from rankproof.reading.traces.gather import gather_traces
    from rankproof.reading.traces.read import chunks_of
    from rankproof.reading.traces.records import TraceOptions

    return gather_traces([(source.name, chunks_of(source))], TraceOptions.of(options))


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """The ranking of each query."""
    from rankproof.reading.traces.notes import notes_of

    gather = Gather("run", source.name)
    with closing(gathered(source, options)) as traces:
        for query, docs in traces.rankings():
            for rank, doc in enumerate(docs, 1):
                gather.add(query, doc, rank=rank)
        return Read(gather.rows(), notes_of(traces))


def topics(source: Source, options: Options) -> Topics:
    """The queries' texts."""
    with closing(gathered(source, options)) as traces:
        return dict(traces.topics())


def calls(source: Source, options: Options) -> CallRecords:
    """The searches of each session, or of each trace that has no session; at the end the notes."""
    from rankproof.reading.traces.notes import notes_of

    with closing(gathered(source, options)) as traces:
        for number, call in enumerate(traces.calls_of_tasks(), 1):
            row = {"task_id": call.task, "call": call.number, "docs": call.docs}
            yield number, row if call.tokens is None else {**row, "tokens": call.tokens}
        return notes_of(traces)


OFFERS = (
    Format(
        name="otlp",
        page=__doc__,
        holds=("run", "topics", "calls"),
        detect=detect,
        rows=rows,
        topics=topics,
        calls=calls,
        options=_OPTIONS,
    ),
)
