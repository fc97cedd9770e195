"""Suggestions at the server: what is shown, and what is kept of a grade given in their view."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

from starlette.applications import Starlette
from tests.web.judging.workbench import SLUG, signed_in

from rankproof.judging.records import PERSON, SUGGESTED, Judgment, JudgmentSource
from rankproof.judging.store.store import Store
from rankproof.judging.suggestions import is_unseen

MODEL = JudgmentSource("model", "m", "p" * 64, "s" * 64)
LABEL = "<b>graded</b>:m"


def suggesting(shop: Store) -> None:
    project = replace(shop.projects.get(SLUG), suggests=LABEL)
    shop.projects.change(project, "tests")
    for query in ("q1", "q2", "q/3"):
        for n in range(1, 7):
            shop.judgments.add(SLUG, Judgment(uuid4().hex, LABEL, query, f"d{n}", 3, source=MODEL))


def test_the_next_answer_has_it_and_the_grade_is_marked(shop: Store, app: Starlette) -> None:
    suggesting(shop)
    project = shop.projects.get(SLUG)
    ann = signed_in(app, "ann", "judge")
    met = set()
    while (answer := ann.get(f"/api/v1/projects/{SLUG}/next").json())["query"] is not None:
        pair = answer["query"]["query_id"], answer["doc_id"]
        shown = answer["suggestion"] is not None
        assert shown == (not is_unseen(project, pair))
        page = ann.get(f"/p/{SLUG}/judge").text
        assert ("suggests <strong>3 Perfect</strong>" in page) == shown
        assert LABEL not in page
        body = {"key": uuid4().hex, "query_id": pair[0], "doc_id": pair[1], "grade": 1}
        assert ann.act(f"/api/v1/projects/{SLUG}/judgments", body).status_code == 201
        (act,) = shop.judgments.current(SLUG, judge="ann", query_id=pair[0], doc_id=pair[1])
        assert act.source == (SUGGESTED if shown else PERSON)
        met.add(shown)
    assert met == {True, False}


def test_a_form_without_a_script_is_marked_too(shop: Store, app: Starlette) -> None:
    suggesting(shop)
    project = shop.projects.get(SLUG)
    ann = signed_in(app, "ann", "judge")
    query, doc = next((q, f"d{n}") for q in ("q1", "q2") for n in range(1, 7) if not is_unseen(project, (q, f"d{n}")))
    fields = {"key": uuid4().hex, "query_id": query, "doc_id": doc, "grade": "0"}
    assert ann.submit(f"/p/{SLUG}/judge", **fields).status_code in (302, 303)
    (act,) = shop.judgments.current(SLUG, judge="ann")
    assert (act.grade, act.source) == (0, SUGGESTED)


def test_nothing_is_shown_or_marked_unless_it_is_switched_on(shop: Store, app: Starlette) -> None:
    suggesting(shop)
    shop.projects.change(replace(shop.projects.get(SLUG), suggests=""), "tests")
    ann = signed_in(app, "ann", "judge")
    assert ann.get(f"/api/v1/projects/{SLUG}/next").json()["suggestion"] is None
    assert "suggests" not in ann.get(f"/p/{SLUG}/judge").text
    body = {"key": uuid4().hex, "query_id": "q1", "doc_id": "d1", "grade": 1}
    ann.act(f"/api/v1/projects/{SLUG}/judgments", body)
    assert [act.source for act in shop.judgments.current(SLUG, judge="ann")] == [PERSON]


def test_an_admin_switches_it_on_in_the_settings(shop: Store, app: Starlette) -> None:
    boss = signed_in(app, "boss", "admin")
    settings = boss.get(f"/api/v1/projects/{SLUG}").json()
    assert (settings["suggests"], settings["unseen"]) == ("", 0.2)
    del settings["slug"]
    changed = boss.act(f"/api/v1/projects/{SLUG}", {**settings, "suggests": "graded:m", "unseen": 0.5}, "PUT")
    assert changed.status_code == 200, changed.text
    assert (shop.projects.get(SLUG).suggests, shop.projects.get(SLUG).unseen) == ("graded:m", 0.5)
    refused = boss.act(f"/api/v1/projects/{SLUG}", {**settings, "unseen": 0}, "PUT")
    assert refused.status_code == 422
