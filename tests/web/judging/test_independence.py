"""Independence: until the round is closed a judge sees their own work only, and never what is gold or was right."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.disputed import dispute
from tests.web.judging.workbench import SLUG, Client, fill, signed_in

from rankproof.judging.records import GoldAnswer, Judgment, Mark, Preference
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store
from rankproof.web.app import make_app

API = f"/api/v1/projects/{SLUG}"
SHOWN_TO_REVIEWERS = (
    "/p/shop/settle", "/p/shop/explore", "/p/shop/explore/queries?measure=P@2", "/p/shop/explore/query?query=q1",
    "/p/shop/transfer", "/p/shop/transfer/qrels", "/p/shop/transfer/acts?what=judgments&history=1",
    "/p/shop/compare/summary", "/p/shop/compare/export?what=picks&form=csv", f"{API}/qrels", f"{API}/qrels.trec",
    f"{API}/experiments",
)  # fmt: skip


def close(store: Store, closed: bool = True) -> None:
    store.closings.add(SLUG, closed, "setup")


@pytest.fixture
def disputed(shop: Store) -> Store:
    dispute(shop)
    shop.preferences.add(SLUG, Preference("pref-of-ann", "ann", "q1", ("bm25", "dense"), "bm25"))
    return shop


def words(client: Client, path: str) -> str:
    return str(client.get(path).text)


def test_no_answer_to_a_judge_has_a_word_of_another(disputed: Store, judge: Client, viewer: Client) -> None:
    """Every address that shows judgments; bob's note and name stand in whatever shows them."""
    paths = (*SHOWN_TO_REVIEWERS, "/", f"/p/{SLUG}", "/p/shop/judge", "/p/shop/judge?view=list&query=q1",
             "/p/shop/judge/items", "/p/shop/compare", f"{API}/judgments?history=true", f"{API}/marks",
             f"{API}/preferences", f"{API}/next")  # fmt: skip
    reviewer = signed_in(judge.app, "rita", "reviewer")
    shown = 0
    for path in paths:
        for client in (judge, viewer):
            page = words(client, path)
            assert not re.search(r"so it seems|\bbob\b|\bcyd\b|broken link", page), path
        shown += bool(re.search(r"\bbob\b|broken link|qrels", words(reviewer, path)))
    assert shown >= 8  # what is looked for would be found


@pytest.mark.parametrize("path", SHOWN_TO_REVIEWERS)
def test_what_shows_others_takes_a_reviewer_until_the_round_is_closed(disputed: Store, path: str) -> None:
    app = make_app(disputed)
    clients = {role: signed_in(app, f"some-{role}", role) for role in ("viewer", "judge", "reviewer", "admin")}
    found = {role: client.get(path).status_code for role, client in clients.items()}
    assert found == {"viewer": 403, "judge": 403, "reviewer": 200, "admin": 200}
    close(disputed)
    app.state.context.projects.clear()
    found = {role: client.get(path).status_code for role, client in clients.items()}
    # Gold answers stand on Settle: it stays with those who settle.
    assert set(found.values()) == {200} if path != "/p/shop/settle" else found["judge"] == 403


def test_lists_have_ones_own_acts_only(disputed: Store, app: Starlette, judge: Client) -> None:
    ann = signed_in(app, "ann", "judge")
    for what, own in (("judgments", 7), ("marks", 1), ("preferences", 1)):
        assert (ann.get(f"{API}/{what}").json()["total"], judge.get(f"{API}/{what}").json()["total"]) == (own, 0)
        assert ann.get(f"{API}/{what}?judge=ann").json()["total"] == own
        asked = judge.get(f"{API}/{what}?judge=ann")
        assert (asked.status_code, asked.json()["error"]["type"]) == (403, "not_allowed")
    assert judge.get(f"{API}/judgments?history=true&query_id=q1&doc_id=d1").json()["total"] == 0
    rita = signed_in(app, "rita", "reviewer")
    assert rita.get(f"{API}/judgments?judge=bob").json()["total"] == 7
    close(disputed)
    app.state.context.projects.clear()
    assert judge.get(f"{API}/judgments").json()["total"] == 19


def test_grades_and_marks_of_others_are_not_on_compare(disputed: Store, app: Starlette, judge: Client) -> None:
    setup = words(judge, "/p/shop/compare")
    handles = re.findall(r'name="v" value="([0-9a-f]{10})"', setup)
    at = f"/p/shop/compare?v={'.'.join(handles)}&names=shown&k=5&q=q1"
    page = words(judge, at)
    assert "3 Perfect" not in page
    assert "0 of 5 judged" in page
    assert "3 Perfect" in words(signed_in(app, "rita", "reviewer"), at)


