"""From an API to what judges see: fetch keeps the fields of hits beside the run, and a store takes them from there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests import forking
from tests.cli.judging_commands import done, refused
from tests.live.echo import Echo, Request, echo

from rankproof.judging.store import open_store
from rankproof.reading.hit_documents import read_hit_documents

CONFIG = r'''
[benchmark]
dataset = "queries.csv"
[modes]
shop = """http(url='${SHOP}/{query_id}', hits='hits', id='sku', \
hit_fields={'title': 'name', 'price': 'cost', 'url': 'to', 'snippet': 'part'})"""
plain = "http(url='${SHOP}/{query_id}', hits='hits', id='sku')"
[limits]
probe = 0
'''
DOCUMENTS = "out/runs/shop.documents.jsonl"


def answer(request: Request) -> tuple[int, bytes]:
    query = request.path.strip("/")
    hits = [
        {
            "sku": sku,
            "name": f"Lamp {sku}",
            "cost": 9.5,
            "part": f"{sku} for {query}",
            "to": f"https://shop.example/{sku}",
        }
        for sku in ("a", "b")
    ]
    return 200, json.dumps({"hits": hits}).encode()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "queries.csv").write_text("query_id,text\nq1,red lamp\nq2,blue lamp\n")
    (tmp_path / "shop.toml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fetch(here: Path, server: Echo, *args: str) -> subprocess.CompletedProcess[str]:
    told = subprocess.run(
        [*forking.command(), "fetch", "shop.toml", "-o", "out", *args],
        cwd=here, env={**os.environ, "SHOP": server.url}, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    return told


def test_fields_lie_beside_the_run_and_come_from_the_store_of_answers_the_second_time(here: Path) -> None:
    with echo(answer) as server:
        told = fetch(here, server)
        assert f"  what the hits said (title, price, url, snippet): {DOCUMENTS}" in told.stdout
        first, asked = (here / DOCUMENTS).read_bytes(), len(server.requests)
        assert asked == 4
        document = json.loads(fetch(here, server, "--json").stdout)
        assert len(server.requests) == asked
    assert (here / DOCUMENTS).read_bytes() == first
    assert document["modes"][0]["hit_documents"] == "runs/shop.documents.jsonl"
    assert "hit_documents" not in document["modes"][1]
    assert not (here / "out/runs/plain.documents.jsonl").exists()
    read = read_hit_documents(DOCUMENTS)
    assert read.shown("q2", "b") == {
        "title": "Lamp b", "price": "9.5", "url": "https://shop.example/b", "snippet": "b for q2"
    }  # fmt: skip


def test_a_field_that_no_hit_has_is_told(here: Path) -> None:
    (here / "shop.toml").write_text(CONFIG.replace("'cost'", "'prise'"))
    with echo(answer) as server:
        told = fetch(here, server, "--mode", "shop")
    assert "shop: no hit had price (prise). Check hit_fields" in told.stderr


def test_documents_of_an_earlier_configuration_do_not_stay_beside_the_run(here: Path) -> None:
    with echo(answer) as server:
        fetch(here, server)
        (here / "shop.toml").write_text(CONFIG.partition(", \\\nhit_fields")[0] + ')"""\n[limits]\nprobe = 0\n')
        fetch(here, server)
    assert not (here / DOCUMENTS).exists()


def test_judges_see_what_users_saw(here: Path) -> None:
    with echo(answer) as server:
        fetch(here, server)
    told = done("init", "j.db", "-p", "shop", "--dataset", "queries.csv", "--run", "shop=out/runs/shop.run")
    assert "added: 2 queries, 2 documents" in told
    assert "without a text" not in told
    with open_store("j.db") as store:
        template = store.projects.get("shop").template
        assert (template.title, template.link, set(template.texts)) == ("title", "url", {"price", "snippet"})
        assert store.hits.of_query("shop", "q1", ["a"])["a"]["snippet"] == "a for q1"
        assert store.hits.of_query("shop", "q2", ["a"])["a"]["snippet"] == "a for q2"


def test_a_project_without_documents_learns_their_fields_from_the_first_run(here: Path) -> None:
    done("init", "j.db", "-p", "shop", "--dataset", "queries.csv")
    with echo(answer) as server:
        fetch(here, server)
    document = json.loads(done("add", "j.db", "--run", "out/runs/shop.run", "--json"))
    assert document["added"]["stayed"] == []
    with open_store("j.db") as store:
        assert store.projects.get("shop").template.link == "url"


def test_what_judges_saw_is_never_replaced_and_the_rest_is_told(here: Path) -> None:
    with echo(answer) as server:
        fetch(here, server, "--mode", "shop")
        done("init", "j.db", "-p", "shop", "--dataset", "queries.csv", "--run", "live=out/runs/shop.run")
        (here / "qrels.trec").write_text("q1 0 a 2\n")
        done("import", "j.db", "qrels.trec", "--judge", "ann")
        server.reply = lambda request: (200, answer(request)[1].replace(b"9.5", b"8"))
        fetch(here, server, "--mode", "shop", "--fresh")
    told = done("add", "j.db", "--run", "new=out/runs/shop.run")
    assert "other fields came, and what judges saw stays: 4 pairs (a for q1, b for q1" in told
    with open_store("j.db") as store:
        assert store.hits.of_query("shop", "q1", ["a"])["a"]["price"] == "9.5"


def test_documents_of_another_version_of_a_run_are_refused_unless_they_are_named(here: Path) -> None:
    with echo(answer) as server:
        fetch(here, server)
    run = here / "out/runs/shop.run"
    run.write_text(run.read_text().replace("q2 Q0 a", "q2 Q0 c"))
    args = ("init", "j.db", "-p", "shop", "--dataset", "queries.csv", "--run", "shop=out/runs/shop.run")
    assert "another version" in refused(*args)
    assert not (here / "j.db").exists()
    told = done(*args, "--documents", DOCUMENTS)
    assert "ranked or judged without a text: 1 document" in told


def test_a_file_of_documents_needs_its_run(here: Path) -> None:
    with echo(answer) as server:
        fetch(here, server)
    args = ("init", "j.db", "-p", "shop", "--dataset", "queries.csv")
    runs = ("--run", "one=out/runs/shop.run", "--run", "two=out/runs/plain.run")
    assert "of which run" in refused(*args, *runs, "--documents", DOCUMENTS)
    assert "three" in refused(*args, *runs, "--documents", f"three={DOCUMENTS}")
    assert "are of the run 'one'" in refused(
        *args, *runs, "--documents", f"one={DOCUMENTS}", "--documents", f"one={DOCUMENTS}"
    )
    assert "added: 2 queries, 2 documents" in done(*args, *runs, "--documents", f"two={DOCUMENTS}")
