"""Scripts without spaces between words: stretches of a text that a query has too, at least two characters or a word.

Chinese, Japanese, Thai, Lao, Khmer and Burmese write words together, and Korean writes particles and compounds
together. No dictionary cuts them here: what query and text have in common, as long as it goes, is marked. Kana that
only inflects or joins words is not enough for a match, and neither is half of a Thai syllable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankproof.web.highlighting.folding import FoldedText
from rankproof.web.highlighting.inflection import words

# Too common to say anything about a match.
_CHINESE_BETWEEN = "的了吗呢吧"
_PARTICLES = "のをはがにでともへや"
_ALONE_TOO_COMMON = frozenset("中上下人方時时事物者用等")
_THAI_COMMON = words("การ ความ ของ ที่ และ ใน เป็น ได้ จะ มี ให้ กับ จาก หรือ ไม่ นี้ ว่า ไป มา แบบ สำหรับ")
# Longest first, so that one is not taken for the end of another.
_KOREAN_ENDS = sorted(
    words(
        "으로부터 으로 에서 에게 까지 부터 처럼 보다 하고 이나 이랑 이라 은 는 이 가 을 를 의 에 도 로 와 과 만 나 용"
    ),
    key=lambda end: (len(end), end),
    reverse=True,
)
_CANNOT_BEGIN = frozenset("ぁぃぅぇぉっゃゅょァィゥェォッャュョンー")
_KATAKANA_PART, _HIRAGANA_PART, _THAI_PART = 4, 3, 3

Spans = Iterator[tuple[int, int]]


def han_terms(run: str) -> tuple[str, ...]:
    """A folded run of Han and Hiragana in terms: cut at what only joins them.

    >>> han_terms("赤い靴を買う"), han_terms("红色的跑步鞋")
    (('赤い靴', '買う'), ('红色', '跑步鞋'))
    """
    cut = "".join(" " if c in _CHINESE_BETWEEN else c for c in run)
    kept = [
        " " if c in _PARTICLES and _is_kanji(cut, i - 1) and not _is_hiragana(cut, i + 1) else c
        for i, c in enumerate(cut)
    ]
    return tuple(dict.fromkeys("".join(kept).split())) or (run,)


def han_spans(text: FoldedText, terms: Sequence[str]) -> Spans:
    """Stretches of a run of Han and Hiragana."""
    kana = {term for term in terms if all(map(_hiragana, term))}
    for start, end in common(text.text, terms, 2):
        part = text.text[start:end]
        if not all(map(_hiragana, part)) or part in terms or (
            len(part) >= _HIRAGANA_PART and any(part in term for term in kana)
        ):  # fmt: skip
            yield start, end
    alone = {piece for term in terms for piece in _kanji_pieces(term) if len(piece) == 1}
    alone = (alone - _ALONE_TOO_COMMON) or {term for term in terms if len(term) == 1}
    yield from ((i, i + 1) for i, letter in enumerate(text.text) if letter in alone)


def katakana_spans(text: FoldedText, terms: Sequence[str]) -> Spans:
    """A word of Katakana in a compound, either way round; or a long part of two compounds.

    A short part is not enough: half of a foreign word is another word, or none.
    """
    word = text.text
    if any(word in term for term in terms) and (len(word) > 1 or word in terms):
        yield 0, len(word)
        return
    for term in terms:
        at = word.find(term) if len(term) > 1 else -1
        if at >= 0:
            yield at, at + len(term)
    for start, end in common(word, terms, _KATAKANA_PART):
        first = next((i for i in range(start, end) if word[i] not in _CANNOT_BEGIN), end)
        if end - first >= _KATAKANA_PART:
            yield first, end


def thai_spans(text: FoldedText, terms: Sequence[str]) -> Spans:
    """Stretches of a run of Thai, Lao, Khmer or Burmese: whole syllables, at least two or the whole term."""
    for start, end in common(text.text, terms, 2):
        while end > start and not text.is_whole(start, end):
            if text.is_whole(start, len(text.text)):
                end -= 1
            else:
                start += 1
        part = text.text[start:end]
        clusters = len(set(text.starts[start:end]))
        if part in terms or (clusters > 1 and len(part) >= _THAI_PART and part not in _THAI_COMMON):
            yield start, end


def korean_stem(word: str) -> str:
    """A Korean word without the particle at its end.

    >>> korean_stem("운동화를"), korean_stem("옷")
    ('운동화', '옷')
    """
    return next((word.removesuffix(end) for end in _KOREAN_ENDS if word.endswith(end) and len(word) > len(end)), word)


def korean_spans(text: FoldedText, stems: Sequence[str]) -> Spans:
    """A stem in a word; the beginning or end of a compound that both have."""
    word = text.text
    for stem in stems:
        if len(stem) == 1:
            if stem in (word, korean_stem(word)):
                yield 0, 1
        elif (at := word.find(stem)) >= 0:
            yield at, at + len(stem)
    for start, end in common(word, stems, 2):
        part = word[start:end]
        if any(stem.startswith(part) or stem.endswith(part) for stem in stems if len(stem) > 2):
            yield start, end


def common(text: str, terms: Sequence[str], least: int) -> Spans:
    """The longest stretch from each place of a text that a term has too, where it is not inside the one before."""
    reached = 0
    for start in range(len(text) - least + 1):
        holding = [term for term in terms if text[start : start + least] in term]
        if not holding:
            continue
        end = start + least
        while end < len(text) and any(text[start : end + 1] in term for term in holding):
            end += 1
        if end > reached:
            reached = end
            yield start, end


def _kanji_pieces(term: str) -> list[str]:
    return "".join(" " if _hiragana(c) else c for c in term).split()


def _hiragana(letter: str) -> bool:
    return "\u3041" <= letter <= "\u309f"


def _is_hiragana(run: str, at: int) -> bool:
    return 0 <= at < len(run) and _hiragana(run[at])


def _is_kanji(run: str, at: int) -> bool:
    return at < 0 or (at < len(run) and not _hiragana(run[at]) and run[at] != " ")
