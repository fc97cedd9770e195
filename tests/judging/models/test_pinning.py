"""What names a judge and its answers: nothing that answers depend on may change without another name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rankproof.judging.models.questions import Pinned, differs, pin, questions
from rankproof.judging.records import SCALES, Project
from rankproof.kernel.specs.calls import read_configured

PROJECT = Project("p", "P", guidelines="Be kind.")
SETTINGS = {"api": "chat", "temperature": 0.0}


def pinned(judge: str = "graded", project: Project = PROJECT, model: str = "m", again: int = 1, **more: Any) -> Pinned:
    return pin("j", read_configured("judges", judge), project, model, {**SETTINGS, **more}, again)


def test_the_same_is_the_same() -> None:
    assert pinned() == pinned()
    assert differs(pinned().document, pinned()) == []
    # Known digits: a hash that changed without reason would part a judge from what it said before.
    assert pinned().source.prompt[:16] == "9b0a0abcb876e8ce"


@pytest.mark.parametrize(
    ("other", "parts"),
    [
        (pinned(model="n"), ["model"]),
        (pinned("graded(reasons=True)"), ["prompt", "settings"]),
        (pinned("graded(tokens=99)"), ["settings"]),
        (pinned(temperature=1.0), ["settings"]),
        (pinned(again=2), ["settings"]),
        (pinned(project=replace(PROJECT, guidelines="Be stern.")), ["prompt"]),
        (pinned(project=replace(PROJECT, scale=SCALES["esci"])), ["prompt", "settings"]),
    ],
)
def test_what_answers_depend_on_is_in_the_hashes(other: Pinned, parts: list[str]) -> None:
    assert differs(pinned().document, other) == parts


def test_the_project_itself_is_not() -> None:
    assert pinned(project=replace(PROJECT, slug="other", name="Other", wanted=3)).source == pinned().source


def test_repetitions_have_names_and_seeds_of_their_own() -> None:
    assert [(pinned(again=n).name, pinned(again=n).seed) for n in (1, 2, 3)] == [("j", 0), ("j#2", 1), ("j#3", 2)]


def asked(judge: str, pairs: list[tuple[str, str]], pins: list[Pinned] | None = None) -> list[tuple[str, ...]]:
    documents = {(query, doc): {"title": f"the {doc}"} for query in "qrs" for doc in "abc"}
    found = questions(
        read_configured("judges", judge),
        PROJECT,
        pins or [pinned(judge)],
        pairs,
        {"q": "words", "r": "more"},
        documents,
        99,
    )
    assert len({question.key for question in found.every}) == len(found.every)
    return [question.doc_ids for question in found.every]


def test_each_pair_is_asked_about_once_by_each_repetition() -> None:
    assert asked("graded", [("q", "a"), ("q", "b"), ("r", "a")]) == [("a",), ("b",), ("a",)]
    assert asked("graded", [("q", "a"), ("q", "b")], [pinned(), pinned(again=2)]) == [("a",), ("a",), ("b",), ("b",)]
    assert asked("graded", [("q", "a"), ("q", "z"), ("s", "a")]) == [("a",)]  # no text, no query


def test_who_meets_whom() -> None:
    pairs = [("q", "a"), ("r", "a"), ("q", "b"), ("q", "c")]
    assert asked("pairwise", pairs) == [("a", "b"), ("b", "c")]
    assert asked("pairwise(pairs='all')", pairs) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_of_two_documents_the_order_does_not_name_the_question() -> None:
    judge, documents = read_configured("judges", "pairwise"), {("q", doc): {"title": doc} for doc in "ab"}
    keys = set()
    for order in ("ab", "ba"):
        pairs = [("q", doc) for doc in order]
        found = questions(judge, PROJECT, [pinned("pairwise")], pairs, {"q": "words"}, documents, 99)
        keys |= {question.key for question in found.every}
        first, turned = found.prompts(found.every[0])
        assert first.user != turned.user
    assert len(keys) == 1
