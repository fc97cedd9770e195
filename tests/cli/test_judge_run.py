"""`rankproof judge run`: which pairs are asked, what is kept, what is never asked again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.cli.model_judging import about, failures, grades, made, run, told
from tests.stack.stages.model_server import http, says, serving, thinks

from rankproof.judging.records import Assignment
from rankproof.judging.store import open_store
from rankproof.kernel.schema_files import bundled

GRADES = {("q1", "d4"): 1, ("q1", "d2"): 0, ("q2", "d2"): 3, ("q2", "d4"): 2, ("q3", "d3"): 3, ("q3", "d1"): 0}


def grading(body: dict[str, Any], before: int) -> bytes:
    """A model that knows."""
    return answer(f"Grade: {GRADES.get(about(body), 3)}")


def answer(text: str, asked: int = 100, said: int = 4) -> bytes:
    usage = {"prompt_tokens": asked, "completion_tokens": said}
    choice = {"message": {"content": text}, "finish_reason": "stop"}
    return http(json.dumps({"choices": [choice], "usage": usage, "model": "m-2031-05-04"}))


def test_grades_come_into_the_store_with_their_source(tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(grading) as server:
        done = run(store, server.url, "--price-in", "2.5", "--price-out", "10", "--currency", "EUR")
        assert len(server.asked) == 6
    assert done.exit_code == 0, done.output
    assert grades(store) == GRADES  # all but q1 d1, which ann graded; "cannot tell" is no grade
    with open_store(store) as kept:
        sources = {act.source for act in kept.judgments.current("shop", judge="graded:m")}
        (source,) = sources
        (pinned,) = kept.experiments.all("shop", "judge")
        document = kept.experiments.get("shop", pinned.sha256)
    assert (source.kind, source.version) == ("model", "m")
    assert (document["judge"], document["model"]) == ("graded:m", "m")
    assert (document["prompt"]["sha256"], document["settings"]["sha256"]) == (source.prompt, source.settings)
    assert "{document}" in document["prompt"]["user"]
    # 6 answers of 100 and 4 tokens: 600 * 2.5 + 24 * 10 = 1740 millionths.
    assert done.stdout.splitlines() == [
        "shop: 6 pairs for graded:m",
        f"  asks: graded at {server.url}",
        "  from: the first 2 of each run that people have not graded",
        "  judged 6, failed 0",
        "  grades: 0: 2, 1: 1, 2: 1, 3: 2",
        "  served by: m-2031-05-04",
        "",
        "tokens: 600 asked, 24 answered; cost: 0.0017 EUR",
    ]


def test_what_was_done_is_not_asked_again(tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(grading) as server:
        run(store, server.url)
        again = run(store, server.url, "--json")
        assert len(server.asked) == 6
    outcome = told(again)["outcome"]
    assert (again.exit_code, outcome["questions"], outcome["there"], outcome["judged"]) == (0, 6, 6, 0)
    assert outcome["tokens"] == {"asked": 0, "answered": 0, "uncounted": 0}


def test_an_answer_that_only_the_cache_has_is_not_asked_again(tmp_path: Path) -> None:
    """A process that was killed between the two."""
    store = made(tmp_path)
    with serving(grading) as server:
        run(store, server.url)
        Path(store).unlink()
        for rest in tmp_path.glob("judging.db-*"):
            rest.unlink()
        made(tmp_path)
        again = run(store, server.url, "--json")
        assert len(server.asked) == 6
    assert told(again)["outcome"]["from_cache"] == 6
    assert grades(store) == GRADES


@pytest.mark.parametrize(
    ("args", "pairs"),
    [
        (["--pairs", "judged"], {("q1", "d1")}),
        (["--pairs", "pool"], {("q1", "d1"), *GRADES}),
        (["--pairs", "depth_pool(depth=1)"], {("q1", "d1"), ("q2", "d2"), ("q2", "d4"), ("q3", "d3")}),
        (["--pairs", "assigned"], {("q3", "d4"), ("q2", "d1")}),
        (["--list", "sheet.tsv"], {("q3", "d2"), ("q1", "d3")}),
        (["--list", "some.trec"], {("q3", "d2")}),
    ],
)
def test_which_pairs(args: list[str], pairs: set[tuple[str, str]], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sheet.tsv").write_text("query_id\tdoc_id\tgrade\nq3\td2\t\nq1\td3\t\nq9\td3\t\nq3\td2\t\n")
    Path("some.trec").write_text("q3 0 d2 1\n")
    store = made(tmp_path)
    with open_store(store) as kept:
        rows = [Assignment("q3", "d4", 1, "graded:m"), Assignment("q2", "d1", 2), Assignment("q1", "d1", 3, "bob")]
        kept.assignments.add("shop", rows)
    with serving(grading) as server:
        done = run(store, server.url, *args)
        assert {about(body) for body in server.asked} == pairs
    assert done.exit_code == 0, done.output
    assert set(grades(store)) == pairs


def test_a_sample_is_drawn_by_its_seed(tmp_path: Path) -> None:
    drawn = []
    for name, seed in (("one", "0"), ("two", "0"), ("three", "1")):
        (tmp_path / name).mkdir()
        store = made(tmp_path / name)
        with serving(grading) as server:
            done = run(store, server.url, "--sample", "3", "--seed", seed)
        drawn.append(set(grades(store)))
        assert f"not graded, drawn with seed {seed}; 6 to draw from" in done.stdout
    assert drawn[0] == drawn[1] != drawn[2]
    assert [len(one) for one in drawn] == [3, 3, 3]


def test_repetitions_are_judges_of_their_own(tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(lambda body, before: answer(f"Grade: {body['seed']}")) as server:
        done = run(store, server.url, "--repeat", "3", "--sample", "2", "--temperature", "0.7")
        assert sorted(body["seed"] for body in server.asked) == [0, 0, 1, 1, 2, 2]
        assert {body["temperature"] for body in server.asked} == {0.7}
    assert "2 pairs for graded:m and its repetitions to graded:m#3" in done.stdout
    for seed, name in enumerate(("graded:m", "graded:m#2", "graded:m#3")):
        assert list(grades(store, name).values()) == [seed, seed]
    with open_store(store) as kept:
        assert len({act.source.settings for act in kept.judgments.current("shop", source="model")}) == 3


def test_one_name_is_one_judge(tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(grading) as server:
        run(store, server.url)
        warm = run(store, server.url, "--temperature", "1")
        assert (warm.exit_code, len(server.asked)) == (2, 6)
        assert "has judged here with another settings" in warm.stderr
        other = run(store, server.url, "--judge", "graded(reasons=True)")
        assert "with another prompt, settings" in other.stderr
        assert run(store, server.url, "--temperature", "1", "--as", "warm").exit_code == 0
        person = run(store, server.url, "--as", "ann")
        assert "There are judgments of 'ann' here that this judge did not give" in person.stderr
    assert set(grades(store, "warm")) == set(GRADES)


def test_yes_and_no_by_probability(tmp_path: Path) -> None:
    store = made(tmp_path, "binary")
    share = thinks(Yes=0.6, No=0.2)
    with serving(lambda body, before: share if about(body)[1] == "d2" else thinks(No=0.9, Yes=0.1)) as server:
        done = run(store, server.url, "--judge", "binary(by='logprob')")
        assert {body["top_logprobs"] for body in server.asked} == {20}
    assert done.exit_code == 0, done.output
    assert {pair for pair, grade in grades(store, "binary:m").items() if grade} == {("q1", "d2"), ("q2", "d2")}
    with open_store(store) as kept:
        notes = {act.note for act in kept.judgments.current("shop", judge="binary:m")}
    assert notes == {"p(yes) = 0.750", "p(yes) = 0.100"}


def test_two_documents_are_asked_about_in_both_orders(tmp_path: Path) -> None:
    """q1 and q2 hold d2 and d4 against each other, q3 d3 and d1. The model prefers d2, d4, and place A."""
    store = made(tmp_path)

    def prefer(body: dict[str, Any], before: int) -> bytes:
        best = {"q1": "About d2", "q2": "About d4"}.get(about(body)[0], "Document A")
        return answer("A" if best in body["messages"][-1]["content"].split("Document B:")[0] else "B")

    with serving(prefer) as server:
        done = run(store, server.url, "--judge", "pairwise", "--json")
        again = run(store, server.url, "--judge", "pairwise", "--json")
        assert len(server.asked) == 6
    assert (done.exit_code, again.exit_code) == (0, 0)
    assert told(done)["outcome"]["preferences"] == {"contradicted": 1, "first": 1, "neither": 1, "second": 1}
    assert (told(done)["outcome"]["judged"], told(again)["outcome"]["there"]) == (3, 3)
    with open_store(store) as kept:
        found = {act.query_id: (act.variants, act.preferred) for act in kept.preferences.current("shop")}
        (habit,) = [act.note for act in kept.preferences.current("shop", query_id="q3")]
        assert kept.judgments.current("shop", source="model") == []
    assert found == {
        "q1": (("doc:d2", "doc:d4"), "doc:d2"),
        "q2": (("doc:d2", "doc:d4"), "doc:d4"),
        "q3": (("doc:d3", "doc:d1"), None),
    }
    assert habit.startswith("the first place in either order; prompt ")


def test_a_dry_run_asks_nothing_and_writes_nothing(tmp_path: Path) -> None:
    store = made(tmp_path, guidelines="Count colors.")
    with serving(says("Grade: 1")) as server:
        shown = run(store, server.url, "--dry-run", "--price-in", "1", "--currency", "EUR")
        document = told(run(store, server.url, "--dry-run", "--repeat", "2", "--json"))
        assert server.asked == []
    assert (shown.exit_code, grades(store)) == (0, {})
    assert not (tmp_path / "cache").exists()
    with open_store(store) as kept:
        assert kept.experiments.all("shop") == []
    assert "  to ask: 6 questions\n" in shown.stdout
    assert "\n  Rules of this project:\n  Count colors.\n" in shown.stdout
    assert "\n  Blue cotton shirt\n  About d2.\n  </document " in shown.stdout
    plan, example = document["plan"], document["example"]
    assert (plan["questions"], plan["requests"], plan["tokens_answered_at_most"], plan["cost"]) == (
        12,
        12,
        12 * 24,
        None,
    )
    one = -(-len(example["system"] + example["user"]) // 4) + 12
    assert plan["tokens_asked"] == pytest.approx(12 * one, rel=0.02)  # documents differ by a few letters
    assert document["outcome"] is None


def test_documents_hold_to_their_schema(tmp_path: Path) -> None:
    store = made(tmp_path)
    check = Draft202012Validator(bundled("model-judging/1"))
    replies = [says("Grade: 1"), says("nonsense"), http("", "500 Internal Server Error")]
    with serving(lambda body, before: replies[before % 3]) as server:
        args = ("--concurrency", "1", "--retries", "0", "--price-in", "1", "--json")
        for more in ([], ["--dry-run"], ["--judge", "pairwise"]):
            document = told(run(store, server.url, *args, *more))
            assert [error.message for error in check.iter_errors(document)] == [], more


def test_documents_without_a_text_are_not_asked_about(tmp_path: Path) -> None:
    store = made(tmp_path)
    (tmp_path / "list.csv").write_text("query_id,doc_id\nq1,d1\nq1,d9\n")
    with serving(grading) as server:
        done = run(store, server.url, "--list", str(tmp_path / "list.csv"))
    assert "  not asked, without a text: 1 document\n" in done.stdout
    assert (done.exit_code, failures(store)) == (0, [])


def test_a_document_whose_name_no_preference_holds_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    store, long = made(tmp_path), "d" * 197
    (tmp_path / "list.csv").write_text(f"query_id,doc_id\nq1,d1\nq1,{long}\n")
    with serving(says("A")) as server:
        done = run(store, server.url, "--judge", "pairwise", "--list", str(tmp_path / "list.csv"))
        assert server.asked == []
    assert done.exit_code == 2
    assert "has a name of 197 characters; preferences hold 196 at most" in done.stderr


def test_a_long_document_is_cut(tmp_path: Path) -> None:
    with serving(says("Grade: 1")) as server:
        run(made(tmp_path), server.url, "--characters", "7", "--sample", "1")
        user = server.asked[0]["messages"][-1]["content"]
    assert re.search(
        r" \[\.\.\.\]\n</document \w+>\n\(The document goes on: \d+ more characters are not shown\.\)", user
    )
