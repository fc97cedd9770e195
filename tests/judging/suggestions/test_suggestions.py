"""A model's first pass: where it is shown, where never, and that grades given in its view are known as such."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from rankproof.errors import UsageError
from rankproof.judging.models.questions import choose
from rankproof.judging.records import (
    PERSON,
    SETTLING,
    SUGGESTED,
    Account,
    Assignment,
    GoldAnswer,
    Judgment,
    JudgmentSource,
    Project,
)
from rankproof.judging.rounds.assign import pick
from rankproof.judging.rounds.pool import material_of, selected
from rankproof.judging.store import open_store
from rankproof.judging.store.store import Store
from rankproof.judging.suggestions import (
    Suggestion,
    is_unseen,
    model_disagreements,
    source_of_grade,
    suggestion_for,
)
from rankproof.kernel.specs.calls import read_configured
from rankproof.reading.collection import Query

MODEL = JudgmentSource("model", "m", "p" * 64, "s" * 64)
DOCS = [f"d{n}" for n in range(40)]


def say(store: Store, judge: str, doc: str, grade: int | None, source: JudgmentSource = PERSON, **more: str) -> str:
    key = uuid4().hex
    act = Judgment(key, judge, "q1", doc, grade, source=source, **more)  # type: ignore[arg-type]
    if act.settles:
        store.judgments.settle("shop", act, Account(judge, "reviewer"))
    else:
        store.judgments.add("shop", act)
    return key


@pytest.fixture
def project() -> Project:
    return Project("shop", "Shop", suggests="graded:m")


@pytest.fixture
def store(tmp_path: Path, project: Project) -> Iterator[Store]:
    with open_store(str(tmp_path / "judging.db")) as opened:
        opened.projects.add(project, "tests")
        opened.items.add_queries("shop", [Query("q1", "red shoes")])
        for doc in DOCS:
            say(opened, "graded:m", doc, 2, MODEL, note="why")
        yield opened


def seen(store: Store, project: Project, judge: str = "ann") -> list[str]:
    return [doc for doc in DOCS if suggestion_for(store, project, judge, ("q1", doc)) is not None]


def test_a_suggestion_says_whose_it_is(store: Store, project: Project) -> None:
    doc = seen(store, project)[0]
    (act,) = store.judgments.current("shop", doc_id=doc)
    found = suggestion_for(store, project, "ann", ("q1", doc))
    assert found == Suggestion("graded:m", act.key, 2, "Relevant", "why")


def test_off_unless_the_project_names_a_model_judge(store: Store, project: Project) -> None:
    assert Project("shop", "Shop").suggests == ""
    assert seen(store, replace(project, suggests="")) == []
    assert seen(store, replace(project, suggests="bob")) == []
    say(store, "bob", "d0", 3)
    assert seen(store, replace(project, suggests="bob", unseen=0.001)) == []  # a person is no model


def test_a_share_of_pairs_never_shows_any(store: Store, project: Project) -> None:
    hidden = {doc for doc in DOCS if is_unseen(project, ("q1", doc))}
    assert 2 <= len(hidden) <= 16  # about a fifth of 40
    assert set(seen(store, project)) == set(DOCS) - hidden == set(seen(store, project, "bob"))
    assert seen(store, replace(project, unseen=1.0)) == []
    many = [is_unseen(project, ("q1", str(n))) for n in range(4000)]
    assert 0.17 < sum(many) / 4000 < 0.23
    with pytest.raises(UsageError):
        replace(project, unseen=0.0)


def test_nothing_is_shown_where_agreement_is_measured(store: Store, project: Project) -> None:
    first, second, third, fourth, *_ = seen(store, project)
    store.gold.add("shop", [GoldAnswer("q1", first, 1)])
    store.assignments.add("shop", [Assignment("q1", second, place, judge) for place, judge in ((1, "ann"), (2, "bob"))])
    store.assignments.add("shop", [Assignment("q1", third, 3, "ann")])
    say(store, "ann", fourth, 0)
    assert not {first, second, fourth} & set(seen(store, project))
    assert third in seen(store, project)
    assert fourth in seen(store, project, "bob")  # ann's own grade was first; bob has none
    assert seen(store, replace(project, wanted=2)) == []


def test_a_grade_in_view_of_a_suggestion_is_known_as_such(store: Store, project: Project) -> None:
    shown = seen(store, project)[0]
    hidden = next(doc for doc in DOCS if is_unseen(project, ("q1", doc)))
    assert source_of_grade(store, project, "ann", ("q1", shown)) == SUGGESTED
    assert source_of_grade(store, project, "ann", ("q1", hidden)) == PERSON
    assert source_of_grade(store, project, "ann", ("q1", hidden), seen="k") == SUGGESTED  # whoever says so is believed
    say(store, "ann", shown, 1, SUGGESTED)
    assert source_of_grade(store, project, "ann", ("q1", shown)) == SUGGESTED
    (key,) = [act.key for act in store.judgments.current("shop", judge="ann")]
    say(store, "ann", shown, None, reason="withdrawn", withdraws=key)
    # It was in view: neither taking the grade back nor a model that falls silent makes the next one independent.
    (model,) = [act.key for act in store.judgments.current("shop", judge="graded:m", doc_id=shown)]
    say(store, "graded:m", shown, None, MODEL, reason="withdrawn", withdraws=model)
    assert suggestion_for(store, project, "ann", ("q1", shown)) is None
    assert source_of_grade(store, project, "ann", ("q1", shown)) == SUGGESTED
    assert source_of_grade(store, replace(project, suggests=""), "bob", ("q1", shown)) == PERSON


def test_agreement_and_calibration_leave_such_grades_out(store: Store, project: Project) -> None:
    say(store, "ann", "d1", 3)
    say(store, "ann", "d1", 2, SUGGESTED)
    say(store, "ann", "d2", 2, SUGGESTED)
    say(store, "bob", "d3", 0)
    say(store, "eve", "d3", 1, SETTLING)
    held = store.judgments.current("shop", settling=False)
    people = {(act.judge, act.doc_id): act.grade for act in held if act.source.kind == "person"}
    assert people == {("ann", "d1"): 3, ("bob", "d3"): 0}
    everybody = store.judgments.current("shop", source="person")
    assert {(act.judge, act.doc_id): act.grade for act in everybody}["ann", "d1"] == 2  # the grade itself counts
    anchor = choose("judged", project, runs={}, judgments=held)
    assert anchor.pairs == (("q1", "d1"), ("q1", "d3"))
    assert choose("judged", project, runs={}, judgments=everybody).pairs == (("q1", "d3"),)


def test_work_begins_where_a_model_and_people_differ(store: Store, project: Project) -> None:
    for doc, grade in (("d7", 3), ("d5", 0), ("d9", 2)):
        say(store, "ann", doc, grade)
    material = material_of({"a": {"q1": DOCS}}, store.judgments.current("shop"), project.scale)
    order = "disagreement(between='model_and_person')"
    assert selected(replace(project, selection=order), material).pairs == (("q1", "d5"), ("q1", "d7"))
    assert [one.pair for one in pick(read_configured("selections", order), material, 2, set())] == [
        ("q1", "d5"),
        ("q1", "d7"),
    ]


def test_where_a_model_and_people_differ(store: Store, project: Project) -> None:
    say(store, "ann", "d1", 0)
    say(store, "bob", "d1", 2)
    say(store, "ann", "d2", 3)
    say(store, "ann", "d3", 2)
    say(store, "ann", "d4", 0, SUGGESTED)
    rows = model_disagreements(store, project)
    assert [(row.doc_id, row.apart, dict(row.people)) for row in rows] == [
        ("d1", 2, {"ann": 0, "bob": 2}),
        ("d2", 1, {"ann": 3}),
    ]
    assert rows[0].to_dict()["model"] == "graded:m"
