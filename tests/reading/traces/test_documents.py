"""The documents of a span: the ranking that was recorded, or the reason why there is none. Never half a ranking."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.reading.traces.made import genai, inference, of, span

from rankproof.reading.formats._records import text_id

CUT = "documents cut by an attribute limit"
MALFORMED = "documents that are no list of objects"
UNNAMED = "documents with neither ids nor texts"
UNRECORDED = "no documents recorded"


def recorded(**attributes: Any) -> Any:
    """What a retrieval with these attributes says: its ranking, or the reason why there is none."""
    usual = {"gen_ai__operation__name": "retrieval", "gen_ai__retrieval__query__text": "q"}
    heard = of(span("a", **usual, **attributes))
    return heard.run["q"] if heard.run else heard.reasons[0]


# ---- OpenTelemetry -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "ranking"),
    [
        ('[{"id": "a", "score": 0.5}, {"id": "b", "score": 0.9}]', ["a", "b"]),  # the order of the list
        ([{"id": "a"}, {"id": "b", "score": 1.5}], ["a", "b"]),  # structured, as the conventions ask for
        ("[]", []),
        ([], []),
        ('[{"id": 7}, {"id": "ü m"}, {"id": "a b"}]', ["7", "ü m", "a b"]),
        ('[{"id": "a"}, {"id": "a"}]', ["a", "a×2"]),  # two chunks of one document: both were shown
        ('[{"id": "a", "score": NaN}, {"id": "b", "score": "0.9"}]', ["a", "b"]),
        ('[{"id": "a"}, {"id": "b', CUT),
        ('[{"id": "a"}, {"id": "b"}', CUT),
        ("", CUT),
        ('{"id": "a"}', MALFORMED),
        ('["a", "b"]', MALFORMED),
        ("null", MALFORMED),
        ("7", MALFORMED),
        (7, MALFORMED),
        ('[{"id": "a"}, null]', MALFORMED),
        ('[{"id": {"a": 1}}]', MALFORMED),
        ('[{"id": NaN}]', MALFORMED),
        ('[{"id": true}]', MALFORMED),
        ('[{"score": 1}]', UNNAMED),
        ('[{"id": null}]', UNNAMED),
        ('[{"id": ""}]', UNNAMED),
        ('[{"id": "a"}, {"content": " "}]', UNNAMED),
        ('[{"id": "\\ud800"}]', "ids with half a character"),
        ("__REDACTED__", UNRECORDED),
    ],
)
def test_documents_of_opentelemetry(given: object, ranking: object) -> None:
    assert recorded(gen_ai__retrieval__documents=given) == ranking


def test_a_document_without_an_id_is_named_by_its_text() -> None:
    given = '[{"content": "We open\\n at nine."}, {"id": "b"}]'
    assert recorded(gen_ai__retrieval__documents=given) == [text_id("We open at nine.", ""), "b"]


def test_no_documents_are_no_empty_ranking() -> None:
    heard = of(genai("a", "q", None), genai("b", "r", ["x"], at=20))
    assert heard.run == {"r": ["x"]}
    assert heard.topics == ["r"]
    assert heard.reasons == [UNRECORDED]
    assert "opt-in" in heard.notes
    assert "1 query without a ranking that can be read" in heard.notes


# ---- OpenInference -------------------------------------------------------------------------------


def test_documents_of_openinference_come_by_their_numbers() -> None:
    ids = {f"retrieval__documents__{n}__document__id": f"d{n}" for n in (10, 2, 0, 1, 9, 8, 7, 6, 5, 4, 3)}
    assert recorded(**ids) == [f"d{n}" for n in range(11)]


@pytest.mark.parametrize("gone", [0, 1])
def test_a_document_that_is_missing_in_the_middle_was_dropped(gone: int) -> None:
    ids = {f"retrieval__documents__{n}__document__id": f"d{n}" for n in range(3) if n != gone}
    assert recorded(**ids) == CUT


@pytest.mark.parametrize("documents", [0, 2])
def test_dropped_attributes_may_be_documents(documents: int) -> None:
    """At the end of the list nothing else tells that some are gone."""
    made = inference("a", "RETRIEVER", "q", [f"d{n}" for n in range(documents)])
    assert of({**made, "droppedAttributesCount": 3}, genai("b", "r", ["x"])).reasons == [CUT]
    assert len(of({**made, "droppedAttributesCount": 0}, genai("b", "r", ["x"])).reasons) == (documents == 0)


def test_dropped_attributes_do_not_cut_what_is_one_attribute() -> None:
    heard = of({**genai("a", "q", ["x"]), "droppedAttributesCount": 3})
    assert heard.run == {"q": ["x"]}
    assert "dropped attributes" in heard.notes


@pytest.mark.parametrize(
    ("output", "ranking"),
    [("[]", []), ('{"documents": []}', []), ('{"documents": [1]}', UNRECORDED), ("", UNRECORDED), ("none", UNRECORDED)],
)
def test_openinference_has_no_empty_list_but_its_output_may_say_so(output: str, ranking: object) -> None:
    made = inference("a", "RETRIEVER", "q", [], output__value=output)
    heard = of(made, genai("b", "r", ["x"]))
    assert heard.run.get("q", UNRECORDED) == ranking


def test_the_whole_list_as_one_text() -> None:
    """As an exporter that flattens nothing writes it."""
    listed = json.dumps([{"document.id": "a", "document.score": 1}, {"document": {"id": "b"}}])
    assert recorded(retrieval__documents=listed) == ["a", "b"]
    assert recorded(retrieval__documents=listed[:-5]) == CUT
    assert recorded(retrieval__documents='[{"document": 3}]') == MALFORMED


def test_ids_in_the_metadata() -> None:
    docs = [{"id": "chunk-1", "metadata": '{"source": "a.md"}'}, {"metadata": {"source": "b.md"}}]
    assert of(genai("a", "q", docs), doc_id="source").run == {"q": ["a.md", "b.md"]}
    assert of(inference("a", "RETRIEVER", "q", docs), doc_id="source").run == {"q": ["a.md", "b.md"]}
    missing = of(genai("a", "q", docs), genai("b", "r", [{"id": "x", "metadata": "{}"}], at=20), doc_id="source")
    assert missing.reasons == ["documents without 'source' in their metadata"]
    cut = of(genai("a", "q", docs), genai("b", "r", [{"metadata": '{"source": "b'}], at=20), doc_id="source")
    assert cut.reasons == [CUT]


def test_scores_never_order_and_the_notes_say_what_they_are() -> None:
    """Distances fall where scores rise: the list is best first in both."""
    near = [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.7}]
    heard = of(genai("a", "q", near), genai("b", "r", ["x"], at=20))
    assert heard.run == {"q": ["a", "b"], "r": ["x"]}
    assert "1 ranking whose scores do not fall" in heard.notes
    assert "1 document without scores" in heard.notes


# ---- texts that were cut -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "different", "said"), [(80, 3, True), (128, 3, True), (80, 2, False), (81, 3, False), (60, 3, False)]
)
def test_texts_of_one_greatest_length_may_have_been_cut(length: int, different: int, said: bool) -> None:
    docs = [{"content": f"{n}".ljust(length, "x")} for n in range(different)] + [{"content": "short"}]
    assert (f"exactly {length} characters" in of(genai("a", "q", docs)).notes) is said
    queries = [genai(f"{n}", f"{n}".ljust(length, "y"), ["a"], at=n) for n in range(different)]
    assert (f"exactly {length} characters" in of(*queries).notes) is said


def test_a_longer_text_says_that_nothing_was_cut() -> None:
    docs = [{"content": f"{n}" * 80} for n in range(4)] + [{"content": "longer" * 40}]
    assert "characters" not in of(genai("a", "q", docs)).notes
