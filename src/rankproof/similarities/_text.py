"""From what people type to Pairings: `RBO(p=0.9)`, `Jaccard@10`. The one place that reads their names."""

from __future__ import annotations

import re

from rankproof import shelf
from rankproof.errors import UnknownName, UsageError
from rankproof.measures._text import choices, tokens
from rankproof.similarities._contract import Pairing, Similarity

_FORM = re.compile(r"(?P<name>[^()@\s]+)(?:\((?P<params>.*)\))?(?:@(?P<at>[^@()]+))?")


def parse(asked: str) -> tuple[Pairing, ...]:
    """The pairings that a text asks for; each once, in the order asked."""
    found = dict.fromkeys(read(token) for token in tokens(asked))
    if not found:
        raise UsageError("No similarity was asked for. Name one or more, such as: RBO Jaccard@10")
    return tuple(found)


def read(token: str) -> Pairing:
    """The pairing of one token."""
    match = _FORM.fullmatch(token)
    if match is None:
        raise UnknownName("similarity", re.split(r"[(@]", token)[0] or token, shelf.everything("similarities"))
    item = by_name(match["name"])
    return Pairing(item, *choices(item, match["params"], match["at"], token))


def by_name(name: str) -> Similarity:
    """The similarity with this name or everyday spelling."""
    items: dict[str, Similarity] = dict(shelf.offered("similarities"))
    if name in items:
        return items[name]
    folded = name.casefold().replace("-", "_")
    for item in items.values():
        if folded in {spelling.casefold() for spelling in (item.name, *item.spellings)}:
            return item
    found: Similarity = shelf.find("similarities", name)
    return found
