"""Text that fits a window: lines broken between words, tables broken between columns, nothing cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankproof.kernel.sections import Section, aligned, first_that_fits, fitted, part, width, wrapped

ROWS = [["name", "one", "two", "three"], ["a", "1", "22", "333"], ["long name", "4", "5", "6"]]


def test_a_table_that_fits_is_as_it_was() -> None:
    assert fitted(ROWS, 1, None) == fitted(ROWS, 1, 80) == aligned(ROWS, 1)


def test_a_wide_table_goes_on_below_with_its_names() -> None:
    """9 columns of names, 3 for each gap and number: two columns fit into 19."""
    assert fitted(ROWS, 1, 19) == [
        "name       one  two",
        "a            1   22",
        "long name    4    5",
        "name       three",
        "a            333",
        "long name      6",
    ]


def test_a_name_wider_than_the_window_is_not_cut() -> None:
    assert fitted(ROWS, 1, 5)[2] == "long name    4"


@given(st.lists(st.text(alphabet="ab漢é-", min_size=1, max_size=30), max_size=30), st.integers(10, 60))
def test_no_word_is_cut_and_no_line_is_wider_than_it_must_be(words: list[str], columns: int) -> None:
    lines = wrapped(" ".join(words), columns, "  ")
    assert [word for line in lines for word in line.split()] == words
    for line in lines:
        assert width(line) <= columns or len(line.split()) == 1


def test_the_first_layout_that_fits_is_taken_and_the_last_where_none_does() -> None:
    wide, narrow = (("a" * 30,),), (("a" * 10,),)
    assert first_that_fits([wide, narrow], 1, 40) == wide
    assert first_that_fits([wide, narrow], 1, 20) == narrow
    assert first_that_fits([wide, narrow], 1, 5) == narrow


def test_a_section_fits_with_its_indents() -> None:
    text = part(Section("A title of some length", (("a line of words", "and what is below it"),), (("x", "y"),)), 14)
    assert max(map(len, text.splitlines())) <= 14
    assert text.split() == [
        "A",
        "title",
        "of",
        "some",
        "length",
        "x",
        "y",
        "a",
        "line",
        "of",
        "words",
        "and",
        "what",
        "is",
        "below",
        "it",
    ]
