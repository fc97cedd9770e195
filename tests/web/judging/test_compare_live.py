"""Configured pipelines that answer typed queries and queries of the project, and what goes wrong with them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from tests.web.judging.looks import faults, opened, overflow
from tests.web.judging.workbench import Client, serving, session_cookie, signed_in

from rankproof.judging.records import Project
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query
from rankproof.web import live
from rankproof.web.app import make_app
from rankproof.web.pages._compare_setup import ComparedVariant

pytest.importorskip("bm25s")

MODES = {"lexical": "bm25()", "clipped": "bm25(k1=0.1) >> cutoff(depth=1)"}
TEXTS = {"d1": "red shoes for rain", "d2": "a red hat", "d3": "shoes"}


@pytest.fixture
def config(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    (data / "qrels").mkdir(parents=True)
    docs = [{"_id": doc, "title": doc.upper(), "text": text} for doc, text in TEXTS.items()]
    (data / "corpus.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    (data / "queries.jsonl").write_text('{"_id": "q1", "text": "red shoes"}\n')
    (data / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    return write(tmp_path, MODES)


def write(folder: Path, modes: dict[str, str]) -> Path:
    path = folder / "stack.toml"
    lines = [f'{name} = "{text}"' for name, text in modes.items()]
    path.write_text('[benchmark]\ndataset = "data"\ndepth = 10\n[modes]\n' + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def judy(store: Store, config: Path) -> Client:
    store.projects.add(Project("live", "Live", pipelines=str(config)), "setup")
    store.items.add_queries("live", [Query("q1", "red shoes")])
    return signed_in(make_app(store), "judy", "judge")


def at(path: str = "", query: str = "", names: str = "hidden", modes: tuple[str, ...] = tuple(MODES)) -> str:
    handles = ".".join(ComparedVariant(f"live:{mode}", live=True).handle for mode in modes)
    return f"/p/live/compare{path}?v={handles}&names={names}&k=5" + (f"&q={query}" if query else "")


def test_a_typed_query_is_answered_kept_and_judged(judy: Client, store: Store) -> None:
    answer = judy.submit(at("/ask"), text="  red   hat ")
    assert answer.status_code == 303
    (typed,) = [query for query in store.items.queries("live") if query.query_id != "q1"]
    assert typed.text == "red hat"
    page = judy.get(answer.headers["location"]).text
    assert "<mark>red</mark> <mark>hat</mark>" in page
    assert not any(mode in page for mode in ("lexical", "clipped", "bm25"))
    # What was found is in the store with its text, and so is the answer itself.
    assert store.items.documents("live", ["d2"]) == {"d2": {"title": "D2", "text": "a red hat"}}
    (first, second) = store.experiments.all("live", "answer")
    documents = [store.experiments.get("live", one.sha256) for one in (first, second)]
    assert [(d["variant"], d["doc_ids"]) for d in documents] == [
        ("live:lexical", ["d2", "d1"]), ("live:clipped", ["d2"]),
    ]  # fmt: skip
    nonce = page.partition('name="nonce" value="')[2][:32]
    assert judy.submit(at("/prefer", typed.query_id), nonce=nonce, side="1").status_code == 303
    (kept,) = store.preferences.current("live")
    assert set(kept.variants) == {"live:lexical", "live:clipped"}
    # The summary finds the rankings of pipelines again, also of one that is configured no more.
    told = signed_in(judy.app, "rita", "reviewer").get("/p/live/compare/export?what=summary&form=json").json()
    assert {v["name"]: v["queries"] for v in told["variants"]} == {"live:lexical": 1, "live:clipped": 1}


def test_a_query_of_the_project_is_asked_when_somebody_says_so(judy: Client, store: Store) -> None:
    assert "2 pipelines have not answered" in judy.get(at(query="q1")).text
    assert store.experiments.all("live") == []  # looking asks nobody
    nonce = "a" * 32
    assert judy.submit(at("/prefer", "q1"), nonce=nonce, side="1").status_code == 422
    assert judy.submit(at("/ask"), q="q1").status_code == 303
    page = judy.get(at(query="q1", names="shown")).text
    assert "not answered" not in page
    assert "live:clipped" in page


def test_typing_the_words_of_a_query_asks_that_query(judy: Client, store: Store) -> None:
    assert judy.submit(at("/ask"), text="red shoes").headers["location"].endswith("q=q1")
    assert len(store.items.queries("live")) == 1


def test_what_cannot_be_asked(judy: Client, store: Store) -> None:
    assert judy.submit(at("/ask"), text=" ").status_code == 422
    assert judy.submit(at("/ask"), text="x" * 1001).status_code == 422
    assert judy.submit(at("/ask"), q="none").status_code == 404
    viewer = signed_in(judy.app, "vic", "viewer")
    assert viewer.submit(at("/ask"), text="red").status_code == 403
    assert "Type a query" not in viewer.get(at(query="q1")).text
    assert store.experiments.all("live") == []


def test_a_configuration_that_is_wrong_is_told_and_runs_are_compared_all_the_same(
    judy: Client, store: Store, config: Path
) -> None:
    store.runs.add("live", "one", {"q1": ["d1"]}, "a" * 64)
    store.runs.add("live", "two", {"q1": ["d2"]}, "b" * 64)
    write(config.parent, {"lexical": "bm52()"})
    page = judy.get("/p/live/compare").text
    assert "cannot be used" in page
    assert "bm52" in page
    assert page.count('type="checkbox" name="v"') == 2
    assert judy.submit(at("/ask"), text="red").status_code == 404
    config.unlink()
    assert "cannot be used" in judy.get("/p/live/compare").text


def test_a_changed_file_is_read_again(judy: Client, config: Path) -> None:
    assert judy.submit(at("/ask"), text="red").status_code == 303
    write(config.parent, {**MODES, "third": "bm25(b=0.2)"})
    os.utime(config, (1, 1))
    assert judy.submit(at("/ask", modes=("lexical", "third")), text="red").status_code == 303


def test_who_would_wait_too_long_is_told_to_try_again(judy: Client, monkeypatch: Any) -> None:
    app: Any = judy.app
    assert isinstance(app, Starlette)
    judy.submit(at("/ask"), text="red")
    monkeypatch.setattr(live, "PATIENCE", 0.05)
    (stack,) = [kept for _, kept in app.state.live._stacks.values()]
    with stack._lock:
        answer = judy.submit(at("/ask"), text="blue")
    assert answer.status_code == 429
    assert "busy" in answer.text
    assert judy.submit(at("/ask"), text="red").status_code == 303


def test_a_pipeline_that_cannot_be_opened_says_why(judy: Client, config: Path) -> None:
    write(config.parent, {"lexical": "bm25()", "clipped": "replay(path='gone.run')"})
    answer = judy.submit(at("/ask"), text="red")
    assert answer.status_code == 422
    assert "gone.run" in answer.text


@pytest.mark.slow
def test_typing_in_a_browser(browser: Any, judy: Client, store: Store) -> None:
    with serving(store) as (app, origin), opened(browser, session_cookie(app, origin, "judy", "judge"), 375) as page:
        page.goto(origin + at(query="q1"))
        page.keyboard.press("a")  # asks the pipelines this query
        page.wait_for_selector("#r1-1")
        page.get_by_label("A query of your own").fill("hat in the rain")
        page.keyboard.press("Enter")
        page.wait_for_selector("h1:has-text('hat in the rain')")
        assert page.locator(".result").count() == 3
        assert faults(page) == []
        assert overflow(page) <= 0
        page.keyboard.press("2")
        page.wait_for_selector("[data-query=q1]")  # back to the set
    (kept,) = store.preferences.current("live")
    assert (kept.query_id[:6], kept.blind) == ("typed:", True)
