"""Files that real SDKs wrote: recorded by tests/reading/formats/recorded/write_traces.py, which says the versions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.reading.traces.made import told

import rankproof

RECORDED = Path(__file__).resolve().parents[1] / "formats" / "recorded"


def recorded(name: str) -> bytes:
    return (RECORDED / f"traces_{name}").read_bytes()


@pytest.mark.parametrize("name", ["genai.otlp.jsonl", "genai.base64.json", "genai.spans.json"])
@pytest.mark.parametrize("size", [1 << 20, 7])
def test_one_recording_in_three_exports(name: str, size: int) -> None:
    """Hexadecimal and base64 ids, numbers as text and not, nested and flat: the same searches."""
    heard = told(recorded(name), size=size)
    # The first of c1 failed once; "refunds" returned nothing, which is a ranking.
    assert heard.run == {"reset a password": ["faq-12", "faq-7"], "opening hours": ["faq-3"], "refunds": []}
    assert heard.tasks == {"c1": [["faq-12", "faq-7"], ["faq-3"]], "c2": [[]]}
    # 40 tokens read and 5 written before each search.
    assert [call.tokens for call in heard.calls] == [45, 45, 45]
    assert heard.summary["retries"] == 1
    assert heard.summary["traces"] == 3
    assert heard.summary["data_sources"] == ["faq"]
    assert heard.left_out == []


def test_three_exports_of_one_recording_name_one_trace() -> None:
    """All three together are the same spans, exported three times."""
    files = [recorded(name) for name in ("genai.otlp.jsonl", "genai.base64.json", "genai.spans.json")]
    alone, together = told(files[0]), told(*files)
    assert together.summary["duplicate_spans"] == 20
    assert {**together.summary, "duplicate_spans": 0, "documents": 3, "latency": 0} == {**alone.summary, "latency": 0}
    assert together.run == alone.run
    assert together.tasks == alone.tasks


def test_times_are_those_of_the_spans() -> None:
    first, _, third = told(recorded("genai.otlp.jsonl")).times
    spans = [
        one
        for line in recorded("genai.otlp.jsonl").splitlines()
        for resource in json.loads(line)["resourceSpans"]
        for scope in resource["scopeSpans"]
        for one in scope["spans"]
        if one["name"].startswith("retrieval")
    ]
    begins = [int(one["startTimeUnixNano"]) for one in spans]
    ends = [int(one["endTimeUnixNano"]) for one in spans]
    # The first search was tried twice: from the begin of the first attempt to the end of the second.
    assert first == (ends[1] - begins[0]) / 1e6
    assert third == (ends[3] - begins[3]) / 1e6


def test_langchain_under_openinference() -> None:
    heard = told(recorded("langchain.otlp.jsonl"))
    # LangChain gives documents' texts and no ids to OpenInference: they are named by their texts. The reranker has ids.
    assert heard.run["when do we open"] == ["faq-12", "faq-3"]
    assert all(doc.startswith("text:") for doc in heard.run["reset a password"])
    assert {task: len(calls) for task, calls in heard.tasks.items()} == {"s1": 2, "s2": 1}
    assert heard.summary["users"] == 1
    assert heard.summary["reranked"] == 1
    assert "doc_id=" in heard.notes


def test_ids_from_the_metadata() -> None:
    heard = told(recorded("langchain.otlp.jsonl"), doc_id="source", stage="retriever")
    assert heard.run["reset a password"] == ["faq-7.md", "faq-12.md"] or heard.run["reset a password"] == [
        "faq-12.md",
        "faq-7.md",
    ]
    assert heard.summary["documents_without_ids"] == 0
    # The two ways of naming agree on which documents are equal.
    by_text = told(recorded("langchain.otlp.jsonl"), stage="retriever")
    pairs = {pair for query in by_text.run for pair in zip(by_text.run[query], heard.run[query], strict=True)}
    assert len(pairs) == len({text for text, _ in pairs}) == len({name for _, name in pairs}) == 3


def test_what_a_limit_cut_is_left_out_and_said() -> None:
    """The SDK's limits: 10 attributes, each of 40 characters at most."""
    heard = told(recorded("cut.otlp.jsonl"))
    assert heard.reasons == ["documents cut by an attribute limit"] * 2
    # The JSON of one search is cut, and the other has lost documents: no half ranking of either, and no empty one.
    assert sorted(heard.run) == ["a forgotten password", "opening hours", "refunds", "when do we open"]
    assert heard.run["opening hours"] == ["faq-3"]
    assert "dropped attributes" in heard.notes
    assert sum(heard.summary["left_out"].values()) == 2


def test_python_reads_the_same_file() -> None:
    path = RECORDED / "traces_genai.otlp.jsonl"
    topics = rankproof.read_topics(path)
    assert sorted(topics.values()) == ["opening hours", "refunds", "reset a password"]
    by_text = {text: query for query, text in topics.items()}
    run = rankproof.read_run(path)
    assert list(run[by_text["reset a password"]]) == ["faq-12", "faq-7"]
    assert {task: [list(docs) for docs in calls] for task, calls in rankproof.read_calls(path).items()} == {
        "c1": [["faq-12", "faq-7"], ["faq-3"]],
        "c2": [[]],
    }
