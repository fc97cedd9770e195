"""Answers on record: a file of sealed lines, so that no question that has an answer is ever sent again.

The first line says what the answers are of. Another corpus, model or setting is refused: queries of two would mix.
Answers stand in the order they came, drafts in the order of the plan: the file of drafts does not depend on it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from rankproof.errors import InputError, UsageError
from rankproof.kernel.documents import now
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.sealed_lines import SealedEntry, SealedLines, read_lines

VERSION = 1
# No query is as long: what a model writes beyond this is not kept.
MOST_KEPT = 20_000
_LONE = re.compile(r"[\ud800-\udfff]")
_WHAT = ("request", "answer", "no answer")


@dataclass(frozen=True, slots=True)
class DraftEntry(SealedEntry):
    """One line.

    what     "request", which is the first, "answer", or "no answer"
    key      of the question; "" for the request
    content  what is on record: the request, the answer, or why there is none
    """

    n: int
    before: str
    what: str
    key: str
    content: Mapping[str, Any]
    observed: Mapping[str, object] = field(default_factory=dict)

    @property
    def body(self) -> dict[str, object]:
        """All that the seal covers."""
        return {
            "drafting": VERSION,
            "n": self.n,
            "before": self.before,
            "what": self.what,
            "key": self.key,
            "content": dict(self.content),
        }

    @classmethod
    def from_dict(cls, stored: object, place: str) -> DraftEntry:
        """What `to_dict` gave; refused where the seal does not fit."""
        keys = {"drafting", "n", "before", "what", "key", "content", "seal"}
        if not isinstance(stored, dict) or not keys <= stored.keys() or not isinstance(stored["content"], dict):
            raise InputError(
                f"{place}: this is not a line of answers on record. Check that it is the right folder, or bring the "
                "file back from a copy."
            )
        observed = stored.get("observed")
        entry = cls(
            stored["n"],
            stored["before"],
            stored["what"],
            stored["key"],
            stored["content"],
            observed if isinstance(observed, dict) else {},
        )
        try:
            whole = stored["seal"] == entry.seal
        except (ValueError, RecursionError):  # such as NaN, which nothing here writes
            whole = False
        if entry.what not in _WHAT or stored["drafting"] != VERSION or not whole:
            raise InputError(
                f"{place}: the line is not what was written: its seal does not fit. Bring the file back from a copy, "
                "or draft into another folder."
            )
        return entry


class AnswersOnRecord:
    """The file of answers, held by one process. Used as a context."""

    def __init__(self, path: str, request: Mapping[str, Any]) -> None:
        """`request` is what answers depend on. A new file begins with it; an older one must begin with the same."""
        # A process that is interrupted closes the file while another thread may be about to write.
        self._writing, self._over = threading.Lock(), False
        self._lines = SealedLines(
            path,
            DraftEntry.from_dict,
            in_use="another process drafts into this folder. Wait for it, or name another folder.",
            nothing="The last answer is not on record",
        )
        try:
            self.torn = self._lines.torn
            if not self._lines.entries:
                self._append("request", "", request)
            self._require(path, request)
        except BaseException:
            self._lines.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._writing:
            self._over = True
            self._lines.__exit__(*error)

    @property
    def answers(self) -> dict[str, ModelAnswer | NoAnswer]:
        """The answer to each question by its key; the last reason where there is none."""
        return _read(self._lines.entries)

    def keep(self, key: str, answer: ModelAnswer | NoAnswer) -> None:
        """Keeps an answer, or why there is none. When this returns it is on the disk."""
        if isinstance(answer, NoAnswer):
            self._append("no answer", key, {"kind": answer.kind, "message": _clean(answer.message)})
            return
        text = _clean(answer.text)
        content: dict[str, Any] = {"text": text, "finish": _clean(answer.finish), "characters": len(answer.text)}
        self._append("answer", key, content | {"tokens": answer.tokens and list(answer.tokens), "model": answer.model})

    def _append(self, what: str, key: str, content: Mapping[str, Any]) -> None:
        with self._writing:
            if self._over:
                return
            entries = self._lines.entries
            before = entries[-1].seal if entries else ""
            self._lines.append(DraftEntry(len(entries) + 1, before, what, key, content, {"time": now()}))

    def _require(self, path: str, request: Mapping[str, Any]) -> None:
        first = self._lines.entries[0]
        if first.what != "request":
            raise InputError(f"{path}, line 1: it does not say what the answers are of. Draft into another folder.")
        other = [name for name in {**first.content, **request} if first.content.get(name) != request.get(name)]
        if other:
            raise UsageError(
                f"{path} has answers drafted with another {', '.join(sorted(other))}. Drafts of two must not mix: name "
                "another folder with --out."
            )


def answers_in(path: str) -> dict[str, ModelAnswer | NoAnswer]:
    """The answers of a file, for those who only look; none where there is no file."""
    return _read(read_lines(path, DraftEntry.from_dict))


def _read(entries: Iterable[DraftEntry]) -> dict[str, ModelAnswer | NoAnswer]:
    read: dict[str, ModelAnswer | NoAnswer] = {}
    for entry in entries:
        if entry.what == "answer":
            read[entry.key] = _answer(entry.content)
        elif entry.what == "no answer" and not isinstance(read.get(entry.key), ModelAnswer):
            read[entry.key] = NoAnswer(str(entry.content.get("kind", "")), str(entry.content.get("message", "")))
    return read


def _answer(content: Mapping[str, Any]) -> ModelAnswer:
    tokens = content.get("tokens")
    counted = (int(tokens[0]), int(tokens[1])) if isinstance(tokens, list) and len(tokens) == 2 else None
    return ModelAnswer(
        str(content.get("text", "")), str(content.get("finish", "")), (), True, counted, str(content.get("model", ""))
    )


def _clean(text: str) -> str:
    """What can be written as UTF-8, cut to a length that is kept."""
    return _LONE.sub("\ufffd", text[:MOST_KEPT])
