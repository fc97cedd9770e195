"""`dataset draft` from a corpus to drafts, to people, to topics and qrels; and what it may cost."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.cli.drafting import PRICES, answers, clean, corpus, counted, lines, run, told
from tests.cli.json_case import faults
from tests.judging.drafting.small import TEXTS
from tests.stack.stages.model_server import http, question, serving

from rankproof import read_qrels, read_topics
from rankproof.cli.shared.root import cli
from rankproof.judging.records import Judgment
from rankproof.judging.store import open_store
from rankproof.stack.samples import __file__ as samples


def test_a_draft_for_each_document_with_its_source(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    with serving(answers) as server:
        done = run(source, server.url, "--json")
        again = run(source, server.url, "--json")
        assert len(server.asked) == 12
    body = told(done)
    assert (done.exit_code, faults(body, "drafting/1")) == (0, [])
    assert body["questions"]["by_kind"] == {"one": 11, "several": 0, "none": 1}
    assert body["drafts"]["accepted"] == 12
    assert body["asking"]["served"] == {"m-1": 12}
    drafts = lines(tmp_path)
    assert [faults(draft, "draft/1") for draft in drafts] == [[]] * 12
    for draft in drafts:
        (there,) = draft["sources"]
        assert draft["query"] == f"which tool suits need{there['doc_id'][1:]}?"
    # The second time nothing is asked, and nothing is another.
    assert (told(again)["questions"]["there"], told(again)["asking"]["asked"], lines(tmp_path)) == (12, 0, drafts)
    assert told(again)["drafts"] == body["drafts"]


def test_more_queries_ask_only_for_those_that_are_new(tmp_path: Path) -> None:
    source = corpus(tmp_path, 30)
    with serving(answers) as server:
        assert run(source, server.url, "-n", "10").exit_code == 0
        first = {draft["draft_id"] for draft in lines(tmp_path) if draft["kind"] == "one"}
        done = run(source, server.url, "-n", "20", "--json")
        # The share without an answer is drawn anew: a question of another kind is another question.
        assert len(server.asked) == 10 + told(done)["asking"]["asked"]
        assert told(done)["questions"]["there"] >= 8
    assert len(first & {draft["draft_id"] for draft in lines(tmp_path)}) >= 8


def test_answers_of_another_model_do_not_mix(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    with serving(answers) as server:
        assert run(source, server.url).exit_code == 0
        before = (tmp_path / "drafts" / "drafts.jsonl").read_bytes()
        for args in (["--temperature", "1"], ["--about", "A shop"], ["--characters", "9"], ["--model", "other"]):
            for dry in ([], ["--dry-run"]):
                refused = run(source, server.url, *args, *dry)
                assert refused.exit_code == 2, args
        other = run(corpus(tmp_path, 13, "other.jsonl"), server.url)
        assert (other.exit_code, len(server.asked)) == (2, 12)
    assert (tmp_path / "drafts" / "drafts.jsonl").read_bytes() == before


def test_other_limits_mark_the_same_answers_anew(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    with serving(answers) as server:
        run(source, server.url)
        strict = run(source, server.url, "--longest", "3", "--json")
        assert len(server.asked) == 12
    assert (strict.exit_code, told(strict)["drafts"]["marks"]) == (1, {"too long": 12})


# ---- people --------------------------------------------------------------------------------------


def judgments(*args: str) -> Result:
    done = CliRunner().invoke(cli, ["judgments", *args])
    assert done.exit_code == 0, done.output
    return done


def test_a_draft_is_a_topic_only_when_people_have_judged_it(tmp_path: Path) -> None:
    source, store = corpus(tmp_path), str(tmp_path / "judging.db")
    with serving(answers) as server:
        done = run(source, server.url, "--store", store, "--candidates", "4", "--json")
        again = run(source, server.url, "--store", store, "--candidates", "4", "--json")
    given = told(done)["store"]
    assert (given["project"], given["queries"], given["queries_added"]) == ("drafts", 12, 12)
    assert given["pairs"] == given["pairs_added"] == 48
    later = told(again)["store"]
    assert (later["queries_added"], later["documents_added"], later["pairs_added"]) == (0, 0, 0)
    drafts = {draft["draft_id"]: draft for draft in lines(tmp_path)}
    none = CliRunner().invoke(cli, ["judgments", "export", store, str(tmp_path / "no.tsv"), "--what", "topics"])
    assert (none.exit_code, (tmp_path / "no.tsv").exists()) == (1, False)
    with open_store(store) as kept:
        assert list(kept.judgments.current("drafts")) == []
        handed = sorted(kept.assignments.all("drafts"), key=lambda one: one.place)
        pairs = {(one.query_id, one.doc_id) for one in handed}
        # Nothing tells a judge which document a query was drafted from: no field, and not its place.
        assert {query.query_id: dict(query.columns) for query in kept.items.queries("drafts")} == {
            name: {"origin": "drafted"} for name in drafts
        }
        for name, draft in drafts.items():
            assert (name, draft["sources"][0]["doc_id"]) in pairs
        places = [
            [one.doc_id for one in handed if one.query_id == name].index(draft["sources"][0]["doc_id"])
            for name, draft in drafts.items()
        ]
        assert (
            len(set(places)) >= 3
        )  # of four: with twelve queries drawn by lot, two would be one case in seven hundred
        # A person judges two queries; one by a model, which does not count.
        one, none_kind = (
            next(name for name, draft in drafts.items() if draft["kind"] == kind) for kind in ("one", "none")
        )
        for n, (query, doc) in enumerate(sorted(pair for pair in pairs if pair[0] in (one, none_kind))):
            grade = 3 if query == one and doc == drafts[one]["sources"][0]["doc_id"] else 0
            kept.judgments.add("drafts", Judgment(f"k{n}", "ann", query, doc, grade))
    judgments("export", store, str(tmp_path / "topics.tsv"), "--what", "topics")
    judgments("export", store, str(tmp_path / "qrels.trec"))
    topics, qrels = read_topics(str(tmp_path / "topics.tsv")), read_qrels(str(tmp_path / "qrels.trec"))
    assert dict(topics) == {name: drafts[name]["query"] for name in (one, none_kind)}
    assert set(qrels) == {one, none_kind}
    assert qrels.grades[3] == 1
    run_file = tmp_path / "a.run"
    run_file.write_text(f"{one} Q0 {drafts[one]['sources'][0]['doc_id']} 1 9 a\n")
    scored = CliRunner().invoke(cli, ["evaluate", str(tmp_path / "qrels.trec"), str(run_file), "-m", "RR", "--json"])
    assert scored.exit_code == 0, scored.output


def test_what_is_in_the_store_waits_for_all_answers_unless_they_are_left(tmp_path: Path) -> None:
    source, store = corpus(tmp_path), str(tmp_path / "judging.db")
    with serving(
        lambda body, before: http("no", "400 Bad Request") if "Item 3:" in question(body) else answers(body, 0)
    ) as server:
        waits = run(source, server.url, "--store", store, "--json")
        assert (waits.exit_code, told(waits)["store"], Path(store).exists()) == (1, {"waiting": True}, False)
        left = run(source, server.url, "--store", store, "--leave-unanswered", "--json")
    body = told(left)
    assert (left.exit_code, body["store"]["queries"], body["drafts"]["unanswered"]) == (0, 11, 1)
    assert faults(told(waits), "drafting/1") == faults(body, "drafting/1") == []
    # Answered questions were not asked again, the other one was.
    assert len(server.asked) == 13


def test_a_project_that_cannot_be_chosen_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    source, store = corpus(tmp_path), str(tmp_path / "judging.db")
    for name in ("a", "b"):
        judgments("init", store, "--project", name)
    with serving(answers) as server:
        for args in (
            ["--store", store],
            ["--store", str(tmp_path / "no" / "judging.db")],
            ["--project", "a"],
            ["--leave-unanswered"],
        ):
            assert run(source, server.url, *args).exit_code == 2, args
        assert run(source, server.url, "--store", store, "--project", "b").exit_code == 0
        assert len(server.asked) == 12


# ---- cost ----------------------------------------------------------------------------------------


def test_no_more_requests_than_the_ceiling_over_all_commands(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    with serving(answers) as server:
        first = run(source, server.url, "--max-requests", "5", "--json")
        assert (first.exit_code, len(server.asked)) == (1, 5)
        second = run(source, server.url, "--max-requests", "5", "--json")
        assert (second.exit_code, len(server.asked)) == (1, 5)
        third = run(source, server.url, "--max-requests", "7")
        assert (third.exit_code, len(server.asked)) == (1, 7)
        assert "requests in all: 7 of 7 at most" in third.stdout
        assert run(source, server.url).exit_code == 0
        assert len(server.asked) == 12
    asking = told(first)["asking"]
    assert (asking["asked"], asking["unasked"], asking["ceiling_reached"]) == (5, 7, True)
    assert told(second)["spending"]["requests"] == 5


def test_every_try_counts_as_a_request(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    with serving(http("oops", "500 Internal Server Error", "Retry-After: 0\r\n")) as server:
        done = run(source, server.url, "--max-requests", "3", "--concurrency", "1", "--json")
        assert (done.exit_code, len(server.asked)) == (1, 3)
    spending = told(done)["spending"]
    # A server that fails bills nothing; the request counts all the same.
    assert (spending["requests"], spending["tokens_asked_at_most"], spending["uncounted"]) == (3, 0, 0)
    assert [(one["kind"], one["count"]) for one in told(done)["drafts"]["failures"]] == [
        ("not asked", 11),
        ("server error", 1),
    ]


@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_the_ceiling_of_cost_is_never_passed(tmp_path: Path, concurrency: str) -> None:
    """100 and 10 tokens at 1 and 10 a million are 0.0002 for a question; a prompt of some 800 bytes may take 0.0028."""
    source = corpus(tmp_path)
    with serving(answers) as server:
        done = run(source, server.url, "--max-cost", "0.004", "--concurrency", concurrency, "--json", *PRICES)
        number = len(server.asked)
    spending = told(done)["spending"]
    # 0.004 - 0.0028 leaves room for 6 settled ones before the last; how many depends on the bytes of prompts only.
    assert (done.exit_code, told(done)["asking"]["ceiling_reached"]) == (1, True)
    assert spending["cost_at_most"] == pytest.approx(number * 0.0002)
    assert 4 <= number <= 8
    most = max(len(question(body).encode()) for body in server.asked) + 250
    assert spending["cost_at_most"] + (most + 10 * 200) / 1e6 > 0.004


def test_an_answer_without_a_count_costs_the_most_it_can(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    with serving(lambda body, before: counted(clean(body), None)) as server:
        done = run(source, server.url, "-n", "2", "--tokens", "50", "--json", *PRICES)
    body = told(done)
    sent = sum(len(message["content"].encode()) for asked in server.asked for message in asked["messages"])
    assert body["spending"]["tokens_asked_at_most"] == sent + 2 * 12  # what the form of a chat adds
    assert (body["spending"]["tokens_answered_at_most"], body["spending"]["uncounted"]) == (100, 2)


@pytest.mark.parametrize(
    "args",
    [
        ["--max-cost", "1"],
        ["--max-cost", "nan", *PRICES],
        ["--max-cost", "1", *PRICES, "--body", '{"max_tokens": null}'],
        ["--max-cost", "1", *PRICES, "--body", '{"n": 4}'],
        ["--currency", "USD"],
        ["--several", "nan"],
        ["--several", "0.6", "--unanswerable", "0.6"],
        ["--covered", "nan"],
        ["--timeout", "inf"],
        ["--body", '{"x": NaN}'],
        ["--body", "[]"],
        ["--detect", "0.1", "--sd", "0.1", "--qrels", "q"],
        ["--detect", "0.1", "--qrels", "nowhere", "--run", "a", "--run", "b"],
        ["--sd", "1"],
        ["--detect", "-1"],
        ["--strata", "field:nowhere"],
        ["--strata", "cluster:0"],
        ["--strata", "weight"],
        ["--topics", "nowhere"],
        ["-n", "13"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_refused_before_anything_is_asked(tmp_path: Path, args: list[str]) -> None:
    with serving(answers) as server:
        done = run(corpus(tmp_path), server.url, *args)
        assert server.asked == []
    assert done.exit_code in (1, 2), done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert done.stderr.startswith(("rankproof: ", "Usage: "))
    assert not (tmp_path / "drafts").exists()


def test_other_bounds_of_answers_count(tmp_path: Path) -> None:
    body = '{"max_tokens": null, "max_completion_tokens": 7}'
    with serving(lambda asked, before: counted(clean(asked), None)) as server:
        done = run(corpus(tmp_path), server.url, "-n", "2", "--max-cost", "1", "--body", body, "--json", *PRICES)
        assert [asked["max_completion_tokens"] for asked in server.asked] == [7, 7]
    assert told(done)["spending"]["tokens_answered_at_most"] == 14


# ---- how many decide -----------------------------------------------------------------------------


def test_how_many_accepted_queries_decide(tmp_path: Path) -> None:
    """(1.960 + 0.842)^2 * (0.2 / 0.1)^2 = 31.4, and with Student's t somewhat more; 0.5 needs 4 to 6 of 11."""
    source = corpus(tmp_path)
    with serving(answers) as server:
        few = told(run(source, server.url, "--detect", "0.1", "--sd", "0.2", "--json"))["decides"]
        many = told(run(source, server.url, "--detect", "0.5", "--sd", "0.2", "--json"))["decides"]
        blind = told(run(source, server.url, "--detect", "0.1", "--json"))["decides"]
    assert (few["status"], few["accepted"]) == ("UNDECIDED", 11)  # one of 12 has no answer
    assert 32 <= few["needed"] <= 35
    assert few["draft"] == -(-few["needed"] * 12 // 11)
    assert many["status"] == "PASS"
    assert 3 <= many["needed"] <= 6
    assert (blind["status"], blind["needed"]) == ("UNDECIDED", None)


def test_the_spread_of_two_runs_that_are_there(tmp_path: Path) -> None:
    """Two runs of the sample: what the accepted ones show is said of them, and of nothing before they are drafted."""
    source, sample = corpus(tmp_path), Path(samples).parent / "rankings"
    runs = [
        "--qrels",
        str(sample / "qrels.trec"),
        "--run",
        str(sample / "bm25.run"),
        "--run",
        str(sample / "dense.run"),
    ]
    args = ("--detect", "0.02", *runs)
    with serving(answers) as server:
        dry = run(source, server.url, *args, "--dry-run")
        assert (dry.exit_code, "nothing is drafted yet" in dry.stdout) == (0, True), dry.output
        before = told(run(source, server.url, *args, "--dry-run", "--json"))["decides"]
        assert run(source, server.url, *args).exit_code == 0
        after = told(run(source, server.url, *args, "--json"))["decides"]
        fewer = told(run(source, server.url, *args, "-n", "1", "--json"))["decides"]
        several = run(source, server.url, *args, "-m", "nDCG@10,RR", "--dry-run")
    assert (before["accepted"], before["shows"], fewer["accepted"], fewer["shows"]) == (None, None, 1, None)
    assert before["needed"] == after["needed"] > 11
    assert after["needed_range"][0] < after["needed"] < after["needed_range"][1]
    # 11 queries show what is sqrt(needed / 11) times as large as 0.02, but for Student's t.
    assert after["shows"] == pytest.approx(0.02 * (after["needed"] / 11) ** 0.5, rel=0.2)
    assert (several.exit_code, "--measure" in several.stderr) == (2, True)


def test_strata_kinds_and_topics(tmp_path: Path) -> None:
    """Six documents: two kinds of things; a topic that is there already is not drafted again."""
    docs = [
        {"_id": doc, "title": title, "text": text, "kind": title.split()[-1]} for doc, (title, text) in TEXTS.items()
    ]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    (tmp_path / "topics.tsv").write_text("t1\tWHAT keeps me dry?\n")
    seen: list[int] = []

    def behave(body: dict[str, Any], before: int) -> bytes:
        seen.append(question(body).count("<document "))
        return counted("Query: what keeps me dry")

    with serving(behave) as server:
        line = ["dataset", "draft", str(path), "-o", str(tmp_path / "drafts"), "--endpoint", server.url, "--model", "m"]
        line += ["--several", "0.5", "--unanswerable", "0", "--strata", "field:kind", "--field", "title"]
        line += ["--field", "text", "--field", "kind", "--topics", str(tmp_path / "topics.tsv"), "--json"]
        done = CliRunner().invoke(cli, line)
    body = told(done)
    assert (done.exit_code, body["drafts"]["marks"]["duplicate"]) == (1, 6)
    assert sum(part["drawn"] for part in body["strata"]["parts"]) == 6
    assert Counter(seen)[2] == body["questions"]["by_kind"]["several"] == 3 - body["questions"]["without_similar"]
