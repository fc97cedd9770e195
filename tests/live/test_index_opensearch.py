"""Filling real OpenSearch indexes: killed, refused, changed, limited, and searched as dense() searches."""

from __future__ import annotations

import json
import os
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
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
N = 120


def modes(url: str, index: str, **said: Any) -> dict[str, str]:
    base = "".join(f", {name}={value!r}" for name, value in {"index": index, "url": url, **said}.items())[2:]
    return {
        "words": f"opensearch({base}, fields='title^3 text')",
        "vectors": f"opensearch({base}, vector_field='place', model='wordllama', candidates=1000)",
    }


def everything(url: str, index: str) -> dict[str, Any]:
    """All documents of an index, by a full scan: texts and vectors as they were sent."""
    call("POST", f"{url}/{index}/_refresh", "")
    found = call("POST", f"{url}/{index}/_search", json.dumps({"size": 10_000, "query": {"match_all": {}}}))
    return {hit["_id"]: hit["_source"] for hit in found["hits"]["hits"]}


def mapping(url: str, index: str) -> Any:
    return call("GET", f"{url}/{index}/_mapping", "")[index]["mappings"]


@pytest.fixture(scope="module")
def whole(opensearch_url: str) -> str:
    """An index filled in one go."""
    (done,) = filled(modes(opensearch_url, "whole"), made_corpus(N), batch=50, sample=None)
    assert (done.outcome, done.put, done.compared, done.faults) == ("made", N, N, ())
    assert all(one.found == one.tried > 0 for one in done.searches.values())
    return "whole"


def test_it_holds_every_document_and_says_what_it_is(opensearch_url: str, whole: str) -> None:
    corpus, there = made_corpus(N), everything(opensearch_url, whole)
    assert set(there) == set(corpus.doc_ids)
    assert {doc: one["title"] for doc, one in there.items()} == dict(
        zip(corpus.doc_ids, corpus.fields["title"], strict=True)
    )
    assert [doc for doc, one in there.items() if "place" not in one] == ["d3"]  # the empty one
    marker = mapping(opensearch_url, whole)["_meta"]["rankproof"]
    assert (marker["corpus"], marker["state"]) == (corpus.content_hash, "whole")
    settings = call("GET", f"{opensearch_url}/{whole}/_settings", "")[whole]["settings"]["index"]
    assert "refresh_interval" not in settings  # off while it is filled, then as usual


def test_vectors_are_ranked_as_dense_ranks_them(opensearch_url: str, whole: str) -> None:
    corpus = made_corpus(N)
    queries = [Query(f"q{i}", text) for i, text in enumerate(("red tent", "number 17", "a long long rope", "boat"))]
    step = read_pipeline(modes(opensearch_url, whole)["vectors"])
    asker: Any = shelf.find("engines", "opensearch").open(step.values, Ground(corpus))
    dense = read_pipeline("dense(model='wordllama')")
    exact: Any = shelf.find("engines", "dense").open(dense.values, Ground(corpus))
    for query, ours in zip(queries, exact.search(queries, 30), strict=True):
        theirs = asker.ask(query, 30, 20.0)
        cosines = {doc: 2 * score - 1 for doc, score in zip(theirs.doc_ids, theirs.scores.tolist(), strict=True)}
        assert list(cosines.values()) == pytest.approx(ours.scores.tolist(), abs=2e-6)
        own = dict(zip(ours.doc_ids, ours.scores.tolist(), strict=True))
        assert all(own.get(doc, min(own.values())) == pytest.approx(c, abs=4e-6) for doc, c in cosines.items())
    asker.close()


