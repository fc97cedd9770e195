"""A guess at why two sets of ids have nothing in common: case, white space, Unicode normalization, a prefix, integers.

Each idea rewrites the ids of both sides. The first idea under which most ids meet is the guess, with a
pair of ids that shows it. It stays a guess: the files are not changed by it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rankproof.reading.finding import quote

Rewrite = Callable[[str], str]

# What stands between the parts of an id: 'doc_12', 'clueweb09-en0000-00-00000', 'D12#3', 'msmarco:12'.
SEPARATORS = re.compile(r"[_:/#|.\-]")

# Nothing is normalized silently: two ids that differ in it may be two documents.
NORMALIZE = (
    "Bring the ids of both files to NFC, in Python by unicodedata.normalize('NFC', id); file names that come from "
    "macOS are often in NFD."
)
COMPATIBLE = "Bring the ids of both files to NFKC, in Python by unicodedata.normalize('NFKC', id)."

# Longer ids were not written in two ways by a person, and rewriting a gigabyte a dozen times takes a minute.
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Idea:
    """A possible difference between the ids, how to rewrite each side without it, and what to do about it.

    hidden  whether two such ids look alike, so that they are shown as code points
    """

    reason: str
    ours: Rewrite
    theirs: Rewrite
    remedy: str = ""
    hidden: bool = False


def guess(ours: Sequence[str], theirs: Sequence[str], our_name: str, their_name: str) -> str | None:
    """A sentence with the likely reason, or None where no idea makes any id meet."""
    ours, theirs = _guessable(ours), _guessable(theirs)
    if not ours or not theirs:
        return None
    best: tuple[int, Idea, str, str] | None = None
    for idea in _ideas(ours, theirs):
        rewritten: dict[str, str] = {}
        for id_ in theirs:
            rewritten.setdefault(idea.theirs(id_), id_)
        rewritten.pop("", None)
        meeting = [id_ for id_ in ours if idea.ours(id_) in rewritten]
        if meeting and (best is None or len(meeting) > best[0]):
            best = (len(meeting), idea, meeting[0], rewritten[idea.ours(meeting[0])])
    if best is None:
        return None
    met, idea, our_id, their_id = best
    share = f"{met:,} of {len(ours):,}" if len(ours) > 1 else "the one"
    reason, one, other = idea.reason, quote(our_id), quote(their_id)
    if idea.hidden:
        # Every character beyond ASCII as its code point: two forms of a letter look the same otherwise.
        one, other = ascii(our_id), ascii(their_id)
        reason += f" ({_form(our_id)} in the {our_name}, {_form(their_id)} in the {their_name})"
    guessed = (
        f"They may differ only by {reason}: {one} in the {our_name}, {other} in the {their_name} ({share} would meet)."
    )
    return f"{guessed} {idea.remedy}" if idea.remedy else guessed


def _guessable(ids: Sequence[str]) -> list[str]:
    return [id_ for id_ in ids if len(id_) <= LONGEST]


def _ideas(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[Idea]:
    """Plain ideas first: of two that explain equally much, the earlier one stays."""
    yield _both("white space", _stripped)
    yield _both("letter case", str.casefold)
    yield _both("integers written as strings (leading zeros, '.0')", _integer)
    yield Idea("Unicode normalization", _canonical, _canonical, NORMALIZE, hidden=True)
    yield Idea("compatible forms of letters, such as full-width ones", _composed, _composed, COMPATIBLE, hidden=True)
    cut_ours, cut_theirs = _without_affixes(ours), _without_affixes(theirs)
    for reason, first, second in (
        ("a prefix or suffix", cut_ours, _same),
        ("a prefix or suffix", _same, cut_theirs),
        ("their prefixes or suffixes", cut_ours, cut_theirs),
        ("what stands before the last separator", _last_part, _same),
        ("what stands before the last separator", _same, _last_part),
        (
            "what stands after the last separator (a passage of a document? see --collapse)",
            _all_but_last,
            _same,
        ),
        (
            "what stands after the last separator (a passage of a document? see --collapse)",
            _same,
            _all_but_last,
        ),
    ):
        yield Idea(reason, first, second)
        yield Idea(f"{reason}, and how the rest is written", _then(first, _plain), _then(second, _plain))


def _both(reason: str, rewrite: Rewrite) -> Idea:
    return Idea(reason, rewrite, rewrite)


def _then(first: Rewrite, second: Rewrite) -> Rewrite:
    return lambda id_: second(first(id_))


def _same(id_: str) -> str:
    return id_


def _stripped(id_: str) -> str:
    return "".join(id_.split())


def _integer(id_: str) -> str:
    text = id_.strip()
    whole = text.removesuffix(".0")
    return str(int(whole)) if whole.isascii() and whole.isdigit() and len(whole) < 4000 else text


def _canonical(id_: str) -> str:
    return unicodedata.normalize("NFC", id_)


def _form(id_: str) -> str:
    """The normalization form that an id is in."""
    forms = [form for form in ("NFC", "NFD") if unicodedata.is_normalized(form, id_)]
    return " and ".join(forms) or "neither NFC nor NFD"


def _composed(id_: str) -> str:
    return unicodedata.normalize("NFKC", id_)


def _plain(id_: str) -> str:
    return _integer(_composed(_stripped(id_)).casefold())


def _last_part(id_: str) -> str:
    return SEPARATORS.split(id_)[-1]


def _all_but_last(id_: str) -> str:
    matches = list(SEPARATORS.finditer(id_))
    return id_[: matches[-1].start()] if matches else id_


def _without_affixes(ids: Sequence[str]) -> Rewrite:
    """Cuts off what all ids begin with and end with, but never a digit: 'doc_12', 'doc_15' -> '12'."""
    before = _shared(ids).rstrip("0123456789")
    after = _shared(id_[::-1] for id_ in ids)[::-1].lstrip("0123456789")

    def cut(id_: str) -> str:
        return id_.removeprefix(before).removesuffix(after)

    return cut


def _shared(ids: Iterable[str]) -> str:
    """What all ids begin with."""
    # Of all strings between two others in order, each shares what those two share.
    least, greatest = min(ids := list(ids)), max(ids)
    if least == greatest:
        # One id alone begins with all of itself: only what leads up to its number is a prefix then.
        return re.split(r"\d", least, maxsplit=1)[0]
    same = next((i for i, (a, b) in enumerate(zip(least, greatest, strict=False)) if a != b), len(least))
    return least[:same]
