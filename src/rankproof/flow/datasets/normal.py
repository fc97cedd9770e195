"""Normal: when two query texts count as the same, and the order in which chance takes queries. Decided here, once."""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

_NOT_WORDS = re.compile(r"[\W_]+")


def normal(text: str) -> str:
    """The text without case, punctuation, and choices of blanks and of compatible characters.

    A text of nothing but signs keeps them: "c++" and "c" are one, but "?" and "!" are two.

    >>> normal("  USB-C cable,  2m"), normal("usb c cable 2m"), normal("?!")
    ('usb c cable 2m', 'usb c cable 2m', '?!')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(_NOT_WORDS.sub(" ", folded).split()) or " ".join(folded.split())


def lot(seed: int, query_id: str) -> bytes:
    """A query's lot: queries in the order of their lots are in random order.

    A hash and not a generator's permutation: a query's lot depends on no other query, so that a larger sample holds
    the smaller one, and no version of a library changes a split that was published.
    """
    return sha256(f"{seed}\n{query_id}".encode("utf-8", "surrogatepass")).digest()
