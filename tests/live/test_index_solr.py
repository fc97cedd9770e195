"""Filling real cores of Solr: killed, refused, changed, and searched as dense() searches."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.live.solr_server import call
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
SET = {"config": "filled"}
NEAREST = "{!knn f=place topK={depth}}{vector}"


def modes(url: str, core: str, model: str = "model='wordllama'", **said: Any) -> dict[str, str]:
    base = "".join(f", {name}={value!r}" for name, value in {"collection": core, "url": url, **said}.items())[2:]
    return {
        "words": f"solr({base}, fields='title^3 text')",
        "vectors": f"solr({base}, q='{NEAREST}', parser='lucene', {model})",
    }


def fill(url: str, core: str, corpus: Corpus, settings: Any = SET, **options: Any) -> Any:
    return filled(modes(url, core), corpus, settings=settings, **options)[0]


def get(url: str, **asked: Any) -> Any:
    with urllib.request.urlopen(f"{url}?{urllib.parse.urlencode({**asked, 'wt': 'json'})}", timeout=60) as answer:
        return json.loads(answer.read())


def everything(url: str, core: str) -> dict[str, Any]:
    """All documents of a core, by a full scan: texts and vectors as they are stored."""
    found = get(f"{url}/{core}/select", q="*:*", rows=10_000, fl="id,title,text,place")["response"]
    assert found["numFound"] == len(found["docs"])
    return {doc["id"]: doc for doc in found["docs"]}


def there(url: str, core: str) -> bool:
    return bool(get(f"{url}/admin/cores", action="STATUS", core=core)["status"][core])


@pytest.fixture(scope="module")
def whole(solr_url: str) -> str:
    """A core filled in one go."""
    done = fill(solr_url, "whole", made_corpus(N), batch=50, sample=None)
    assert (done.outcome, done.put, done.compared, done.faults) == ("made", N, N, ())
    assert all(one.found == one.tried > 0 for one in done.searches.values())
    assert done.bytes > 0
    return "whole"


def test_it_holds_every_document_and_nothing_else(solr_url: str, whole: str) -> None:
    corpus, docs = made_corpus(N), everything(solr_url, whole)
    assert set(docs) == set(corpus.doc_ids)
    for name, column in corpus.fields.items():
        assert {doc: one.get(name, "") for doc, one in docs.items()} == dict(zip(corpus.doc_ids, column, strict=True))
    assert [doc for doc, one in docs.items() if "place" not in one] == ["d3"]  # the empty one
    again = fill(solr_url, whole, corpus, sample=None)
    assert (again.outcome, again.put, again.faults) == ("there", 0, ())


def test_vectors_are_ranked_as_dense_ranks_them(solr_url: str, whole: str) -> None:
    corpus = made_corpus(N)
    queries = [Query(f"q{i}", text) for i, text in enumerate(("red tent", "number 17", "a long long rope", "boat"))]
    # So many candidates as there are documents: with fewer, the walk over the graph may miss some.
    step = read_pipeline(modes(solr_url, whole)["vectors"].replace("topK={depth}", f"topK={N}"))
    asker: Any = shelf.find("engines", "solr").open(step.values, Ground(corpus))
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
        pytest.param("mark", 1, False, marks=pytest.mark.full),
        pytest.param("_make", 1, True, marks=pytest.mark.full),
    ],
)
def test_one_that_was_killed_goes_on_and_is_as_one_filled_in_one_go(
    name: str, at: int, after: bool, solr_url: str, whole: str, tmp_path: Path
) -> None:
    core = f"killed-{name}"
    said = {"modes": modes(solr_url, core), "n": N, "batch": 50, "folder": str(tmp_path), "call": name, "at": at,
            "after": after, "settings": SET}  # fmt: skip
    command = [sys.executable, "-m", "tests.stack.indexing.filling", json.dumps(said)]
    assert subprocess.run(command, cwd=ROOT, timeout=120).returncode == -signal.SIGKILL
    done = fill(solr_url, core, made_corpus(N), batch=30, sample=None)
    put = {"put": N - 100, "create": N, "finish": 0, "mark": 0, "_make": N}[name]
    # The core that has no fields and no marker is as if it were not there.
    assert (done.outcome, done.put, done.faults) == ("made" if name == "_make" else "resumed", put, ())
    assert everything(solr_url, core) == everything(solr_url, whole)


# ---- found behind our back, and refused ----------------------------------------------------------


@pytest.mark.full
def test_what_somebody_changed_is_found(solr_url: str) -> None:
    corpus = made_corpus(40)
    fill(solr_url, "changed", corpus)
    was = everything(solr_url, "changed")["d7"]
    for change, field in (({"title": "something else"}, "title"), ({"place": [0.5] * 256}, "place")):
        call(f"{solr_url}/changed/update?commit=true", [{**was, **change}])
        (fault,) = fill(solr_url, "changed", corpus, sample=None).faults
        assert "'d7'" in fault
        assert field in fault
        call(f"{solr_url}/changed/update?commit=true", [was])
    assert fill(solr_url, "changed", corpus, sample=None).faults == ()
    call(f"{solr_url}/changed/update?commit=true", {"delete": {"id": "d7"}})
    done = fill(solr_url, "changed", corpus, sample=None)
    assert (done.outcome, done.put, done.faults) == ("resumed", 1, ())
    call(f"{solr_url}/changed/update?commit=true", [{"id": "stranger", "title": "x"}])
    assert "1 more" in fill(solr_url, "changed", corpus).faults[0]
    done = fill(solr_url, "changed", corpus, replace=True)
    assert (done.outcome, done.faults) == ("made anew", ())


@pytest.mark.full
def test_another_dataset_model_or_schema_is_refused(solr_url: str) -> None:
    corpus, own = made_corpus(20), {"config": "others"}
    fill(solr_url, "other", corpus, own)
    before = everything(solr_url, "other")
    with raises(UsageError, "'other'", "another dataset", "20 documents", "--replace"):
        fill(solr_url, "other", made_corpus(20, "x"), own)
    with raises(UsageError, "'other'", "settings", "--replace"):
        fill(solr_url, "other", corpus, {**own, "analyzer": "string"})
    short = modes(solr_url, "other", "model='wordllama', length=8")
    with raises(UsageError, "'other'", "another model"):
        filled(short, corpus, settings=own)
    # The fields are there already, in a config set that the cores share.
    with raises(InputError, "'others'", "'title', 'text'", "config"):
        fill(solr_url, "fourth", corpus, {**own, "analyzer": "string"})
    assert not there(solr_url, "fourth")
    call(f"{solr_url}/other/schema", {"add-field": {"name": "more", "type": "string"}})
    assert fill(solr_url, "other", corpus, own).outcome == "there"  # a field more changes nothing of what is searched
    call(f"{solr_url}/other/schema", {"replace-field": {"name": "text", "type": "string"}})
    with raises(UsageError, "'other'", "another mapping", "--replace"):
        fill(solr_url, "other", corpus, own)
    call(
        f"{solr_url}/other/schema",
        {
            "replace-field": {
                "name": "text",
                "type": "rankproof_english",
                "indexed": True,
                "stored": True,
                "multiValued": False,
            }
        },
    )
    assert everything(solr_url, "other") == before
    done = fill(solr_url, "other", made_corpus(20, "x"), own, replace=True)
    assert (done.outcome, done.faults) == ("made anew", ())


def test_a_core_that_we_did_not_make_is_left_alone(solr_url: str) -> None:
    get(f"{solr_url}/admin/cores", action="CREATE", name="theirs", configSet="filled")
    call(f"{solr_url}/theirs/update?commit=true", [{"id": "1", "mine_t": "x"}])
    for replace in (False, True):
        with raises(UsageError, "'theirs'", "1 document"):
            fill(solr_url, "theirs", made_corpus(5), replace=replace)
    assert set(everything(solr_url, "theirs")) == {"1"}


@pytest.mark.full
def test_one_whose_marker_was_removed_is_not_written_to(solr_url: str) -> None:
    fill(solr_url, "unmarked", made_corpus(5))
    types = get(f"{solr_url}/unmarked/schema/fieldtypes")["fieldTypes"]
    folder = get(f"{solr_url}/admin/cores", action="STATUS", core="unmarked")["status"]["unmarked"]["instanceDir"]
    (marker,) = [one["name"] for one in types if one["name"].removeprefix("rankproof_") in folder]
    call(f"{solr_url}/unmarked/schema", {"delete-field-type": {"name": marker}})
    with raises(UsageError, "'unmarked'", "5 documents", "--replace"):
        fill(solr_url, "unmarked", made_corpus(5))
    assert fill(solr_url, "unmarked", made_corpus(5), replace=True).outcome == "made anew"


@pytest.mark.full
def test_odd_ids_and_documents(solr_url: str) -> None:
    ids = ("a b", "a,b", "ä/ö", "1", "x" * 32_766, "'; drop", "{}", "🎈", "%2F", "..", '"', "a+b&c=d", "*:*")
    texts = (
        "",
        " ",
        "\0 nul",
        "\udc80 half",
        "x" * 40_000,
        "word " * 8000,
        "%s %(a)s",
        "🎈",
        "${a}",
        "b",
        "c",
        "1.50",
        "<b>",
    )
    corpus = Corpus(ids, {"title": texts, "text": ("",) * len(ids)})
    done = fill(solr_url, "odd", corpus, batch=3, sample=None)
    assert (done.faults, done.compared) == ((), len(ids))
    assert set(everything(solr_url, "odd")) == set(ids)
    for wrong, why in (("x" * 32_767, "32766"), ("\udc80", "UTF-8"), ("", "empty"), ("a\0b", "character 0")):
        with raises(InputError, why):
            fill(solr_url, "refused", Corpus(("fine", wrong), {"title": ("a", "b"), "text": ("", "")}))
    assert not there(solr_url, "refused")
    with raises(InputError, "'a.b'"):
        filled({"m": f"solr(collection='refused', url='{solr_url}')"}, Corpus(("1",), {"a.b": ("x",)}))


@pytest.mark.full
def test_an_id_in_a_field_of_its_own_and_no_documents(solr_url: str) -> None:
    (done,) = filled(modes(solr_url, "skus", id="sku"), made_corpus(10), settings=SET)
    assert done.faults == ()
    found = get(f"{solr_url}/skus/select", q="*:*", rows=50, fl="id,sku")["response"]["docs"]
    assert {doc["id"]: doc["sku"] for doc in found} == {f"d{i}": f"d{i}" for i in range(10)}
    empty = Corpus((), {"title": (), "text": ()})
    done = fill(solr_url, "empty", empty)
    assert (done.outcome, done.put, done.faults) == ("made", 0, ())
    assert fill(solr_url, "empty", empty).outcome == "there"


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"config": "fresh", "analyzer": "klingon"}, ("klingon",)), ({"config": "nowhere"}, ("nowhere",))],
)
def test_what_solr_refuses_is_told_and_leaves_nothing(settings: Any, words: tuple[str, ...], solr_url: str) -> None:
    with raises(InputError, "'none'", *words):
        fill(solr_url, "none", made_corpus(5), settings)
    assert not there(solr_url, "none")


@pytest.mark.full
def test_two_that_fill_at_once_make_one_core(solr_url: str, whole: str, tmp_path: Path) -> None:
    wanted = modes(solr_url, "both")
    assert together(wanted, N, tmp_path, (7, 9), SET) == [0, 0]
    (done,) = filled(wanted, made_corpus(N), sample=None, settings=SET)
    assert (done.outcome, done.faults) == ("there", ())
    assert everything(solr_url, "both") == everything(solr_url, whole)


@pytest.mark.full
def test_one_that_is_made_anew_meanwhile_is_not_written_to(solr_url: str, monkeypatch: Any) -> None:
    from rankproof.stack.engines._solr_fill import SolrFiller

    real = SolrFiller.put

    def put(self: Any, documents: Any) -> None:
        real(self, documents)
        monkeypatch.setattr(SolrFiller, "put", real)
        fill(solr_url, "anew", made_corpus(30, "x"), replace=True)

    monkeypatch.setattr(SolrFiller, "put", put)
    with raises(InputError, "'anew'", "made anew"):
        fill(solr_url, "anew", made_corpus(30), batch=10)
    assert {one["title"][-1] for one in everything(solr_url, "anew").values() if one.get("title")} == {"x"}
