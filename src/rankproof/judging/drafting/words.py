"""Words of drafted queries: content words, runs of words that two texts share, and texts that are nearly the same.

Words are compared in small letters and by compatible characters (`normal`), without stems: "shoe" and "shoes" are two.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from zlib import crc32

from rankproof.reading.datasets.queries import normal

# English words that say nothing about a subject; in other languages every word counts.
_ENGLISH = (
    "a about after all also am an and any are as at be because been before being both but by can could did do does "
    "doing each few for from get had has have having he her here hers him his how i if in into is it its just me more "
    "most my no nor not of off on once only or other our out over own same she should so some such than that the their "
    "them then there these they this those through to too under until up very was we were what when where which while "
    "who whom why will with would you your"
)
STOP_WORDS = frozenset(_ENGLISH.split())
# Chinese and Japanese write no blanks between words: each character counts as a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
# Japanese mixes them in one sentence, and how much of each differs from text to text.
_ONE_SCRIPT = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "BOPOMOFO": "CJK"}
_SHINGLE = 3
# Two words are spellings of one from this share of common letters on; opposites, as increase and decrease, lie below.
_SPELLING = 0.8


def words_of(text: str) -> list[str]:
    """The words of a text, in small letters.

    >>> words_of("Tea, 500 g: USB-C!")
    ['tea', '500', 'g', 'usb', 'c']
    """
    return _WORD.findall(normal(text))


def content_words(words: Iterable[str]) -> tuple[str, ...]:
    """The words that are not stop words, each once, in their order."""
    return tuple(dict.fromkeys(word for word in words if word not in STOP_WORDS))


def shingles(text: str) -> frozenset[str]:
    """Every run of three characters of the normalized text, which begins and ends with a blank."""
    padded = f" {normal(text)} "
    return frozenset(padded[i : i + _SHINGLE] for i in range(max(1, len(padded) - _SHINGLE + 1)))


def numbers_in(words: Iterable[str]) -> frozenset[str]:
    """The words with a digit: texts that differ in one ask for different things."""
    return frozenset(word for word in words if any(map(str.isdigit, word)))


def longest_run(words: Sequence[str], source: Sequence[str]) -> tuple[int, int]:
    """Where the longest run of words that also stands in the source begins, and how long it is; (0, 0) without one.

    >>> longest_run("how loud is the red kettle".split(), "the red kettle is quiet".split())
    (3, 3)
    """
    places: dict[str, list[int]] = {}
    for at, word in enumerate(source):
        places.setdefault(word, []).append(at)
    best = begin = 0
    ends: dict[int, int] = {}
    for at, word in enumerate(words):
        ends = {place: ends.get(place - 1, 0) + 1 for place in places.get(word, ())}
        longest = max(ends.values(), default=0)
        if longest > best:
            best, begin = longest, at - longest + 1
    return begin, best


def stands_in(words: Sequence[str], text: Sequence[str]) -> bool:
    """Whether all of the words stand in the text as one run."""
    return bool(words) and longest_run(words, text)[1] == len(words)


def scripts_of(text: str) -> list[str]:
    """The scripts of its letters, such as LATIN or CJK, the most frequent first.

    >>> scripts_of("\u0447\u0435\u0445\u043e\u043b Galaxy")
    ['LATIN', 'CYRILLIC']
    """
    names = Counter(unicodedata.name(c, "?").split()[0].split("-")[0] for c in normal(text) if c.isalpha())
    merged: Counter[str] = Counter()
    for name, count in names.items():
        merged[_ONE_SCRIPT.get(name, name)] += count
    # Of those that are as frequent the first of the alphabet, so that there is one answer.
    return sorted(merged, key=lambda name: (-merged[name], name))


class NearSets:
    """Sets by what they share: finds an earlier set with at least `least` of the union in common (Jaccard).

    Two such sets share a part among the first few of each in any one order of all parts (prefix filter; Bayardo, Ma
    and Srikant, WWW 2007), so that few sets are compared. Rare parts come first, by how often `every` has them.
    """

    def __init__(self, every: Iterable[Collection[str]], least: float) -> None:
        self._least = least
        self._often = Counter(part for parts in every for part in set(parts))
        self._sets: list[frozenset[str]] = []
        self._holders: dict[str, list[int]] = {}

    def add(self, parts: Collection[str]) -> None:
        """The next set; it has the next number, from 0."""
        whole = frozenset(parts)
        for part in self._first(whole):
            self._holders.setdefault(part, []).append(len(self._sets))
        self._sets.append(whole)

    def near(self, parts: Collection[str]) -> list[tuple[int, float]]:
        """The numbers of all sets that are near enough, in their order, and the shares."""
        whole = frozenset(parts)
        candidates = {number for part in self._first(whole) for number in self._holders.get(part, ())}
        shares = ((number, jaccard(whole, self._sets[number])) for number in sorted(candidates))
        return [(number, share) for number, share in shares if share >= self._least]

    def _first(self, parts: frozenset[str]) -> list[str]:
        number = len(parts) - math.ceil(self._least * len(parts) - 1e-9) + 1
        return sorted(parts, key=lambda part: (self._often[part], crc32(part.encode("utf-8", "replace")), part))[
            :number
        ]


def misspelled(words: Collection[str], others: Collection[str]) -> bool:
    """Whether all content words that only one of two texts has are other spellings of one that only the other has.

    >>> misspelled({"wireles", "mouse"}, {"wireless", "mouse"}), misspelled({"men", "shoes"}, {"women", "shoes"})
    (True, False)
    """
    here, there = set(words) - set(others), set(others) - set(words)
    return all(
        any(SequenceMatcher(None, word, other).ratio() >= _SPELLING for other in side)
        for mine, side in ((here, there), (there, here))
        for word in mine - STOP_WORDS
    )


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of their union that two sets have in common; 0 for two empty ones.

    >>> jaccard(frozenset("abc"), frozenset("bcd"))
    0.5
    """
    union = len(one | other)
    return len(one & other) / union if union else 0.0
