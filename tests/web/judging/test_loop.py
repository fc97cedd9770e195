"""The loop in the page: the steps, files, handing out, closing a round; by people with every role."""

from __future__ import annotations

import base64
import gzip
import io
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.applications import Starlette
from tests.web.judging.workbench import Client, signed_in

from rankproof.cli.shared.root import cli
from rankproof.judging.records import Judgment, Project
from rankproof.judging.rounds.closed import is_closed
from rankproof.judging.store.store import Store
from rankproof.judging.uploads import plain_name

HERE = "/p/shop/project"
PAGES = (HERE, f"{HERE}/files", f"{HERE}/hand-out", f"{HERE}/models", f"{HERE}/results", "/p/shop/inbox")
FORMS = (
    f"{HERE}/round", f"{HERE}/files", f"{HERE}/hand-out", f"{HERE}/take-back", f"{HERE}/models",
    f"{HERE}/models/stop", "/p/shop/inbox",
)  # fmt: skip


@pytest.fixture
def rita(app: Starlette) -> Client:
    return signed_in(app, "rita", "reviewer")


def send(client: Client, content: bytes | str, file: str = "file.txt", what: str = "run", **fields: str) -> Any:
    data = content.encode() if isinstance(content, str) else content
    return client.post(
        f"{HERE}/files",
        data={"csrf": client.csrf, "what": what, **fields},
        files={"file": (file, io.BytesIO(data), "application/octet-stream")},
    )


@pytest.mark.parametrize("path", PAGES)
def test_only_reviewers_and_admins_see_the_loop(app: Starlette, rita: Client, admin: Client, path: str) -> None:
    for role in ("viewer", "judge"):
        assert signed_in(app, f"a-{role}", role).get(path).status_code == 403  # type: ignore[arg-type]
    assert rita.get(path).status_code == 200
    assert admin.get(path).status_code == 200


@pytest.mark.parametrize("path", FORMS)
def test_every_form_needs_its_role_and_its_token(app: Starlette, rita: Client, judge: Client, path: str) -> None:
    assert judge.submit(path).status_code == 403
    assert rita.post(path, data={"csrf": judge.csrf}).status_code == 403
    assert rita.post(path, data={}).status_code == 403
    elsewhere = {"Origin": "https://evil.example"}
    assert rita.post(path, data={"csrf": rita.csrf}, headers=elsewhere).status_code == 403
    assert rita.submit(path).status_code in (303, 404, 422)


def test_the_steps_say_what_is_next(app: Starlette, rita: Client, shop: Store) -> None:
    text = rita.get(HERE).text
    assert "3 queries" in text
    assert 'Next: <a href="/p/shop/project/hand-out">' in text
    shop.projects.add(Project("fresh", "<b>Fresh</b>"), "setup")
    shop.memberships.put("rita", "fresh", "reviewer", "setup")
    text = rita.get("/p/fresh/project").text
    assert 'Next: <a href="/p/fresh/project/files">' in text
    assert "<b>Fresh</b>" not in text


def test_a_round_is_closed_and_opened_again_with_who_and_why(rita: Client, shop: Store) -> None:
    assert rita.submit(f"{HERE}/round", do="close", note="<i>enough</i>").status_code == 303
    assert is_closed(shop, "shop")
    page = rita.get(HERE).text
    assert "&lt;i&gt;enough&lt;/i&gt;" in page
    assert "Closed by rita" in page
    assert rita.submit(f"{HERE}/round", do="burn").status_code == 422
    assert rita.submit(f"{HERE}/round", do="open").status_code == 303
    assert not is_closed(shop, "shop")
    acts = [(entry.account, entry.action) for entry in shop.audit.all()]
    assert ("rita", "round closed") in acts
    assert ("rita", "round opened") in acts


