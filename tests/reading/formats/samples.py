"""One small world in every format: the same run, qrels and topics, as each format has them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping

from rankproof.reading.formats._records import text_id
from rankproof.reading.formats.contract import Noun

RUN = {"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d3": 0.5}}
QRELS = {"q1": {"d1": 3, "d9": 0}, "q2": {"d3": 1}}
# Where records have ranks and no scores.
RANKED = {"q1": {"d1": None, "d2": None}, "q2": {"d3": None}}
TOPICS = {"q1": "how to reset a password", "q2": "opening hours"}

_RUN_ROWS = [(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
_QRELS_ROWS = [(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
# ESCI and test cases cannot say everything that the other formats can.
ESCI = {"q1": {"d1": 3, "d9": 0}, "q2": {"d3": 1}}
TRUTH = {"q1": {"d1": 1, "d9": 1}, "q2": {"d3": 1}}
# Tools that give documents in an order, without scores.
RANKED = {query: dict.fromkeys(docs) for query, docs in RUN.items()}
TEXTS = {"d1": "On the page for signing in.", "d2": "We open at nine.", "d3": "From nine to six.", "d9": "By mail."}


def named_by_text(names: Mapping[str, Mapping[str, float | None]]) -> dict[str, dict[str, float | None]]:
    """The same where neither queries nor documents have ids."""
    return {
        text_id(TOPICS[query], ""): {text_id(TEXTS[doc], ""): value for doc, value in docs.items()}
        for query, docs in names.items()
    }


def table(header: str, rows: list[tuple[object, ...]], separator: str) -> bytes:
    lines = [header.replace(",", separator), *(separator.join(map(str, row)) for row in rows)]
    return "".join(line + "\n" for line in lines).encode()


def parquet(**columns: list[object]) -> bytes:
    import pyarrow
    import pyarrow.parquet

    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


def _column(rows: list[tuple[object, ...]], at: int) -> list[object]:
    return [row[at] for row in rows]


def lines(records: Iterable[object]) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


_RAG = lines(
    {
        "run_id": "bm25", "topic_id": query, "topic": text, "references": list(RUN[query]),
        "answer": [{"text": f"{doc}.", "citations": [0] if at == 0 else []} for at, doc in enumerate(RUN[query])],
    }
    for query, text in TOPICS.items()
)  # fmt: skip
_LANGSMITH_RUN = lines(
    {
        "id": f"r{query}", "trace_id": f"t{query}", "run_type": "retriever", "name": "search", "start_time": query,
        "reference_example_id": query, "inputs": {"query": text},
        "outputs": {"documents": [{"page_content": f"text of {doc}", "metadata": {"id": doc}} for doc in RUN[query]]},
    }
    for query, text in TOPICS.items()
)  # fmt: skip
_LANGSMITH_EXAMPLES = lines(
    {"id": query, "dataset_id": "s", "inputs": {"question": text}, "outputs": {"documents": QRELS[query]}}
    for query, text in TOPICS.items()
)
_LANGFUSE_RUN = lines(
    {
        "id": f"o{query}", "traceId": f"t{query}", "type": "RETRIEVER", "startTime": query, "input": text,
        "output": [{"pageContent": f"text of {doc}", "metadata": {"doc_id": doc}} for doc in RUN[query]],
        "parentObservationId": f"r{query}",
    }
    for query, text in TOPICS.items()
) + lines(
    {"id": f"r{query}", "traceId": f"t{query}", "startTime": query, "experimentItemId": query} for query in TOPICS
)  # fmt: skip
_LANGFUSE_ITEMS = lines(
    {"id": query, "datasetId": "s", "status": "ACTIVE", "input": text, "expectedOutput": {"documents": QRELS[query]}}
    for query, text in TOPICS.items()
)
RAGAS = lines(
    {
        "query_id": query, "user_input": text, "retrieved_context_ids": list(RUN[query]),
        "retrieved_contexts": [TEXTS[doc] for doc in RUN[query]], "reference_context_ids": list(TRUTH[query]),
        "reference_contexts": [TEXTS[doc] for doc in TRUTH[query]],
    }
    for query, text in TOPICS.items()
)  # fmt: skip
DEEPEVAL = json.dumps(
    {
        "testCases": [
            {
                "name": query, "input": text, "context": [TEXTS[doc] for doc in TRUTH[query]],
                "retrievalContext": [TEXTS[doc] for doc in RUN[query]],
                "metricsData": [{"name": "Faithfulness", "score": 1}],
            }
            for query, text in TOPICS.items()
        ]
    }
).encode()  # fmt: skip
PROMPTFOO = lines(
    {
        "vars": {"question": text, "query_id": query}, "provider": {"id": "p"}, "namedScores": {"found": 1},
        "score": 1, "success": True, "latencyMs": 7, "cost": 0.5, "gradingResult": {"reason": "All passed"},
        "response": {"metadata": {"retrieved_context_ids": list(RUN[query])}},
        "testCase": {"metadata": {"reference_context_ids": list(TRUTH[query])}},
    }
    for query, text in TOPICS.items()
)  # fmt: skip

SAMPLES: dict[tuple[str, Noun], bytes] = {
    ("trec", "run"): b"q1 Q0 d1 1 2.5 bm25\nq1\tQ0\td2\t2\t1.5 bm25\nq2 Q0 d3 1 0.5 bm25 extra\n",
    ("trec", "qrels"): b"# settled\nq1 0 d1 3\nq1 0 d9 0\nq2 0 d3 1\n",
    ("trec_topics", "topics"): (
        b"<top>\n<num> Number: q1\n<title> how to reset\na password\n<desc> Description:\nWays to.\n</top>\n\n"
        b"<top>\n<num> Number: q2 </num>\n<title> opening hours </title>\n</top>\n"
    ),
    ("tsv", "run"): table("query_id,doc_id,score", _RUN_ROWS, "\t"),
    ("tsv", "qrels"): table("qid,docid,relevance", _QRELS_ROWS, "\t"),
    ("tsv", "topics"): b"q1\thow to reset a password\nq2\topening hours\n",
    ("csv", "run"): table("topic,document,similarity", _RUN_ROWS, ","),
    ("csv", "qrels"): table("query,doc,grade", _QRELS_ROWS, ","),
    ("csv", "topics"): b'qid,query\nq1,"how to reset a password"\nq2,opening hours\n',
    ("beir", "qrels"): table("query-id,corpus-id,score", _QRELS_ROWS, "\t"),
    ("json", "run"): b'{"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d3": 0.5}}',
    ("json", "qrels"): b'{"q1": {"d1": 3, "d9": 0},\n "q2": {"d3": 1}}',
    ("json", "topics"): b'{"q1": "how to reset a password", "q2": "opening hours"}',
    ("jsonl", "run"): (
        b'{"query_id": "q1", "doc_id": "d1", "score": 2.5}\n{"query_id": "q1", "doc_id": "d2", "score": 1.5}\n'
        b'{"query_id": "q2", "doc_id": "d3", "score": 0.5}\n'
    ),
    ("jsonl", "qrels"): (
        b'{"qid": "q1", "docid": "d1", "rel": 3}\n{"qid": "q1", "docid": "d9", "rel": 0}\n'
        b'{"qid": "q2", "docid": "d3", "rel": 1}\n'
    ),
    ("jsonl", "topics"): (
        b'{"_id": "q1", "text": "how to reset a password"}\n{"_id": "q2", "text": "opening hours", "metadata": {}}\n'
    ),
    ("parquet", "run"): parquet(
        query_id=_column(_RUN_ROWS, 0), doc_id=_column(_RUN_ROWS, 1), score=_column(_RUN_ROWS, 2)
    ),
    ("parquet", "qrels"): parquet(
        query_id=_column(_QRELS_ROWS, 0), doc_id=_column(_QRELS_ROWS, 1), grade=_column(_QRELS_ROWS, 2)
    ),
    ("parquet", "topics"): parquet(qid=list(TOPICS), text=list(TOPICS.values())),
    ("esci", "qrels"): (
        b"example_id,query,query_id,product_id,product_locale,esci_label\n"
        b"0,how to reset a password,q1,d1,us,E\n1,how to reset a password,q1,d9,us,Irrelevant\n"
        b"2,opening hours,q2,d3,us,Complement\n"
    ),
    ("esci", "topics"): (
        b"query,query_id,product_id,esci_label\n"
        b"how to reset a password,q1,d1,E\nhow to reset a password,q1,d2,I\nopening hours,q2,d3,C\n"
    ),
    ("nuggets", "qrels"): (
        b'{"query_id": "q1", "nugget": "resets", "importance": "vital", '
        b'"support": {"d1": "partial_support", "d9": "not_support"}}\n'
        b'{"query_id": "q2", "nugget": "opens", "importance": "okay", "support": {"d3": "partial_support"}}\n'
    ),
    ("testcases", "qrels"): (
        b'[{"id": "q1", "query": "how to reset a password", "groundTruth": ["d1", "d9"]},\n'
        b' {"id": "q2", "query": "opening hours", "groundTruth": ["d3"]}]'
    ),
    ("testcases", "topics"): (
        b'[{"id": "q1", "query": "how to reset a password", "groundTruth": []},\n'
        b' {"id": "q2", "query": "opening hours", "groundTruth": ["d3"]}]'
    ),
    ("mteb", "run"): b'{"mteb_model_meta": {"model_name": "m"}, "default": {"test": %s}}' % json.dumps(RUN).encode(),
    ("trecrag", "run"): _RAG,
    ("trecrag", "topics"): _RAG,
    ("nuggetizer", "qrels"): lines(
        {
            "text": "how",
            "qid": query,
            "docid": doc,
            "candidate_text": "so",
            "nuggets": [
                {
                    "text": "n",
                    "importance": "vital" if grade > 2 else "okay",
                    "assignment": ("not_support", "partial_support", "not_support", "partial_support")[grade],
                }
            ],
        }
        for query, doc, grade in _QRELS_ROWS
    ),
    ("langsmith", "run"): _LANGSMITH_RUN,
    ("langsmith", "qrels"): _LANGSMITH_EXAMPLES,
    ("langsmith", "topics"): _LANGSMITH_EXAMPLES,
    ("langfuse", "run"): _LANGFUSE_RUN,
    ("langfuse", "qrels"): _LANGFUSE_ITEMS,
    ("langfuse", "topics"): _LANGFUSE_ITEMS,
    **dict.fromkeys((("ragas", "run"), ("ragas", "qrels"), ("ragas", "topics")), RAGAS),
    **dict.fromkeys((("deepeval", "run"), ("deepeval", "qrels"), ("deepeval", "topics")), DEEPEVAL),
    **dict.fromkeys((("promptfoo", "run"), ("promptfoo", "qrels"), ("promptfoo", "topics")), PROMPTFOO),
}


def traced() -> bytes:
    """The run as spans of OpenTelemetry: queries have texts and no ids, and documents are in order."""
    spans = [
        {
            "traceId": f"{number:032x}",
            "spanId": f"{number:016x}",
            "startTimeUnixNano": str(number),
            "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "retrieval"}},
                {"key": "gen_ai.conversation.id", "value": {"stringValue": query}},
                {"key": "gen_ai.retrieval.query.text", "value": {"stringValue": TOPICS[query]}},
                {"key": "gen_ai.retrieval.documents", "value": {"stringValue": json.dumps([{"id": d} for d in docs])}},
            ],
        }
        for number, (query, docs) in enumerate(RUN.items(), 1)
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


BY_TEXT = {"q1": "text:4d76c4a569ce2a16", "q2": "text:e397731993415212"}
SAMPLES |= {("otlp", "run"): traced(), ("otlp", "topics"): traced()}
# Scores by unit and calls of tasks in records of other tools: a sample and {score: {unit: value}}, or {task: calls}.
RECORDS: dict[tuple[str, Noun], tuple[bytes, object]] = {
    ("otlp", "calls"): (traced(), {query: [list(docs)] for query, docs in RUN.items()}),
    ("mteb", "scores"): (
        lines(
            {"dataset_revision": "1", "task_name": t, "scores": {"test": [{"hf_subset": "default", "main_score": v}]}}
            for t, v in (("A", 0.5), ("B", 0.25))
        ),
        {"main_score": {"A": 0.5, "B": 0.25}},
    ),
    ("trecrag", "scores"): (
        _RAG,
        {
            "words": {"q1": 2.0, "q2": 1.0}, "sentences": {"q1": 2.0, "q2": 1.0}, "references": {"q1": 2.0, "q2": 1.0},
            "cited": {"q1": 1.0, "q2": 1.0}, "citing": {"q1": 0.5, "q2": 1.0},
        },
    ),
    ("nuggetizer", "scores"): (
        lines(
            [{"qid": "q1", "query": "how", "answer_text": "so", "run_id": "r", "response_length": 1, "nuggets": [
                {"text": "a", "importance": "vital", "assignment": "support"},
                {"text": "b", "importance": "vital", "assignment": "partial_support"},
                {"text": "c", "importance": "okay", "assignment": "not_support"},
            ]}]
        ),
        {"strict_vital_score": {"q1": 0.5}, "strict_all_score": {"q1": 1 / 3}, "vital_score": {"q1": 0.75},
         "all_score": {"q1": 0.5}},
    ),
    ("langsmith", "scores"): (
        lines(
            {"id": "f1", "run_id": "t1", "trace_id": "t1", "key": "good", "score": score, "feedback_source": None}
            for score in (1, 0)
        ),
        {"good": {"t1": 0.5}},
    ),
    ("langsmith", "calls"): (_LANGSMITH_RUN, {"q1": [["d1", "d2"]], "q2": [["d3"]]}),
    ("langfuse", "scores"): (
        lines(
            {"id": f"s{t}", "traceId": t, "name": "good", "dataType": "NUMERIC", "source": "EVAL", "value": value}
            for t, value in (("t1", 0.5), ("t2", 1.0))
        ),
        {"good": {"t1": 0.5, "t2": 1.0}},
    ),
    ("langfuse", "calls"): (_LANGFUSE_RUN, {"q1": [["d1", "d2"]], "q2": [["d3"]]}),
    ("ragas", "scores"): (
        b'user_input,retrieved_contexts,faithfulness\nhow to reset a password,[],0.5\nopening hours,[],\n',
        {"faithfulness": {text_id(TOPICS["q1"], ""): 0.5, text_id(TOPICS["q2"], ""): None}},
    ),
    ("deepeval", "scores"): (
        DEEPEVAL, {"Faithfulness": {text_id(text, ""): 1.0 for text in TOPICS.values()}},
    ),
    ("promptfoo", "scores"): (
        PROMPTFOO,
        {
            score: dict.fromkeys(TOPICS, value)
            for score, value in {"score": 1.0, "pass": 1.0, "found": 1.0, "latencyMs": 7.0, "cost": 0.5}.items()
        },
    ),
}  # fmt: skip
# Read from a collection of a library, not from a file: see tests/reading/formats/test_irds.py.
WITHOUT_SAMPLE = {("irds", "run"), ("irds", "qrels"), ("irds", "topics")}


def expected(name: str, noun: Noun) -> object:
    """What the sample says."""
    if name == "otlp":
        if noun == "topics":
            return {BY_TEXT[query]: text for query, text in TOPICS.items()}
        return {BY_TEXT[query]: dict.fromkeys(docs) for query, docs in RUN.items()}
    if noun == "topics":
        return {text_id(text, ""): text for text in TOPICS.values()} if name == "deepeval" else TOPICS
    if name in ("ragas", "promptfoo", "deepeval"):
        said: Mapping[str, Mapping[str, float | None]] = RANKED if noun == "run" else TRUTH
        return named_by_text(said) if name == "deepeval" else said
    if noun == "run":
        return RANKED if name in ("trecrag", "langsmith", "langfuse") else RUN
    return {"esci": ESCI, "testcases": TRUTH}.get(name, QRELS)
