"""Explore: runs on today's judgments, what was kept, and two clicks from a number to its documents."""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest
from tests.web.judging.disputed import VALUES, dispute
from tests.web.judging.test_settle import text
from tests.web.judging.workbench import Client

import rankproof
from rankproof.judging.records import SETTLING, Account, Judgment
from rankproof.judging.store.store import Store
from rankproof.kernel import shelf

PAGE = "/p/shop/explore"
GRADES = {"q1": {"d1": 3, "d2": 0}, "q2": {"d1": 1}}
RUN_A = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}
ADA = Account("ada", "reviewer")
RUN_B = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d1": 1.0}}


@pytest.fixture
def settled(shop: Store) -> Store:
    dispute(shop)
    shop.judgments.settle("shop", Judgment("settle-1", "ada", "q1", "d3", 2, source=SETTLING), ADA)
    shop.judgments.settle("shop", Judgment("settle-2", "ada", "q2", "d3", 1, source=SETTLING), ADA)
    return shop


def keep(client: Client, document: str | bytes, name: str = "report.json") -> Any:
    return client.post(PAGE, data={"csrf": client.csrf}, files={"file": (name, document)})


def links(page: str) -> list[str]:
    return [html.unescape(found) for found in re.findall(r'href="([^"]+)"', page)]


def comparison() -> str:
    found = rankproof.compare(GRADES, RUN_A, RUN_B, "nDCG@10", names=["a", "b"])
    made: str = shelf.find("reports", "json").comparison(found, per_query=True, observed={})
    return made


def test_a_project_without_judgments_says_so(reviewer: Client) -> None:
    assert "Nothing is settled yet" in reviewer.get(PAGE).text
    assert reviewer.get(PAGE + "/queries?measure=P@2").status_code == 200
    assert reviewer.get(PAGE + "/query?query=q1").status_code == 200


def test_values_are_those_computed_by_hand(reviewer: Client, settled: Store) -> None:
    page = text(reviewer.get(PAGE, params={"measures": "P@2 RR nDCG@10"}).text)
    for run, values in VALUES.items():
        assert f"{run} " + " ".join(f"{value:.4f}" for value in values.values()) in page


def test_two_clicks_from_a_number_to_the_documents(reviewer: Client, settled: Store) -> None:
    first = reviewer.get(PAGE).text
    (clicked,) = [link for link in links(first) if "/queries?" in link and "measure=RR" in link and "run=dense" in link]
    second = reviewer.get(clicked).text
    assert "RR by query" in second
    (clicked,) = [link for link in links(second) if "/query?" in link and "query=q1" in link]
    third = text(reviewer.get(clicked).text)
    assert "dense RR 1.0000 1 Thing 3 2" in third
    assert "This is the red thing number 3." in third
    assert "Grade 2 (settled: ada): ann 3, bob 0" in third


def test_what_moved_between_two_runs(reviewer: Client, settled: Store) -> None:
    page = text(reviewer.get(PAGE + "/query?query=q1&run=dense&against=bm25&depth=3").text)
    dense = page[page.index("dense nDCG@10") :]
    assert "1 Thing 3 &uarr;2 up from 3" in dense
    assert "2 Thing 5 new" in dense
    assert "3 Thing 1 &darr;2 down from 1" in dense
    assert dense.index("Gone from the first 3 of bm25") < dense.index("2 Thing 2")
    assert "1 document below." in dense


def test_differences_by_query_and_their_order(reviewer: Client, settled: Store) -> None:
    url = PAGE + "/queries?measure=P@2&run=dense&against=bm25"
    page = text(reviewer.get(url).text)
    # q1: 1.0 against 0.5; q2: 0.5 against 0.5
    assert "dense 0.7500 against bm25 0.5000: difference +0.2500" in page
    assert "Better in 1 query, the same in 1, worse in 0." in page
    shown = {
        "query": "red shoes", "-query": "rain coat", "difference": "rain coat", "-difference": "red shoes",
        "0": "rain coat", "-0": "red shoes", "junk": "red shoes",
    }  # fmt: skip
    for sort, first in shown.items():
        rows = text(reviewer.get(f"{url}&sort={sort}").text.partition("<tbody>")[2].join(["<main", ""]))
        assert rows.strip().startswith(first), sort


def test_requests_that_make_no_sense(reviewer: Client, settled: Store) -> None:
    assert reviewer.get(PAGE + "?measures=Nonsense@3").status_code == 422
    assert reviewer.get(PAGE + "/queries?measure=P@2&run=none&against=none&sort=99").status_code == 200
    assert reviewer.get(PAGE + "/queries?measure=").status_code == 200
    assert reviewer.get(PAGE + "/query?query=none").status_code == 404
    assert reviewer.get(PAGE + "/query?query=q1&depth=-3").status_code == 200
    assert reviewer.get(PAGE + "/query?query=q/3").status_code == 200
    assert reviewer.get(PAGE + "/report?id=none").status_code == 404


