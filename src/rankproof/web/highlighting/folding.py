"""Folding: a text as it is compared (no case, accents, or forms of letters), and where each folded letter came from.

A text is cut into clusters, the least that a reader takes for one character: a letter with its combining marks, a
Hangul syllable of single letters, a Thai consonant with the vowels around it. What is marked begins and ends where a
cluster does, so that no mark ever loses its letter.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

# Letters that no decomposition brings to their plain form.
_PLAIN = str.maketrans({
    "ı": "i", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ħ": "h", "ŧ": "t", "ʼ": "'",
    # Arabic: forms of alef, yeh, heh and kaf that writers mix; the tatweel only stretches a word.
    "ٱ": "ا", "ى": "ي", "ی": "ي", "ې": "ي", "ے": "ي", "ة": "ه", "ہ": "ه", "ە": "ه", "ۀ": "ه", "ھ": "ه",
    "ک": "ك", "ـ": None,
})  # fmt: skip
# Seen as nothing: joiners, the soft hyphen, marks of direction, variation selectors.
_UNSEEN = "\u00ad\u034f\u061c\u180b-\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
_HALF_WIDTH_SOUNDS = "\uff9e\uff9f"
# Scripts in which marks may be left out; in others (Thai, Devanagari, kana) they are vowels and change the word.
_MARKS_ARE_ACCENTS = ((0x0000, 0x08FF), (0x1E00, 0x1FFF), (0x2C60, 0x2DFF), (0xA640, 0xA7FF), (0xFB00, 0xFEFC))
_TO_LATIN_DIGITS = {ord(c): str(i) for start in (0x0660, 0x06F0, 0x0966, 0x0E50) for i, c in
                    enumerate(map(chr, range(start, start + 10)))}  # fmt: skip


@lru_cache(maxsize=1)
def marks() -> str:
    """Every combining mark, and what is seen as nothing, as the inside of a character class."""
    codes = [code for code in range(0x300, 0x1F000) if unicodedata.category(chr(code)) in ("Mn", "Mc", "Me")]
    ranges, start, before = [], codes[0], codes[0]
    for code in [*codes[1:], 0]:
        if code != before + 1:
            ranges.append(f"{chr(start)}-{chr(before)}")
            start = code
        before = code
    return "".join(ranges) + _UNSEEN + _HALF_WIDTH_SOUNDS


@lru_cache(maxsize=1)
def _clusters() -> re.Pattern[str]:
    more = f"[{marks()}]*"
    return re.compile(
        f"[\u0e40-\u0e44]?[\u0e01-\u0e2e]{more}[\u0e30\u0e32\u0e33\u0e45]?"  # Thai
        f"|[\u0ec0-\u0ec4]?[\u0e81-\u0eae\u0edc-\u0edf]{more}[\u0eb0\u0eb2\u0eb3]?"  # Lao
        f"|[\u1780-\u17b3]{more}(?:\u17d2[\u1780-\u17b3]{more})*"  # Khmer
        f"|[\u1100-\u115f\ua960-\ua97c]+[\u1160-\u11a7\ud7b0-\ud7c6]*[\u11a8-\u11ff\ud7cb-\ud7fb]*{more}"  # Hangul
        f"|.{more}",
        re.DOTALL,
    )


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text as it is compared.

    text    the folded text
    starts  for each of its characters, where its cluster begins in what was folded
    ends    and where that ends
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where the characters from `start` to `end` stand in what was folded, in whole clusters."""
        return self.starts[start], self.ends[end - 1]

    def is_whole(self, start: int, end: int) -> bool:
        """Whether no cluster is cut at either side."""
        before = start == 0 or self.starts[start - 1] != self.starts[start]
        return before and (end == len(self.text) or self.starts[end - 1] != self.starts[end])


def fold(text: str) -> FoldedText:
    """The folded text with its offsets.

    >>> fold("Cafe\u0301s").text, fold("ﬁn").ends
    ('cafes', (1, 1, 2))
    """
    if text.isascii():
        count = range(len(text))
        return FoldedText(text.lower(), tuple(count), tuple(i + 1 for i in count))
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for cluster in _clusters().finditer(text):
        for letter in fold_cluster(cluster[0]):
            letters.append(letter)
            starts.append(cluster.start())
            ends.append(cluster.end())
    return FoldedText("".join(letters), tuple(starts), tuple(ends))


@lru_cache(maxsize=20_000)
def fold_cluster(cluster: str) -> str:
    """A cluster as it is compared; empty where nothing of it is seen."""
    plain = unicodedata.normalize("NFKC", cluster).casefold().translate(_PLAIN).translate(_TO_LATIN_DIGITS)
    kept = []
    base = 0
    for letter in unicodedata.normalize("NFD", plain):
        if unicodedata.combining(letter) == 0 and unicodedata.category(letter) not in ("Mn", "Me"):
            base = ord(letter)
        elif any(low <= base <= high for low, high in _MARKS_ARE_ACCENTS):
            continue
        kept.append(letter)
    text = unicodedata.normalize("NFC", "".join(kept)).translate(_PLAIN)
    return _unseen().sub("", text)


@lru_cache(maxsize=1)
def _unseen() -> re.Pattern[str]:
    return re.compile(f"[{_UNSEEN}]")
