"""Answers on record: a file of sealed lines, so that no question that has an answer is ever sent again.

The first line says what the answers are of. Another corpus, model or setting is refused: queries of two would mix.
Answers stand in the order they came, drafts in the order of the plan: the file of drafts does not depend on it.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from rankproof.errors import InputError, UsageError
from rankproof.judging.drafting.spending import DraftSpending
from rankproof.kernel.documents import now
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.sealed_lines import SealedEntry, SealedLines, read_lines

VERSION = 1
# No query is as long: what a model writes beyond this is not kept.
MOST_KEPT = 20_000
_LONE = re.compile(r"[\ud800-\udfff]")
_WHAT = ("request", "sent", "answer", "no answer")


@dataclass(frozen=True, slots=True)
class DraftEntry(SealedEntry):
    """One line.

    what     "request", which is the first, "sent", "answer", or "no answer"
    key      of the question; "" for the request
    content  what is on record: what answers depend on, the most tokens that were sent for, the answer, or why there is
             none
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
            _require(self._lines.entries, path, request)
            self._account = _Account(self._lines.entries)
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

    @property
    def spending(self) -> DraftSpending:
        """What was sent by all commands so far."""
        return self._account.spending

    def send(self, key: str, most: tuple[int, int]) -> None:
        """Keeps that a request goes out, and how many tokens it may take. When this returns it is on the disk."""
        self._append("sent", key, {"asked": most[0], "answered": most[1]})

    def keep(self, key: str, answer: ModelAnswer | NoAnswer) -> None:
        """Keeps an answer, or why there is none. When this returns it is on the disk."""
        if isinstance(answer, NoAnswer):
            content = {"kind": answer.kind, "message": _clean(answer.message), "unpaid": answer.unpaid}
            self._append("no answer", key, content)
            return
        text = _clean(answer.text)
        content = {"text": text, "finish": _clean(answer.finish), "characters": len(answer.text)}
        tokens = None if answer.tokens is None else list(answer.tokens)
        self._append("answer", key, {**content, "tokens": tokens, "model": _clean(answer.model)})

    def _append(self, what: str, key: str, content: Mapping[str, Any]) -> None:
        with self._writing:
            if self._over:
                return
            entries = self._lines.entries
            before = entries[-1].seal if entries else ""
            entry = DraftEntry(len(entries) + 1, before, what, key, content, {"time": now()})
            try:
                self._lines.append(entry)
            except BaseException:
                self._over = True  # there may be half a line now, and nothing may stand behind it
                raise
            if what != "request":
                self._account.add(entry)


def answers_in(path: str, request: Mapping[str, Any]) -> tuple[dict[str, ModelAnswer | NoAnswer], DraftSpending]:
    """The answers of a file and what they cost, for those who only look; none where there is no file."""
    entries = read_lines(path, DraftEntry.from_dict)
    if entries:
        _require(entries, path, request)
    return _read(entries), _Account(entries).spending


class _Account:
    """What entries say was spent. An outcome settles the last request for its question."""

    def __init__(self, entries: Iterable[DraftEntry]) -> None:
        self.spending = DraftSpending()
        self._open: dict[str, tuple[int, int]] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: DraftEntry) -> None:
        """The next entry."""
        content = entry.content
        if entry.what == "sent":
            most = int(content["asked"]), int(content["answered"])
            self.spending, self._open[entry.key] = self.spending.sent(most), most
            return
        opened = self._open.pop(entry.key, None)
        counted = (0, 0) if content.get("unpaid") is True else _tokens(content)
        if opened is not None and counted is not None:
            self.spending = self.spending.settled(opened, counted)


def _require(entries: Sequence[DraftEntry], path: str, request: Mapping[str, Any]) -> None:
    """Refuses answers to other questions."""
    first = entries[0]
    if first.what != "request":
        raise InputError(f"{path}, line 1: it does not say what the answers are of. Draft into another folder.")
    other = [name for name in {**first.content, **request} if first.content.get(name) != request.get(name)]
    if other:
        raise UsageError(
            f"{path} has answers drafted with another {', '.join(sorted(other))}. Drafts of two must not mix: name "
            "another folder with --out."
        )


def _read(entries: Iterable[DraftEntry]) -> dict[str, ModelAnswer | NoAnswer]:
    read: dict[str, ModelAnswer | NoAnswer] = {}
    for entry in entries:
        if isinstance(read.get(entry.key), ModelAnswer):
            continue
        if entry.what == "answer":
            read[entry.key] = _answer(entry.content)
        elif entry.what == "no answer":
            read[entry.key] = NoAnswer(str(entry.content.get("kind", "")), str(entry.content.get("message", "")))
    return read


def _answer(content: Mapping[str, Any]) -> ModelAnswer:
    text, finish, model = (str(content.get(name, "")) for name in ("text", "finish", "model"))
    return ModelAnswer(text, finish, (), True, _tokens(content), model)


def _tokens(content: Mapping[str, Any]) -> tuple[int, int] | None:
    tokens = content.get("tokens")
    return (int(tokens[0]), int(tokens[1])) if isinstance(tokens, list) and len(tokens) == 2 else None


def _clean(text: str) -> str:
    """What can be written as UTF-8, cut to a length that is kept."""
    return _LONE.sub("\ufffd", text[:MOST_KEPT])
