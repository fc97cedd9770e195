"""Comparing variants: names that stay hidden, marks and preferences that are kept, who may do what, files."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.applications import Starlette
from tests.web.judging.workbench import Client, signed_in

from rankproof.judging.preferences import shuffled
from rankproof.judging.records import Judgment, Preference
from rankproof.judging.store.store import Store
from rankproof.kernel.schema_files import bundled
from rankproof.web.pages._compare_setup import ComparedVariant

NAMES = ("bm25", "dense")


def at(path: str = "", names: str = "after", query: str | None = "q1", variants: tuple[str, ...] = NAMES) -> str:
    """The address of a comparison."""
    handles = ".".join(ComparedVariant(name).handle for name in variants)
    return f"/p/shop/compare{path}?v={handles}&names={names}&k=5" + (f"&q={query}" if query else "")


def nonce(page: str) -> str:
    found = re.search(r'name="nonce" value="([0-9a-f]+)"', page)
    assert found is not None
    return found[1]


def send(client: Client, path: str, **fields: str) -> Any:
    """Opens the page and sends one of its forms."""
    page = client.get(path.replace("/prefer", "").replace("/mark", "")).text
    return client.submit(path, nonce=nonce(page), **fields)


def sides(query: str = "q1", judge: str = "judy") -> tuple[str, ...]:
    return shuffled(NAMES, judge, query, 0)


@pytest.mark.parametrize("names", ["after", "hidden"])
def test_a_blind_page_says_no_name(judge: Client, shop: Store, names: str) -> None:
    shop.judgments.add("shop", Judgment("graded-1", "judy", "q1", "d1", 2))
    page = judge.get(at(names=names)).text
    assert "bm25" not in page
    assert "dense" not in page
    assert "Names are hidden" in page
    # What could tell which is which is hidden too: precision and grades.
    assert "P@5" not in page
    assert "2 Relevant" not in page
    open_page = judge.get(at(names="shown")).text
    assert "bm25" in open_page
    assert "P@5 0.20 <small>(1 of 5 judged)" in open_page
    assert "2 Relevant" in open_page


def test_a_blind_preference_is_kept_by_name_and_then_the_names_are_shown(judge: Client, shop: Store) -> None:
    answer = send(judge, at("/prefer"), side="2", note="fresher")
    assert answer.status_code == 303
    (kept,) = shop.preferences.current("shop")
    assert (kept.judge, kept.query_id, kept.variants) == ("judy", "q1", sides())
    assert (kept.preferred, kept.blind, kept.note) == (sides()[1], True, "fresher")
    page = judge.get(answer.headers["location"]).text
    assert "bm25" in page
    assert "preferred" in page
    # Who has seen the names does not judge blind any more, also after taking it back.
    send(judge, at("/prefer"), side="undo")
    assert shop.preferences.current("shop") == []
    send(judge, at("/prefer"), side="0")
    (again,) = shop.preferences.current("shop")
    assert (again.preferred, again.blind) == (None, False)
    # Nor in a round that hides them.
    send(judge, at("/prefer", "hidden"), side="1")
    assert not shop.preferences.current("shop")[0].blind
    # Somebody else still sees nothing.
    assert "bm25" not in signed_in(judge.app, "jane", "judge").get(at()).text


def test_names_stay_hidden_in_a_batch_and_the_next_query_comes(judge: Client, shop: Store) -> None:
    for query, following in (("q1", "q2"), ("q2", "q%2F3")):
        answer = send(judge, at("/prefer", "hidden", query), side="1")
        assert answer.headers["location"].endswith(f"q={following}")
        for seen in (query, following):
            assert "bm25" not in judge.get(at(names="hidden", query=seen)).text
    assert [(p.query_id, p.preferred, p.blind) for p in shop.preferences.current("shop")] == [
        ("q1", sides("q1")[0], True), ("q2", sides("q2")[0], True),
    ]  # fmt: skip
    # Without a query the first one without a preference comes.
    assert "shoe polish</h1>" in judge.get(at(names="hidden", query=None)).text


def test_the_same_form_sent_twice_is_one_act(judge: Client, shop: Store) -> None:
    said = nonce(judge.get(at()).text)
    for _ in range(2):
        assert judge.submit(at("/prefer"), nonce=said, side="1").status_code == 303
        assert judge.submit(at("/mark"), nonce=said, act="pick", doc="d1", side="1").status_code == 303
    assert len(shop.preferences.history("shop")) == 1
    assert len(shop.marks.history("shop")) == 1


def test_marks_are_kept_with_the_side_they_were_seen_on(judge: Client, shop: Store) -> None:
    send(judge, at("/mark"), act="flag", doc="d3", side="1", reason="duplicate", note="again")
    send(judge, at("/mark"), act="pick", doc="d3", side="2")
    flag, pick = shop.marks.current("shop")
    assert (flag.kind, flag.doc_id, flag.reason, flag.note, flag.variant) == (
        "flag",
        "d3",
        "duplicate",
        "again",
        sides()[0],
    )
    assert (pick.kind, pick.doc_id, pick.variant) == ("pick", "d3", sides()[1])
    page = judge.get(at()).text
    # Both sides show the document, and both say so.
    assert page.count("Flagged: <bdi>duplicate</bdi>. <bdi>again</bdi>") == 2
    send(judge, at("/mark"), act="unpick", doc="d3", side="1")  # from the other side
    assert [mark.kind for mark in shop.marks.current("shop")] == ["flag"]
    assert len(shop.marks.history("shop")) == 3


def test_what_was_not_shown_cannot_be_said(judge: Client, shop: Store) -> None:
    first = NAMES.index(sides()[0])
    elsewhere = ("d5", "d2")[first]  # only the other run has it
    for fields in (
        {"act": "pick", "doc": elsewhere, "side": "1"}, {"act": "pick", "doc": "d1", "side": "3"},
        {"act": "like", "doc": "d1", "side": "1"}, {"act": "flag", "doc": "d1", "side": "1", "reason": "made up"},
        {"act": "flag", "doc": "d1", "side": "1"},
    ):  # fmt: skip
        assert send(judge, at("/mark"), **fields).status_code == 422, fields
    for side in ("3", "-1", "", "x", "1 "):
        assert send(judge, at("/prefer"), side=side).status_code == 422, side
    assert judge.submit(at("/prefer"), side="1").status_code == 422  # without the page's nonce
    assert judge.submit(at("/prefer", query="none"), side="1", nonce="a" * 32).status_code == 422
    assert (shop.marks.history("shop"), shop.preferences.history("shop")) == ([], [])


def test_the_setup_wants_two_to_four_that_are_there(judge: Client) -> None:
    assert 'type="checkbox"' in judge.get("/p/shop/compare").text
    for variants, status in ((("bm25",), 422), (("bm25", "gone"), 404)):
        answer = judge.get(at(variants=variants))
        assert answer.status_code == status
        assert 'role="alert"' in answer.text
    assert judge.get(at() + "&set=none").status_code == 404
    assert judge.get(at(query="none")).status_code == 404


def test_viewers_look_and_say_nothing(viewer: Client, shop: Store) -> None:
    page = viewer.get(at()).text
    assert "red shoes" in page
    assert "/compare/prefer" not in page
    assert "nonce" not in page
    for path, fields in (
        ("/prefer", {"side": "1"}),
        ("/mark", {"act": "pick", "doc": "d1", "side": "1"}),
        ("/ask", {}),
    ):
        assert viewer.submit(at(path), nonce="a" * 32, **fields).status_code == 403
    assert shop.preferences.history("shop") == []


def test_forged_forms_are_refused(judge: Client, nobody: Client, shop: Store) -> None:
    fields = {"nonce": "a" * 32, "side": "1"}
    assert judge.post(at("/prefer"), data=fields).status_code == 403
    assert judge.post(at("/prefer"), data={**fields, "csrf": "x" * 43}).status_code == 403
    elsewhere = judge.post(
        at("/prefer"), data={**fields, "csrf": judge.csrf}, headers={"Origin": "https://evil.example"}
    )
    assert elsewhere.status_code == 403
    assert nobody.get(at()).status_code == 303
    assert nobody.get("/p/shop/compare/export?what=picks&form=csv").status_code == 303
    assert shop.preferences.history("shop") == []


def test_the_summary_and_its_files(app: Starlette, judge: Client, reviewer: Client, shop: Store) -> None:
    shop.preferences.add_many("shop", [
        Preference(f"said-{judge}-{query}", judge, query, NAMES, preferred, blind=True, note='=cmd("x")')
        for judge, query, preferred in (
            ("ann", "q1", "bm25"), ("bob", "q1", "bm25"), ("ann", "q2", "dense"), ("ann", "q/3", None),
        )
    ])  # fmt: skip
    send(judge, at("/mark", "shown"), act="flag", doc="d2", side="1", reason="off topic", note="=1+1")
    send(judge, at("/mark", "shown"), act="pick", doc="d1", side="1")
    page = reviewer.get("/p/shop/compare/summary").text
    assert "4 preferences, 4 blind" in page
    for what in ("preferences", "picks", "flags", "summary"):
        for form in ("csv", "json"):
            answer = reviewer.get(f"/p/shop/compare/export?what={what}&form={form}&k=5")
            assert answer.status_code == 200
            assert answer.headers["content-disposition"] == f'attachment; filename="shop-{what}.{form}"'
            assert form == "json" or not re.search(r'(^|,)"?=', answer.text, re.MULTILINE)
    told = json.loads(reviewer.get("/p/shop/compare/export?what=summary&form=json&k=5").text)
    assert list(Draft202012Validator(bundled("preferences-summary/1")).iter_errors(told)) == []
    (pair,) = told["pairs"]
    # Each wins one query and one is a tie; the p-value of one to one is 1.
    assert (pair["wins"], pair["ties"], pair["losses"], pair["p_value"]) == (1, 1, 1, 1.0)
    assert [v["picks_by_rank"] for v in told["variants"]] == [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0]]
    assert [v["flags_by_reason"] for v in told["variants"]] == [{"off topic": 1}, {}]
    flags = json.loads(reviewer.get("/p/shop/compare/export?what=flags&form=json").text)
    assert (flags["schema"], [act["note"] for act in flags["acts"]]) == ("acts/1", ["=1+1"])
    rows = list(csv.DictReader(io.StringIO(reviewer.get("/p/shop/compare/export?what=preferences&form=csv").text)))
    assert [row["preferred"] for row in rows] == ["bm25", "bm25", "dense", ""]
    for wrong in ("what=all&form=csv", "what=picks&form=exe", ""):
        assert reviewer.get(f"/p/shop/compare/export?{wrong}").status_code == 404


def test_the_summary_of_nothing_and_of_names_that_are_no_runs(reviewer: Client, shop: Store) -> None:
    assert "Nothing was compared yet" in reviewer.get("/p/shop/compare/summary").text
    shop.preferences.add("shop", Preference("said-12345", "ann", "q1", ("<b>x</b>", "y"), "y"))
    page = reviewer.get("/p/shop/compare/summary").text
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "<b>x" not in page
