"""Secrets: named in a configuration, never written there, and never shown."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from tests.live.clients import opened
from tests.live.echo import echo
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel.secrets import Secrets
from rankproof.reading.collection import Query
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline

URL = "https://agnes:p%40ss-word@search.example/v1"


def secrets(**environment: str) -> Secrets:
    return Secrets("http", *(f"${{{name}}}" for name in environment), environment=environment)


def test_an_address_is_hidden_as_a_whole_and_its_password_alone() -> None:
    held = secrets(SEARCH_URL=URL)
    held.hide_user(held.expand("${SEARCH_URL}/search"))
    assert held.redact(f"GET {URL}/search failed") == "GET ${SEARCH_URL}/search failed"
    # As it stands there, decoded, and in the header of basic authentication: base64 of agnes:p@ss-word.
    for form in ("p%40ss-word", "p@ss-word", "YWduZXM6cEBzcy13b3Jk"):
        assert held.redact(f"wrong: {form}!") == "wrong: (hidden)!"


def test_a_word_of_a_few_letters_hides_nothing_else() -> None:
    held = secrets(KEY="at")
    held.hide_user("https://agnes:at@search.example")
    assert held.redact("what failed at all") == "what failed at all"


def test_a_value_is_hidden_however_an_answer_writes_it() -> None:
    value = 'k"e\\y é/x y'
    held = secrets(KEY=value)
    for form in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False),
        repr(value),
        quote(value),
        quote_plus(value),
    ):
        assert held.redact(f"answered <{form}>") in ("answered <${KEY}>", 'answered <"${KEY}">', "answered <'${KEY}'>")


def test_a_value_that_is_cut_is_hidden_where_half_of_it_is_there() -> None:
    held = secrets(KEY="s3cr3t-key-of-agnes")
    for end in range(11, 20):
        assert held.redact_cut(f"got 's3cr3t-key-of-agnes'[:{end}]: {'s3cr3t-key-of-agnes'[:end]}...").endswith(
            ": ${KEY}..."
        )
    assert held.redact_cut("s3cr3t") == "s3cr3t"
    assert held.redact("s3cr3t-key-of-agne") == "s3cr3t-key-of-agne"


def test_a_long_id_that_holds_a_secret_shows_none_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cr3t-key-of-agnes")
    for filler in range(30, 62, 4):
        answer = json.dumps({"hits": [{"id": ["x" * filler, "s3cr3t-key-of-agnes"]}]}).encode()
        with echo(answer) as server:
            asker = opened(read_pipeline(f"http(url='{server.url}', hits='hits', params={{'k': '${{SHOP_KEY}}'}})"))
            with pytest.raises(AskFailed) as failed:
                asker.ask(Query("q1", "x"), 10, 5.0)
            asker.close()
        assert "s3cr3t-key" not in str(failed.value)


def test_another_password_is_no_other_server() -> None:
    def identity(value: str) -> dict[str, str]:
        return secrets(PLACE=value).identity("${PLACE}")

    assert identity("postgresql://agnes:one@host/shop") == identity("postgresql://bo:two@host/shop")
    assert identity("host=host dbname=shop password=one") == identity("host=host dbname=shop password='t w o'")
    assert identity("postgresql://agnes:one@host/shop") != identity("postgresql://agnes:one@host/copy")
    assert identity("host=host dbname=shop password=one") != identity("host=other dbname=shop password=one")
    assert "shop" not in str(identity("postgresql://agnes:one@host/shop"))


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("http(url='https://x.example', hits='h', auth='agnes:hunter2')", ("http", "auth='user:${PASSWORD}'")),
        (
            "http(url='https://x.example', hits='h', headers={'Authorization': 'Bearer hunter2'})",
            ("http", "{'Authorization': '${SEARCH_KEY}'}"),
        ),
        (
            "http(url='https://x.example', hits='h', headers={'X-API-Key': 'hunter2'})",
            ("http", "{'X-API-Key': '${SEARCH_KEY}'}"),
        ),
        (
            "http(url='https://x.example', hits='h', params={'api_key': 'hunter2', 'q': '{query}'})",
            ("http", "{'api_key': '${SEARCH_KEY}'}"),
        ),
        (
            "http(url='https://agnes:hunter2@x.example', hits='h')",
            ("http", "auth='${SEARCH_USER}:${SEARCH_PASSWORD}'"),
        ),
        (
            "opensearch(index='i', url='https://x.example', auth='agnes:hunter2')",
            ("opensearch", "auth='user:${PASSWORD}'"),
        ),
        (
            "elasticsearch(index='i', url='https://x.example', headers={'authorization': 'ApiKey hunter2'})",
            ("elasticsearch", "{'authorization': '${SEARCH_KEY}'}"),
        ),
        ("solr(collection='c', url='https://x.example', auth='agnes:hunter2')", ("solr", "auth='user:${PASSWORD}'")),
        (
            "postgres(table='t', tsvector='w', dsn='postgresql://agnes:hunter2@x.example/shop')",
            ("postgres", "dsn='${DATABASE_URL}'"),
        ),
        (
            "postgres(table='t', tsvector='w', dsn='host=x.example sslpassword=hunter2')",
            ("postgres", "dsn='${DATABASE_URL}'"),
        ),
    ],
)
def test_a_secret_in_the_configuration_is_refused_and_not_repeated(said: str, values: tuple[str, ...]) -> None:
    with raises(UsageError, *values) as refused:
        opened(read_pipeline(said))
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("auth", ["agnes:${SHOP_KEY}", "${SHOP_USER}:${SHOP_KEY}", "${SHOP_KEY}"])
def test_a_secret_that_is_named_is_taken(auth: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_USER", "agnes")
    monkeypatch.setenv("SHOP_KEY", "agnes:hunter2")
    headers = {"Authorization": "Bearer ${SHOP_KEY}", "X-Tenant": "shoes"}
    opened(read_pipeline(f"http(url='https://x.example', hits='h', auth={auth!r}, headers={headers!r})")).close()


@pytest.mark.parametrize("name", ["opensearch", "elasticsearch", "solr"])
def test_the_address_comes_from_the_environment(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    what = "collection" if name == "solr" else "index"
    variable = f"{name.upper()}_URL"
    monkeypatch.delenv(variable, raising=False)
    with raises(UsageError, name, variable):
        opened(read_pipeline(f"{name}({what}='shop')"))
    monkeypatch.setenv(variable, "https://agnes:hunter2@search.example")
    step = read_pipeline(f"{name}({what}='shop')")
    asker: Any = opened(step)
    asker.close()
    assert "hunter2" not in f"{step.text} {step!r} {vars(asker)!r}"
