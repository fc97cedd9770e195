"""Locate: where texts without offsets stand in their sources, by exact match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.measuring.spans.records import Span

Repeats = Literal["refuse", "first", "all"]
# How much of a text a message shows.
SHOWN = 60


def locate(
    texts: Mapping[str, Iterable[str | Mapping[str, object]]],
    sources: Mapping[str, str],
    *,
    repeats: Repeats = "refuse",
    name: str = "texts",
) -> dict[str, list[Span]]:
    """Ranges of texts, by query and in their order: gold or chunks for `rankproof.spans.evaluate`.

    texts     {query_id: [text, ...]}; a text may be a mapping with `text`, the `doc_id` where it is known (then only
              that source is searched) and, of gold, the `grade`
    sources   {doc_id: text}
    repeats   a text that stands in several places is refused; "first" takes the first place, by the order of the
              sources; "all" takes every place, which suits gold (each place answers) and not chunks (each place would
              count as a chunk that was read)

    Matches are exact: a tokenizer or a splitter that changes white space or case makes texts that stand nowhere.
    """
    if repeats not in get_args(Repeats):
        raise UsageError(f"A text that repeats is taken 'first', 'all', or 'refuse'; got {repeats!r:.40}.")
    located: dict[str, list[Span]] = {}
    known: dict[tuple[str, str | None], list[tuple[str, int]]] = {}
    for query, listed in texts.items():
        if isinstance(listed, str | Mapping):
            raise InputError(f"{name}, query {query!r:.80}: a list of texts is needed; got {listed!r:.{SHOWN}}.")
        spans = located[query] = []
        for number, entry in enumerate(listed, 1):
            where = f"{name}, query {query!r:.80}, text {number}"
            text, doc, grade = _entry(entry, where)
            if doc is not None and doc not in sources:
                raise InputError(f"{where}: document {doc!r:.80} is not among the sources. Give its text.")
            if (text, doc) not in known:
                within = sources if doc is None else {doc: sources[doc]}
                known[text, doc] = _places(text, within)
            places = known[text, doc]
            if not places:
                raise InputError(
                    f"{where}: {text!r:.{SHOWN}} stands in no source{'' if doc is None else f' {doc!r:.80}'}. Matches "
                    "are exact: check white space, case and normalization, or give offsets."
                )
            if len(places) > 1 and repeats == "refuse":
                few = ", ".join(f"{place[0]!r:.40} at {place[1]}" for place in places[:3])
                raise InputError(
                    f"{where}: {text!r:.{SHOWN}} stands in {counted(len(places), 'place')} ({few}). Give its doc_id or "
                    "offsets, or say what counts: repeats='first' or repeats='all'."
                )
            taken = places if repeats == "all" else places[:1]
            spans += [Span(found, start, start + len(text), grade) for found, start in taken]
    return located


def _entry(entry: str | Mapping[str, object], where: str) -> tuple[str, str | None, int]:
    """Text, document where it is known, and grade."""
    given: Mapping[str, object] = {"text": entry} if isinstance(entry, str) else entry
    if not isinstance(given, Mapping):
        raise InputError(f"{where}: a text or a mapping with `text` is needed; got {entry!r:.{SHOWN}}.")
    text, doc, grade = given.get("text"), given.get("doc_id"), given.get("grade", 1)
    if not isinstance(text, str) or not text.strip():
        raise InputError(f"{where}: the text must be a text that is not empty; got {text!r:.{SHOWN}}.")
    if doc is not None and not isinstance(doc, str):
        raise InputError(f"{where}: doc_id must be a text; got {doc!r:.{SHOWN}}.")
    if not isinstance(grade, int) or isinstance(grade, bool):
        raise InputError(f"{where}: grade must be a whole number; got {grade!r:.{SHOWN}}.")
    return text, doc, grade


def _places(text: str, sources: Mapping[str, str]) -> list[tuple[str, int]]:
    """Every place of a text, also where two of them overlap."""
    places = []
    for doc, source in sources.items():
        at = source.find(text)
        while at >= 0:
            places.append((doc, at))
            at = source.find(text, at + 1)
    return places
