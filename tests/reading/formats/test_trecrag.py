"""TREC RAG submissions and the nuggets of the AutoNuggetizer, after their published schemas: values, damage, a gate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.raising import raises
from tests.reading.formats.samples import lines

import rankproof
from rankproof.cli.shared.root import cli as root
from rankproof.errors import InputError, UsageError
from rankproof.reading.score_tables import read_score_table


def answer(topic: str, references: list[str], *cited: list[object], run: str = "bm25") -> dict[str, Any]:
    return {
        "run_id": run, "topic_id": topic, "topic": f"what is {topic}", "references": references, "response_length": 4,
        "answer": [{"text": f"Sentence {at}.", "citations": cites} for at, cites in enumerate(cited)],
    }  # fmt: skip


def of_2025(record: dict[str, Any]) -> dict[str, Any]:
    """The same answer in the shape of the second year."""
    about = {
        "team_id": "t", "run_id": record["run_id"], "narrative_id": int(record["topic_id"]), "type": "automatic",
        "narrative": record["topic"],
    }  # fmt: skip
    sentences = [
        {**s, "citations": [record["references"][c] for c in s["citations"]]} for s in record["answer"]
    ]  # fmt: skip
    return {"metadata": about, "references": record["references"], "answer": sentences}


TWO = [answer("1", ["a#1", "b c", "d"], [2, 0], [], [0]), answer("2", ["d"], [0])]


@pytest.mark.parametrize("records", [TWO, [of_2025(record) for record in TWO]], ids=["2024", "2025"])
def test_both_years_read_alike(records: list[Any]) -> None:
    content = lines(records)
    run = rankproof.read_run(content)
    assert {query: list(run[query]) for query in run} == {"1": ["a#1", "b c", "d"], "2": ["d"]}
    cited = rankproof.read_run(content, "trecrag(documents=cited)")
    assert {query: list(cited[query]) for query in cited} == {"1": ["d", "a#1"], "2": ["d"]}
    assert rankproof.read_topics(content) == {"1": "what is 1", "2": "what is 2"}
    table = read_score_table(content)
    read = {name: column.tolist() for name, column in table.values.items()}
    assert read == {"words": [6, 2], "sentences": [3, 1], "references": [3, 1], "cited": [2, 1], "citing": [2 / 3, 1]}
    assert any("not taken over: the answers' texts" in note for note in table.notes)


@pytest.mark.parametrize(
    ("records", "named"),
    [
        ([answer("1", ["a"], [1])], ["sentence 1", "citation 1"]),
        ([answer("1", ["a"], [-1])], ["-1"]),
        ([answer("1", ["a"], [True])], ["True"]),
        ([answer("1", ["a"], ["b"])], ["'b'"]),
        ([answer("1", [""], [])], ["references"]),
        ([answer("1", ["a"], [0]), answer("1", ["b"], [0])], ["'1'"]),
        ([answer("1", ["a"], [0]), answer("2", ["b"], [0], run="dense")], ["bm25", "dense"]),
        ([{**answer("1", ["a"]), "answer": [{"citations": []}]}], ["sentence 1", "text"]),
    ],
)
def test_damage_is_named(records: list[Any], named: list[object]) -> None:
    with raises(InputError, *named):
        rankproof.read_run(lines(records))


def test_a_reference_that_repeats_keeps_its_place() -> None:
    run = rankproof.read_run(lines([answer("1", ["a", "a", "b"], [2])]))
    assert list(run["1"]) == ["a", "a×2", "b"]
    with raises(UsageError, "'all'", "references", "cited"):
        rankproof.read_run(lines(TWO), "trecrag(documents=all)")


# ---- nuggets --------------------------------------------------------------------------------------


def assigned(topic: str, *words: str, **more: object) -> dict[str, Any]:
    nuggets = [
        {"text": f"fact {at}", "importance": "okay" if at % 2 else "vital", "assignment": word}
        for at, word in enumerate(words)
    ]
    return {"query": "what", "qid": topic, "answer_text": "so", "response_length": 1, "nuggets": nuggets, **more}


def test_scores_of_assigned_nuggets() -> None:
    content = lines(
        [
            assigned("1", "support", "support", "partial_support", "not_support", "failed"),
            {**assigned("2"), "nuggets": [{"text": "x", "importance": "okay", "assignment": "support"}]},
        ]
    )
    table = read_score_table(content)
    read = {name: column.tolist() for name, column in table.values.items()}
    assert {name: values[0] for name, values in read.items()} == {
        "strict_vital_score": 0.5, "strict_all_score": 0.5, "vital_score": 0.75, "all_score": 0.625,
    }  # fmt: skip
    assert read["strict_vital_score"][1] != read["strict_vital_score"][1], "missing, and not 0"
    assert any("a model assigned" in note for note in table.notes)
    assert any("1 assignment that failed" in note for note in table.notes)
    with raises(InputError, "r1", "r2"):
        read_score_table(lines([assigned("1", "support", run_id="r1"), assigned("2", "support", run_id="r2")]))
    with raises(InputError, "nugget 1", "'yes'"):
        read_score_table(lines([assigned("1", "yes")]))


def test_the_tools_own_scores_are_read_without_their_mean() -> None:
    row = {"strict_vital_score": 0.5, "strict_all_score": 0.5, "vital_score": 0.5, "all_score": 0.5}
    table = read_score_table(lines([{"qid": "1", **row}, {"qid": "all", **row}]))
    assert table.unit_ids == ("1",)
    assert any('"all"' in note for note in table.notes)


def test_nuggets_of_documents_are_judgments_by_nugget() -> None:
    found = {"text": "what", "qid": "1", "candidate_text": "so"}
    content = lines(
        [
            {**found, "docid": "a", "nuggets": assigned("1", "support", "partial_support", "not_support")["nuggets"]},
            {**found, "docid": "b", "nuggets": assigned("1", "not_support", "support", "not_support")["nuggets"]},
        ]
    )
    qrels = rankproof.read_qrels(content)
    assert qrels.has_subtopics
    value = rankproof.evaluate(qrels, {"1": {"b": 2.0, "a": 1.0}}, "StRecall@1 StRecall@2")
    assert [value["StRecall@1"].mean, value["StRecall@2"].mean] == [0.5, 1.0]
    assert any("nuggets that no document supports: 1 of 3" in note for note in qrels.notes)
    with raises(InputError, "'a'", "'fact 0'"):
        rankproof.read_qrels(lines([json.loads(content.split(b"\n")[0])] * 2))


def test_gates_over_references_and_over_nuggets(tmp_path: Path) -> None:
    topics = [str(at) for at in range(20)]
    runs = {"good": ["r", "x"], "bad": ["x", "s"]}
    for name, references in runs.items():
        records = [answer(topic, references, [0], run=name) for topic in topics]
        (tmp_path / f"{name}.jsonl").write_bytes(lines(records))
        word = "support" if name == "good" else "not_support"
        (tmp_path / f"{name}.nuggets").write_bytes(lines(assigned(topic, word, "support") for topic in topics))
    (tmp_path / "qrels").write_text("".join(f"{topic} 0 r 1\n{topic} 0 s 0\n" for topic in topics))
    rule = '[[rule]]\nrule = "no_regression"\nmeasure = "{}"\nmargin = 0.05\n'
    (tmp_path / "run.toml").write_text(rule.format("R@2"))
    (tmp_path / "nuggets.toml").write_text(rule.format("strict_vital_score"))
    policy, qrels, nuggets = (str(tmp_path / name) for name in ("run.toml", "qrels", "nuggets.toml"))
    for pair, status in ((("bad", "good"), 0), (("good", "bad"), 1)):
        runs_of = [str(tmp_path / f"{name}.jsonl") for name in pair]
        told = CliRunner().invoke(
            root, ["gate", policy, "--qrels", qrels, "--baseline", runs_of[0], "--candidate", runs_of[1]]
        )
        assert told.exit_code == status, told.output
        files = [str(tmp_path / f"{name}.nuggets") for name in pair]
        told = CliRunner().invoke(root, ["gate", nuggets, "--scores", *files])
        assert told.exit_code == status, told.output
