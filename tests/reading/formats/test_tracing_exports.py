"""LangSmith and Langfuse: what their SDKs' models wrote, by content; questions and documents by name; damage; gates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.formats.samples import lines
from tests.reading.formats.tracing_files import DATASETS, RECORDED, TOOLS, documents, observation, run, step, system

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.reading.calls import read_calls
from rankproof.reading.collect import locate
from rankproof.reading.score_tables import read_score_table

# ---- what the SDKs wrote --------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
def test_a_dataset_and_two_systems_are_found_by_content(tool: str) -> None:
    _, form = locate(system(tool, "before"), "run")
    assert form.name == tool
    qrels, topics = rankproof.read_qrels(DATASETS[tool]), rankproof.read_topics(DATASETS[tool])
    assert set(qrels) == set(topics)
    assert all(list(docs.values()) == [1] for docs in qrels.to_dict().values())
    assert "Do you have a red lamp?" in topics.values()
    for name in ("before", "after"):
        ranking = rankproof.read_run(system(tool, name))
        assert set(ranking) < set(qrels), "named by the dataset's examples"
        assert len(ranking) == len(qrels) - 1, "one search failed"
        assert any("1 search without documents" in note for note in ranking.notes)
        first = next(iter(ranking))
        assert len(ranking[first]) == 4
        assert next(iter(qrels[first])) in ranking[first]


def test_values_are_those_of_the_records() -> None:
    """The expected value, counted from the file without any of the readers."""
    hits = asked = 0
    gold = {f"d{at}": at for at in range(24)}
    for line in system("langsmith", "before").read_text().splitlines():
        record = json.loads(line)
        if record.get("run_type") == "retriever":
            asked += 1
            at = int(record["dotted_order"].partition(".")[0])
            found = (record["outputs"] or {"documents": []})["documents"]
            hits += bool(found) and gold[found[0]["metadata"]["doc_id"]] == at
    evaluation = rankproof.evaluate(DATASETS["langsmith"], system("langsmith", "before"), "Success@1")
    assert evaluation["Success@1"].mean == pytest.approx(hits / asked)
    assert 0 < hits < asked


@pytest.mark.parametrize("tool", TOOLS)
def test_scores_say_who_gave_them_and_what_is_left(tool: str) -> None:
    table = read_score_table(system(tool, "after"))
    assert set(table.unit_ids) == set(rankproof.read_qrels(DATASETS[tool]))
    assert {"faithfulness", "seconds"} <= set(table.values)
    told = " | ".join(table.notes)
    assert ("a model gave it" if tool == "langsmith" else "an evaluator gave it") in told
    assert "no numbers: tone" in told
    assert "tone" not in table.values


@pytest.mark.parametrize("tool", TOOLS)
def test_gates_over_rankings_scores_and_calls(tool: str, tmp_path: Path) -> None:
    rule = '[[rule]]\nrule = "no_regression"\nmeasure = "{}"\nmargin = 0.05\n'
    (tmp_path / "run.toml").write_text(rule.format("RR@3"))
    (tmp_path / "scores.toml").write_text(rule.format("faithfulness"))
    before, after = str(system(tool, "before")), str(system(tool, "after"))
    for old, new, status in ((before, after, 0), (after, before, 1)):
        files = ["--qrels", str(DATASETS[tool]), "--baseline", old, "--candidate", new]
        done, told = run("gate", str(tmp_path / "run.toml"), *files)
        assert done == status, told
        done, told = run("gate", str(tmp_path / "scores.toml"), "--scores", old, new)
        assert done == status, told
    done, told = run("tasks", str(DATASETS[tool]), before, after, "-m", "Calls R@5", "--json")
    assert done == 0, told
    assert len(json.loads(told)["evaluations"]) == 2


def test_a_blob_storage_export_reads_as_the_api_does() -> None:
    blob = rankproof.read_run(RECORDED / "langfuse" / "blob.jsonl")
    api = rankproof.read_run(system("langfuse", "after"), "langfuse(query=text)")
    assert len(blob) == 4
    # Without the traces' roots a question is the retriever's own input; the documents are the same.
    assert [list(blob[query]) for query in blob] == [list(api[query]) for query in api][:4]


@pytest.mark.parametrize("tool", TOOLS)
def test_questions_by_text_meet_on_both_sides(tool: str) -> None:
    by_id = rankproof.evaluate(DATASETS[tool], system(tool, "after"), "RR@3")["RR@3"].mean
    named = f"{tool}(query=text)"
    qrels, ranking = rankproof.read_qrels(DATASETS[tool], named), rankproof.read_run(system(tool, "after"), named)
    assert all(query.startswith("text:") for query in qrels)
    assert rankproof.evaluate(qrels, ranking, "RR@3")["RR@3"].mean == by_id
    with raises(UsageError, "query=", "id", "text", "'name'"):
        rankproof.read_run(system(tool, "after"), f"{tool}(query=name)")


# ---- names of documents ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("doc", "by", "named"),
    [
        ({"id": "d1", "page_content": "x", "metadata": {"id": "other"}}, None, "d1"),
        ({"id": None, "page_content": "x", "metadata": {"doc_id": 7}}, None, "7"),
        ({"id": "d1", "page_content": "x", "metadata": {"source": "a b.md"}}, "source", "a b.md"),
        ({"node": {"id": "n1", "text": "x"}, "score": 0.5}, None, "n1"),
        ({"document": {"id": "ü 1"}, "score": 0.5}, None, "ü 1"),
        (
            {"lc": 1, "type": "constructor", "id": ["langchain", "Document"],
             "kwargs": {"page_content": "x", "metadata": {"_id": "m"}}}, None, "m",
        ),
        ("d1", None, "d1"),
        (12, None, "12"),
    ],
)  # fmt: skip
def test_a_document_is_named_by_its_id(doc: object, by: str | None, named: str) -> None:
    ranking = rankproof.read_run(lines([documents(doc)]), "langsmith", by=by)
    assert [list(ranking[query]) for query in ranking] == [[named]]


def test_documents_without_ids_are_named_by_their_texts() -> None:
    one, same = {"page_content": "a red  lamp", "metadata": {}}, "a red\nlamp"
    first, second = (rankproof.read_run(lines([documents(doc)])) for doc in (one, same))
    assert first.to_dict() == second.to_dict()
    assert any("named by their texts" in note for note in first.notes)
    assert (
        rankproof.read_run(lines([documents({"id": "d", "text": "a red lamp"})]), by="text").to_dict()
        == first.to_dict()
    )
    again = rankproof.read_run(lines([documents(one, same)]))
    assert [doc.partition("×")[2] for query in again for doc in again[query]] == ["", "2"]


@pytest.mark.parametrize("doc", [{}, {"metadata": {"source": "x"}}, None, {"page_content": " "}, [1], {"text": 3}])
def test_a_document_without_a_name_is_refused(doc: object) -> None:
    with raises(InputError, "line 1", "step 'search'"):
        rankproof.read_run(lines([documents(doc)]))


def test_a_key_that_no_document_has_is_refused_with_those_that_it_has() -> None:
    with raises(InputError, "'url'", "'page_content'", "'source'", "by="):
        rankproof.read_run(lines([documents({"page_content": "x", "metadata": {"source": "a"}})]), by="url")


# ---- questions, traces and steps ------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"question": "red lamp"}, {"input": {"query": "red lamp"}}, {"whatever": "red lamp"}, {"args": ["red lamp"]},
        {"messages": [{"role": "system", "content": "be kind"}, {"role": "user", "content": "red lamp"}]},
        {"messages": [[{"role": "user", "content": "red lamp"}]]}, {"kwargs": {"text": "red lamp"}},
    ],
)  # fmt: skip
def test_a_question_is_found_where_frameworks_put_it(given: object) -> None:
    plain = rankproof.read_run(lines([documents("d1")]))
    assert rankproof.read_run(lines([{**documents("d1"), "inputs": given}])).to_dict() == plain.to_dict()


@pytest.mark.parametrize("given", [{}, None, {"query": " "}, {"a": 1, "b": 2}])
def test_a_search_without_a_question_is_refused(given: object) -> None:
    with raises(InputError, "line 1"):
        rankproof.read_run(lines([{**documents("d1"), "inputs": given}]))


def test_several_searches_of_a_trace_are_calls_and_no_ranking() -> None:
    content = lines(
        [
            step(id="2", name="rerank", start_time="2", outputs={"documents": ["d2"]}),
            step(id="1", name="search", start_time="1", outputs={"documents": ["d1"]}),
            step(id="3", name="search", start_time="3", outputs=None, error="timeout"),
        ]
    )
    with raises(UsageError, "'t1'", "search", "rerank", "step="):
        rankproof.read_run(content)
    assert [list(r) for r in rankproof.read_run(content, "langsmith(step=rerank)").to_dict().values()] == [["d2"]]
    # The search that failed does not stand for the one that answered.
    assert [list(r) for r in rankproof.read_run(content, "langsmith(step=search)").to_dict().values()] == [["d1"]]
    calls = read_calls(content)
    assert [[list(call) for call in task] for task in calls.values()] == [[["d1"], ["d2"]]]
    assert any("1 search without documents" in note for note in calls.notes)
    with raises(UsageError, "'dense'", "rerank", "search"):
        rankproof.read_run(content, "langsmith(step=dense)")


def test_a_question_of_several_traces_counts_once_the_latest() -> None:
    found = rankproof.read_run(
        lines(
            [
                step("t2", start_time="2026-01-02", outputs={"documents": ["new"]}),
                step("t1", start_time="2026-01-01", outputs={"documents": ["old"]}),
            ]
        )
    )
    assert [list(ranking) for ranking in found.to_dict().values()] == [["new"]]
    assert any("asked in several traces" in note for note in found.notes)


def test_an_error_and_a_preview_are_no_empty_ranking_without_a_word() -> None:
    cut = rankproof.read_run(lines([documents("d1"), {**step("t2"), "inputs": {"query": "b"}, "outputs": None}]))
    assert any("1 search without documents" in note for note in cut.notes)
    # A search that found nothing is something else: its list is empty, and nothing was lost.
    empty = rankproof.read_run(lines([documents("d1"), {**step("t2"), "inputs": {"query": "b"}}]))
    assert not any("without documents in the record" in note for note in empty.notes)
    assert any("1 query with nothing retrieved" in note for note in empty.notes)


# ---- wrappings, repeats and damage ----------------------------------------------------------------


def test_an_answer_of_the_api_a_list_and_lines_are_one() -> None:
    records = [documents("d1"), {**documents("d2"), "id": "r2", "trace_id": "t2", "inputs": {"query": "b"}}]
    plain = rankproof.read_run(lines(records)).to_dict()
    for wrapped in (records, {"runs": records, "cursors": {}}):
        for text in (json.dumps(wrapped), json.dumps(wrapped, indent=1), "\ufeff" + json.dumps(wrapped)):
            assert rankproof.read_run(text.encode()).to_dict() == plain
    page = {"data": [observation()], "meta": {"cursor": None}}
    assert (
        rankproof.read_run(json.dumps(page).encode()).to_dict() == rankproof.read_run(lines([observation()])).to_dict()
    )
    long = {"data": [observation(metadata={"x": "y" * (5 << 20)})], "meta": {}}
    with raises(InputError):
        rankproof.read_run(json.dumps(long).encode())  # no record within 4 MB: nothing tells what it is
    assert rankproof.read_run(json.dumps(long).encode(), "langfuse").to_dict()


def test_runs_within_runs_and_within_examples_are_read() -> None:
    root_run = step(id="r", parent_run_id=None, run_type="chain", inputs={"question": "all"})
    nested = {**root_run, "child_runs": [documents("d1")]}
    example = {"id": "e1", "dataset_id": "s", "inputs": {"question": "all"}, "outputs": {}, "runs": [nested]}
    assert list(rankproof.read_run(lines([example]))) == ["e1"]
    assert [list(r) for r in rankproof.read_run(lines([nested])).to_dict().values()] == [["d1"]]


@pytest.mark.parametrize(
    ("content", "form", "named"),
    [
        (lines([{"x": 1}]), "langsmith", ["line 1", "'x'"]),
        (lines([documents("d"), {"key": "k"}]), "langsmith", ["line 2", "'key'"]),
        (lines([step(id="a"), step(id="a", name="b")]), "langsmith", ["line 2", "'a'", "line 1"]),
        (lines([step(run_type="llm")]), "langsmith", ["retriever"]),
        (lines([observation(), {"y": 1}]), "langfuse", ["line 2", "'y'"]),
        (lines([observation(), observation(output=["d2"])]), "langfuse", ["line 2", "'o1'", "line 1"]),
        (lines([observation(type="SPAN")]), "langfuse", ["retriever"]),
        (b"[1, 2]", "langfuse", ["record 1"]),
        (b"[]", "langsmith", ["retriever"]),
        (lines([documents("d")])[:-9], "langsmith", ["line 1", "JSON"]),
        (b'{"id": "a", "id": "b"}', "langsmith", ["'id'", "twice"]),
        (b"[" * 100_000, "langfuse", ["nested"]),
    ],
)
def test_damage_is_named(content: bytes, form: str, named: list[object]) -> None:
    with raises(InputError, *named):
        rankproof.read_run(content, form)


def test_pages_that_overlap_are_read_once() -> None:
    assert rankproof.read_run(lines([observation(), observation()])).to_dict() == (
        rankproof.read_run(lines([observation()])).to_dict()
    )


def example(own: str, **outputs: object) -> dict[str, Any]:
    return {"id": own, "dataset_id": "s", "inputs": {"question": f"what {own}"}, "outputs": outputs}


def test_judgments_of_examples() -> None:
    content = lines(
        [example("a", documents={"d1": 2, "d2": 0}), example("b", documents=["d3", "d3"]), example("c", documents=[])]
    )
    qrels = rankproof.read_qrels(content)
    assert qrels.to_dict() == {"a": {"d1": 2, "d2": 0}, "b": {"d3": 1}, "c": {}}
    assert rankproof.evaluate(qrels, {"a": {"d1": 1.0}, "b": {"d3": 1.0}}, "R@1").population.judged == 3
    own = lines([example("a", gold={"ids": ["d1"]}, my_docs=["d2"])])
    assert rankproof.read_qrels(own, "langsmith(documents=my_docs)").to_dict() == {"a": {"d2": 1}}
    with raises(InputError, "documents="):
        rankproof.read_qrels(own, "langsmith")
    with raises(InputError, "'d1'", "'high'"):
        rankproof.read_qrels(lines([example("a", documents={"d1": "high"})]))
    with raises(InputError, "True", "'d1'"):
        rankproof.read_qrels(lines([example("a", documents={"d1": True})]))


def test_archived_items_play_no_part() -> None:
    item = {"datasetId": "s", "input": "a b", "expectedOutput": ["d1"]}
    content = lines([{"id": "1", "status": "ACTIVE", **item}, {"id": "2", "status": "ARCHIVED", **item}])
    qrels = rankproof.read_qrels(content)
    assert list(qrels) == ["1"] == list(rankproof.read_topics(content))
    assert any("1 archived item" in note for note in qrels.notes)
