"""Queries get further words from a file or from a model; their own words always stay, and failures are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.stack.stages.llm_cases import MemoryCache, opened
from tests.stack.stages.model_server import Reply, hang, http, question, reset, says, serving, timeout_for

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.reading.collection import Query, Rewritten
from rankproof.stack.records import Ground

RULES = """
# how people call things
notebook\tlaptop
sofa, settee => couch, chesterfield
tv, television, telly
new york, big apple => nyc
red\tcrimson\tscarlet   # two at once
"""


def rewritten(text: str, folder: Path) -> str:
    (folder / "words.txt").write_text(RULES, "utf-8")
    stage = opened("rewrite", Ground(folder=str(folder)), synonyms="words.txt")
    (query,) = stage.rewrite([Query("q1", text, {"kind": "vague"})])
    assert (query.query_id, query.columns, query.failures) == ("q1", {"kind": "vague"}, ())
    assert query.text.startswith(text)
    return str(query.text)


@pytest.mark.parametrize(
    ("query", "expanded"),
    [
        ("Notebook", "Notebook laptop"),
        ("laptop", "laptop"),  # one way only
        ("a settee, please", "a settee, please couch chesterfield"),
        ("telly stand", "telly stand tv television"),
        ("tv or television", "tv or television telly"),  # nothing that it has already
        ("hotels in New York", "hotels in New York nyc"),
        ("york new", "york new"),
        ("notebooks", "notebooks"),  # whole words
        ("red notebook", "red notebook crimson scarlet laptop"),
        ("", ""),
    ],
)
def test_synonyms_follow_the_querys_own_words(query: str, expanded: str, tmp_path: Path) -> None:
    assert rewritten(query, tmp_path) == expanded


@pytest.mark.parametrize("line", ["lonely", "a =>", "=> b", "a, , b", "\tx", "a\t"])
def test_a_line_that_is_no_rule_is_named(line: str, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text(f"a, b\n{line}\n")
    with raises(InputError, tmp_path / "words.txt", "line 2", repr(line.strip())):
        opened("rewrite", Ground(folder=str(tmp_path)), synonyms="words.txt")


def test_files_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    ground = Ground(folder=str(tmp_path))
    (tmp_path / "empty.txt").write_text("# nothing\n")
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9, coffee\n")
    for name, kind, values in (
        ("nowhere.txt", Unreadable, ("synonym",)),
        ("empty.txt", InputError, ("synonyms",)),
        ("latin.txt", InputError, ("UTF-8", "byte 3")),
    ):
        with raises(kind, tmp_path / name, *values):
            opened("rewrite", ground, synonyms=name)


def test_one_of_the_two_is_needed() -> None:
    for said in ({}, {"synonyms": "words.txt", "endpoint": "http://x"}):
        with raises(UsageError, "rewrite", "synonyms", "endpoint"):
            opened("rewrite", **said)


def test_the_identity_is_the_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a, b")
    (tmp_path / "b.txt").write_text("a, c")
    ground = Ground(folder=str(tmp_path))
    one, two = (opened("rewrite", ground, synonyms=name).identity for name in ("a.txt", "b.txt"))
    assert one != two


# ---- by a model ----------------------------------------------------------------------------------


def by_model(reply: Reply, text: str = "cheap laptop", **said: Any) -> Rewritten:
    with serving(lambda body, before: reply) as server:
        stage = opened("rewrite", endpoint=server.url, retries=0, timeout=timeout_for(reply), **said)
        (query,) = stage.rewrite([Query("q1", text)])
    assert isinstance(query, Rewritten)
    return query


@pytest.mark.parametrize(
    ("answer", "expanded"),
    [
        ("notebook, affordable, budget", "cheap laptop notebook affordable budget"),
        ("1. Notebook\n2. budget computer\n3) cheap\n- ultrabook.", "cheap laptop Notebook budget computer ultrabook"),
        ("laptop, Cheap", "cheap laptop"),
        ("notebook, notebook, a long sentence about what they mean", "cheap laptop notebook"),
    ],
)
def test_what_a_model_proposes_follows_the_querys_own_words(answer: str, expanded: str) -> None:
    query = by_model(says(answer))
    assert (query.text, query.failures) == (expanded, ())


def test_no_more_words_than_asked_for() -> None:
    assert by_model(says("a1, b2, c3, d4"), words=2).text == "cheap laptop a1 b2"


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (says(""), "empty answer"),
        (says("notebook, afford", finish="length"), "cut off"),
        (says("I am sorry but I cannot help you with that question today."), "refusal"),
        (says("I'm sorry, I can't"), "refusal"),
        (says("notebook, budget", finish="content_filter"), "refusal"),
        (http("{"), "unreadable answer"),
        (http("", "429 Too Many Requests"), "too many requests"),
        (reset, "no connection"),
        (hang, "timeout"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_failure_leaves_the_query_as_it_was_and_is_told(reply: Reply, kind: str) -> None:
    query = by_model(reply)
    assert query.text == "cheap laptop"
    (failure,) = query.failures
    assert (failure.query_id, failure.stage, failure.kind) == ("q1", "rewrite", kind)
    assert failure.fallback == "original query"


def test_each_query_is_asked_once() -> None:
    ground = Ground(cache=MemoryCache())
    queries = [Query("q1", "sofa"), Query("q2", "lamp")]
    with serving(lambda body, before: says("couch" if "sofa" in question(body) else "light")) as server:
        stage = opened("rewrite", ground, endpoint=server.url)
        first = [query.text for query in stage.rewrite(queries)]
        again = [query.text for query in stage.rewrite(queries)]
        assert len(server.asked) == 2
    assert first == again == ["sofa couch", "lamp light"]
