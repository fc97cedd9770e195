"""Titles of documents: the field of that name, else the first words."""

from __future__ import annotations

from rankproof.reading.collection import MOST_OF_A_TITLE, Corpus


def test_the_title_comes_first_wherever_its_field_stands_and_first_words_where_it_is_empty() -> None:
    corpus = Corpus(
        ("a", "b", "c"), {"text": ("long text", "some\n words", ""), "Title": ("A title", "", "")}, "corpus"
    )
    assert corpus.titles(["b", "a"]) == {"b": "some words", "a": "A title"}


def test_documents_without_text_or_outside_the_corpus_are_left_out() -> None:
    corpus = Corpus(("a", "b"), {"text": ("words", "  ")}, "corpus")
    assert corpus.titles(["a", "b", "nowhere"]) == {"a": "words"}


def test_a_text_is_no_title_beyond_its_first_words() -> None:
    corpus = Corpus(("a",), {"text": ("word " * 1_000,)}, "corpus")
    title = corpus.titles(["a"])["a"]
    assert title.startswith("word word")
    assert len(title) <= MOST_OF_A_TITLE