def test_nobody_judges_once_the_round_is_closed(disputed: Store, app: Starlette, judge: Client) -> None:
    act = {"key": "k" * 8, "query_id": "q1", "doc_id": "d1", "grade": 1}
    assert judge.act(f"{API}/judgments", act).status_code == 201
    close(disputed)
    app.state.context.projects.clear()
    before = len(disputed.judgments.history(SLUG))
    pair = {"query_id": "q1", "doc_id": "d2"}
    for client in (judge, signed_in(app, "rita", "reviewer")):
        assert client.act(f"{API}/judgments", {**act, **pair, "key": "l" * 8}).status_code == 409
        assert client.act(f"{API}/judgments/batch", {"judgments": [{**act, **pair, "key": "l" * 8}]}).status_code == 409
        assert client.submit("/p/shop/judge", key="m" * 8, grade="1", **pair).status_code == 409
        assert client.submit("/p/shop/judge/undo").status_code == 409
        preference = {"key": "p" * 8, "query_id": "q1", "variants": ["bm25", "dense"], "preferred": None}
        assert client.act(f"{API}/preferences", preference).status_code == 409
        assert client.get("/p/shop/judge").status_code == 200
        assert client.get(f"{API}/next").json()["query"] is None
    assert len(disputed.judgments.history(SLUG)) == before
    close(disputed, False)
    app.state.context.projects.clear()
    assert judge.act(f"{API}/judgments", {**act, **pair, "key": "l" * 8}).status_code == 201


def test_a_key_made_of_what_others_said_is_no_question(disputed: Store, judge: Client) -> None:
    """Acts of a table without keys have the hash of their content as key. Sending it would tell whether it is there."""
    texts = {"judge": "ann", "query_id": "q1", "doc_id": "d4", "grade": "2"}
    key = hashlib.sha256(repr(texts).encode()).hexdigest()
    disputed.judgments.add(SLUG, Judgment(key, "ann", "q1", "d4", 2))
    act = {"key": key, "query_id": "q1", "doc_id": "d4", "grade": 2}
    there = judge.act(f"{API}/judgments", act)
    other = judge.act(f"{API}/judgments", {**act, "key": "0" * 64})
    assert there.status_code == other.status_code == 422
    assert there.json() == other.json()


# ---- settling ---------------------------------------------------------------------------------


def test_a_judge_settles_nothing(disputed: Store, app: Starlette, judge: Client) -> None:
    form = {"key": "settle-key", "query_id": "q1", "doc_id": "d3", "grade": "2"}
    assert judge.submit("/p/shop/settle", **form).status_code == 403
    assert judge.submit("/p/shop/settle/undo", settled="x", key="y" * 8).status_code == 403
    for more in ({"source": {"kind": "person", "version": "settling"}}, {"version": "settling"}):
        body = {"key": "settle-key", "query_id": "q1", "doc_id": "d3", "grade": 2, **more}
        assert judge.act(f"{API}/judgments", body).status_code == 422
    assert disputed.judgments.current(SLUG, judge="judy") == []
    assert signed_in(app, "rita", "reviewer").submit("/p/shop/settle", **form).status_code == 303


def test_no_import_settles_in_the_name_of_a_judge(
    disputed: Store, app: Starlette, admin: Client, judge: Client
) -> None:
    header = "judge,query_id,doc_id,grade,version,time\n"

    def send(name: str) -> Any:
        table = f"{header}{name},q1,d3,2,settling,2031-05-06T09:00:00Z\n"
        return admin.post("/p/shop/transfer", data={"csrf": admin.csrf}, files={"file": ("a.csv", table)})

    signed_in(app, "rita", "reviewer")
    before = len(disputed.judgments.history(SLUG))
    refused = send("judy")
    assert refused.status_code == 422
    assert "judy has the role judge in shop, and settling takes a reviewer" in refused.text
    assert len(disputed.judgments.history(SLUG)) == before
    assert [send(name).status_code for name in ("rita", "ada", "outsider")] == [200] * 3


# ---- gold -------------------------------------------------------------------------------------


def _gold_shop(store: Store, gold: list[GoldAnswer], assigned: bool) -> Starlette:
    fill(store)
    store.projects.change(replace(store.projects.get(SLUG), gold=0.5), "setup")
    store.gold.add(SLUG, gold)
    if assigned:
        from rankproof.judging.records import Assignment

        pairs = [("q1", "d2"), ("q1", "d3"), ("q2", "d1"), ("q2", "d5"), ("q/3", "d1"), ("q/3", "d6")]
        store.assignments.add(SLUG, [Assignment(q, d, n, "judy") for n, (q, d) in enumerate(pairs, 1)])
    return make_app(store)


