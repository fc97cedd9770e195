"""Words, runs and near sets, by hand and against plain references."""

from __future__ import annotations

import random

import pytest

from rankproof.judging.drafting.words import (
    NearSets,
    content_words,
    jaccard,
    longest_run,
    numbers_in,
    scripts_of,
    shingles,
    words_of,
)


@pytest.mark.parametrize("least", [0.3, 0.5, 0.8, 0.85, 1.0])
def test_near_sets_are_those_that_comparing_all_finds(least: float) -> None:
    rng = random.Random(7)
    every = [frozenset(rng.choices("abcdefghijkl", k=rng.randint(0, 9))) for _ in range(400)]
    near = NearSets(every, least)
    seen: list[frozenset[str]] = []
    found = 0
    for parts in every:
        plain = [
            (at, jaccard(parts, other)) for at, other in enumerate(seen) if parts and jaccard(parts, other) >= least
        ]
        assert near.near(parts) == plain
        found += len(plain)
        near.add(parts)
        seen.append(parts)
    assert found > 50


def test_the_longest_run_is_the_one_that_trying_all_finds() -> None:
    rng = random.Random(3)
    for _ in range(300):
        words, source = (rng.choices("abc", k=rng.randint(0, 12)) for _ in range(2))
        begin, long = longest_run(words, source)
        runs = {tuple(source[i:j]) for i in range(len(source)) for j in range(i + 1, len(source) + 1)}
        places = [(i, j) for i in range(len(words)) for j in range(i + 1, len(words) + 1)]
        plain = max((j - i for i, j in places if tuple(words[i:j]) in runs), default=0)
        assert long == plain
        assert not long or tuple(words[begin : begin + long]) in runs


def test_words() -> None:
    assert words_of("Der Gr\u00fc\u00dfe, \uff21\uff22 caf\u00e9_bar 3.5") == [
        "der",
        "gr\u00fcsse",
        "ab",
        "caf\u00e9",
        "bar",
        "3",
        "5",
    ]
    assert words_of("\u6771\u4eac tower") == ["\u6771", "\u4eac", "tower"]
    assert content_words(words_of("What is the tea of the tea?")) == ("tea",)
    assert numbers_in(["usb3", "tea", "\u0663"]) == {"usb3", "\u0663"}
    assert words_of("\ud55c\uad6d \ucc28") == ["\ud55c\uad6d", "\ucc28"]  # Korean has blanks between words
    assert (words_of(""), shingles(""), scripts_of("12")) == ([], frozenset({"  "}), [])


def test_scripts() -> None:
    assert scripts_of("caf\u00e9 \u0436") == ["LATIN", "CYRILLIC"]
    # Kanji, katakana, hiragana; the same as half-width forms.
    assert scripts_of("\u6771\u4eac\u30bf\u30ef\u30fc\u306f\u9ad8\u3044") == ["CJK"]
    assert scripts_of("\uff76\uff85 \uff21") == ["CJK", "LATIN"]
