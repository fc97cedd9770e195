"""The inbox: what waits, by kind, judge and words; settled, dismissed, opened again; by page, API and command."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner
from starlette.applications import Starlette
from tests.web.judging.workbench import Client, signed_in

from rankproof.cli.shared.root import cli
from rankproof.judging.inbox import InboxFilter, list_inbox
from rankproof.judging.records import SETTLING, Account, GoldAnswer, Judgment, JudgmentSource, Mark
from rankproof.judging.store.store import Store

API = "/api/v1/projects/shop/inbox"
MODEL = JudgmentSource("model", "m-1")


def filled(store: Store) -> None:
    """One item of each kind, and what is none: agreement, later, a withdrawn flag, a withdrawn grade, old gold."""
    add = store.judgments.add
    add("shop", Judgment("key-0001", "ana", "q1", "d1", 3))
    add("shop", Judgment("key-0002", "bo", "q1", "d1", 0))
    add("shop", Judgment("key-0003", "ana", "q1", "d2", 1))
    add("shop", Judgment("key-0004", "bo", "q1", "d2", 1))
    add("shop", Judgment("key-0005", "graded:m", "q1", "d2", 3, source=MODEL))
    add("shop", Judgment("key-0006", "graded:m", "q1", "d1", 2, source=MODEL))  # between the people's
    add("shop", Judgment("key-0007", "ana", "q2", "d1", None, "cannot_tell", note="in <b>Thai</b>"))
    add("shop", Judgment("key-0008", "bo", "q2", "d1", None, "later"))
    add("shop", Judgment("key-0009", "ana", "q2", "d3", 0))
    add("shop", Judgment("key-0010", "bo", "q2", "d3", 3))
    add("shop", Judgment("key-0011", "bo", "q2", "d3", None, "withdrawn", withdraws="key-0010"))
    store.gold.add("shop", [GoldAnswer("q2", "d3", 2), GoldAnswer("q1", "d2", 0)])
    store.gold.withdraw("shop", "q1", "d2")
    store.marks.add("shop", Mark("mark-001", "flag", "ana", "q/3", "d4", "<script>alert(1)</script>"))
    store.marks.add("shop", Mark("mark-002", "flag", "bo", "q1", "d4", "duplicate"))
    store.marks.add("shop", Mark("mark-003", "flag", "bo", "q1", "d4", withdraws="mark-002"))
    store.marks.add("shop", Mark("mark-004", "pick", "bo", "q1", "d1"))


@pytest.fixture
def rita(app: Starlette, shop: Store) -> Client:
    filled(shop)
    return signed_in(app, "rita", "reviewer")


def kinds(store: Store, **wanted: object) -> list[tuple[str, str, str]]:
    found = list_inbox(store, store.projects.get("shop"), InboxFilter(**wanted))  # type: ignore[arg-type]
    return sorted((one.row.kind, one.row.query_id, one.row.doc_id) for one in found.items)


def test_each_kind_is_there_and_nothing_else(rita: Client, shop: Store) -> None:
    assert kinds(shop) == [
        ("cannot_tell", "q2", "d1"), ("disagreement", "q1", "d1"), ("flag", "q/3", "d4"), ("gold", "q2", "d3"),
        ("model", "q1", "d2"),
    ]  # fmt: skip
    found = list_inbox(shop, shop.projects.get("shop"))
    assert found.waiting == {"flag": 1, "cannot_tell": 1, "disagreement": 1, "model": 1, "gold": 1}
    by_kind = {one.row.kind: one.row for one in found.items}
    assert (by_kind["disagreement"].grade, by_kind["disagreement"].other) == (0, 3)
    assert (by_kind["model"].grade, by_kind["model"].other, by_kind["model"].judge) == (3, 1, "graded:m")
    assert (by_kind["gold"].grade, by_kind["gold"].other) == (0, 2)


def test_filters_and_words(rita: Client, shop: Store) -> None:
    assert kinds(shop, kinds=("flag",)) == [("flag", "q/3", "d4")]
    assert kinds(shop, judge="graded:m") == [("model", "q1", "d2")]
    assert kinds(shop, search="RAIN thai") == [("cannot_tell", "q2", "d1")]
    assert kinds(shop, query_id="q1") == [("disagreement", "q1", "d1"), ("model", "q1", "d2")]
    assert kinds(shop, state="resolved") == []
    assert kinds(shop, search="nothing like it") == []


def test_a_settled_pair_waits_no_more_and_a_new_grade_brings_it_back(rita: Client, shop: Store) -> None:
    reviewer = Account("rita", "reviewer")
    shop.judgments.settle("shop", Judgment("key-0020", "rita", "q1", "d1", 1, source=SETTLING), reviewer)
    assert ("disagreement", "q1", "d1") not in kinds(shop)
    assert ("disagreement", "q1", "d1") in kinds(shop, state="resolved")
    taken = Judgment("key-0021", "rita", "q1", "d1", None, "withdrawn", source=SETTLING, withdraws="key-0020")
    shop.judgments.settle("shop", taken, reviewer)
    assert ("disagreement", "q1", "d1") in kinds(shop)


def item(client: Client, kind: str) -> dict[str, object]:
    (found,) = client.get(API, params={"kind": kind, "state": "all"}).json()["items"]
    return dict(found)


def form(one: dict[str, object], do: str, key: str = "form-key-1", note: str = "seen") -> dict[str, object]:
    names = {name: one[name] for name in ("item", "query_id", "doc_id")}
    return {**names, "do": do, "key": key, "note": note}


def test_the_page_dismisses_and_settles_and_says_who(rita: Client, shop: Store) -> None:
    page = rita.get("/p/shop/inbox").text
    assert "<script>alert" not in page
    assert "<b>Thai</b>" not in page
    flag, split = item(rita, "flag"), item(rita, "disagreement")
    assert rita.submit("/p/shop/inbox", **form(flag, "dismissed", note="")).status_code == 422  # say why
    assert rita.submit("/p/shop/inbox?kind=flag", **form(flag, "dismissed")).status_code == 303
    assert rita.submit("/p/shop/inbox", **form(split, "grade:2", "form-key-2")).status_code == 303
    assert rita.submit("/p/shop/inbox", **form(split, "grade:2", "form-key-2")).status_code == 303  # sent twice
    assert rita.submit("/p/shop/inbox", **form(split, "grade:9", "form-key-3")).status_code == 422
    settled = shop.judgments.history("shop", judge="rita")
    assert [(act.query_id, act.doc_id, act.grade, act.source) for act in settled] == [("q1", "d1", 2, SETTLING)]
    assert "Dismissed by rita" in rita.get("/p/shop/inbox?state=resolved").text
    assert kinds(shop, kinds=("flag", "disagreement")) == []
    assert rita.submit("/p/shop/inbox", **form(flag, "reopened", "form-key-4")).status_code == 303
    assert kinds(shop, kinds=("flag",)) == [("flag", "q/3", "d4")]
    assert ("rita", "inbox dismissed") in [(one.account, one.action) for one in shop.audit.all()]


def test_another_grade_makes_another_item(rita: Client, shop: Store) -> None:
    rita.submit("/p/shop/inbox", **form(item(rita, "disagreement"), "dismissed"))
    assert kinds(shop, kinds=("disagreement",)) == []
    shop.judgments.add("shop", Judgment("key-0030", "bo", "q1", "d1", 1))
    assert kinds(shop, kinds=("disagreement",)) == [("disagreement", "q1", "d1")]


def test_of_two_reviewers_at_once_one_resolves(app: Starlette, rita: Client, shop: Store) -> None:
    flag = item(rita, "flag")
    reviewers = [signed_in(app, f"r{n}", "reviewer") for n in range(4)]

    def dismiss(n: int) -> int:
        return int(reviewers[n].submit("/p/shop/inbox", **form(flag, "dismissed", f"form-key-{n}")).status_code)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(dismiss, range(4))) == [303, 409, 409, 409]
    assert len(shop.resolutions.of("shop", str(flag["item"]))) == 1


@pytest.mark.parametrize(
    "change", [{"item": "0" * 64}, {"query_id": "q2"}, {"do": "burn"}, {"key": "x"}, {"note": "x" * 10001}]
)
def test_what_is_no_item_is_refused(rita: Client, shop: Store, change: dict[str, str]) -> None:
    sent = rita.submit("/p/shop/inbox", **{**form(item(rita, "flag"), "dismissed"), **change})
    assert sent.status_code in (404, 422), sent.text
    assert shop.resolutions.holding("shop") == {}


def test_the_api_lists_and_resolves(rita: Client, judge: Client, shop: Store) -> None:
    assert judge.get(API).status_code == 403
    told = rita.get(API, params={"limit": 2}).json()
    assert (len(told["items"]), told["total"]) == (2, 5)
    one = item(rita, "cannot_tell")
    body = {"key": "api-key-1", "act": "settled", "grade": 1, "note": "it is", **{
        name: one[name] for name in ("item", "query_id", "doc_id")
    }}  # fmt: skip
    assert judge.act(API, body).status_code == 403
    assert rita.act(API, body).json()["resolution"]["by"] == "rita"
    assert rita.act(API, {**body, "key": "api-key-2"}).status_code == 409
    assert rita.act(API, {**body, "grade": None, "key": "api-key-3"}).status_code == 422
    assert kinds(shop, kinds=("cannot_tell",)) == []


def test_the_command_lists_and_resolves(rita: Client, shop: Store) -> None:
    run = CliRunner()
    told = json.loads(run.invoke(cli, ["judgments", "inbox", shop.address, "--kind", "gold", "--json"]).stdout)
    assert told["schema"].startswith("judging-inbox/")
    name = told["items"][0]["item"][:10]
    refused = run.invoke(cli, ["judgments", "inbox", shop.address, "--dismiss", name])
    assert (refused.exit_code, "note" in refused.output) == (2, True)
    done = run.invoke(cli, ["judgments", "inbox", shop.address, "--dismiss", name, "--note", "the gold is wrong"])
    assert (done.exit_code, done.output) == (0, "dismissed: gold about d3 for q2\n")
    assert kinds(shop, kinds=("gold",)) == []
    lines = run.invoke(cli, ["judgments", "inbox", shop.address]).output
    assert "waiting: flag 1, cannot tell 1, disagreement 1, model 1, gold 0" in lines
    assert run.invoke(cli, ["judgments", "inbox", shop.address, "--settle", "zz", "--grade", "1"]).exit_code == 2


def test_a_projects_own_reasons_are_the_same_everywhere(app: Starlette, admin: Client, shop: Store) -> None:
    usual = shop.projects.get("shop").flag_reasons
    assert "off topic" in usual
    done = CliRunner().invoke(cli, ["judgments", "change", shop.address, "--flag", "<i>odd</i>", "--flag", "too dear"])
    assert done.exit_code == 0, done.output
    app.state.context.projects.clear()
    told = admin.get("/api/v1/projects/shop").json()
    assert told["flags"] == ["<i>odd</i>", "too dear"]
    page = admin.get("/p/shop/judge").text
    assert "&lt;i&gt;odd&lt;/i&gt;" in page
    assert "<i>odd" not in page
    assert usual[0] not in page
    settings = {**{name: told[name] for name in told if name != "slug"}, "flags": []}
    assert admin.act("/api/v1/projects/shop", settings, "PUT").json()["flags"] == []
    assert usual[0] in admin.get("/p/shop/judge").text
    assert admin.act("/api/v1/projects/shop", {**settings, "flags": ["x", "x"]}, "PUT").status_code == 422


@pytest.mark.full
def test_a_hundred_thousand_judgments_are_listed_within_a_second(store: Store) -> None:
    from tests.web.judging.workbench import fill

    fill(store)
    acts = [
        Judgment(f"key-{q}-{d}-{j}", f"j{(q + d + j) % 50}", f"q{q}", f"d{d}", (q * d + j) % 10 // 9 + 1,
                 time="2031-05-04T03:02:01Z")
        for q in range(500) for d in range(100) for j in range(2)
    ]  # fmt: skip
    store.judgments.add_many("shop", acts)
    project = store.projects.get("shop")
    list_inbox(store, project)
    began = time.process_time()
    assert list_inbox(store, project, offset=200).total > 5_000
    assert time.process_time() - began < 1.0
