"""Analysis: from texts to terms, by bm25s and PyStemmer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Any

from rankproof.errors import MissingExtra
from rankproof.kernel.specs import Choice, Flag, Kind, Param

# The lists that bm25s has, and the algorithms of Snowball that PyStemmer has, so that a wrong name is
# refused without loading either.
STOP_LISTS = (
    "none", "english", "english_plus", "chinese", "danish", "dutch", "french", "german", "italian", "korean",
    "norwegian", "portuguese", "russian", "spanish", "swedish", "turkish",
)  # fmt: skip
STEMMERS = (
    "none", "english", "porter", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "finnish", "french",
    "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian",
    "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
WORDS = r"(?u)\b\w\w+\b"


@dataclass(frozen=True, slots=True)
class Pattern(Kind):
    """A regular expression that finds the words of a text: the whole match, or its only group."""

    def read(self, value: Any) -> str:
        """The expression."""
        try:
            groups = re.compile(value).groups if isinstance(value, str) and value else 2
        except re.error as error:
            raise ValueError(f"must be a regular expression; {value!r} is none: {error}") from None
        if groups > 1:
            raise ValueError(f"must be a regular expression with one group at most; got {value!r}")
        return str(value)

    def show(self, value: str) -> str:
        """The expression."""
        return value


PARAMS = (
    Param("stemming", Choice(STEMMERS), "english", "Snowball algorithm that takes words to their stems, or none"),
    Param("stop_words", Choice(STOP_LISTS), "english", "list of words that are left out, or none"),
    Param("words", Pattern(), WORDS, "regular expression that finds words; the default drops single letters"),
    Param("lowercase", Flag(), True, "small letters before anything else; stop words are in small letters"),
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """How texts become terms: two equal ones give the same terms."""

    stemming: str
    stop_words: str
    words: str
    lowercase: bool

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Analysis:
        """The choices among an engine's values."""
        return cls(*(values[param.name] for param in PARAMS))

    @property
    def libraries(self) -> dict[str, str]:
        """Whose versions the terms depend on."""
        found = {"bm25s": library("bm25s").__version__}
        return found if self.stemming == "none" else found | {"PyStemmer": version("PyStemmer")}

    def numbered(self, texts: Sequence[str]) -> tuple[list[list[int]], list[str]]:
        """The terms of each text as numbers, in the order of the text, and the term that each number stands for."""
        found = library("bm25s").tokenize(list(texts), return_ids=True, **self._choices())
        terms = [""] * len(found.vocab)
        for term, number in found.vocab.items():
            terms[number] = term
        return found.ids, terms

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text."""
        found: list[list[str]] = library("bm25s").tokenize(list(texts), return_ids=False, **self._choices())
        return found

    def _choices(self) -> dict[str, Any]:
        return {
            "lower": self.lowercase,
            "token_pattern": self.words,
            "stopwords": None if self.stop_words == "none" else self.stop_words,
            "stemmer": None if self.stemming == "none" else library("Stemmer", "PyStemmer").Stemmer(self.stemming),
            "show_progress": False,
        }


def library(module: str, name: str = "") -> Any:
    """A library of the extra `bm25`."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise  # it is there and broken: its own error says more
        raise MissingExtra("The engine bm25", name or module, "bm25") from None
