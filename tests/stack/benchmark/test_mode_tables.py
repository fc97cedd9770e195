"""A mode as a table of an engine and its options: the same pipeline as its text, and what cannot be is told where."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.live.clients import opened
from tests.live.echo import echo
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.config import BenchmarkConfig, config_of
from rankproof.stack.benchmark.reranks import ENGINE_KEYS, DeclaredRerank, read_mode
from rankproof.stack.engines._template import refuse_unquoted
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Step

HEAD = """
[benchmark]
name = "shop"
dataset = "sample:shop"
measures = ["nDCG@10"]
"""
LIVE = """
[modes.live]
engine = "http"
url = "https://api.example/search"
hits = "found.hits"
score = "w"
[modes.live.headers]
Authorization = "Bearer ${SHOP_KEY}"
[modes.live.body]
query = "{query}"
size = "{depth}"
exact = true
boost = 1.5
note = "a \\"quoted\\" \\\\ word\\n{{de}} ü"
filters = [{ term = { locale = "{locale}" } }, 3, []]
"""
TEXT = (
    "http(url='https://api.example/search', hits='found.hits', score='w', "
    "headers={'Authorization': 'Bearer ${SHOP_KEY}'}, body={'query': '{query}', 'size': '{depth}', 'exact': True, "
    "'boost': 1.5, 'note': 'a \"quoted\" \\\\ word\\n{{de}} ü', 'filters': [{'term': {'locale': '{locale}'}}, 3, []]})"
)


def config(text: str) -> BenchmarkConfig:
    return config_of(tomllib.loads(HEAD + text), "stack.toml", ".")


def mode(text: str) -> Step:
    return config(text).modes["live"]


def test_a_table_is_the_pipeline_that_its_text_is() -> None:
    step = mode(LIVE)
    assert step == read_pipeline(TEXT)
    assert read_pipeline(step.text) == step
    assert step.values["body"]["filters"] == [{"term": {"locale": "{locale}"}}, 3, []]


def test_what_follows_the_engine_and_what_flows_from_it() -> None:
    for then in (">> cutoff(depth=10)", "cutoff(depth=10)", "  >>cutoff(depth=10)"):
        table = LIVE.replace("[modes.live.headers]", f'then = "{then}"\n[modes.live.headers]')
        assert mode(table) == read_pipeline(f"{TEXT} >> cutoff(depth=10)")
    modes = config(LIVE + '[modes.words]\nengine = "bm25"\nk1 = 0.9\nfields = {title = 3, text = 1}\n')
    assert modes.modes["words"] == read_pipeline("bm25(k1=0.9, fields='title^3 text')")
    fused = config(LIVE + '[modes.fused]\npipeline = "fuse_rrf(live, live >> cutoff(depth=5))"\n').modes["fused"]
    assert fused.inputs[0] == read_pipeline(TEXT)


def test_an_engine_may_be_a_declared_rerank() -> None:
    text, declared = read_mode(
        {"engine": "replay", "path": "a.run", "rerank_of": "first", "depth": 5}, "stack.toml", "x"
    )
    assert (text, declared) == ("replay(path='a.run')", DeclaredRerank("first", 5))


def test_the_table_of_the_documentation_is_one() -> None:
    page = (Path(__file__).parents[3] / "docs" / "stack.md").read_text("utf-8")
    (table,) = [block for block in re.findall(r"```toml\n(.*?)```", page, re.DOTALL) if "[modes.live]" in block]
    step = mode(table)
    assert read_pipeline(step.text) == step
    assert step.name == "cutoff"
    refuse_unquoted("http", step.inputs[0].values["body"])


def test_no_engine_has_an_option_that_a_mode_has() -> None:
    for engine in shelf.everything("engines").values():
        assert not {param.name for param in engine.params} & {*ENGINE_KEYS, "pipeline"}


def test_the_body_is_sent_as_the_table_has_it() -> None:
    with echo(b'{"found": {"hits": [{"id": "d1", "w": 1}]}}') as server:
        table = LIVE.replace("https://api.example", server.url).replace('Authorization = "Bearer ${SHOP_KEY}"', "")
        asker = opened(mode(table))
        asker.ask(Query("q1", 'a "b" {depth}', {"locale": "us"}), 7, 5.0)
        asker.close()
    (asked,) = server.requests
    assert json.loads(asked.body) == {
        "query": 'a "b" {depth}', "size": 7, "exact": True, "boost": 1.5, "note": 'a "quoted" \\ word\n{de} ü',
        "filters": [{"term": {"locale": "us"}}, 3, []],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ({"engine": "http", "hits": "h"}, ("url",)),
        ({"engine": "http", "url": "http://x", "hits": "h", "body": {"from": np.datetime64("2020").item()}}, ("body",)),
        ({"engine": "http", "url": "http://x", "hits": "h", "body": {"n": float("nan")}}, ("body",)),
        ({"engine": "http", "url": "http://x", "hits": "h", "params": {"n": [1]}}, ("params",)),
        ({"engine": "bm25", "k1": "much"}, ("k1", "'much'")),
        ({"engine": "bm25", "then": ">>"}, ("then", "'>>'")),
        ({"engine": "bm25", "then": ""}, ("then",)),
        ({"engine": ""}, ("engine",)),
        ({"engine": 1}, ("engine", "1")),
        ({"engine": "bm25", "pipeline": "bm25()"}, ("engine", "pipeline")),
        ({"engine": "bm25", "depth": 5}, ("rerank_of", "depth")),
        ({"engine": "bm25", "depth": 0}, ("depth", "0")),
    ],
)
def test_what_cannot_be_is_told_where(table: dict[str, Any], values: tuple[str, ...]) -> None:
    with raises(UsageError, "stack.toml", "mode live", *values):
        read_mode(table, "stack.toml", "live")


@pytest.mark.parametrize(
    ("table", "values"),
    [
        ({"engine": "htp"}, ("'htp'", "'http'")),
        ({"engine": "cutoff"}, ("'cutoff'",)),
        ({"engine": "http", "url": "http://x", "hit": "h"}, ("'hit'", "'hits'")),
        ({"engine": "http", "url": "http://x", "hits": "h", "boddy": {}}, ("'boddy'", "'body'")),
        ({"pipline": "bm25()"}, ("'pipline'", "'pipeline'")),
    ],
)
def test_a_name_that_there_is_not_is_told_where(table: dict[str, Any], values: tuple[str, ...]) -> None:
    with raises(UnknownName, "stack.toml", "mode live", *values):
        read_mode(table, "stack.toml", "live")


@pytest.mark.parametrize("then", ["bm25()", "cutoff(depth=10) >> nothing()", "cutoff(", "cutoff() if 1 else bm25()"])
def test_what_cannot_follow_an_engine(then: str) -> None:
    with pytest.raises(UsageError, match=r"stack\.toml, mode live"):
        config(f'[modes.live]\nengine = "bm25"\nthen = "{then}"\n')


def test_a_secret_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "s3cr3t-key")
    step = mode(LIVE)
    asker: Any = opened(step)
    asker.close()
    assert "${SHOP_KEY}" in step.text
    assert "s3cr3t" not in f"{step.text} {step!r} {vars(asker)!r}"
    with raises(UsageError, "http", "${SEARCH_KEY}") as refused:
        opened(mode(LIVE.replace("Bearer ${SHOP_KEY}", "Bearer s3cr3t-key")))
    assert "s3cr3t" not in str(refused.value)
