"""The guess at why ids do not meet: each reason is recognized, and nothing is made up where there is none."""

from __future__ import annotations

import pytest

from rankproof.reading.checks._why import guess

RUN = [f"{n}" for n in range(100, 130)]


@pytest.mark.parametrize(
    ("ours", "theirs", "reason", "pair"),
    [
        (["Doc1", "Doc2"], ["DOC1", "DOC2", "DOC3"], "letter case", ("Doc1", "DOC1")),
        (["d1 ", "d2 "], ["d1", "d3"], "white space", ("d1 ", "d1")),
        (["007", "012"], ["7", "12"], "integers written as strings", ("007", "7")),
        (["7.0", "12.0"], ["7", "12"], "integers written as strings", ("7.0", "7")),
        (["doc_12", "doc_15"], ["12", "15"], "a prefix or suffix", ("doc_12", "12")),
        (["12", "15"], ["doc_12", "doc_15"], "a prefix or suffix", ("12", "doc_12")),
        (["12.txt", "15.txt"], ["12", "15"], "a prefix or suffix", ("12.txt", "12")),
        (["D12", "D13"], ["doc-12", "doc-13"], "their prefixes or suffixes", ("D12", "doc-12")),
        (["a_12", "b_15"], ["12", "15"], "what stands before the last separator", ("a_12", "12")),
        (["12#0", "15#3"], ["12", "15"], "what stands after the last separator", ("12#0", "12")),
        (["DOC_007", "DOC_009"], ["7", "9"], "and how the rest is written", ("DOC_007", "7")),
        (["q7"], ["7"], "a prefix or suffix", ("q7", "7")),
    ],
)
def test_it_names_the_reason_and_shows_a_pair(
    ours: list[str], theirs: list[str], reason: str, pair: tuple[str, str]
) -> None:
    text = guess(ours, theirs, "run", "qrels")
    assert text is not None
    assert reason in text
    assert f"{pair[0]!r} in the run, {pair[1]!r} in the qrels" in text


def test_two_normalization_forms_looked_the_same_and_nobody_said_what_to_do() -> None:
    text = guess(["caf\u00e9", "na\u00efve"], ["cafe\u0301", "nai\u0308ve", "plain"], "run", "qrels")
    assert text is not None
    assert "Unicode normalization (NFC in the run, NFD in the qrels)" in text
    # As code points: in a terminal the two are one and the same text.
    assert r"'caf\xe9' in the run, 'cafe\u0301' in the qrels (2 of 2 would meet)" in text
    assert "unicodedata.normalize('NFC', id)" in text
    turned = guess(["cafe\u0301"], ["caf\u00e9"], "run", "qrels")
    assert turned is not None
    assert "(NFD in the run, NFC in the qrels)" in turned


def test_full_width_letters_are_no_matter_of_nfc() -> None:
    text = guess(["\uff44\uff11"], ["d1"], "run", "qrels")
    assert text is not None
    assert "compatible forms of letters" in text
    assert "NFKC" in text


def test_an_id_in_neither_form_is_called_so() -> None:
    # A composed letter and a decomposed one.
    text = guess(["\u00e9-e\u0301"], ["\u00e9-\u00e9"], "run", "qrels")
    assert text is not None
    assert "(neither NFC nor NFD in the run, NFC in the qrels)" in text


def test_it_says_how_many_ids_would_meet() -> None:
    text = guess(["Doc1", "Doc2", "other"], ["doc1", "doc2"], "run", "qrels")
    assert text is not None
    assert "(2 of 3 would meet)" in text


def test_it_prefers_the_reason_that_explains_most() -> None:
    # Case alone explains one id, the prefix with case explains all.
    text = guess(["X7", "DOC_1", "DOC_2"], ["x7", "1", "2"], "run", "qrels")
    assert text is not None
    assert "before the last separator" in text


@pytest.mark.parametrize(("ours", "theirs"), [(RUN, ["x", "y"]), ([], ["a"]), (["a"], []), (["ab"], ["cd"])])
def test_it_is_silent_where_nothing_fits(ours: list[str], theirs: list[str]) -> None:
    assert guess(ours, theirs, "run", "qrels") is None


def test_ids_that_vanish_when_cut_do_not_meet() -> None:
    # Cutting what 'x' and 'xy' share leaves nothing of 'x': nothing equals nothing, and says nothing.
    assert guess(["x", "xy"], ["z", "zw"], "run", "qrels") is None
