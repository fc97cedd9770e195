"""Words that the core finds: those of Python's re, for every character and for random texts."""

from __future__ import annotations

import random
import re
import sys
import unicodedata

import pytest
from tests.effort import FULL
from tests.stack.engines.random_texts import text_of

from rankproof.core import find_words
from rankproof.stack.engines._terms import RUNS, WORDS


@pytest.mark.parametrize(("pattern", "lowercase"), [(WORDS, True), pytest.param(r"\w+", False, marks=pytest.mark.full)])
def test_words_are_those_of_re_for_every_character_of_unicode(pattern: str, lowercase: bool) -> None:
    """Each character between letters, alone, doubled, and after one that changes how others are lowered."""
    for first in range(0, sys.maxunicode + 1, 4096):
        characters = [chr(c) for c in range(first, first + 4096)]
        for text in ("".join(characters), " ".join(f"a{c} {c}b {c} {c}{c} Σ{c}" for c in characters)):
            expected = re.findall(pattern, text.lower() if lowercase else text)
            assert find_words(text, RUNS[pattern], lowercase) == expected


def test_words_are_those_of_re_for_random_texts() -> None:
    rng = random.Random(5)
    for _ in range(100_000 if FULL else 2000):
        text, pattern = text_of(rng, 20), rng.choice(list(RUNS))
        assert find_words(text, RUNS[pattern], True) == re.findall(pattern, text.lower())
        assert find_words(text, RUNS[pattern], False) == re.findall(pattern, text)
    long = "ä" * 10_000 + " " + "b" * 10_000
    assert find_words(long, 2, True) == long.split()


def test_small_letters_depend_on_what_stands_around_them() -> None:
    assert find_words("ΟΔΟΣ ΟΔΟΣΑ", 2, True) == ["οδος", "οδοσα"]
    assert find_words("İSTANBUL I\u0307x", 2, True) == re.findall(WORDS, "İSTANBUL I\u0307x".lower())
    assert unicodedata.unidata_version  # what the words of a Python depend on
