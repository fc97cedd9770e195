"""The JSON API: what it takes, gives, refuses, and who may."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.workbench import Client, signed_in, stranger

from rankproof.judging.records import Assignment
from rankproof.judging.store.store import Store
from rankproof.web.api._operations import ROOT, Operation, operations

SHOP = "/api/v1/projects/shop"


def act(letter: str, **more: Any) -> dict[str, Any]:
    return {"key": letter * 8, "query_id": "q1", "doc_id": "d1", "grade": 2, **more}


def test_a_token_for_a_name_and_a_password(app: Starlette, nobody: Client) -> None:
    context = app.state.context
    context.store.accounts.add("ann", "judge", context.passwords.hash("a sentence that is long"))
    made = nobody.post("/api/v1/session", json={"name": "ann", "password": "a sentence that is long"})
    assert made.status_code == 201
    assert "set-cookie" not in made.headers
    told = made.json()
    assert told["account"] == {"name": "ann", "role": "judge"}
    bearer = {"Authorization": f"Bearer {told['token']}"}
    assert nobody.get("/api/v1/session", headers=bearer).json() == {"name": "ann", "role": "judge"}
    assert nobody.delete("/api/v1/session", headers=bearer).status_code == 204
    gone = nobody.get("/api/v1/session", headers=bearer)
    assert (gone.status_code, gone.headers["www-authenticate"]) == (401, "Bearer")
    assert [entry.action for entry in context.store.audit.all(newest=2)] == ["sign-out", "sign-in"]


def test_an_act_is_kept_once(judge: Client, shop: Store) -> None:
    first = judge.act(f"{SHOP}/judgments", act("a", note="why"))
    assert (first.status_code, first.json()) == (201, {"key": "a" * 8, "added": True})
    again = judge.act(f"{SHOP}/judgments", act("a", note="why"))
    assert (again.status_code, again.json()) == (200, {"key": "a" * 8, "added": False})
    other = judge.act(f"{SHOP}/judgments", act("a", grade=3))
    assert other.status_code == 409
    assert other.json()["error"]["type"] == "conflict"
    held = shop.judgments.current("shop")
    assert [(j.judge, j.grade, j.note) for j in held] == [("judy", 2, "why")]


def test_undo_and_what_holds(judge: Client) -> None:
    judge.act(f"{SHOP}/judgments", act("a", grade=1))
    judge.act(f"{SHOP}/judgments", act("b", grade=3))
    undo = {"key": "c" * 8, "query_id": "q1", "doc_id": "d1", "reason": "withdrawn", "withdraws": "b" * 8}
    assert judge.act(f"{SHOP}/judgments", undo).status_code == 201
    held = judge.get(f"{SHOP}/judgments").json()
    assert [(j["grade"], j["source"]["kind"]) for j in held["judgments"]] == [(1, "person")]
    every = judge.get(f"{SHOP}/judgments", params={"history": "true", "limit": 2, "offset": 1}).json()
    assert (every["total"], [j["reason"] for j in every["judgments"]]) == (3, ["", "withdrawn"])


def test_many_are_all_kept_or_none(judge: Client, shop: Store) -> None:
    acts = [act(chr(97 + i), doc_id=f"d{i + 1}") for i in range(5)]
    told = judge.act(f"{SHOP}/judgments/batch", {"judgments": acts})
    assert told.json() == {"added": 5, "there": 0}
    assert judge.act(f"{SHOP}/judgments/batch", {"judgments": acts}).json() == {"added": 0, "there": 5}
    for wrong in ({"grade": 9}, {"doc_id": "none"}, {"query_id": "none"}, {"grade": None}, {"key": "b" * 8}):
        sent = judge.act(f"{SHOP}/judgments/batch", {"judgments": [act("y"), act("z", **wrong)]})
        assert sent.status_code in (409, 422), wrong
    assert len(shop.judgments.history("shop")) == 5


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"grade": 7}, "The scale has no grade 7."),
        ({"grade": None}, "Give a grade, or one reason"),
        ({"reason": "later"}, "Give a grade, or one reason"),
        ({"query_id": "q9"}, "No query is called 'q9'."),
        ({"doc_id": "d9"}, "No document is called 'd9'"),
        ({"grade": 1.5}, "Expected `int | null`"),
        ({"key": "short"}, "matching regex"),
        ({"extra": 1}, "unknown field `extra`"),
        ({"note": "x" * 10_001}, "length <= 10000"),
        ({"query_id": ""}, "length >= 1"),
    ],
)
def test_what_does_not_fit_is_told(judge: Client, wrong: dict[str, Any], words: str) -> None:
    sent = judge.act(f"{SHOP}/judgments", act("a", **wrong))
    assert sent.status_code == 422
    assert words in sent.json()["error"]["message"]


def test_a_document_that_a_run_ranks_needs_no_text(judge: Client, shop: Store) -> None:
    shop.runs.add("shop", "other", {"q1": ["unseen"]}, "c" * 64)
    assert judge.act(f"{SHOP}/judgments", act("a", doc_id="unseen")).status_code == 201
    assert judge.act(f"{SHOP}/judgments", act("b", doc_id="unseen", query_id="q2")).status_code == 422


def test_flags_picks_and_preferences(judge: Client) -> None:
    flag = {"key": "f" * 8, "kind": "flag", "query_id": "q/3", "doc_id": "d1", "reason": "broken", "variant": "bm25"}
    assert judge.act(f"{SHOP}/marks", flag).status_code == 201
    assert judge.act(f"{SHOP}/marks", flag).status_code == 200
    pick = {"key": "p" * 8, "kind": "pick", "query_id": "q1", "doc_id": "d2"}
    judge.act(f"{SHOP}/marks", pick)
    flags = judge.get(f"{SHOP}/marks", params={"kind": "flag", "query_id": "q/3"}).json()
    assert [(m["judge"], m["reason"], m["variant"]) for m in flags["marks"]] == [("judy", "broken", "bm25")]
    prefer = {"key": "v" * 8, "query_id": "q1", "variants": ["bm25", "dense"], "preferred": "dense", "blind": True}
    assert judge.act(f"{SHOP}/preferences", prefer).status_code == 201
    assert judge.act(f"{SHOP}/preferences", {**prefer, "key": "w" * 8, "preferred": "x"}).status_code == 422
    told = judge.get(f"{SHOP}/preferences").json()
    assert [(p["preferred"], p["blind"], p["judge"]) for p in told["preferences"]] == [("dense", True, "judy")]


def test_what_to_judge_next(judge: Client, shop: Store) -> None:
    # Six documents in the first ten of two runs, for each of three queries.
    chosen = judge.get(f"{SHOP}/next").json()
    assert (chosen["query"]["query_id"], chosen["asked"], chosen["answered"]) == ("q1", 18, 0)
    mine, anybodys = Assignment("q1", "d2", 1, "judy"), Assignment("q1", "d1", 2)
    shop.assignments.add("shop", [mine, anybodys, Assignment("q2", "d1", 3, "somebody else")])
    first = judge.get(f"{SHOP}/next").json()
    assert (first["query"]["text"], first["doc_id"], first["asked"], first["answered"]) == ("red shoes", "d2", 2, 0)
    assert first["document"]["fields"]["title"] == "Thing 2"
    judge.act(f"{SHOP}/judgments", act("a", doc_id="d2", grade=None, reason="cannot_tell"))
    assert judge.get(f"{SHOP}/next").json()["doc_id"] == "d1"


def test_queries_and_documents(admin: Client, judge: Client) -> None:
    new = {
        "queries": [{"query_id": "q1", "text": "red shoes"}, {"query_id": "n", "text": "new", "columns": {"a": "b"}}]
    }
    assert admin.act(f"{SHOP}/queries", new).json() == {"added": 1, "there": 1}
    assert admin.act(f"{SHOP}/queries", {"queries": [{"query_id": "n", "text": "other"}]}).status_code == 409
    listed = judge.get(f"{SHOP}/queries", params={"limit": 1, "offset": 3}).json()
    assert listed == {"queries": [{"query_id": "n", "text": "new", "columns": {"a": "b"}}], "total": 4}
    docs = {"documents": [{"doc_id": "x/y z", "fields": {"title": "T"}}]}
    assert admin.act(f"{SHOP}/documents", docs).json() == {"added": 1, "there": 0}
    got = judge.get(f"{SHOP}/documents", params=[("doc_id", "x/y z"), ("doc_id", "none")]).json()
    assert got == docs
    assert judge.get(f"{SHOP}/documents").status_code == 422


def test_projects(admin: Client, judge: Client) -> None:
    made = admin.act("/api/v1/projects", {"slug": "two", "name": "Two", "guidelines": "Be strict."})
    assert made.status_code == 201
    assert admin.act("/api/v1/projects", {"slug": "two", "name": "Two"}).status_code == 409
    told = admin.get("/api/v1/projects/two").json()
    assert "pipelines" not in told  # a path on the server is nobody's business
    changed = {name: value for name, value in told.items() if name != "slug"} | {"wanted": 2}
    assert admin.act("/api/v1/projects/two", changed, "PUT").json()["wanted"] == 2
    scale = {"name": "odd", "levels": [{"grade": 1, "label": "b"}, {"grade": 0, "label": "a"}]}
    assert admin.act("/api/v1/projects/two", {"name": "Two", "scale": scale}, "PUT").status_code == 422
    unread = admin.act("/api/v1/projects/two", {"name": "Two", "selection": "by_magic"}, "PUT")
    assert (unread.status_code, unread.json()["error"]["type"]) == (422, "invalid")
    assert [p["slug"] for p in admin.get("/api/v1/projects").json()["projects"]] == ["shop", "two"]
    assert [p["slug"] for p in judge.get("/api/v1/projects").json()["projects"]] == ["shop"]
    assert judge.get("/api/v1/projects/two").status_code == 404
    assert judge.get("/api/v1/projects/none").status_code == 404


def test_experiments_by_the_hash_of_their_content(admin: Client, reviewer: Client) -> None:
    body = {"kind": "evaluation", "name": "bm25", "document": {"schema": "x", "values": [1, 2.5, None], "observed": 1}}
    digest = admin.act(f"{SHOP}/experiments", body).json()["sha256"]
    assert admin.act(f"{SHOP}/experiments", body).json()["sha256"] == digest
    listed = reviewer.get(f"{SHOP}/experiments", params={"kind": "evaluation"}).json()["experiments"]
    assert [(e["sha256"], e["by"]) for e in listed] == [(digest, "ada")]
    assert reviewer.get(f"{SHOP}/experiments/{digest}").json() == body["document"]
    assert reviewer.get(f"{SHOP}/experiments/{'0' * 64}").status_code == 404


def test_qrels_are_what_the_judgments_settle_to(app: Starlette, judge: Client, reviewer: Client) -> None:
    other = signed_in(app, "jim", "judge")
    third = signed_in(app, "joe", "judge")
    said = [("a", judge, "d1", 3), ("b", other, "d1", 3), ("c", third, "d1", 1)]
    for key, client, doc, grade in (*said, ("d", judge, "d2", 0), ("e", other, "d2", 2)):
        assert client.act(f"{SHOP}/judgments", act(key, doc_id=doc, grade=grade)).status_code == 201
    told = reviewer.get(f"{SHOP}/qrels").json()
    assert (told["qrels"], told["unresolved"]) == ({"q1": {"d1": 3}}, 1)
    lines = reviewer.get(f"{SHOP}/qrels.trec", params={"method": "majority(ties='lower')"})
    assert lines.text == "q1 0 d1 3\nq1 0 d2 0\n"
    assert lines.headers["content-type"] == "text/plain; charset=utf-8"
    assert reviewer.get(f"{SHOP}/qrels", params={"method": "by_magic"}).status_code == 422
    assert reviewer.get(f"{SHOP}/qrels", params={"method": "__import__('os')"}).status_code == 422
    entry = app.state.context.store.audit.all(newest=1)[0]
    assert (entry.account, entry.action, entry.detail["what"]) == ("rita", "export", "qrels")


GUARDED = [one for one in operations() if one.role is not None]


@pytest.mark.parametrize("operation", GUARDED, ids=lambda one: one.name)
def test_nobody_does_what_takes_a_role(app: Starlette, operation: Operation) -> None:
    path = (ROOT + operation.path).replace("{slug}", "shop").replace("{sha256}", "0" * 64)
    answer = stranger(app).request(operation.method, path, json={} if operation.body else None)
    assert answer.status_code == 401
    assert answer.json()["error"]["type"] == "not_signed_in"


@pytest.mark.parametrize("operation", [o for o in GUARDED if o.role != "viewer"], ids=lambda one: one.name)
def test_a_viewer_writes_nothing_and_a_judge_is_no_admin(
    app: Starlette, viewer: Client, judge: Client, operation: Operation
) -> None:
    path = (ROOT + operation.path).replace("{slug}", "shop")
    assert viewer.act(path, {}, operation.method).status_code == 403
    if operation.role == "admin":
        assert judge.act(path, {}, operation.method).status_code == 403
    assert app.state.context.store.judgments.history("shop") == []


def test_writing_takes_more_than_a_viewer() -> None:
    writing = [one for one in GUARDED if one.method != "GET" and one.path != "/session"]
    assert len(writing) >= 9
    assert {one.role for one in writing} == {"judge", "reviewer", "admin"}