@pytest.mark.parametrize(
    ("name", "at", "after"),
    [
        ("put", 2, True),
        pytest.param("create", 1, True, marks=pytest.mark.full),
        pytest.param("finish", 1, False, marks=pytest.mark.full),
    ],
)
def test_one_that_was_killed_goes_on_and_is_as_one_filled_in_one_go(
    name: str, at: int, after: bool, opensearch_url: str, whole: str, tmp_path: Path
) -> None:
    index = f"killed-{name}"
    wanted = modes(opensearch_url, index)
    said = {"modes": wanted, "n": N, "batch": 50, "folder": str(tmp_path), "call": name, "at": at, "after": after}
    command = [sys.executable, "-m", "tests.stack.indexing.filling", json.dumps(said)]
    assert subprocess.run(command, cwd=ROOT, timeout=120).returncode == -signal.SIGKILL
    (done,) = filled(wanted, made_corpus(N), batch=30, sample=None)
    put = {"put": N - 100, "create": N, "finish": 0}[name]
    assert (done.outcome, done.put, done.faults) == ("resumed", put, ())
    assert everything(opensearch_url, index) == everything(opensearch_url, whole)


@pytest.mark.full
def test_killed_by_hand_in_the_middle_of_a_command(opensearch_url: str, whole: str, tmp_path: Path) -> None:
    """The command itself, ended when some documents are there, wherever it is then."""
    (tmp_path / "corpus.jsonl").write_text(
        "".join(
            json.dumps({"_id": doc, "title": title, "text": text}) + "\n"
            for doc, title, text in zip(made_corpus(2000).doc_ids, *made_corpus(2000).fields.values(), strict=True)
        )
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "red tent"}\n')
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td0\t1\n")
    (tmp_path / "b.toml").write_text(
        "[benchmark]\ndataset = '.'\n[modes]\nwords = \"opensearch(index='by-hand', fields='title text')\"\n"
    )
    command = [str(Path(sys.executable).parent / "rankproof"), "index", "b.toml", "--batch", "20", "--json"]
    environment = {**os.environ, "OPENSEARCH_URL": opensearch_url}
    filling = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    count = 0
    while count < 200 and filling.poll() is None:
        try:
            call("POST", f"{opensearch_url}/by-hand/_refresh", "")
            count = call("GET", f"{opensearch_url}/by-hand/_count", "")["count"]
        except OSError:
            continue
    assert filling.poll() is None, "it was done before it could be killed"
    filling.kill()
    filling.wait(20)
    done = subprocess.run([*command, "--compare-all"], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert (document["indexes"][0]["compared"], document["indexes"][0]["faults"]) == (2000, [])
    assert document["observed"]["indexes"][0]["outcome"] == "resumed"
    assert 0 < document["observed"]["indexes"][0]["put"] <= 1800
    assert set(everything(opensearch_url, "by-hand")) == set(made_corpus(2000).doc_ids)


# ---- found behind our back, and refused ----------------------------------------------------------


@pytest.mark.full
def test_what_somebody_changed_is_found(opensearch_url: str) -> None:
    corpus, wanted = made_corpus(N), modes(opensearch_url, "changed")
    filled(wanted, corpus)
    was = everything(opensearch_url, "changed")["d7"]
    for change, field in (({"title": "something else"}, "title"), ({"place": [0.5] * 256}, "place")):
        call("PUT", f"{opensearch_url}/changed/_doc/d7?refresh=true", json.dumps({**was, **change}))
        (done,) = filled(wanted, corpus, sample=None)
        (fault,) = done.faults
        assert "'d7'" in fault
        assert field in fault
        call("PUT", f"{opensearch_url}/changed/_doc/d7?refresh=true", json.dumps(was))
    (done,) = filled(wanted, corpus, sample=None)
    assert done.faults == ()
    call("DELETE", f"{opensearch_url}/changed/_doc/d7?refresh=true", "")
    (done,) = filled(wanted, corpus, sample=None)
    assert (done.outcome, done.put, done.faults) == ("resumed", 1, ())
    call("PUT", f"{opensearch_url}/changed/_doc/stranger?refresh=true", json.dumps({"title": "x", "text": "y"}))
    (done,) = filled(wanted, corpus)
    assert "1 more" in done.faults[0]
    (done,) = filled(wanted, corpus, replace=True)
    assert (done.outcome, done.faults) == ("made anew", ())


@pytest.mark.full
def test_another_dataset_model_or_mapping_is_refused(opensearch_url: str) -> None:
    corpus, wanted = made_corpus(20), modes(opensearch_url, "other")
    filled(wanted, corpus)
    before = everything(opensearch_url, "other")
    with raises(UsageError, "'other'", "another dataset", "20 documents", "--replace"):
        filled(wanted, made_corpus(20, "x"))
    with raises(UsageError, "'other'", "settings", "--replace"):
        filled(wanted, corpus, settings={"analyzer": "standard"})
    with raises(UsageError, "'other'", "another model"):
        filled({**wanted, "vectors": wanted["vectors"].replace("candidates", "length=8, candidates")}, corpus)
    call("PUT", f"{opensearch_url}/other/_mapping", json.dumps({"properties": {"new": {"type": "keyword"}}}))
    assert filled(wanted, corpus)[0].outcome == "there"  # a field more changes nothing of what is searched
    assert everything(opensearch_url, "other") == before
    (done,) = filled(wanted, made_corpus(20, "x"), replace=True)
    assert (done.outcome, done.faults) == ("made anew", ())


def test_an_index_that_we_did_not_make_is_left_alone(opensearch_url: str) -> None:
    call("PUT", f"{opensearch_url}/theirs/_doc/1?refresh=true", json.dumps({"sku": "1", "title": "mine"}))
    for replace in (False, True):
        with raises(UsageError, "'theirs'", "1 document", "sku", "title"):
            filled(modes(opensearch_url, "theirs"), made_corpus(5), replace=replace)
    assert everything(opensearch_url, "theirs") == {"1": {"sku": "1", "title": "mine"}}
    # Our marker in a mapping that is not ours: somebody made it anew from a copy.
    filled(modes(opensearch_url, "ours"), made_corpus(5))
    meta = mapping(opensearch_url, "ours")["_meta"]
    made = {"mappings": {"_meta": meta, "properties": {"title": {"type": "keyword"}}}}
    call("PUT", f"{opensearch_url}/copied", json.dumps(made))
    with raises(UsageError, "'copied'", "another mapping"):
        filled(modes(opensearch_url, "copied"), made_corpus(5))


@pytest.mark.full
def test_an_alias_or_a_pattern_is_no_index_to_fill(opensearch_url: str) -> None:
    call("PUT", f"{opensearch_url}/behind", "{}")
    call("PUT", f"{opensearch_url}/behind/_alias/front", "{}")
    with raises(UsageError, "'front'", "behind"):
        filled(modes(opensearch_url, "front"), made_corpus(5))
    for name in ("a*", "a,b", "Capital", "_all"):
        with raises(UsageError, repr(name)):
            filled(modes(opensearch_url, name), made_corpus(5))


def test_odd_ids_and_documents(opensearch_url: str) -> None:
    ids = ("a b", "ä/ö", "1", "x" * 512, "é" * 256, "'; drop", "{}", "🎈", "%2F", "..", '"')
    texts = (
        "",
        " ",
        "\0 nul",
        "\udc80 half",
        "word " * 3000,
        "'quoted' \"twice\"",
        "%s %(a)s",
        "🎈 balloon",
        "a",
        "b",
        "c",
    )
    corpus = Corpus(ids, {"title": texts, "text": ("",) * len(ids)})
    wanted = modes(opensearch_url, "odd")
    (done,) = filled(wanted, corpus, batch=3, sample=None)
    assert (done.faults, done.compared) == ((), len(ids))
    assert set(everything(opensearch_url, "odd")) == set(ids)
    for wrong, why in (("x" * 513, "512"), ("é" * 257, "512"), ("\udc80", "UTF-8"), ("", "empty")):
        with raises(InputError, why):
            filled(modes(opensearch_url, "refused"), Corpus(("fine", wrong), {"title": ("a", "b"), "text": ("", "")}))
    with pytest.raises(OSError, match="404"):
        call("GET", f"{opensearch_url}/refused", "")
    with raises(InputError, "'a.b'"):
        filled({"m": f"opensearch(index='refused', url='{opensearch_url}')"}, Corpus(("1",), {"a.b": ("x",)}))


@pytest.mark.full
def test_an_id_in_a_field_of_its_own(opensearch_url: str) -> None:
    (done,) = filled(modes(opensearch_url, "skus", id="_source.sku"), made_corpus(10))
    assert done.faults == ()
    assert {doc: one["sku"] for doc, one in everything(opensearch_url, "skus").items()} == {
        f"d{i}": f"d{i}" for i in range(10)
    }


def test_a_model_that_is_not_named_and_an_analyzer_that_is_not_there(opensearch_url: str) -> None:
    by_column = f"opensearch(index='none', url='{opensearch_url}', vector_field='place')"
    with raises(UsageError, "m", "'place'", "model"):
        filled({"m": by_column}, made_corpus(5))
    with raises(InputError, "analyzer", "klingon"):
        filled(modes(opensearch_url, "none"), made_corpus(5), settings={"analyzer": "klingon"})
    with pytest.raises(OSError, match="404"):
        call("GET", f"{opensearch_url}/none", "")


@pytest.mark.full
def test_two_that_fill_at_once_make_one_index(opensearch_url: str, whole: str, tmp_path: Path) -> None:
    wanted = modes(opensearch_url, "both")
    assert together(wanted, N, tmp_path, (7, 9)) == [0, 0]
    (done,) = filled(wanted, made_corpus(N), sample=None)
    assert (done.outcome, done.faults) == ("there", ())
    assert everything(opensearch_url, "both") == everything(opensearch_url, whole)


@pytest.mark.full
def test_one_that_is_made_anew_meanwhile_is_not_written_to(opensearch_url: str, monkeypatch: Any) -> None:
    from rankproof.stack.engines._elastic_fill import ElasticFiller

    real, wanted = ElasticFiller.put, modes(opensearch_url, "anew")

    def put(self: Any, documents: Any) -> None:
        real(self, documents)
        monkeypatch.setattr(ElasticFiller, "put", real)
        filled(wanted, made_corpus(30, "x"), replace=True)

    monkeypatch.setattr(ElasticFiller, "put", put)
    with raises(InputError, "'anew'", "made anew"):
        filled(wanted, made_corpus(30), batch=10)
    assert {one["title"][-1] for one in everything(opensearch_url, "anew").values() if one["title"]} == {"x"}


@pytest.mark.full
def test_an_index_that_may_not_be_written_is_told_and_filled_when_it_may(opensearch_url: str) -> None:
    """As a full disk does it: the node blocks writes, and says so for each document."""
    wanted, corpus = modes(opensearch_url, "blocked"), made_corpus(N)
    from rankproof.stack.engines._elastic_fill import ElasticFiller

    real, puts = ElasticFiller.put, []

    def put(self: Any, documents: Any) -> None:
        puts.append(len(documents))
        if len(puts) == 2:
            call("PUT", f"{opensearch_url}/blocked/_settings", '{"index.blocks.read_only_allow_delete": true}')
        real(self, documents)

    ElasticFiller.put = put  # type: ignore[method-assign]
    try:
        with raises(InputError, "'blocked'", "read-only"):
            filled(wanted, corpus, batch=50)
    finally:
        ElasticFiller.put = real  # type: ignore[method-assign]
    call("PUT", f"{opensearch_url}/blocked/_settings", '{"index.blocks.read_only_allow_delete": null}')
    (done,) = filled(wanted, corpus, sample=None)
    assert (done.outcome, done.put, done.faults) == ("resumed", N - 50, ())
