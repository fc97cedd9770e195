"""`rankproof init`: from an address and queries to a configuration that runs as it stands; nothing is overwritten."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests import forking
from tests.live.echo import Reply, Request, echo

from rankproof.cli.shared.root import cli
from rankproof.reading.hit_documents import read_hit_documents
from rankproof.stack.benchmark.config import read_config

HITS = [
    {"sku": f"P{n}", "name": f"Lamp {n}", "cost": 1, "price": {"amount": 9.5 + n}, "img": f"https://x.example/{n}.png"}
    for n in range(3)
]


def shop(request: Request) -> tuple[int, bytes]:
    return 200, json.dumps({"found": {"items": HITS}, "facets": [{"name": "a"}, {"name": "b"}]}).encode()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "queries.tsv").write_text("q1\tred lamp\nq2\tblue lamp\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["init", *args])


def done(*args: str) -> str:
    told = run(*args)
    assert told.exit_code == 0, told.output
    return told.stdout


def refused(status: int, *args: str) -> str:
    told = run(*args)
    assert told.exit_code == status, told.output
    assert not Path("search.toml").exists()
    return told.stderr


def test_one_query_is_asked_and_the_configuration_runs_as_it_stands(here: Path) -> None:
    with echo(shop) as server:
        told = done(f"{server.url}/search?q={{query}}&n={{depth}}&lang=en", "queries.tsv", "--name", "shop")
        assert [request.path for request in server.requests] == ["/search?q=red+lamp&n=20&lang=en"]
        assert "'red lamp': 3 hits" in told
        assert "  price    price.amount\n" in told
        assert "    title    Lamp 0\n" in told
        fetch, init, serve = (line.strip() for line in told.splitlines()[-3:])
        assert serve == "rankproof serve judging.db"
        for line in (fetch, init):
            assert CliRunner().invoke(cli, line.split()[1:]).exit_code == 0, line
    assert read_hit_documents("fetched/runs/live.documents.jsonl").documents["P1"] == {
        "title": "Lamp 1", "price": "10.5", "image": "https://x.example/1.png"
    }  # fmt: skip
    assert tomllib.loads(Path("policy.toml").read_text())["policy"]["baseline"] == "fetched/runs/live.run"


def test_the_candidate_that_stands_as_a_comment_is_a_mode_without_its_signs(here: Path) -> None:
    with echo(shop) as server:
        done(f"{server.url}/?q={{query}}", "queries.tsv")
        text = Path("search.toml").read_text()
        head, comment, rest = text.partition("# [modes.candidate]")
        lines, limits = (comment + rest).split("[limits]")
        Path("search.toml").write_text(
            head + "\n".join(x.removeprefix("# ") for x in lines.split("\n")) + "[limits]" + limits
        )
        assert list(read_config("search.toml").modes) == ["live", "candidate"]
        done(
            f"{server.url}/?q={{query}}",
            "queries.tsv",
            "--candidate",
            "http://new.example/",
            "-o",
            "a.toml",
            "--policy",
            "b",
        )
    assert list(read_config("a.toml").modes) == ["live", "candidate"]


@pytest.mark.parametrize(
    ("address", "sent", "assumed"),
    [
        ("/s?q=shoes&size=7", "/s?q=red+lamp&size=20", ("the parameter q", "the parameter size")),
        ("/s?Search-Term=shoes&x=1", "/s?Search-Term=red+lamp&x=1", ("the parameter Search-Term", "left to the API")),
        ("/s", "/s?q=red+lamp", ("the parameter q", "left to the API")),
        ("/in/{query}?rows={depth}", "/in/red%20lamp?rows=20", ()),
        ("/s?q={query}&f=1&f=2&n={depth}", "/s?q=red%20lamp&f=1&f=2&n=20", ()),
    ],
)
def test_an_address_of_a_browser_is_understood_and_what_is_assumed_told(
    address: str, sent: str, assumed: tuple[str, ...], here: Path
) -> None:
    with echo(shop) as server:
        document = json.loads(done(f"{server.url}{address}", "queries.tsv", "--json"))
        assert server.requests[0].path == sent
    assert len(document["assumed"]) == len(assumed)
    assert all(words in said for words, said in zip(assumed, document["assumed"], strict=True))


def test_graphql_headers_and_secrets(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "a-long-secret-word")
    body = {"query": "query($q: String!) {{ search(q: $q) {{ sku }} }}", "variables": {"q": "{query}", "none": None}}
    with echo(shop) as server:
        args = ("--header", "Authorization: Bearer ${SHOP_KEY}", "--body", json.dumps(body))
        done(f"{server.url}/graphql", "queries.tsv", *args)
        (request,) = server.requests
    assert request.headers["authorization"] == "Bearer a-long-secret-word"
    assert json.loads(request.body)["variables"] == {"q": "red lamp", "none": None}
    assert "a-long-secret-word" not in Path("search.toml").read_text()
    assert read_config("search.toml").modes["live"].values["headers"] == {"Authorization": "Bearer ${SHOP_KEY}"}


def test_servers_that_are_known_by_name(here: Path) -> None:
    found = {"hits": {"hits": [{"_id": "a", "_source": {"sku": "x", "title": "A"}}]}}
    with echo(json.dumps(found).encode()) as server:
        done("opensearch", "queries.tsv", "--url", server.url, "--index", "products")
        assert server.requests[0].path == "/products/_search"
        mode = read_config("search.toml").modes["live"]
    assert (mode.name, mode.values["index"], mode.values["hit_fields"]) == (
        "opensearch", "products", {"title": "_source.title"}
    )  # fmt: skip
    docs = {"response": {"docs": [{"id": "a", "images": ["https://x.example/a.png"]}]}}
    with echo(json.dumps(docs).encode()) as server:
        done(
            "solr",
            "queries.tsv",
            "--url",
            server.url,
            "--index",
            "p",
            "-o",
            "solr.toml",
            "--policy",
            "solr-policy.toml",
        )
    assert read_config("solr.toml").modes["live"].values["hit_fields"] == {"image": "images"}


def html(request: Request) -> tuple[int, bytes]:
    return 200, b"<!doctype html><title>Shop</title>"


def forbidden(request: Request) -> tuple[int, bytes]:
    return 401, b'{"message": "who are you?"}'


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (forbidden, ("401", "who are you?", "--header 'Authorization: Bearer ${API_KEY}'")),
        (html, ("with a page and not with JSON", "the API itself")),
        (b"OK", ("not JSON", "answers that are JSON")),
        (b"", ("answered with nothing",)),
        (b'{"error": "no such index"}', ("no list of objects", "error")),
        (b'{"hits": []}', ("No hits came", "--query")),
        (b'{"hits": [{"id": 1}, {"id": 1}]}', ("id is no id", "2 of 2", "--id")),
        (b'{"errors": [{"message": "unknown field"}], "data": null}', ("It says: unknown field",)),
    ],
)
def test_what_came_instead_is_told_with_what_to_do(reply: Reply | bytes, told: tuple[str, ...], here: Path) -> None:
    with echo(reply) as server:
        message = refused(1, f"{server.url}/s?q={{query}}", "queries.tsv")
    assert all(words in message for words in told), message


def test_a_server_that_is_not_there(here: Path) -> None:
    with echo(shop) as server:
        url = server.url
    assert "Is it running" in refused(1, f"{url}/s?q={{query}}", "queries.tsv")


@pytest.mark.parametrize(
    ("args", "told"),
    [
        ((), ("SEARCH is missing",)),
        (("http://x.example/",), ("QUERIES is missing",)),
        (("elastic", "queries.tsv"), ("elasticsearch",)),
        (("qdrant", "queries.tsv"), ("rankproof explain qdrant",)),
        (("shop.example/search", "queries.tsv"), ("http:// or https://",)),
        (("http://x.example/?api_key=abcdef&q={query}", "queries.tsv"), ("holds a secret",)),
        (("http://x.example/", "queries.tsv", "--body", "{}"), ("no {query}",)),
        (("http://x.example/", "queries.tsv", "--header", "x"), ("Name: value",)),
        (("http://x.example/", "queries.tsv", "--field", "x"), ("NAME=PATH",)),
        (("http://x.example/", "queries.tsv", "--policy", "search.toml"), ("both called",)),
        (("http://x.example/", "queries.tsv", "-o", "no/such/folder.toml"), ("does not exist",)),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_is_sent(
    args: tuple[str, ...], told: tuple[str, ...], here: Path
) -> None:
    message = refused(2, *args)
    assert all(words in message for words in told), message


@pytest.mark.parametrize("there", ["search.toml", "policy.toml"])
def test_nothing_is_overwritten_and_nothing_half_written(there: str, here: Path) -> None:
    Path(there).write_text("mine")
    with echo(shop) as server:
        told = run(f"{server.url}/?q={{query}}", "queries.tsv")
        assert server.requests == []
    assert told.exit_code == 2
    assert Path(there).read_text() == "mine"
    assert sum(Path(name).exists() for name in ("search.toml", "policy.toml")) == 1


def test_at_a_terminal_what_is_missing_is_asked_and_the_guess_corrected(here: Path) -> None:
    spaced = json.dumps({"found": {"items": [{"sku": "a", "ref": "R1"}, {"sku": "b", "ref": "R2"}]}}).encode()
    with echo(spaced) as server:
        lines = [f"{server.url}/?q={{query}}", "queries.tsv", "n", "found.items", "ref", "sku", "", "", "", "", "", "y"]
        master, slave = pty.openpty()
        process = subprocess.Popen(
            [*forking.command(), "init"], cwd=here, env={**os.environ, "TERM": "dumb"},
            stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        os.write(master, "".join(f"{line}\n" for line in lines).encode())
        out, err = process.communicate(timeout=60)
        os.close(slave)
        os.close(master)
    assert process.returncode == 0, err
    assert "Is this right?" in err
    assert "search.toml and policy.toml written" in out
    values = read_config("search.toml").modes["live"].values
    assert (values["id"], values["hit_fields"]) == ("ref", {"title": "sku"})
