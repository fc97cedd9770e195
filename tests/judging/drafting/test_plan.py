"""Plans: strata by their sizes, kinds by their shares, documents that go together; the same for the same seed."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from tests.judging.drafting.small import TEXTS, corpus, plan_of, search_of

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.drafting.plan import DraftPlan, plan_drafts
from rankproof.judging.drafting.records import DraftRequest
from rankproof.reading.collection import Corpus


def many(number: int) -> Corpus:
    """Documents of 1 to `number` words, each with a word of its own."""
    rng = random.Random(5)
    return corpus(
        {f"d{n}": (f"own{n}", " ".join(rng.choices(["red", "blue", "tea", "tent"], k=n))) for n in range(1, number + 1)}
    )


def docs_of(plan: DraftPlan) -> list[str]:
    return [question.doc_ids[0] for question in plan.questions]


def test_strata_by_length_are_thirds_and_drawn_by_their_size() -> None:
    plan = plan_of(many(90), 20, several=0)
    assert [(part.name, part.documents, part.drawn) for part in plan.strata] == [
        ("long", 30, 6), ("medium", 30, 7), ("short", 30, 7),
    ] or sorted((part.documents, part.drawn) for part in plan.strata) == [(30, 6), (30, 7), (30, 7)]  # fmt: skip
    longest = {"short": 30, "medium": 60, "long": 90}
    for question in plan.questions:
        assert longest[question.stratum] - 30 < int(question.doc_ids[0][1:]) <= longest[question.stratum]


def test_strata_by_a_field_follow_largest_remainders() -> None:
    """Of 60, 30, 9 and 1 documents 10 are drawn: 6, 3, 0.9 and 0.1 are 6, 3, 1 and 0."""
    colors = ["red"] * 60 + ["blue"] * 30 + ["  "] * 9 + ["green"]
    texts = {f"d{n}": (f"own{n}", "tea") for n in range(100)}
    plan = plan_of(corpus(texts, color=colors), 10, strata="field:color", several=0)
    assert {part.name: (part.documents, part.drawn) for part in plan.strata} == {
        "red": (60, 6), "blue": (30, 3), "(empty)": (9, 1), "green": (1, 0),
    }  # fmt: skip
    assert Counter(question.stratum for question in plan.questions) == {"red": 6, "blue": 3, "(empty)": 1}


def test_clusters_put_like_to_like() -> None:
    topics = {"kettle": "kettle boils water tea", "tent": "tent pegs storm mountain", "lamp": "lamp light bulb white"}
    texts = {f"{name}{n}": (f"own{n}", f"{words} {name}{n}") for name, words in topics.items() for n in range(5)}
    plan = plan_of(corpus(texts), 15, strata="cluster:3", several=0)
    assert sorted(part.documents for part in plan.strata) == [5, 5, 5]
    together = {question.stratum: set() for question in plan.questions}  # type: dict[str, set[str]]
    for question in plan.questions:
        together[question.stratum].add(question.doc_ids[0].rstrip("0123456789"))
    assert all(len(names) == 1 for names in together.values())


@pytest.mark.parametrize("strata", ["length", "cluster:4", "cluster:1000"])
def test_a_plan_depends_on_its_seed_only(strata: str) -> None:
    one, same, other = (plan_of(many(40), 12, strata=strata, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert docs_of(one) != docs_of(other)
    assert len(set(docs_of(one))) == len({question.draft_id for question in one.questions}) == 12


def test_more_queries_contain_the_fewer() -> None:
    fewer, more = (docs_of(plan_of(many(60), number, several=0, unanswerable=0)) for number in (12, 30))
    assert set(fewer) < set(more)


def test_kinds_have_the_shares_that_were_asked_for() -> None:
    plan = plan_of(many(60), 40, several=0.25, unanswerable=0.2, documents=3)
    assert Counter(question.kind for question in plan.questions) == {"one": 22, "several": 10, "none": 8}
    for question in plan.questions:
        assert len(question.doc_ids) == len(set(question.doc_ids)) == (3 if question.kind == "several" else 1)
        assert question.prompt.user.count("<document ") == len(question.doc_ids)
    # All of them, of each kind.
    assert {q.kind for q in plan_of(many(9), 9, several=1, unanswerable=0).questions} == {"several"}
    assert {q.kind for q in plan_of(many(9), 9, several=0, unanswerable=1).questions} == {"none"}


def test_documents_that_go_together_are_similar_and_not_the_same() -> None:
    texts = {
        **TEXTS,
        # The same but for a sign, and the same in other words' order: no two documents to compare.
        "SKU-1002b": ("Electric kettle with thermostat", TEXTS["SKU-1002"][1] + "!"),
    }
    plan = plan_of(corpus(texts), 6, several=1, unanswerable=0)
    partner = {question.doc_ids[0]: question.doc_ids[1:] for question in plan.questions}
    first = "SKU-1002" if "SKU-1002" in partner else "SKU-1002b"
    assert partner[first] == ("SKU-1001",)
    assert partner.get("SKU-1003", ("SKU-1004",)) == ("SKU-1004",)


def test_nothing_similar_is_asked_about_alone_and_counted() -> None:
    texts = {"a": ("alpha", "beta"), "b": ("gamma", "delta"), "c": ("epsilon", "zeta")}
    plan = plan_of(corpus(texts), 3, several=1, unanswerable=0)
    assert (plan.alone, [question.kind for question in plan.questions]) == (3, ["one"] * 3)


def test_documents_left_out_are_counted() -> None:
    texts = {"a": ("Tea", "Pot"), "b": ("tea", " POT "), "c": ("", ""), "d": (" ", "\n"), "e": ("Tent", "")}
    plan = plan_of(corpus(texts), 2, several=0)
    assert (set(docs_of(plan)), plan.without_text, plan.repeated) == ({"a", "e"}, 2, 1)
    with pytest.raises(UsageError, match="2"):
        plan_of(corpus(texts), 3)


@pytest.mark.parametrize(
    "strata", ["field", "field:", "length:3", "cluster:", "cluster:-1", "cluster:1.5", "\u0663", ""]
)
def test_strata_that_are_none(strata: str) -> None:
    with pytest.raises(UsageError):
        plan_of(corpus(), 2, strata=strata)


def test_a_field_that_is_none() -> None:
    with pytest.raises(UnknownName):
        plan_of(corpus(), 2, strata="field:colour")


@pytest.mark.parametrize("shares", [(0.7, 0.4), (float("nan"), 0.0), (0.0, float("nan"))])
def test_shares_that_are_none(shares: tuple[float, float]) -> None:
    with pytest.raises(UsageError):
        DraftRequest(5, several=shares[0], unanswerable=shares[1])


def test_a_key_is_of_all_that_an_answer_depends_on() -> None:
    documents = corpus()
    texts = dict(zip(documents.doc_ids, documents.texts(["title", "text"]), strict=True))

    def keys(identity: str = "m", **said: object) -> set[str]:
        request = DraftRequest(6, several=0, unanswerable=0, **said)  # type: ignore[arg-type]
        plan = plan_drafts(request, documents, texts, search_of(documents), {"model": identity})
        return {question.key for question in plan.questions}

    same = keys()
    assert keys(strata="cluster:2") == keys() == same
    for other in (keys("other"), keys(tokens=9), keys(about="A shop."), keys(style="keywords")):
        assert not same & other