def test_files_fill_a_project(rita: Client, shop: Store) -> None:
    shop.projects.add(Project("fresh", "Fresh"), "setup")
    shop.memberships.put("rita", "fresh", "reviewer", "setup")

    def put(what: str, file: str, content: str, **more: str) -> str:
        sent = rita.post(
            "/p/fresh/project/files",
            data={"csrf": rita.csrf, "what": what, **more},
            files={"file": (file, io.BytesIO(content.encode()))},
        )
        assert sent.status_code == 200, sent.text
        return str(sent.text)

    assert "2 queries added" in put("queries", "topics.tsv", "q1\tred shoes\nq2\train coat\n")
    assert "2 were there already" in put("queries", "topics.tsv", "q1\tred shoes\nq2\train coat\n")
    documents = '{"_id": "d1", "title": "Shoe"}\n{"_id": "d2", "title": "Coat"}\n'
    assert "2 documents added" in put("documents", "corpus.jsonl", documents)
    assert "1 document added" in put("documents", "collection.tsv", "d3\tA third\tthing\n")
    run = "q1 Q0 d1 1 2.0 bm25\nq1 Q0 d2 2 1.0 bm25\nq9 Q0 d1 1 1.0 bm25\n"
    assert "1 query left out" in put("run", "bm25.run", run)
    put("run", "again.csv", "query_id,doc_id,score\nq2,d2,1.5\n", name="dense", format="csv")
    assert [one.name for one in shop.runs.all("fresh")] == ["bm25", "dense"]
    assert shop.runs.whole("fresh", "bm25") == {"q1": ["d1", "d2"]}
    assert shop.items.documents("fresh", ["d3"]) == {"d3": {"title": "A third", "text": "thing"}}


RUN = "q1 Q0 d1 1 2.0 new\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (gzip.compress(b"0" * 50_000_000), "compressed"),  # 48 kB that unpack to 50 MB
        (b"PK\x03\x04" + b"\0" * 100, "zip archive"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"\xff\xfeq\x001\x00 \x00", ""),
        ("q1 Q0 d\xe9 1 2.0 x\n".encode("latin-1"), "UTF-8"),
        (b"", "empty"),
        (b"SQLite format 3\x00" + b"\0" * 100, "SQLite"),
        (b"PAR1" + b"\0" * 100 + b"PAR1", "Parquet"),
        (RUN.replace("q1", "zz").encode(), "none of the project"),
        (b"[" * 100_000, ""),
        (b"q1 Q0 d1 1 nan x\nq1 Q0 d1 1 2 x\n", ""),
    ],
)
def test_what_is_no_run_is_refused_and_nothing_is_added(rita: Client, shop: Store, content: bytes, said: str) -> None:
    sent = send(rita, content, "x.run")
    assert sent.status_code == 422, sent.text
    assert said in sent.text
    assert "Nothing was added" in sent.text
    assert [one.name for one in shop.runs.all("shop")] == ["bm25", "dense"]


@pytest.mark.full
def test_a_table_that_is_small_as_a_file_and_huge_in_memory_is_refused(rita: Client, shop: Store) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    count = 100_000
    long = pa.DictionaryArray.from_arrays(pa.array([0] * count, pa.int32()), pa.array(["x" * 100_000]))
    table = pa.table({"query_id": pa.array(["q1"] * count), "text": long})
    out = io.BytesIO()
    pq.write_table(table, out, compression="zstd")
    assert len(out.getvalue()) < 1_000_000
    sent = send(rita, out.getvalue(), "queries.parquet", "queries")
    assert sent.status_code == 422
    assert "unpack" in sent.text


def test_documents_are_added_all_or_none(rita: Client, shop: Store) -> None:
    lines = [f'{{"_id": "new{i}", "title": "x"}}' for i in range(1200)]
    lines.append('{"_id": "d1", "title": "another content"}')  # there already, with other content
    sent = send(rita, "\n".join(lines), "corpus.jsonl", "documents")
    assert sent.status_code == 422
    assert "d1" in sent.text
    assert shop.items.count("shop").documents == 6


