"""Evaluations of chunks: budgets, tokens, population, fine print, and what comparisons make of them."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

import rankproof
from rankproof import spans
from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.measuring.report import EvaluationReport, report_of
from rankproof.proving.per_unit import range_of, worst_value

GOLD = {"q1": [("d1", 0, 40)], "q2": [("d2", 10, 20)]}
CHUNKS = {"q1": [("d1", 0, 10), ("d1", 5, 15)], "q2": [("d2", 0, 20)]}


def test_a_system_that_answers_nothing_gets_zero_and_not_a_gap() -> None:
    ev = spans.evaluate(
        GOLD, {"q1": CHUNKS["q1"]}, "SpanRecall@5 SpanPrecision@5 SpanIoU@5 SpanFound@5 SpanRedundancy@5"
    )
    assert ev.population.missing == ("q2",)
    for name in ("SpanRecall@5", "SpanPrecision@5", "SpanIoU@5", "SpanFound@5"):
        assert ev[name].by_query["q2"] == 0.0
    assert ev["SpanRedundancy@5"].undefined == ("q2",)
    assert any("missing" in line and "q2" in line for line in ev.fine_print)


def test_queries_without_gold_are_in_no_mean_and_are_named() -> None:
    ev = spans.evaluate({**GOLD, "q3": []}, {**CHUNKS, "q3": [("d1", 0, 9)], "q4": [("d1", 0, 9)]}, "SpanRecall@5")
    assert ev["SpanRecall@5"].mean == pytest.approx((15 / 40 + 1) / 2)
    assert ev["SpanRecall@5"].undefined == ev.population.without_relevant == ("q3",)
    assert ev.population.unjudged == ("q4",)
    assert {"q3", "q4"} <= set(re.findall(r"q\d", " ".join(ev.fine_print)))


def test_the_fine_print_says_how_much_was_read_at_equal_ranks() -> None:
    (line,) = (line for line in spans.evaluate(GOLD, CHUNKS, "SpanRecall@1").fine_print if "first 1 chunk" in line)
    assert "15.0 characters per query" in line  # 10 and 20
    assert "budget" in line


def test_the_fine_print_says_who_could_not_fill_the_budget() -> None:
    (line,) = (line for line in spans.evaluate(GOLD, CHUNKS, "SpanRecall@20chars").fine_print if "@20chars" in line)
    assert "cut" in line
    assert "less than the budget" not in line
    (line,) = (line for line in spans.evaluate(GOLD, CHUNKS, "SpanRecall@21chars").fine_print if "@21chars" in line)
    assert "2 queries read less than the budget" in line
    (line,) = (x for x in spans.evaluate(GOLD, CHUNKS, "SpanRecall(whole=true)@19chars").fine_print if "@19chars" in x)
    assert "left out" in line
    assert "5.0 characters" in line  # 10 of the first query, nothing of the second


# ---- tokens --------------------------------------------------------------------------------------

TEXTS = {"d1": "one two three four", "d2": "five six"}


def test_tokens_by_a_pattern_counted_by_hand() -> None:
    """Gold is "two three" (4 to 13), 2 tokens; the chunk "one two th" (0 to 10) holds the starts of three tokens."""
    ev = spans.evaluate(
        {"q": [("d1", 4, 13)]},
        {"q": [("d1", 0, 10)]},
        "SpanRecall@2tokens SpanPrecision@5",
        texts=TEXTS,
        tokens=spans.WORDS,
    )
    assert ev["SpanPrecision@5"].mean == pytest.approx(2 / 3)
    assert ev["SpanRecall@2tokens"].mean == 0.5  # "one two"
    assert any("token" in line and "pattern" in line for line in ev.fine_print)


texts = st.text(alphabet="ab é\n.", min_size=1, max_size=40)


@given(text=texts, data=st.data())
@settings(max_examples=examples(150), deadline=None)
def test_tokens_are_those_that_start_in_a_range(text: str, data) -> None:
    def ranges(most: int) -> list[tuple[str, int, int]]:
        start = st.integers(0, len(text) - 1)
        one = start.flatmap(lambda s: st.tuples(st.just("d"), st.just(s), st.integers(s + 1, len(text))))
        return data.draw(st.lists(one, min_size=1, max_size=most))

    gold, chunks = ranges(3), ranges(4)
    starts = [match.start() for match in re.finditer(spans.WORDS, text)]

    def held(span: tuple[str, int, int]) -> list[int]:
        return [at for at in starts if span[1] <= at < span[2]]

    good = {at for span in gold for at in held(span)}
    if not all(map(held, gold)):
        with pytest.raises(InputError):
            spans.evaluate({"q": gold}, {"q": chunks}, "SpanRecall@3tokens", texts={"d": text}, tokens=spans.WORDS)
        return
    read = [at for chunk in chunks for at in held(chunk)][:3]
    for tokens in (spans.WORDS, lambda text: [m.span() for m in re.finditer(spans.WORDS, text)]):
        ev = spans.evaluate({"q": gold}, {"q": chunks}, "SpanRecall@3tokens", texts={"d": text}, tokens=tokens)
        assert ev["SpanRecall@3tokens"].mean == len(good & set(read)) / len(good)


def test_a_document_is_split_once_for_several_evaluations() -> None:
    seen = []

    def split(text: str) -> list[int]:
        seen.append(text)
        return [match.start() for match in re.finditer(r"\w+", text)]

    offsets = spans.TokenOffsets(TEXTS, split)
    for end in (7, 13):
        spans.evaluate({"q": [("d1", 4, 13)]}, {"q": [("d1", 0, end)]}, "SpanRecall@2tokens", tokens=offsets)
    assert seen == [TEXTS["d1"]]


@pytest.mark.parametrize("tokens", [lambda text: [-1], lambda text: [99], lambda text: [0.5], lambda text: ["one"]])
def test_a_tokenizer_that_gives_no_offsets_is_refused(tokens) -> None:
    with raises(InputError, "d1", 18):
        spans.evaluate({"q": [("d1", 4, 13)]}, {"q": [("d1", 0, 9)]}, "SpanRecall", texts=TEXTS, tokens=tokens)


@pytest.mark.parametrize(
    ("measure", "more", "values"),
    [
        ("SpanRecall@5tokens", {}, ("SpanRecall@5tokens", "chars", "tokens")),
        ("SpanRecall@5chars", {"unit": "tokens"}, ("SpanRecall@5chars", "tokens")),
        ("SpanRecall@5", {"tokens": r"\w+"}, ("texts",)),
        ("SpanRecall@5", {"tokens": r"\w+", "texts": TEXTS, "unit": "tokens"}, ("tokens",)),
        ("SpanRecall@5", {"tokens": "(", "texts": TEXTS}, ("'('",)),
        ("SpanRecall@5", {"unit": "words"}, ("'words'", "'chars'")),
        ("", {}, ("SpanRecall@4000tokens",)),
    ],
)
def test_units_that_do_not_fit_are_refused(measure: str, more: dict[str, object], values: tuple[str, ...]) -> None:
    with raises(UsageError, *values):
        spans.evaluate({"q": [("d1", 0, 5)]}, {"q": [("d1", 0, 5)]}, measure, **more)


def test_a_budget_in_tokens_works_where_offsets_are_tokens() -> None:
    ev = spans.evaluate({"q": [("d", 0, 8)]}, {"q": [("d", 4, 12)]}, "SpanRecall@6tokens", unit="tokens")
    assert ev["span_recall@6tokens"].mean == 0.5


# ---- comparisons, records ------------------------------------------------------------------------


def many(shift: int) -> dict[str, list[tuple[str, int, int]]]:
    return {f"q{i}": [("d", shift + i % 7, shift + i % 7 + 20)] for i in range(40)}


def test_a_comparison_takes_the_evaluations_as_they_are() -> None:
    gold = spans.read_gold({f"q{i}": [("d", 0, 20)] for i in range(40)})
    made = [
        spans.evaluate(gold, many(shift), "SpanRecall@20chars", name=name) for name, shift in (("near", 1), ("far", 9))
    ]
    contrast = rankproof.compare_evaluations(made).contrast("span_recall@20chars")
    assert contrast.direction == "worse"
    assert contrast.difference.value == pytest.approx(-0.4)  # 8 of 20 characters
    assert (
        contrast.difference.low < -0.4 < contrast.difference.high or contrast.difference.low == contrast.difference.high
    )


def test_evaluations_on_other_gold_or_in_another_unit_are_not_compared() -> None:
    one = spans.evaluate(GOLD, CHUNKS, "SpanRecall@5", name="one")
    for other in (
        spans.evaluate({**GOLD, "q2": [("d2", 10, 21)]}, CHUNKS, "SpanRecall@5", name="two"),
        spans.evaluate(GOLD, CHUNKS, "SpanRecall@5", name="two", unit="tokens"),
    ):
        with raises(InputError, "'one'", "'two'"):
            rankproof.compare_evaluations([one, other])


def test_a_comparison_knows_the_range_and_the_worst_value() -> None:
    assert range_of("SpanRecall@4000tokens") == (0.0, 1.0)
    assert worst_value("SpanRecall@4000tokens") == 0.0
    assert worst_value("SpanRedundancy(whole=true)@50chars") == 1.0
    assert worst_value("NoSuchMeasure@5") is None


def test_who_retrieves_nothing_is_not_called_less_redundant() -> None:
    """q2 has no redundancy for the second system; 1, the worst value, stands for it."""
    made = [
        spans.evaluate(GOLD, c, "SpanRedundancy@5", name=n)
        for n, c in (("all", CHUNKS), ("some", {"q1": CHUNKS["q1"]}))
    ]
    assert rankproof.compare_evaluations(made).contrast("SpanRedundancy@5").candidate_mean == pytest.approx(
        (0.25 + 1) / 2
    )


def test_a_report_keeps_an_evaluation_of_spans() -> None:
    ev = spans.evaluate(GOLD, CHUNKS, "SpanRecall@15chars", name="a")
    report = EvaluationReport.from_dict(json.loads(json.dumps(report_of(ev).to_dict())))
    again = spans.evaluate(GOLD, CHUNKS, "SpanRecall@15chars", name="b")
    contrast = rankproof.compare_evaluations([report, again]).contrasts[0]
    assert (contrast.measure, contrast.wins, contrast.losses) == ("SpanRecall@15chars", 0, 0)


def test_an_evaluation_of_arrays_is_that_of_tuples() -> None:
    rng = np.random.default_rng(3)
    start = rng.integers(0, 50, 60)
    columns = {"query_id": [f"q{i % 5}" for i in range(60)], "doc_id": ["d"] * 60, "start": start, "end": start + 9}
    listed = {f"q{q}": [("d", int(s), int(s) + 9) for s in start[q::5]] for q in range(5)}
    gold = {f"q{q}": [("d", 10, 30)] for q in range(5)}
    ours, theirs = (spans.evaluate(gold, c, "SpanIoU@40chars")["SpanIoU@40chars"] for c in (columns, listed))
    assert ours.by_query == theirs.by_query


@pytest.mark.parametrize("form", [name for name, form in shelf.offered("reports").items() if form.comparison])
def test_every_report_shows_a_comparison_of_spans(form: str) -> None:
    gold = spans.read_gold({f"q{i}": [("d", 0, 20)] for i in range(40)})
    made = [
        spans.evaluate(gold, many(shift), "SpanRecall@20chars", name=name) for name, shift in (("near", 1), ("far", 9))
    ]
    text = shelf.find("reports", form).comparison(rankproof.compare_evaluations(made), per_query=True, observed={})
    assert "SpanRecall@20chars" in text
    assert "far" in text


def test_queries_of_other_gold_are_refused_and_documents_of_another_collection_told() -> None:
    gold = {"q1": [("d1", 0, 10)]}
    with raises(InputError, "No query is in both gold ('q1', ...) and chunks ('Q1', ...)"):
        spans.evaluate(gold, {"Q1": [("d1", 0, 10)]}, "SpanRecall")
    told = spans.evaluate(gold, {"q1": [("D1", 0, 10)]}, "SpanRecall").fine_print
    assert any("no document is in both gold ('d1', ...) and chunks ('D1', ...)" in line for line in told)
