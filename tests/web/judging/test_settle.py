"""Settle: disagreements, agreement, and the word that settles a pair."""

from __future__ import annotations

import re

import pytest
from starlette.applications import Starlette
from tests.web.judging.disputed import dispute
from tests.web.judging.workbench import Client, signed_in

from rankproof.judging.records import SETTLING, Judgment
from rankproof.judging.store.store import Store

PAGE = "/p/shop/settle"


@pytest.fixture(autouse=True)
def disputed(shop: Store) -> None:
    dispute(shop)


def text(page: str) -> str:
    """The words of a page without its markup."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.split("<main", 1)[1]))


def grade(
    client: Client, doc: str, value: int, query: str = "q1", key: str = "settling-key", note: str = "", at: str = PAGE
):
    return client.submit(at, key=key, query_id=query, doc_id=doc, grade=str(value), note=note)


def test_the_widest_disagreement_comes_first(reviewer: Client) -> None:
    page = text(reviewer.get(PAGE).text)
    assert "3 pairs to settle" in page
    assert "Settled pairs 5 Unresolved 2" in page
    # q1 d3 is three steps apart; d5 and q2 d3 one.
    assert page.index("Thing 3") < page.index("Thing 5")
    assert "bob 0 so it seems" in page
    assert "Unresolved as it stands (tie)." in page


def test_a_word_settles_a_pair_and_only_that_pair(admin: Client, shop: Store) -> None:
    assert grade(admin, "d3", 2, note="Half of it is about shoes.").status_code == 303
    act = shop.judgments.current("shop", judge="ada")[0]
    assert (act.grade, act.note, act.source) == (2, "Half of it is about shoes.", SETTLING)
    page = text(admin.get(PAGE + "?show=all").text)
    assert "Settled pairs 6 Unresolved 1" in page
    assert "Settled by ada: 2 Half of it is about shoes." in page
    assert "2 pairs to settle" in page
    assert "Thing 3 show" in text(admin.get(PAGE).text)  # q2 d3 is left
    assert shop.audit.all(newest=1)[0].action == "settled"


def test_the_same_form_twice_is_one_act_and_another_grade_in_it_is_refused(admin: Client, shop: Store) -> None:
    for _ in range(2):
        assert grade(admin, "d3", 2).status_code == 303
    assert grade(admin, "d3", 1).status_code == 409
    assert len(shop.judgments.history("shop", judge="ada")) == 1
    assert len([e for e in shop.audit.all() if e.action == "settled"]) == 1


def test_who_settles_does_not_count_in_the_agreement(app: Starlette, shop: Store) -> None:
    before = text(signed_in(app, "vic", "reviewer").get(PAGE).text).partition("Agreement All")[2]
    ann = signed_in(app, "ann", "reviewer")
    assert grade(ann, "d3", 0).status_code == 303  # ann herself had given 3
    after = text(ann.get(PAGE).text).partition("Agreement All")[2]
    assert after == before
    alone = shop.judgments.current("shop", judge="ann", query_id="q1", doc_id="d3", settling=False)
    assert [act.grade for act in alone] == [3]


def test_a_settling_word_can_be_taken_back_by_who_gave_it(app: Starlette, admin: Client, shop: Store) -> None:
    grade(admin, "d3", 2)
    other = signed_in(app, "rita", "reviewer")
    assert other.submit(PAGE + "/undo", settled="settling-key", key="back-other").status_code == 422
    assert "Take it back" not in other.get(PAGE + "?show=all").text
    assert "Take it back" in admin.get(PAGE + "?show=all").text
    assert admin.submit(PAGE + "/undo", settled="settling-key", key="back-own").status_code == 303
    assert shop.judgments.current("shop", judge="ada") == []
    assert "3 pairs to settle" in text(admin.get(PAGE).text)


def test_what_is_wrong_is_refused(viewer: Client, judge: Client, reviewer: Client, shop: Store) -> None:
    for client in (viewer, judge):
        assert grade(client, "d3", 2).status_code == 403
        assert client.submit(PAGE + "/undo", settled="settling-key", key="back-key").status_code == 403
    for wrong in (
        {"grade": "9"},
        {"grade": ""},
        {"doc_id": "d99"},
        {"query_id": "q99"},
        {"key": ""},
        {"note": "x" * 10001},
    ):
        fields = {"key": "wrong-key", "query_id": "q1", "doc_id": "d3", "grade": "1", **wrong}
        assert reviewer.submit(PAGE, **fields).status_code == 422, wrong
    assert [act for act in shop.judgments.history("shop") if act.settles] == []
    for query in ("method=best", "method=trusted", "source=nobody", "method=(", "method=settled(otherwise=2)"):
        assert reviewer.get(f"{PAGE}?{query}").status_code == 422, query
    assert reviewer.get(PAGE + "?from=999999").status_code == 200


def test_a_method_is_chosen_and_its_counts_are_shown(reviewer: Client) -> None:
    page = text(reviewer.get(PAGE, params={"method": "trusted(judges=['ann'], otherwise='majority')"}).text)
    assert "Settled pairs 7 Unresolved 0" in page  # ann graded all
    page = text(reviewer.get(PAGE, params={"method": "majority(ties='lower')"}).text)
    # d2, d3 of q1 and d1 of q2 are 0; d5 of q1 and d3 of q2 are 1.
    assert "Not relevant (0) 3 Related (1) 2 Relevant (2) 1 Perfect (3) 1" in page


def test_agreement_by_hand(reviewer: Client) -> None:
    page = text(reviewer.get(PAGE).text)
    # ann and cyd graded five pairs together and agree on four.
    two = page[page.index("ann and cyd") :]
    assert two.startswith("ann and cyd 5 0.80")
    # ann: 14 - 2 grades of others on her pairs: 7 of bob, 5 of cyd; 5 and 4 of them the same: 9/12.
    assert re.search(r"ann 7 2 2 1 2 0 0\.75", page), page
    # Gold: ann is right on both, bob on one of two, cyd on the one she was asked.
    assert "1.00 [0.16, 1.00] of 2" in page  # Clopper-Pearson: 0.025 ** (1 / 2) = 0.158
    assert "0.50 [0.01, 0.99] of 2" in page


def test_models_are_shown_where_asked_for(reviewer: Client, shop: Store) -> None:
    from rankproof.judging.records import JudgmentSource

    shop.judgments.add("shop", Judgment("model-key", "umbrela", "q1", "d1", 0, source=JudgmentSource("model", "m-1")))
    assert "umbrela" not in reviewer.get(PAGE).text
    page = text(reviewer.get(PAGE + "?source=all").text)
    assert "umbrela model" in page
    assert "4 pairs to settle" in page


def test_markup_in_what_judges_typed_is_text(admin: Client, shop: Store) -> None:
    shop.judgments.add("shop", Judgment("odd-key", "<i>eve</i>", "q1", "d1", 0, note="<script>alert(1)</script>"))
    page = admin.get(PAGE).text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<i>eve" not in page


def test_gold_questions_are_made_of_what_is_beyond_doubt(admin: Client, judge: Client, shop: Store) -> None:
    gold = PAGE + "/gold"
    assert judge.submit(gold, do="agreed").status_code == 403
    # Three judges agree on q1 d1 (which is gold already), q1 d2, q2 d1 and q2 d2.
    assert "Add the 3 pairs that 3 judges or more graded alike" in text(admin.get(PAGE).text)
    assert admin.submit(gold, do="agreed").status_code == 303
    held = {(one.query_id, one.doc_id): one.grade for one in shop.gold.all("shop")}
    assert held == {("q1", "d1"): 3, ("q2", "d3"): 1, ("q1", "d2"): 0, ("q2", "d1"): 0, ("q2", "d2"): 2}
    assert admin.submit(gold, do="withdraw", query_id="q2", doc_id="d3").status_code == 303
    assert len(shop.gold.all("shop")) == 4
    assert admin.submit(gold, do="one", query_id="q1", doc_id="d3").status_code == 422  # a tie
    grade(admin, "d3", 2)
    assert admin.submit(gold, do="one", query_id="q1", doc_id="d3").status_code == 303
    assert [one.grade for one in shop.gold.all("shop") if (one.query_id, one.doc_id) == ("q1", "d3")] == [2]
    assert "5 questions with a known answer" in text(admin.get(PAGE).text)


def test_nothing_that_the_one_who_settled_does_later_undoes_it(app: Starlette, shop: Store) -> None:
    """Judging the pair again, taking that back by `u`, and taking the word back through the API."""
    ann = signed_in(app, "ann", "reviewer")
    grade(ann, "d3", 2)
    for number, value in enumerate((0, 1)):
        sent = {"key": f"again-key-{number}", "query_id": "q1", "doc_id": "d3", "grade": str(value)}
        assert ann.submit("/p/shop/judge", **sent).status_code == 303
    for _ in range(12):  # more often than ann has judged
        assert ann.submit("/p/shop/judge/undo").status_code == 303
    assert shop.judgments.current("shop", judge="ann", settling=False) == []
    assert [act.grade for act in shop.judgments.current("shop", judge="ann")] == [2]
    back = {
        "key": "back-by-api", "query_id": "q1", "doc_id": "d3", "grade": None, "reason": "withdrawn",
        "withdraws": "settling-key",
    }  # fmt: skip
    assert ann.act("/api/v1/projects/shop/judgments", back).status_code == 409
    assert "q1 0 d3 2" in ann.get("/p/shop/transfer/qrels").text


def test_the_page_and_the_qrels_say_the_same_of_an_act_from_the_future(admin: Client, shop: Store) -> None:
    future = Judgment("future-key", "ida", "q1", "d3", 0, time="2999-01-01T00:00:00Z", source=SETTLING)
    shop.judgments.take("shop", [future])
    assert "Settled by ida: 0" in text(admin.get(PAGE + "?show=all").text)
    assert "q1 0 d3 0" in admin.get("/p/shop/transfer/qrels").text
    grade(admin, "d3", 3)
    assert "Settled by ada: 3" in text(admin.get(PAGE + "?show=all").text)
    assert "q1 0 d3 3" in admin.get("/p/shop/transfer/qrels").text
