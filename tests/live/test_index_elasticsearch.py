"""Filling real indexes of Elasticsearch: killed, refused, changed, and searched as dense() searches."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.live.opensearch_index import call
from tests.raising import raises
from tests.stack.indexing.filling import filled, made_corpus, together

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground

pytest.importorskip("wordllama", reason="the package wordllama is not installed")
pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
N = 120
# The module with the English analyzer is not on Maven Central.
PLAIN = {"analyzer": "standard"}


def modes(url: str, index: str, model: str = "model='wordllama'", **said: Any) -> dict[str, str]:
    base = "".join(f", {name}={value!r}" for name, value in {"index": index, "url": url, **said}.items())[2:]
    return {
        "words": f"elasticsearch({base}, fields='title^3 text')",
        "vectors": f"elasticsearch({base}, vector_field='place', {model}, candidates=1000)",
    }


def fill(url: str, index: str, corpus: Corpus, settings: Any = PLAIN, **options: Any) -> Any:
    return filled(modes(url, index), corpus, settings=settings, **options)[0]


def everything(url: str, index: str) -> dict[str, Any]:
    """All documents of an index, by a full scan: texts and vectors as they were sent."""
    call("POST", f"{url}/{index}/_refresh", "")
    found = call("POST", f"{url}/{index}/_search", json.dumps({"size": 10_000, "query": {"match_all": {}}}))
    return {hit["_id"]: hit["_source"] for hit in found["hits"]["hits"]}


@pytest.fixture(scope="module")
def whole(elasticsearch_url: str) -> str:
    """An index filled in one go."""
    done = fill(elasticsearch_url, "whole", made_corpus(N), batch=50, sample=None)
    assert (done.outcome, done.put, done.compared, done.faults) == ("made", N, N, ())
    assert all(one.found == one.tried > 0 for one in done.searches.values())
    return "whole"


def test_it_holds_every_document_and_is_there_the_second_time(elasticsearch_url: str, whole: str) -> None:
    corpus, there = made_corpus(N), everything(elasticsearch_url, whole)
    for name, column in corpus.fields.items():
        assert {doc: one[name] for doc, one in there.items()} == dict(zip(corpus.doc_ids, column, strict=True))
    assert [doc for doc, one in there.items() if "place" not in one] == ["d3"]  # the empty one
    again = fill(elasticsearch_url, whole, corpus, sample=None)
    assert (again.outcome, again.put, again.faults) == ("there", 0, ())


def test_vectors_are_ranked_as_dense_ranks_them(elasticsearch_url: str, whole: str) -> None:
    corpus = made_corpus(N)
    queries = [Query(f"q{i}", text) for i, text in enumerate(("red tent", "number 17", "a long long rope", "boat"))]
    step = read_pipeline(modes(elasticsearch_url, whole)["vectors"])
    asker: Any = shelf.find("engines", "elasticsearch").open(step.values, Ground(corpus))
    dense = read_pipeline("dense(model='wordllama')")
    exact: Any = shelf.find("engines", "dense").open(dense.values, Ground(corpus))
    for query, ours in zip(queries, exact.search(queries, 30), strict=True):
        theirs = asker.ask(query, 30, 20.0)
        cosines = {doc: 2 * score - 1 for doc, score in zip(theirs.doc_ids, theirs.scores.tolist(), strict=True)}
        assert list(cosines.values()) == pytest.approx(ours.scores.tolist(), abs=2e-6)
        own = dict(zip(ours.doc_ids, ours.scores.tolist(), strict=True))
        assert all(own.get(doc, min(own.values())) == pytest.approx(c, abs=4e-6) for doc, c in cosines.items())
    asker.close()


@pytest.mark.parametrize(("name", "at", "after"), [("put", 2, True), ("create", 1, True), ("finish", 1, False)])
def test_one_that_was_killed_goes_on_and_is_as_one_filled_in_one_go(
    name: str, at: int, after: bool, elasticsearch_url: str, whole: str, tmp_path: Path
) -> None:
    index = f"killed-{name}"
    said = {"modes": modes(elasticsearch_url, index), "n": N, "batch": 50, "folder": str(tmp_path), "call": name,
            "at": at, "after": after, "settings": PLAIN}  # fmt: skip
    command = [sys.executable, "-m", "tests.stack.indexing.filling", json.dumps(said)]
    assert subprocess.run(command, cwd=ROOT, timeout=120).returncode == -signal.SIGKILL
    done = fill(elasticsearch_url, index, made_corpus(N), batch=30, sample=None)
    put = {"put": N - 100, "create": N, "finish": 0}[name]
    assert (done.outcome, done.put, done.faults) == ("resumed", put, ())
    assert everything(elasticsearch_url, index) == everything(elasticsearch_url, whole)


def test_what_somebody_changed_is_found(elasticsearch_url: str) -> None:
    corpus = made_corpus(40)
    fill(elasticsearch_url, "changed", corpus)
    was = everything(elasticsearch_url, "changed")["d7"]
    document = f"{elasticsearch_url}/changed/_doc/d7?refresh=true"
    for change, field in (({"title": "something else"}, "title"), ({"place": [0.5] * 256}, "place")):
        call("PUT", document, json.dumps({**was, **change}))
        (fault,) = fill(elasticsearch_url, "changed", corpus, sample=None).faults
        assert "'d7'" in fault
        assert field in fault
    call("DELETE", document, "")
    done = fill(elasticsearch_url, "changed", corpus, sample=None)
    assert (done.outcome, done.put, done.faults) == ("resumed", 1, ())


def test_another_dataset_model_or_mapping_is_refused(elasticsearch_url: str) -> None:
    corpus = made_corpus(20)
    fill(elasticsearch_url, "other", corpus)
    before = everything(elasticsearch_url, "other")
    with raises(UsageError, "'other'", "another dataset", "20 documents", "--replace"):
        fill(elasticsearch_url, "other", made_corpus(20, "x"))
    with raises(UsageError, "'other'", "settings", "--replace"):
        fill(elasticsearch_url, "other", corpus, {"analyzer": "simple"})
    with raises(UsageError, "'other'", "another model"):
        filled(modes(elasticsearch_url, "other", "model='wordllama', length=8"), corpus, settings=PLAIN)
    assert everything(elasticsearch_url, "other") == before
    assert fill(elasticsearch_url, "other", made_corpus(20, "x"), replace=True).outcome == "made anew"
    call("PUT", f"{elasticsearch_url}/theirs/_doc/1?refresh=true", json.dumps({"title": "mine"}))
    for replace in (False, True):
        with raises(UsageError, "'theirs'", "1 document", "title"):
            fill(elasticsearch_url, "theirs", made_corpus(5), replace=replace)


def test_odd_documents_and_none(elasticsearch_url: str) -> None:
    ids = ("a b", "ä/ö", "x" * 512, "'; drop", "🎈", "%2F")
    corpus = Corpus(ids, {"title": ("", "\0 nul", "x" * 40_000, "\udc80", "%s", "${a}"), "text": ("",) * len(ids)})
    assert fill(elasticsearch_url, "odd", corpus, batch=2, sample=None).faults == ()
    assert set(everything(elasticsearch_url, "odd")) == set(ids)
    with raises(InputError, "512"):
        fill(elasticsearch_url, "refused", Corpus(("é" * 257,), {"title": ("a",), "text": ("",)}))
    empty = Corpus((), {"title": (), "text": ()})
    assert [fill(elasticsearch_url, "empty", empty).outcome for _ in range(2)] == ["made", "there"]


def test_two_that_fill_at_once_make_one_index(elasticsearch_url: str, whole: str, tmp_path: Path) -> None:
    assert together(modes(elasticsearch_url, "both"), N, tmp_path, (7, 9), PLAIN) == [0, 0]
    assert fill(elasticsearch_url, "both", made_corpus(N), sample=None).faults == ()
    assert everything(elasticsearch_url, "both") == everything(elasticsearch_url, whole)
