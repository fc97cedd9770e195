"""Transfer: what goes in comes out again, and what does not fit leaves nothing behind."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from tests.web.judging.disputed import QRELS, dispute
from tests.web.judging.test_settle import text
from tests.web.judging.workbench import Client

from rankproof import read_qrels
from rankproof.judging.files import read_acts
from rankproof.judging.records import SETTLING, Account, Judgment
from rankproof.judging.store.store import Store

PAGE = "/p/shop/transfer"


def send(client: Client, content: str | bytes, name: str = "qrels.trec", **fields: str) -> Any:
    return client.post(PAGE, data={"csrf": client.csrf, **fields}, files={"file": (name, content)})


@pytest.mark.parametrize("form", ["trec", "tsv", "csv", "json", "jsonl", "beir"])
def test_qrels_go_in_in_every_format_and_come_out_the_same(admin: Client, shop: Store, form: str) -> None:
    first = send(admin, QRELS, judge="ann")
    assert first.status_code == 200, first.text
    assert "7 judgments added" in text(first.text)
    made = admin.get(f"{PAGE}/qrels?format={form}").content
    assert read_qrels(made).content_hash == read_qrels(QRELS.encode()).content_hash
    second = send(admin, made, f"qrels.{form}", judge="bob", format=form if form != "beir" else "")
    assert second.status_code == 200, second.text
    assert len(shop.judgments.current("shop", judge="bob")) == 7


def test_the_same_file_twice_adds_nothing(admin: Client, shop: Store) -> None:
    send(admin, QRELS, judge="ann")
    assert "0 judgments added, 7 were there already" in text(send(admin, QRELS, judge="ann").text)
    assert len(shop.judgments.history("shop")) == 7
    assert shop.audit.all(newest=1)[0].detail["added"] == 0


@pytest.mark.parametrize(
    ("content", "fields", "told"),
    [
        ("q1 0 d1 3\nq1 0 d1 2\n", {"judge": "ann"}, "line 2"),
        ("q1 0 d1\n", {"judge": "ann"}, ""),
        ("q1 0 d1 9\n", {"judge": "ann"}, "has grade 9"),
        ("zz 0 d1 1\n", {"judge": "ann"}, "none of the queries"),
        (QRELS, {}, "does not say who judged"),
        ("judge,query_id,doc_id,grade\nann,q1,d1,1\nann,q1,d2,x\n", {}, "line 3"),
        ("judge,query_id,doc_id,grade\nann,q1,d1,1\n", {"judge": "bob"}, "says itself who judged"),
        (QRELS, {"judge": "ann", "format": "irds"}, "No format"),
        (QRELS, {"judge": "ann", "source": "oracle"}, "No source"),
        (gzip.compress(QRELS.encode(), mtime=0), {"judge": "ann"}, "Unpack it first"),
        ("", {"judge": "ann"}, ""),
    ],
)
def test_what_does_not_fit_is_told_and_nothing_is_kept(
    admin: Client, shop: Store, content: str | bytes, fields: dict[str, str], told: str
) -> None:
    answer = send(admin, content, **fields)
    assert answer.status_code == 422
    assert told in text(answer.text)
    assert "Nothing was imported." in answer.text
    assert shop.judgments.history("shop") == []


def test_a_conflict_at_the_end_of_a_long_file_leaves_nothing(admin: Client, shop: Store) -> None:
    shop.judgments.add("shop", Judgment("taken-key", "eve", "q1", "d1", 0))
    rows = [f"key-{i:06},ann,q1,x{i},1" for i in range(1200)] + ["taken-key,ann,q2,d1,1"]
    answer = send(admin, "key,judge,query_id,doc_id,grade\n" + "\n".join(rows) + "\n", "acts.csv")
    assert answer.status_code == 422
    assert "names another act already" in text(answer.text)
    assert len(shop.judgments.history("shop")) == 1


def test_findings_are_listed_by_code_and_line(admin: Client) -> None:
    page = text(send(admin, "q1 0 d1 3\nq1 0 d2 1\nq1 0 d1 2\nq2 0 d1 high\n", judge="ann", format="trec").text)
    assert "The file has faults" in page
    assert "conflicting_judgment , line 3" in page
    assert "line 4" in page


def test_acts_come_out_and_go_in_again(admin: Client, shop: Store) -> None:
    dispute(shop)
    shop.judgments.settle(
        "shop", Judgment("settle-1", "ada", "q1", "d3", 2, note="=so", source=SETTLING), Account("ada", "reviewer")
    )
    for form in ("csv", "json"):
        answer = admin.get(f"{PAGE}/acts?what=judgments&format={form}")
        assert answer.headers["content-disposition"] == f'attachment; filename="shop.judgments.{form}"'
        added = send(admin, answer.content, f"acts.{form}")
        assert "0 judgments added, 20 were there already" in text(added.text), added.text
    assert "'=broken link" in admin.get(f"{PAGE}/acts?what=flags").text
    picks = json.loads(admin.get(f"{PAGE}/acts?what=picks&format=json").text)
    assert [(act["judge"], act["doc_id"]) for act in picks["acts"]] == [("bob", "d1")]
    assert picks["schema"] == "acts/1"
    entry = shop.audit.all(newest=1)[0]
    assert (entry.action, entry.detail["what"]) == ("export", "picks")


def test_history_has_what_was_taken_back(admin: Client, shop: Store) -> None:
    shop.judgments.add("shop", Judgment("first-key", "ann", "q1", "d1", 1))
    shop.judgments.add("shop", Judgment("back-key", "ann", "q1", "d1", None, "withdrawn", withdraws="first-key"))
    assert len(admin.get(f"{PAGE}/acts?what=judgments").text.splitlines()) == 1
    assert len(admin.get(f"{PAGE}/acts?what=judgments&history=1").text.splitlines()) == 3


def test_the_method_decides_what_is_exported(reviewer: Client, shop: Store) -> None:
    dispute(shop)
    assert "q1 0 d3" not in reviewer.get(f"{PAGE}/qrels").text
    lower = reviewer.get(f"{PAGE}/qrels", params={"method": "majority(ties='lower')"}).text
    assert "q1 0 d3 0\n" in lower
    assert shop.audit.all(newest=1)[0].detail["method"] == "majority(ties='lower')"


def test_who_may_and_what_is_refused(reviewer: Client, judge: Client, shop: Store) -> None:
    assert send(judge, QRELS, judge="ann").status_code == 403
    assert "Import" not in reviewer.get(PAGE).text.partition("<h1>")[2]
    assert reviewer.get(f"{PAGE}/qrels").status_code == 422  # nothing is settled
    assert reviewer.get(f"{PAGE}/qrels?format=none").status_code in (404, 422)
    assert reviewer.get(f"{PAGE}/acts?what=passwords").status_code == 422
    assert reviewer.get(f"{PAGE}/acts?format=exe").status_code == 422
    assert shop.judgments.history("shop") == []


def test_a_file_that_is_too_large(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.web.pages.transfer.LARGEST", 50)
    answer = send(admin, QRELS, judge="ann")
    assert answer.status_code == 413
    assert "more than 50 bytes" in answer.text


def test_qrels_are_never_called_a_run(reviewer: Client, shop: Store) -> None:
    shop.judgments.add("shop", Judgment("one-key-1", "ann", "q1", "d1", 2))
    from rankproof.kernel import shelf

    for name, form in shelf.everything("formats").items():
        if "qrels" not in form.writes:
            continue
        answer = reviewer.get("/p/shop/transfer/qrels", params={"format": name})
        if answer.status_code == 422:
            assert name == "testcases"  # it holds texts of queries, which these judgments have not
            continue
        called = answer.headers["content-disposition"]
        assert ".qrels" in called, name
        assert ".run" not in called, name
    trec = reviewer.get("/p/shop/transfer/qrels", params={"format": "trec"})
    assert 'filename="shop.qrels"' in trec.headers["content-disposition"]


def test_a_carriage_return_in_a_note_breaks_no_row_and_hides_no_formula(reviewer: Client, shop: Store) -> None:
    import csv
    import io

    note = "first\r=cmd|' /C calc'!A0\r\n@sum"
    shop.judgments.add("shop", Judgment("one-key-1", "ann", "q1", "d1", 2, note=note))
    content = reviewer.get("/p/shop/transfer/acts?what=judgments&format=csv").content
    for newline in ("", None):  # as it is, and as a spreadsheet that evens out ends of lines
        rows = list(csv.reader(io.StringIO(content.decode(), newline=newline)))
        assert len(rows) == 2
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    read = read_acts(content)
    assert read is not None
    assert [act.note for act in read.acts] == [note]
