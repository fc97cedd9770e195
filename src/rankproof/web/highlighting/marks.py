"""Marks: a text in pieces, those marked that are words of a query. The one place where this is decided.

Words of alphabets match in their forms, without accents, with and without hyphens, and as parts of compounds; scripts
without spaces by what query and text have in common. Together the pieces are the text, character by character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from rankproof.web.highlighting.folding import FoldedText, fold, marks
from rankproof.web.highlighting.inflection import arabic_stem, is_form, words
from rankproof.web.highlighting.unspaced import (
    han_spans,
    han_terms,
    katakana_spans,
    korean_spans,
    korean_stem,
    thai_spans,
)

# Characters of a query that are looked for, and of a text that are looked at: what is longer is shown without marks.
LONGEST_QUERY, LONGEST_TEXT = 1000, 200_000
# Too common to say anything about a match; marked only where a query has nothing else.
_COMMON = words(
    "a about after all an and any are as at be been before but by can did do does for from had has have how i if in"
    " into is it its me my no not of off on one or our out over so some than that the their them then there these they"
    " this those to too under up was we were what when where which who why will with without you your"
    " der das und fur mit von im ein eine einer eines dem den zu auf ist le la les des du de et un une pour avec dans"
    " au aux el los las y en con por para del il lo gli di da per che het een van voor och att det som"
    " и в на с для по из не"
)
_ARABIC_COMMON = frozenset(map(arabic_stem, words("في من على عن الى مع او و هذا هذه التي الذي")))
_PART = 5  # letters of a word that is found in a compound
_REST = 3  # letters of the rest of that compound
_ENDS = ("", "s", "es", "e", "en", "er", "n", "ern", "em", "ed", "ing")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})

_HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3041-\u309f\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_THAI = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u109f\u1780-\u17d3"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7fb\uffa0-\uffdc"
_ARABIC = (
    "\u0620-\u065f\u066e-\u06d3\u06d5\u06e5\u06e6\u06ee\u06ef\u06fa-\u06ff"
    "\u0750-\u077f\u08a0-\u08ff\ufb50-\ufbb1\ufbd3-\ufd3d\ufd50-\ufdfb\ufe70-\ufefc"
)
_JOINS = "-\u2010\u2011'\u2019"


class TextPart(NamedTuple):
    """A stretch of a text, and whether it is a word of the query."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """What is looked for: folded, and apart by the way in which each script is matched."""

    words: tuple[str, ...] = ()
    arabic: frozenset[str] = frozenset()
    han: tuple[str, ...] = ()
    katakana: tuple[str, ...] = ()
    thai: tuple[str, ...] = ()
    korean: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.words or self.arabic or self.han or self.katakana or self.thai or self.korean)


@lru_cache(maxsize=1)
def _tokens() -> re.Pattern[str]:
    more = marks()
    word = f"[^\\W{_HAN}{_KATAKANA}{_THAI}{_HANGUL}{_ARABIC}]"
    word = f"{word}(?:{word}|[{more}])*"
    return re.compile(
        f"(?P<han>[{_HAN}][{_HAN}{more}]*)|(?P<katakana>[{_KATAKANA}][{_KATAKANA}{more}]*)"
        f"|(?P<thai>[{_THAI}][{_THAI}{more}]*)|(?P<korean>[{_HANGUL}][{_HANGUL}{more}]*)"
        f"|(?P<arabic>[{_ARABIC}][{_ARABIC}{more}]*)|(?P<word>{word}(?:[{_JOINS}]{word})*)"
    )


@lru_cache(maxsize=512)
def terms_of(query: str) -> QueryTerms:
    """What is looked for where a text is shown for this query."""
    found: dict[str, list[str]] = {kind: [] for kind in ("han", "katakana", "thai", "korean", "arabic", "word")}
    for token in _tokens().finditer(query[:LONGEST_QUERY]):
        found[token.lastgroup or ""].append(token[0])
    arabic = frozenset(arabic_stem(fold(text).text) for text in found["arabic"])
    return QueryTerms(
        _words(found["word"]),
        (arabic - _ARABIC_COMMON) or arabic,
        tuple(dict.fromkeys(term for text in found["han"] for term in han_terms(fold(text).text))),
        tuple(dict.fromkeys(fold(text).text for text in found["katakana"])),
        tuple(dict.fromkeys(fold(text).text for text in found["thai"])),
        tuple(dict.fromkeys(korean_stem(fold(text).text) for text in found["korean"])),
    )


def _words(tokens: list[str]) -> tuple[str, ...]:
    """Folded words: each hyphenated one as a whole and in parts, and two that stand together as one."""
    plain = [_joined(token) for token in tokens]
    telling = [token for token, word in zip(tokens, plain, strict=True) if word not in _COMMON] or tokens
    made: list[str] = []
    for token in telling:
        made += [_joined(token), _joined(token.translate(_UMLAUTS))]
        parts = re.split(f"[{_JOINS}]", token)
        made += [fold(part).text for part in parts if len(parts) > 1 and len(part) > 1]
    made += [one + two for one, two in pairwise(plain) if not {one, two} & _COMMON]
    return tuple(dict.fromkeys(word for word in made if word))


def _joined(token: str) -> str:
    """A word without its hyphens and apostrophes; of one in the possessive, the word alone."""
    return re.sub(f"[{_JOINS}]", "", re.sub("['\u2019]s?$", "", fold(token).text))


def mark(text: str, query: str) -> tuple[TextPart, ...]:
    """A text in pieces; together they are the text.

    >>> [part.text for part in mark("Trail-running shoes", "run shoe") if part.marked]
    ['running', 'shoes']
    """
    terms = terms_of(query)
    pieces: list[TextPart] = []
    end = 0
    for start, stop in _merged(_spans(text[:LONGEST_TEXT], terms)) if terms else ():
        if start > end:
            pieces.append(TextPart(text[end:start], False))
        pieces.append(TextPart(text[start:stop], True))
        end = stop
    if end < len(text):
        pieces.append(TextPart(text[end:], False))
    return tuple(pieces)


def _spans(text: str, terms: QueryTerms) -> Iterator[tuple[int, int]]:
    seen: dict[str, tuple[tuple[int, int], ...]] = {}
    before: re.Match[str] | None = None
    for token in _tokens().finditer(text):
        known = seen.get(token[0])
        if known is None:
            known = seen[token[0]] = tuple(_within(token.lastgroup or "", token[0], terms))
        for start, end in known:
            yield token.start() + start, token.start() + end
        if before is not None and not known and _are_one(text, before, token, terms):
            yield before.start(), token.end()
        before = token if token.lastgroup == "word" else None


def _within(kind: str, token: str, terms: QueryTerms) -> Iterator[tuple[int, int]]:
    """The stretches of one token."""
    if kind == "word":
        yield from _in_word(token, terms.words)
        return
    folded = fold(token)
    if not folded.text:
        return
    if kind == "arabic":
        spans = iter([(0, len(folded.text))] if arabic_stem(folded.text) in terms.arabic else [])
    elif kind == "han":
        spans = han_spans(folded, terms.han)
    elif kind == "katakana":
        spans = katakana_spans(folded, terms.katakana)
    elif kind == "thai":
        spans = thai_spans(folded, terms.thai)
    else:
        spans = korean_spans(folded, terms.korean)
    for start, end in spans:
        yield folded.span(start, end)


def _in_word(token: str, words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    whole = {_joined(token), _joined(token.translate(_UMLAUTS))}
    if any(is_form(word, one) for word in words for one in whole):
        yield 0, len(token)
        return
    at = 0
    for part in re.split(f"([{_JOINS}])", token):
        folded = fold(part)
        if part and any(is_form(word, folded.text) for word in words):
            yield at, at + len(part)
        else:
            for start, end in _in_compound(folded, words):
                yield at + start, at + end
        at += len(part)


def _in_compound(folded: FoldedText, words: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """A long enough word at either end of a compound, or a compound of the query of which this is an end."""
    text = folded.text
    for word in words:
        stem = word
        for end in ("en", "e", "n", "s"):
            if word.endswith(end) and len(word) - len(end) >= _PART:
                stem = word.removesuffix(end)
                break
        at = text.rfind(stem) if len(stem) >= _PART else -1
        if at >= _REST and text[at + len(stem) :] in _ENDS:
            yield folded.span(at, len(text))
        elif at == 0 and len(text) - len(stem) >= _REST:
            yield folded.span(0, len(stem))
        elif len(text) >= _PART and len(word) - len(text) >= _REST and (
            word.startswith(text) or any(word.endswith(text + end) for end in _ENDS)
        ):  # fmt: skip
            yield folded.span(0, len(text))


def _are_one(text: str, before: re.Match[str], token: re.Match[str], terms: QueryTerms) -> bool:
    """Whether two words with only a space between them are one word of the query: `note book`."""
    if token.lastgroup != "word" or token.start() - before.end() != 1 or not text[before.end()].isspace():
        return False
    one, two = _joined(before[0]), _joined(token[0])
    return len(one) > 1 and one not in _COMMON and any(is_form(word, one + two) for word in terms.words)


def _merged(spans: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Stretches in their order, with those that meet as one."""
    held: tuple[int, int] | None = None
    for start, end in sorted(spans):
        if held is not None and start <= held[1]:
            held = held[0], max(held[1], end)
            continue
        if held is not None:
            yield held
        held = start, end
    if held is not None:
        yield held
