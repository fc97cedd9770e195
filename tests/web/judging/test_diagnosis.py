"""The diagnosis of a compared query, on rankings whose story is known."""

from __future__ import annotations

from rankproof.judging.records import Template
from rankproof.web.documents import DocumentView, show_document
from rankproof.web.pages._compare_diagnosis import diagnose

QUERY = "red shoes"


def view(doc: str, title: str, text: str = "") -> DocumentView:
    return show_document(Template(), doc, {"title": title, "text": text}, QUERY)


TITLED = [view(f"t{n}", f"Red shoes {n}", "For the town.") for n in range(3)]
TEXTED = [view(f"x{n}", f"Thing {n}", "Made of red leather, for shoes.") for n in range(3)]
STRANGE = [view(f"s{n}", f"Lamp {n}", "It shines.") for n in range(3)]


def side(*views: DocumentView, score: float | None = None) -> list[tuple[DocumentView, float | None]]:
    return [(one, score) for one in views]


def seen(*sides: list[tuple[DocumentView, float | None]], grades: dict[str, tuple[str, bool]] | None = None) -> str:
    found = diagnose(QUERY, "ABCD"[: len(sides)], sides, grades or {})
    return " ".join(hint.seen for hint in found.hints)


def test_what_moved_furthest_comes_first() -> None:
    a, b, c = TITLED
    found = diagnose(QUERY, "AB", [side(a, b, c), side(c, b)], {})
    assert [(one.shown.doc_id, [p and p.rank for p in one.places]) for one in found.moved] == [
        ("t0", [1, None]), ("t2", [3, 1]), ("t1", [2, 2]),
    ]  # fmt: skip
    assert (found.shared, found.total, found.scored) == (2, 3, False)
    assert (found.moved[0].title, found.moved[0].text) == (1, 0) or found.moved[0].title == 2


def test_titles_that_sink_below_texts_are_told() -> None:
    text = seen(side(*TITLED, *TEXTED), side(*TEXTED, *TITLED))
    assert "On B, 3 documents with words of the query in the title stand lower" in text
    assert "On A" not in text


def test_results_without_a_word_of_the_query_are_told() -> None:
    assert "3 of the 4 results of B have no word" in seen(side(*TITLED), side(*STRANGE, TITLED[0]))
    assert "no word" not in seen(side(*TITLED), side(*TEXTED))


def test_few_results_equal_scores_and_lost_relevant_ones_are_told() -> None:
    assert "B has 1 results, another side 3." in seen(side(*TITLED), side(TITLED[0]))
    assert "All results of A have the same score." in seen(side(*TITLED, score=1.0), side(*TITLED))
    assert "same score" not in seen(side(*TITLED), side(*TEXTED))
    grades = {"t0": ("3 Perfect", True), "t1": ("0 Not relevant", False)}
    text = seen(side(*TITLED), side(*TEXTED), grades=grades)
    assert "B does not show 1 document judged relevant." in text


def test_sides_that_agree_and_sides_without_results() -> None:
    assert seen(side(*TITLED), side(*TITLED)) == "No document moved."
    assert seen([], []) == ""
    assert diagnose("", "AB", [side(*STRANGE), side(*STRANGE)], {}).moved[0].moved == 0