def test_names_of_files_are_names_and_nothing_else(rita: Client, shop: Store) -> None:
    assert plain_name("../../etc/passwd\0") == "passwd"
    assert plain_name("") == "upload"
    sent = send(rita, RUN.replace("new", "") + "q1 Q0", "../../<script>alert(1)</script>.run")
    assert "<script>alert" not in sent.text
    ok = send(rita, RUN, "../../x.run", name='"><img src=x onerror=alert(1)>')
    assert ok.status_code == 200
    assert "<img src=x" not in rita.get(f"{HERE}/files").text
    assert "<img src=x" not in rita.get(HERE).text
    assert send(rita, RUN, format="irds").status_code == 422
    assert send(rita, RUN, what="../x").status_code == 422
    assert send(rita, RUN, depth="9" * 30).status_code == 422


def test_a_file_above_the_limit_is_not_read(app: Starlette, rita: Client) -> None:
    kind = "multipart/form-data; boundary=x"
    sent = rita.post(f"{HERE}/files", content=b"x", headers={"Content-Type": kind, "Content-Length": str(1 << 30)})
    assert sent.status_code == 413


def test_pairs_are_looked_at_first_then_handed_out(app: Starlette, rita: Client, shop: Store) -> None:
    signed_in(app, "ana", "judge")
    signed_in(app, "bo", "judge")
    form = {"judge": ["ana", "bo"], "pairs": "6", "overlap": "2", "selection": "depth_pool(depth=2)"}
    looked = rita.submit(f"{HERE}/hand-out", do="look", **form)
    assert "ana: 4 pairs" in looked.text
    assert "8 judgments" in looked.text
    assert shop.assignments.all("shop") == []
    assert rita.submit(f"{HERE}/hand-out", do="give", **form).status_code == 409  # not looked at
    assert rita.submit(f"{HERE}/hand-out", do="give", after="0", **form).status_code == 303
    assert len(shop.assignments.all("shop")) == 8
    assert rita.submit(f"{HERE}/take-back", judge="ana").status_code == 303
    assert {one.judge for one in shop.assignments.all("shop")} == {"bo"}
    assert rita.submit(f"{HERE}/take-back", judge="ana").status_code == 422


def test_two_reviewers_at_once_hand_each_pair_out_once(app: Starlette, shop: Store) -> None:
    reviewers = [signed_in(app, f"r{n}", "reviewer") for n in range(4)]
    form = {"judge": ["r0"], "pairs": "6", "selection": "depth_pool(depth=2)", "do": "give", "after": "0"}
    with ThreadPoolExecutor(4) as pool:
        codes = [one.status_code for one in pool.map(lambda who: who.submit(f"{HERE}/hand-out", **form), reviewers)]
    assert sorted(codes)[0] == 303
    assert codes.count(303) == 1, codes
    assert len(shop.assignments.all("shop")) == 6


@pytest.mark.parametrize(
    "change",
    [{"pairs": "0"}, {"pairs": "99999"}, {"pairs": "-1"}, {"pairs": "x"}, {"judge": []}, {"judge": ["A B"]},
     {"overlap": "9999"}, {"each": "0"}, {"each": "7"}, {"selection": "rm(-rf)"}, {"selection": "depth_pool(" * 99}],
)  # fmt: skip
def test_what_cannot_be_handed_out_is_said(rita: Client, shop: Store, change: dict[str, object]) -> None:
    form: dict[str, object] = {"judge": ["rita"], "pairs": "2", "each": "1", "selection": "depth_pool(depth=2)"}
    sent = rita.submit(f"{HERE}/hand-out", do="look", **{**form, **change})
    assert sent.status_code in (404, 422), sent.text
    assert 'role="alert"' in sent.text
    assert shop.assignments.all("shop") == []


