"""Adds words to queries before an engine sees them: from a synonym file, or as a language model proposes them.

The query's own words always stay, first and as they were; what is added follows them, each word once. Give one of the
two: `synonyms` or `endpoint`.

A synonym file has rules in lines: word<TAB>synonym, or a, b => c, d (a query with a or b gets c and d), or a, b, c (a
query with one of them gets the others). Words are matched whole, whatever their case; a rule's side may have several
words. Nothing is replaced: the right side of a rule is added.

A language model, over any OpenAI-compatible endpoint or the local one, is asked for at most `words` further search
words. No answer, an empty or cut-off one, a refusal, and one that is no list of words are failures: counted by kind,
and the query stays as it was. Answers are kept, as those of rerank_llm are.

assumes: an engine that takes more words as more ways to match, such as bm25
source: Voorhees, Query expansion using lexical-semantic relations, SIGIR 1994
source: Wang, Yang and Wei, Query2doc: query expansion with large language models, EMNLP 2023

>>> from rankproof.stack.stages.rewrite import with_words
>>> with_words("cheap laptop", ["notebook", "Laptop"])
'cheap laptop notebook'
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer, Usage
from rankproof.kernel.llm.params import ASKING
from rankproof.kernel.llm.whole import declines, whole_text
from rankproof.kernel.specs.kinds import Param, Path, Text, Whole
from rankproof.reading.collection import Query, Rewritten
from rankproof.reading.ranking import Failure
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._llm_questions import KINDS
from rankproof.stack.stages.contract import Stage

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint


_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


def words(text: str) -> tuple[str, ...]:
    """The words of a text, in small letters."""
    return tuple(_WORD.findall(text.casefold()))


class Synonyms:
    """A file, read. `identity` is the hash of its bytes."""

    def __init__(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise Unreadable(f"The synonym file {path} cannot be read: {error.strerror or error}.") from None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8: byte {error.start} cannot be read. Save it as UTF-8.") from None
        self.identity = sha256(data).hexdigest()
        self._added: dict[tuple[str, ...], dict[str, None]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            for key, synonyms in _rule(line.partition("#")[0], f"{path}, line {number}").items():
                self._added.setdefault(key, {}).update(dict.fromkeys(synonyms))
        if not self._added:
            raise InputError(f"{path} has no synonyms. Write lines such as: laptop, notebook => computer")
        self._longest = max(len(key) for key in self._added)

    def more(self, query: str) -> list[str]:
        """What is added to a query, each once, in the order of its words; nothing that it has already."""
        own = words(query)
        added: dict[str, None] = {}
        for start in range(len(own)):
            for end in range(start + 1, min(start + self._longest, len(own)) + 1):
                added.update(self._added.get(own[start:end], {}))
        return [synonym for synonym in added if not _within(words(synonym), own)]


def _rule(line: str, where: str) -> Mapping[tuple[str, ...], Iterable[str]]:
    """What one line says: the words that are looked for, and what is added for each."""
    if not line.strip():
        return {}
    if "=>" in line:
        left, _, right = line.partition("=>")
        keys, synonyms = left.split(","), right.split(",")
    elif "\t" in line:
        left, _, right = line.strip().partition("\t")
        keys, synonyms = [left], right.split("\t")
    else:
        keys = synonyms = line.split(",")
    synonyms = [" ".join(synonym.split()) for synonym in synonyms]
    both = [words(key) for key in keys]
    if not all(both) or not all(words(synonym) for synonym in synonyms) or (keys == synonyms and len(keys) < 2):
        raise InputError(
            f"{where}: {line.strip()!r} is no rule. Write word<TAB>synonym, or: a, b => c, d, or: a, b, c (all alike)."
        )
    return {key: [synonym for synonym in synonyms if words(synonym) != key] for key in both}


def _within(some: tuple[str, ...], all_words: tuple[str, ...]) -> bool:
    """Whether they stand there, one after the other."""
    return any(all_words[at : at + len(some)] == some for at in range(len(all_words) - len(some) + 1))


NAME = "rewrite"
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s*")
_LONGEST = 3  # words of one proposal: what is longer is a sentence about the query and no search word


def with_words(query: str, more: Sequence[str]) -> str:
    """The query with what it does not have yet."""
    own = set(words(query))
    fresh = [word for word in dict.fromkeys(more) if not set(words(word)) <= own]
    return " ".join([query, *fresh])


class SynonymRewrite:
    """Synonyms from a file."""

    def __init__(self, synonyms: Synonyms) -> None:
        self._synonyms = synonyms

    @property
    def identity(self) -> Mapping[str, str]:
        """The file."""
        return {"synonyms": f"sha256:{self._synonyms.identity}"}

    def rewrite(self, queries: Sequence[Query]) -> list[Rewritten]:
        """Each query with its synonyms behind it."""
        return [
            Rewritten(query.query_id, " ".join([query.text, *self._synonyms.more(query.text)]), query.columns)
            for query in queries
        ]


class ModelRewrite:
    """Words that a language model proposes."""

    def __init__(self, endpoint: Endpoint, most: int) -> None:
        self._endpoint, self._most = endpoint, most

    @property
    def identity(self) -> Mapping[str, str]:
        """Which model answers."""
        return self._endpoint.identity

    def close(self) -> None:
        """Gives back what the endpoint holds."""
        self._endpoint.close()

    def rewrite(self, queries: Sequence[Query]) -> list[Rewritten]:
        """Each query with what the model adds; as it was where that failed."""
        requests = [self._endpoint.ask("", prompt(query.text, self._most), 8 * self._most + 16) for query in queries]
        return [
            self._one(query, answer) for query, answer in zip(queries, self._endpoint.together(requests), strict=True)
        ]

    def _one(self, query: Query, answer: ModelAnswer | NoAnswer) -> Rewritten:
        usage = Usage.of(answer)
        proposed = answer if isinstance(answer, NoAnswer) else proposals(answer, self._most)
        if isinstance(proposed, NoAnswer):
            failure = Failure(query.query_id, NAME, proposed.kind, proposed.message, "original query")
            return Rewritten(query.query_id, query.text, query.columns, (failure,), usage=usage)
        stored = isinstance(answer, ModelAnswer) and answer.kept
        return Rewritten(query.query_id, with_words(query.text, proposed), query.columns, kept=stored, usage=usage)


def prompt(query: str, most: int) -> str:
    """What the model is asked."""
    return (
        f"Search query: {query}\nWrite at most {most} further words to search with: synonyms and words that documents "
        "about it would use. Answer with the words only, separated by commas."
    )


def proposals(answer: ModelAnswer, most: int) -> list[str] | NoAnswer:
    """The words of an answer, or why it has none."""
    text = whole_text(answer)
    if isinstance(text, NoAnswer):
        return NoAnswer(KINDS.get(text.kind, text.kind), text.message)
    if declines(text):
        return NoAnswer("refusal", f"the model refused: {' '.join(text.split())[:60]!r}")
    parts = [_BULLET.sub("", part).strip(" \t.;:\"'") for part in re.split(r"[,\n]", text)]
    phrases = [part for part in dict.fromkeys(parts) if 1 <= len(words(part)) <= _LONGEST and len(part) <= 40]
    if not phrases:
        return NoAnswer("unreadable answer", f"the answer is no list of words: {' '.join(text.split())[:60]!r}")
    return phrases[:most]


def open_rewrite(values: Values, ground: Ground) -> SynonymRewrite | ModelRewrite:
    """The one of the two that was named."""
    if (values["synonyms"] is None) == (values["endpoint"] is None):
        raise UsageError(f"{NAME} needs one of synonyms (a file) and endpoint (an address, or local), and not both.")
    if values["synonyms"] is not None:
        return SynonymRewrite(Synonyms(os.path.join(ground.folder, values["synonyms"])))
    from rankproof.kernel.llm.endpoint import Endpoint

    return ModelRewrite(Endpoint(NAME, values, ground, spending=ground.spending), values["words"])


OFFERS = (
    Stage(
        name=NAME,
        page=__doc__,
        params=(
            Param("synonyms", Path(), None, "a file of synonyms"),
            Param("words", Whole(), 8, "how many words a language model may add"),
            Param("endpoint", Text(), None, "address of an OpenAI-compatible server up to /v1, or local"),
            *ASKING[1:],
        ),
        open=open_rewrite,
        takes="query",
        extra="all",
    ),
)
