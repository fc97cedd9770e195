"""Writes the recorded traces, with the SDKs that write such files in production. Not run by the tests.

    python -m venv venv && . venv/bin/activate
    pip install opentelemetry-exporter-otlp-json-file==0.66b1 opentelemetry-sdk==1.45.2 \
        opentelemetry-exporter-otlp-proto-common==1.45.2 openinference-instrumentation-langchain==0.1.80 \
        openinference-semantic-conventions==0.1.42 langchain-core==1.7.2
    python write_traces.py

The files beside it:

    traces_genai.otlp.jsonl      OpenTelemetry's GenAI conventions, by opentelemetry-exporter-otlp-json-file
    traces_genai.base64.json     the same by protobuf's own JSON (MessageToJson): ids in base64, 64-bit numbers as text
    traces_genai.spans.json      the same by `span.to_json()`, as ConsoleSpanExporter writes it
    traces_langchain.otlp.jsonl  LangChain retrievers under openinference-instrumentation-langchain
    traces_cut.otlp.jsonl        the same with the SDK's limits on the number and the length of attributes
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from google.protobuf.json_format import MessageToJson
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from openinference.instrumentation import using_session, using_user
from openinference.instrumentation.langchain import LangChainInstrumentor
from openinference.semconv.trace import DocumentAttributes, RerankerAttributes, SpanAttributes
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

HERE = Path(__file__).parent
CORPUS = {
    "faq-12": "Reset a password under Settings, then Security.",
    "faq-7": "A forgotten password is reset by mail, once a day.",
    "faq-3": "We open at nine and close at six, on Sundays too.",
}


class Shelf(BaseRetriever):
    """Documents by the words that they share with the query; with ids or without."""

    with_ids: bool = True
    top: int = 2

    def _get_relevant_documents(self, query, *, run_manager=None):
        words = set(query.lower().split())
        ranked = sorted(CORPUS, key=lambda doc: -len(words & set(CORPUS[doc].lower().split())))
        return [
            Document(id=doc if self.with_ids else None, page_content=CORPUS[doc], metadata={"source": f"{doc}.md"})
            for doc in ranked[: self.top]
        ]


def provider(*exporters, **limits):
    made = TracerProvider(span_limits=SpanLimits(**limits) if limits else None)
    for exporter in exporters:
        made.add_span_processor(SimpleSpanProcessor(exporter))
    return made


def exporter(name):
    path = HERE / name
    path.unlink(missing_ok=True)
    return FileSpanExporter(str(path))


def genai(tracer):
    """Two conversations: a retry, a search without documents' scores, one that returned nothing."""
    searches = [
        ("c1", "reset a password", [[("faq-12", 0.9), ("faq-7", 0.7)]], 1),
        ("c1", "opening hours", [[("faq-3", 0.8)]], 0),
        ("c2", "refunds", [[]], 0),
    ]
    for conversation, query, results, failures in searches:
        with tracer.start_as_current_span("invoke_agent shop") as agent:
            agent.set_attribute("gen_ai.operation.name", "invoke_agent")
            agent.set_attribute("gen_ai.conversation.id", conversation)
            with tracer.start_as_current_span("chat small") as chat:
                chat.set_attribute("gen_ai.operation.name", "chat")
                chat.set_attribute("gen_ai.usage.input_tokens", 40)
                chat.set_attribute("gen_ai.usage.output_tokens", 5)
            for docs in [None] * failures + results:
                with tracer.start_as_current_span("retrieval faq") as span:
                    span.set_attribute("gen_ai.operation.name", "retrieval")
                    span.set_attribute("gen_ai.data_source.id", "faq")
                    span.set_attribute("gen_ai.retrieval.query.text", query)
                    if docs is None:
                        span.set_status(Status(StatusCode.ERROR, "timeout"))
                        continue
                    listed = [{"id": doc, "score": score} for doc, score in docs]
                    span.set_attribute("gen_ai.retrieval.documents", json.dumps(listed))


def langchain(tracer, made):
    """LangChain retrievers, with ids and without; and a reranker by OpenInference's conventions behind one."""
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=made)
    with using_session("s1"), using_user("u1"):
        Shelf().invoke("reset a password")
        with tracer.start_as_current_span("answer", attributes={SpanAttributes.OPENINFERENCE_SPAN_KIND: "CHAIN"}):
            found = Shelf(top=3).invoke("when do we open")
            with tracer.start_as_current_span("rerank") as span:
                span.set_attribute(SpanAttributes.OPENINFERENCE_SPAN_KIND, "RERANKER")
                span.set_attribute(RerankerAttributes.RERANKER_QUERY, "when do we open")
                for at, doc in enumerate(reversed(found[:2])):
                    prefix = f"{RerankerAttributes.RERANKER_OUTPUT_DOCUMENTS}.{at}."
                    span.set_attribute(prefix + DocumentAttributes.DOCUMENT_ID, doc.id)
                    span.set_attribute(prefix + DocumentAttributes.DOCUMENT_SCORE, 1.0 - at / 2)
    with using_session("s2"):
        Shelf(with_ids=False).invoke("a forgotten password")
    instrumentor.uninstrument()


def main():
    os.chdir(HERE)
    memory = InMemorySpanExporter()
    made = provider(exporter("traces_genai.otlp.jsonl"), memory)
    genai(made.get_tracer("shop"))
    made.shutdown()
    spans = memory.get_finished_spans()
    Path("traces_genai.base64.json").write_text(MessageToJson(encode_spans(spans)))
    Path("traces_genai.spans.json").write_text("\n".join(span.to_json() for span in spans) + "\n")
    made = provider(exporter("traces_langchain.otlp.jsonl"))
    langchain(made.get_tracer("shop"), made)
    made.shutdown()
    made = provider(exporter("traces_cut.otlp.jsonl"), max_span_attributes=10, max_span_attribute_length=40)
    genai(made.get_tracer("shop"))
    langchain(made.get_tracer("shop"), made)
    made.shutdown()


main()