def test_the_same_by_the_api(app: Starlette, rita: Client, judge: Client, shop: Store) -> None:
    api = "/api/v1/projects/shop"
    for path in ("steps", "assignments", "results", "inbox", "model-judging"):
        assert judge.get(f"{api}/{path}").status_code == 403, path
    told = rita.get(f"{api}/steps").json()
    assert told["next"] == "hand_out"
    assert all(step["command"] and step["call"] for step in told["steps"])

    def file(data: bytes, **more: str) -> Any:
        body = {"what": "run", "name": "x.run", "content": base64.b64encode(data).decode(), **more}
        return rita.act(f"{api}/files", body)

    assert file(b"q1 Q0 d1 1 2.0 third\nq9 Q0 d1 1 2.0 third\n").json()["left_out"] == 1
    assert file(b"q1 Q0 d2 1 2.0 third\n").status_code == 409  # another run under this name
    assert file(gzip.compress(b"q1 Q0 d1 1 2.0 x\n")).status_code == 422
    assert file(b"q1 Q0 d1 1 2.0 x\n", content="?").status_code == 422
    assert file(b"q1 Q0 d1 1 2.0 x\n", format="irds:antique").status_code in (404, 422)

    body = {"judges": ["rita", "judy"], "pairs": 4, "overlap": 2, "selection": "depth_pool(depth=2)", "dry_run": True}
    looked = rita.act(f"{api}/assignments", body).json()
    assert (looked["judgments"], looked["load"], shop.assignments.all("shop")) == (6, {"rita": 3, "judy": 3}, [])
    assert rita.act(f"{api}/assignments", {**body, "dry_run": False}).status_code == 200
    assert [one["asked"] for one in rita.get(f"{api}/assignments").json()["judges"]] == [3, 3]
    assert rita.act(f"{api}/assignments", {**body, "judges": ["A B"]}).status_code == 422

    assert judge.act(f"{api}/round", {"closed": True}, "PUT").status_code == 403
    assert rita.act(f"{api}/round", {"closed": True, "note": "done"}, "PUT").json() == {"closed": True}
    assert judge.get(f"{api}/round").json() == {"closed": True}

    assert rita.get(f"{api}/results").json()["values"] == {}
    for n, (query, doc) in enumerate([("q1", "d1"), ("q1", "d3"), ("q2", "d5"), ("q2", "d1")]):
        shop.judgments.add("shop", Judgment(f"key-{n:04}", "judy", query, doc, n % 4))
    results = rita.get(f"{api}/results", params={"measures": "P@1", "baseline": "dense"}).json()
    assert results["values"]["bm25"]["P@1"] == pytest.approx(0.5)
    assert {(one["run"], one["baseline"]) for one in results["comparisons"]} >= {("bm25", "dense")}
    assert rita.get(f"{api}/results", params={"baseline": "nobody"}).status_code == 422
    assert rita.get(f"{api}/results", params={"measures": "nope@@"}).status_code == 422
    page = rita.get(f"{HERE}/results?measures=P@1&baseline=dense").text
    assert "Against dense" in page
    report = rita.get(f"{HERE}/results/report?measures=P@1")
    assert report.headers["content-disposition"] == 'attachment; filename="shop.report.html"'
    assert b"bm25" in report.content


def test_the_same_by_commands(rita: Client, shop: Store) -> None:
    run = CliRunner()
    told = json.loads(run.invoke(cli, ["judgments", "steps", shop.address, "--json"]).stdout)
    assert (told["next"], len(told["steps"])) == ("hand_out", 9)
    assert "next: Choose what is judged" in run.invoke(cli, ["judgments", "steps", shop.address]).output
    done = run.invoke(cli, ["judgments", "close", shop.address, "--note", "done"])
    assert done.output == "shop: the round is closed\n"
    assert run.invoke(cli, ["judgments", "close", shop.address]).output == "shop: the round is closed, as it was\n"
    assert is_closed(shop, "shop")
    told = json.loads(run.invoke(cli, ["judgments", "close", shop.address, "--reopen", "--json"]).stdout)
    assert (told["closed"], told["changed"]) == (False, True)
