"""The page of judging through the ASGI client: forms without a script, what a script asks for, and who may."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import Client, signed_in

from rankproof.judging.records import Assignment, GoldAnswer, Level, Scale
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query

PAGE = "/p/shop/judge"


def form_in(page: str) -> dict[str, str]:
    """The hidden fields of the first form that judges."""
    form = re.search(r'<form [^>]*action="/p/shop/judge".*?</form>', page, re.DOTALL)
    assert form is not None
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form[0]))


def change(client: Client, **settings: Any) -> None:
    """Changes the settings of the project as a page of this server would."""
    context = client.app.state.context
    context.change_project(replace(context.store.projects.get("shop"), **settings), "setup")


def judge_once(client: Client, **said: Any) -> dict[str, str]:
    """Judges what the page shows, by its form."""
    fields = form_in(client.get(PAGE).text)
    assert client.post(PAGE, data=fields | said).status_code == 303
    return fields


def items(client: Client, n: int = 5) -> Any:
    return client.get(f"{PAGE}/items", params={"n": n}).json()


def test_a_form_judges_and_the_next_page_shows_the_next(judge: Client, shop: Store) -> None:
    first = judge_once(judge, grade="2", note="because\r\nof that")
    second = judge_once(judge, reason="cannot_tell")
    assert (first["query_id"], first["doc_id"]) != (second["query_id"], second["doc_id"])
    held = shop.judgments.current("shop")
    assert [(j.judge, j.query_id, j.doc_id, j.grade, j.reason, j.note) for j in held] == [
        ("judy", first["query_id"], first["doc_id"], 2, "", "because\nof that"),
        ("judy", second["query_id"], second["doc_id"], None, "cannot_tell", ""),
    ]
    page = judge.get(PAGE).text
    assert '<b data-count="mine">2</b> judged' in page
    assert '<b data-count="left">16</b> left' in page
    assert "Last: <b>Cannot tell</b> for <bdi>Thing" in page


def test_a_form_that_is_sent_twice_is_one_act(judge: Client, shop: Store) -> None:
    fields = form_in(judge.get(PAGE).text) | {"grade": "1"}
    assert judge.post(PAGE, data=fields).status_code == 303
    assert judge.post(PAGE, data=fields).status_code == 303
    assert len(shop.judgments.history("shop")) == 1
    assert judge.post(PAGE, data=fields | {"grade": "2"}).status_code == 409


def test_a_page_that_is_loaded_again_keeps_its_place(judge: Client) -> None:
    once, again = (form_in(judge.get(PAGE).text) for _ in range(2))
    assert [once[name] for name in ("query_id", "doc_id")] == [again[name] for name in ("query_id", "doc_id")]
    told = items(judge)["items"]
    assert (told[0]["query_id"], told[0]["doc_id"]) == (once["query_id"], once["doc_id"])
    assert items(judge)["items"] == told


def test_undo_takes_the_last_word_back_and_shows_it_again(judge: Client, shop: Store) -> None:
    judge_once(judge, grade="0")
    last = judge_once(judge, grade="3")
    assert judge.submit(f"{PAGE}/undo").status_code == 303
    assert [j.grade for j in shop.judgments.current("shop")] == [0]
    assert form_in(judge.get(PAGE).text)["doc_id"] == last["doc_id"]
    told = judge.post(f"{PAGE}/undo", headers={"X-CSRF-Token": judge.csrf, "Accept": "application/json"}).json()
    assert told["said"] == "0 Not relevant"
    nothing = judge.post(f"{PAGE}/undo", headers={"X-CSRF-Token": judge.csrf, "Accept": "application/json"})
    assert nothing.json() == {"item": None}
    assert judge.submit(f"{PAGE}/undo").status_code == 303
    assert len(shop.judgments.history("shop")) == 4


def test_flag_and_pick_and_back(judge: Client, shop: Store) -> None:
    fields = form_in(judge.get(PAGE).text)
    assert judge.post(f"{PAGE}/mark", data=fields | {"kind": "flag", "note": "It is a cable."}).status_code == 303
    assert judge.post(f"{PAGE}/mark", data=fields | {"kind": "pick"}).status_code == 303
    marks = shop.marks.current("shop")
    assert [(m.kind, m.judge, m.doc_id, m.reason) for m in marks] == [
        ("flag", "judy", fields["doc_id"], "It is a cable."), ("pick", "judy", fields["doc_id"], ""),
    ]  # fmt: skip
    page = judge.get(PAGE).text
    assert page.count('aria-pressed="true"') == 2
    fields = form_in(page)
    assert judge.post(f"{PAGE}/mark", data=fields | {"kind": "flag"}).status_code == 303
    assert [m.kind for m in shop.marks.current("shop")] == ["pick"]
    assert judge.post(f"{PAGE}/mark", data=fields | {"kind": "steal"}).status_code == 422


def test_everything_gets_judged_once_and_then_nothing_is_left(judge: Client, shop: Store) -> None:
    for _ in range(18):
        judge_once(judge, grade="1")
    assert "Nothing is left for you" in judge.get(PAGE).text
    pairs = [(j.query_id, j.doc_id) for j in shop.judgments.current("shop")]
    assert len(pairs) == len(set(pairs)) == 18


def test_two_judges_share_the_work(app: Starlette, judge: Client, shop: Store) -> None:
    other = signed_in(app, "bob", "judge")
    for _ in range(9):
        judge_once(judge, grade="1")
        judge_once(other, grade="2")
    pairs = [(j.query_id, j.doc_id) for j in shop.judgments.current("shop")]
    assert len(pairs) == len(set(pairs)) == 18
    assert "Nothing is left for you" in other.get(PAGE).text


def test_more_judges_when_the_settings_want_them(app: Starlette, judge: Client, shop: Store) -> None:
    for _ in range(18):
        judge_once(judge, grade="1")
    change(judge, wanted=2)
    assert "Nothing is left for you" in judge.get(PAGE).text
    other = signed_in(app, "bob", "judge")
    assert len(items(other, 20)["items"]) == 18


def test_another_selection_and_other_runs_count_at_once(judge: Client, shop: Store) -> None:
    change(judge, selection="depth_pool(depth=1)")
    assert len(items(judge, 20)["items"]) == 6  # the first of each of two runs, for three queries
    shop.runs.add("shop", "third", {"q1": ["d6"]}, "c" * 64)
    assert len(items(judge, 20)["items"]) == 7
    change(judge, selection="influence(measure='P@1')")
    assert {one["doc_id"] for one in items(judge, 20)["items"]} <= {"d1", "d3", "d6"}
    change(judge, selection="no_such")
    answer = judge.get(PAGE)
    assert answer.status_code in (404, 422)
    assert "No selection is called" in answer.text


def test_assignments_and_gold_questions(judge: Client, shop: Store) -> None:
    shop.assignments.add("shop", [Assignment("q2", "d4", 1, "judy"), Assignment("q2", "d5", 2, "bob")])
    assert [one["doc_id"] for one in items(judge)["items"]] == ["d4"]
    shop.gold.add("shop", [GoldAnswer("q1", "d6", 3)])
    change(judge, gold=1.0)
    assert [one["doc_id"] for one in items(judge)["items"]] == ["d4", "d6"]
    page = judge.get(PAGE).text
    assert "gold" not in page.lower()


def test_later_comes_back_marked(judge: Client, shop: Store) -> None:
    change(judge, selection="depth_pool(depth=1, pairs=2)")
    aside = judge_once(judge, reason="later")
    assert judge_once(judge, grade="1")["doc_id"] != aside["doc_id"]
    page = judge.get(PAGE).text
    assert form_in(page)["doc_id"] == aside["doc_id"]
    assert "set aside before" in page
    judge_once(judge, grade="2")
    assert "Nothing is left for you" in judge.get(PAGE).text


def test_the_list_of_a_query(judge: Client, shop: Store) -> None:
    page = judge.get(PAGE, params={"view": "list", "query": "q/3"}).text
    assert page.count('class="document row"') == 6
    assert "shoe polish" in page
    fields = form_in(page)
    answer = judge.post(PAGE, data=fields | {"grade": "3", "note": "so"})
    assert answer.headers["location"] == "/p/shop/judge?view=list&query=q%2F3"
    page = judge.get(answer.headers["location"]).text
    assert page.count('class="document row"') == 6
    assert page.count('aria-pressed="true"') == 1
    assert ">so</textarea>" in page
    assert judge.get(PAGE, params={"view": "list", "query": "no such"}).status_code == 200
    assert judge.get(PAGE, params={"view": "list"}).text.count('class="document row"') == 6


def test_items_for_a_script(judge: Client) -> None:
    told = items(judge, 3)
    assert len(told["items"]) == 3
    assert set(told["items"][0]) == {"query_id", "doc_id", "name", "image", "html"}
    assert "data-doc=" in told["items"][0]["html"]
    assert "18</b> left" in told["progress"]
    for n in ("0", "-1", "x", "99999", "1e9", "٣"):
        assert judge.get(f"{PAGE}/items", params={"n": n, "day": "no day"}).status_code == 200, n
    assert len(items(judge, 999)["items"]) == 18


@pytest.mark.parametrize(
    "wrong",
    [{"grade": "9"}, {"grade": "x"}, {"grade": ""}, {"grade": "1", "reason": "later"}, {"reason": "tired"},
     {"grade": "1", "key": "short"}, {"grade": "1", "key": ""}, {"grade": "1", "doc_id": "none"},
     {"grade": "1", "query_id": "none"}, {"grade": "1", "doc_id": ""}, {"reason": "withdrawn"}],
)  # fmt: skip
def test_what_does_not_fit_is_refused(judge: Client, shop: Store, wrong: dict[str, str]) -> None:
    fields = form_in(judge.get(PAGE).text)
    assert judge.post(PAGE, data=fields | wrong).status_code == 422
    assert shop.judgments.history("shop") == []


def test_only_judges_judge(viewer: Client, nobody: Client, shop: Store) -> None:
    fields = {"key": "k" * 32, "query_id": "q1", "doc_id": "d1", "grade": "1", "kind": "flag"}
    for path in (PAGE, f"{PAGE}/undo", f"{PAGE}/mark"):
        assert viewer.submit(path, **fields).status_code == 403, path
        assert nobody.post(path, data=fields).status_code in (401, 403), path
    assert viewer.get(PAGE).status_code == 403
    assert viewer.get(f"{PAGE}/items").status_code == 403
    assert nobody.get(PAGE).status_code == 303
    assert shop.judgments.history("shop") == []
    assert shop.marks.history("shop") == []


def test_no_form_from_elsewhere(judge: Client, shop: Store) -> None:
    fields = form_in(judge.get(PAGE).text) | {"grade": "1"}
    assert judge.post(PAGE, data=fields | {"csrf": "x" * 43}).status_code == 403
    assert judge.post(PAGE, data=fields, headers={"Origin": "https://evil.example"}).status_code == 403
    assert shop.judgments.history("shop") == []


def test_markup_in_documents_queries_and_guidelines_is_text(judge: Client, shop: Store) -> None:
    bad = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'"
    shop.items.add_queries("shop", [Query('evil"><b>', bad, {"description": bad})])
    shop.items.add_documents("shop", [("<i>\"'", {"title": bad, "text": bad})])
    shop.runs.add("shop", "evil", {'evil"><b>': ["<i>\"'"]}, "e" * 64)
    scale = Scale("evil", (Level(0, bad, bad), Level(1, "b" + bad)))
    change(judge, guidelines=bad, name=bad, scale=scale)
    for path in (f"{PAGE}?view=list&query=evil%22%3E%3Cb%3E", PAGE, f"{PAGE}?guide"):
        page = judge.get(path).text
        assert "<script>alert" not in page, path
        assert "<img src=x" not in page, path
        assert "&lt;script&gt;" in page, path
    for one in items(judge, 20)["items"]:
        assert "<script>" not in one["html"]
        assert "<img" not in one["html"]


def test_grades_without_a_digit_have_keys_by_place(judge: Client, shop: Store) -> None:
    levels = tuple(Level(grade, f"Grade {grade}") for grade in (-1, 0, 5, 10))
    change(judge, scale=Scale("odd", levels, relevant=5))
    page = judge.get(PAGE).text
    assert re.findall(r'name="grade" value="(-?\d+)" class="grade" data-key="(\d)"', page) == [
        ("-1", "1"), ("0", "2"), ("5", "3"), ("10", "4"),
    ]  # fmt: skip
    judge_once(judge, grade="-1")
    assert [j.grade for j in shop.judgments.current("shop")] == [-1]


def test_a_project_without_runs_says_what_to_do(admin: Client, shop: Store) -> None:
    from rankproof.judging.records import Project

    shop.projects.add(Project("bare", "Bare"), "setup")
    page = admin.get("/p/bare/judge").text
    assert "There is nothing to judge yet" in page
    assert "rankproof judgments add" in page