def test_reports_are_kept_and_shown(admin: Client, shop: Store) -> None:
    evaluation = rankproof.evaluate(GRADES, RUN_A, "nDCG@10 P@1", name="a")
    from rankproof.measuring.report import report_of

    answer = keep(admin, json.dumps(report_of(evaluation, targets={"P@1": 0.5}).to_dict()))
    assert answer.status_code == 303
    page = text(admin.get(answer.headers["location"]).text)
    assert "a P@1 1.0000 0.5000 met" in page
    rows = text(admin.get(answer.headers["location"] + "&measure=nDCG@10").text)
    assert "red shoes q1 1.0000" in rows

    answer = keep(admin, comparison())
    assert answer.status_code == 303
    page = text(admin.get(answer.headers["location"]).text)
    # q1: 3/1.585 of 3 = 0.6309; (0.6309 + 1) / 2 = 0.8155
    assert "nDCG@10 b against a 1.0000 0.8155 &minus;0.1845" in page
    rows = text(admin.get(answer.headers["location"] + "&measure=nDCG@10").text)
    assert "red shoes q1 &minus;0.3691 1.0000 0.6309" in rows
    assert keep(admin, comparison()).headers["location"] == answer.headers["location"]  # the same is the same
    assert [one.kind for one in shop.experiments.all("shop")] == ["evaluation", "comparison"]
    listed = text(admin.get(PAGE).text)
    assert "b against a nDCG@10: 1.0000 to 0.8155" in listed
    assert "a nDCG@10 1.0000 , P@1 1.0000" in listed


def test_the_gate_history_shows_verdicts(admin: Client, shop: Store) -> None:
    rule = {
        "title": "nDCG@10 >= 0.9",
        "status": "FAIL",
        "reason": "It is 0.8155.",
        "payers": [{"query_id": "q1", "value": 0.6309}],
    }
    verdict = {"schema": "verdict/1", "status": "FAIL", "policy": {"name": "release"}, "candidate": "b",
               "reasons": ["nDCG@10 is 0.8155."], "rulings": [rule]}  # fmt: skip
    answer = keep(admin, json.dumps(verdict))
    page = text(admin.get(answer.headers["location"]).text)
    assert "nDCG@10 >= 0.9 FAIL It is 0.8155." in html.unescape(page)
    assert "Who pays: red shoes (0.6309)" in page
    assert "release: b FAIL nDCG@10 is 0.8155." in text(admin.get(PAGE).text)


def test_a_real_verdict_is_taken(admin: Client, tmp_path: Any) -> None:
    policy = tmp_path / "p.toml"
    policy.write_text(
        '[policy]\nname = "real"\nqrels = "q.json"\ncandidate = "a.json"\n'
        '[[rule]]\nrule = "least_value"\nmeasure = "P@1"\nat_least = 0.2\n'
    )
    (tmp_path / "q.json").write_text(json.dumps(GRADES))
    (tmp_path / "a.json").write_text(json.dumps(RUN_A))
    document = shelf.find("reports", "json").verdict(rankproof.gate(str(policy)), observed={})
    answer = keep(admin, document)
    assert answer.status_code == 303, answer.text
    assert "by the policy real" in text(admin.get(answer.headers["location"]).text)


@pytest.mark.parametrize(
    "document",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"schema": 3}',
        '{"schema": "power/1"}',
        '{"schema": "comparison/1"}',
        '{"schema": "comparison/1", "systems": [], "contrasts": [{}]}',
        '{"schema": "evaluation/1", "evaluations": 3}',
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_report_is_refused_and_not_kept(admin: Client, shop: Store, document: str | bytes) -> None:
    assert keep(admin, document).status_code == 422
    assert shop.experiments.all("shop") == []


def test_a_kept_document_of_any_shape_breaks_no_page(admin: Client, shop: Store) -> None:
    shop.experiments.add("shop", "comparison", "<b>odd</b>", {"anything": [1]}, "api")
    page = admin.get(PAGE)
    assert page.status_code == 200
    assert "It cannot be read." in page.text
    assert "<b>odd" not in page.text
    digest = shop.experiments.all("shop")[0].sha256
    assert admin.get(f"{PAGE}/report?id={digest}").status_code == 422


def test_only_admins_keep_reports(reviewer: Client, shop: Store) -> None:
    assert keep(reviewer, comparison()).status_code == 403
    assert "Keep a report" not in reviewer.get(PAGE).text


@pytest.mark.parametrize(
    "measures", ["nDCG@99999999999999999999", "nDCG@" + "9" * 900, "P(rel=99999999999999999999)@5"]
)
def test_a_cutoff_that_no_ranking_has_is_refused(reviewer: Client, settled: Store, measures: str) -> None:
    for path in (PAGE, PAGE + "/queries"):
        params = {"measures": measures, "measure": measures}
        assert reviewer.get(path, params=params).status_code == 422
