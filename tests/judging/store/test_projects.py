"""Projects, what is judged in them, runs and experiments: added, found again, never overwritten."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.judging.records import SCALES, Project, Template
from rankproof.judging.store import open_store
from rankproof.judging.store.experiments import content_hash
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query

SHOES = Project(
    "shoes",
    "Shoes",
    SCALES["esci"],
    guidelines="# Read me\n<b>first</b>",
    template=Template("name", ("description", "brand"), "picture", "url"),
    wanted=3,
    gold=0.05,
)


def test_a_project_has_revisions_and_the_newest_holds(store: Store, url: str) -> None:
    store.projects.add(SHOES, by="ann")
    changed = replace(SHOES, wanted=5)
    store.projects.change(changed, by="bob")
    assert store.projects.get("shoes") == changed
    assert [project.slug for project in store.projects.all()] == ["shop", "shoes"]
    assert store.projects.all()[1] == changed
    assert [(was.project, was.by) for was in store.projects.history("shoes")] == [(SHOES, "ann"), (changed, "bob")]
    with open_store(url) as again:
        assert again.projects.get("shoes") == changed


def test_a_project_is_added_once_and_changed_only_if_there(store: Store) -> None:
    with raises(UsageError, "project", "'shop'"):
        store.projects.add(Project("shop", "Again"), by="ann")
    assert store.projects.get("shop").name == "Shop"
    with raises(UnknownName, "project", "'shoes'", "'shop'"):
        store.projects.change(SHOES, by="ann")
    with raises(UnknownName, "project", "'shoes'", "'shop'"):
        store.projects.get("shoes")


def test_queries_and_documents_come_back_as_they_were(store: Store) -> None:
    queries = [Query("q2", "red <b>shoes</b>", {"kind": "head"}), Query("q1", "blue \N{SNOWMAN}")]
    documents = [(f"d{i}", {"title": f"shoe {i}", "text": "x" * i}) for i in range(1200)]
    assert store.items.add_queries("shop", queries) == 2
    assert store.items.add_documents("shop", iter(documents)) == 1200
    assert store.items.queries("shop") == queries
    assert store.items.query("shop", "q1") == queries[1]
    with raises(UnknownName, "query", "'q3'", "q1", "q2"):
        store.items.query("shop", "q3")
    asked = [f"d{i}" for i in range(1100, 0, -1)]
    found = store.items.documents("shop", [*asked, "nowhere"])
    assert list(found) == asked
    assert found["d7"] == {"title": "shoe 7", "text": "xxxxxxx"}
    assert store.items.count("shop") == (2, 1200)


def test_what_is_shown_stays_as_judges_saw_it(store: Store) -> None:
    store.items.add_documents("shop", [("d1", {"title": "one"})])
    assert store.items.add_documents("shop", [("d1", {"title": "one"}), ("d2", {"title": "two"})]) == 1
    with raises(InputError, "document", "'d1'"):
        store.items.add_documents("shop", [("d3", {"title": "three"}), ("d1", {"title": "another"})])
    assert store.items.documents("shop", ["d1", "d3"]) == {"d1": {"title": "one"}}
    store.items.add_queries("shop", [Query("q1", "one")])
    with raises(InputError, "query", "'q1'"):
        store.items.add_queries("shop", [Query("q1", "another")])
    with raises(InputError, "query", "'q9'"):
        store.items.add_queries("shop", [Query("q9", "one"), Query("q9", "two")])


def test_texts_that_no_database_keeps_are_shown_with_replacement_characters(store: Store) -> None:
    store.items.add_documents("shop", [("d1", {"title": "a\x00b\udc80"})])
    store.items.add_queries("shop", [Query("q1", "a\x00b")])
    assert store.items.documents("shop", ["d1"]) == {"d1": {"title": "a\ufffdb\ufffd"}}
    assert store.items.query("shop", "q1").text == "a\ufffdb"
    with raises(InputError, "document id", repr("a\x00b")):
        store.items.add_documents("shop", [("a\x00b", {})])


def test_projects_do_not_see_each_other(store: Store) -> None:
    store.projects.add(SHOES, by="ann")
    store.items.add_documents("shop", [("d1", {"title": "one"})])
    store.items.add_documents("shoes", [("d1", {"title": "other"})])
    store.runs.add("shop", "a", {"q1": ["d1"]}, "f" * 64)
    assert store.items.documents("shoes", ["d1"]) == {"d1": {"title": "other"}}
    assert store.runs.all("shoes") == []
    assert store.runs.rankings("shoes", "q1") == {}


def test_runs(store: Store) -> None:
    assert store.runs.add("shop", "bm25", {"q1": ["d2", "d1"], "q2": []}, "a" * 64)
    assert store.runs.add("shop", "dense", {"q1": ["d3"]}, "b" * 64)
    assert not store.runs.add("shop", "bm25", {"q1": ["d2", "d1"], "q2": []}, "a" * 64)
    with raises(InputError, "run", "'bm25'", "'shop'"):
        store.runs.add("shop", "bm25", {"q1": ["d1"]}, "c" * 64)
    assert [(run.name, run.sha256) for run in store.runs.all("shop")] == [("bm25", "a" * 64), ("dense", "b" * 64)]
    assert store.runs.rankings("shop", "q1") == {"bm25": ["d2", "d1"], "dense": ["d3"]}
    assert store.runs.rankings("shop", "q2") == {"bm25": []}
    assert store.runs.whole("shop", "bm25") == {"q1": ["d2", "d1"], "q2": []}
    with raises(UnknownName, "run", "'bm52'", "'bm25'"):
        store.runs.whole("shop", "bm52")


def test_experiments_are_known_by_their_content(store: Store) -> None:
    document = {"schema": "evaluation/1", "results": {"nDCG@10": 0.5}, "observed": {"seconds": 1}}
    kept = store.experiments.add("shop", "evaluation", "monday", document, by="ann")
    again = store.experiments.add("shop", "evaluation", "tuesday", {**document, "observed": {"seconds": 2}}, by="bob")
    other = store.experiments.add("shop", "comparison", "a against b", {"difference": None}, by="ann")
    assert kept == again == content_hash(document)
    assert [(e.name, e.by) for e in store.experiments.all("shop")] == [("monday", "ann"), ("a against b", "ann")]
    assert [e.sha256 for e in store.experiments.all("shop", "comparison")] == [other]
    assert store.experiments.get("shop", kept) == document
    with raises(UnknownName, "experiment", "0" * 64, kept, other):
        store.experiments.get("shop", "0" * 64)


def test_a_document_with_a_number_that_json_has_not_is_refused(store: Store) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        store.experiments.add("shop", "evaluation", "x", {"value": float("nan")}, by="ann")