GOLD = [GoldAnswer("q1", "d1", 3), GoldAnswer("q2", "d4", 0), GoldAnswer("q/3", "d2", 1), GoldAnswer("q2", "d2", 2)]
COUNT = re.compile(r'data-count="(\w+)"[^>]*>([^<]*)<|<progress max="(\d+)" value="(\d+)"')
ACTS: tuple[dict[str, Any], ...] = (
    {"grade": 0}, {"grade": 3}, {"reason": "cannot_tell"}, {"reason": "later"}, {"grade": 1},
)  # fmt: skip


@pytest.mark.parametrize("assigned", [False, True])
def test_no_answer_tells_a_gold_question_from_another(tmp_path: Any, assigned: bool) -> None:
    """Whatever a judge does about a pair, first or again, the numbers and answers after it move alike."""
    with open_store(tmp_path / "gold.db") as store:
        judge = signed_in(_gold_shop(store, GOLD, assigned), "judy", "judge")
        gold = {(one.query_id, one.doc_id) for one in GOLD}
        seen: dict[bool, set[tuple[Any, ...]]] = {True: set(), False: set()}
        number = 0
        while True:
            told = judge.get(f"{API}/next").json()
            if told["query"] is None:
                break
            pair = {"query_id": told["query"]["query_id"], "doc_id": told["doc_id"]}
            moves: list[Any] = []
            for act in ACTS:
                before, home = _numbers(judge), words(judge, "/")
                number += 1
                sent = judge.act(f"{API}/judgments", {"key": f"act-{number:08}", **pair, **act})
                after = _numbers(judge)
                moves.append((sent.status_code, tuple(b - a for a, b in zip(before, after, strict=True))))
                moves.append("by you" in home and "handed out" not in home)
            assert judge.post("/p/shop/judge/undo", data={"csrf": judge.csrf}).status_code == 303
            back = _numbers(judge)
            moves.append(tuple(b - a for a, b in zip(_numbers(judge), back, strict=True)))
            number += 1
            judge.act(f"{API}/judgments", {"key": f"act-{number:08}", **pair, "grade": 2})
            seen[(pair["query_id"], pair["doc_id"]) in gold].add(tuple(moves))
        assert seen[True]
        assert seen[True] == seen[False]
        assert len(seen[True]) == 1
        # What is left is told from the start: every question of them is asked, and then nothing is left.
        final = judge.get(f"{API}/next").json()
        assert final["asked"] == final["answered"]


def _numbers(judge: Client) -> tuple[int, ...]:
    told = judge.get(f"{API}/next").json()
    page = words(judge, "/p/shop/judge")
    shown = dict(re.findall(r'data-count="(mine|left)">([\d,]+)<', page))
    return told["asked"], told["answered"], int(shown["mine"]), int(shown["left"])


def test_a_query_that_has_only_gold_questions_has_its_place(tmp_path: Any) -> None:
    with open_store(tmp_path / "gold.db") as store:
        app = _gold_shop(store, [GoldAnswer("q1", "d1", 3)], True)
        store.assignments.add(SLUG, [])
        round_ = app.state.context.rounds.of(store.projects.get(SLUG))
        assert set(round_.queries()) == {"q1", "q2", "q/3"}
    with open_store(tmp_path / "alone.db") as store:
        fill(store)
        store.projects.change(replace(store.projects.get(SLUG), gold=0.5), "setup")
        store.gold.add(SLUG, [GoldAnswer("q2", "d4", 0)])
        from rankproof.judging.records import Assignment

        store.assignments.add(SLUG, [Assignment("q1", "d1", 1, "judy"), Assignment("q/3", "d1", 2, "judy")])
        judge = signed_in(make_app(store), "judy", "judge")
        page = words(judge, "/p/shop/judge?view=list&query=q2")
        assert "Thing 4" in page
        assert re.search(r"[123] of 3", page), page


def test_the_share_of_right_gold_is_for_those_who_settle(disputed: Store, app: Starlette) -> None:
    for role in ("viewer", "judge"):
        client = signed_in(app, f"gold-{role}", role)  # type: ignore[arg-type]
        for path in ("/p/shop/settle", "/p/shop/explore", "/p/shop/judge", "/"):
            assert "gold" not in words(client, path).lower().replace(f"gold-{role}", ""), path
    assert "Right on gold" in words(signed_in(app, "rita", "reviewer"), "/p/shop/settle")


def test_marks_are_ones_own(disputed: Store, judge: Client) -> None:
    disputed.marks.add(SLUG, Mark("flag-of-bob", "flag", "bob", "q1", "d4", "my very own reason"))
    assert "my very own reason" not in words(judge, "/p/shop/judge?view=list&query=q1")
