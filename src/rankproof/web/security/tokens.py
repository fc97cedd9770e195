"""Tokens: random texts that open something. The store keeps hashes of them only."""

from __future__ import annotations

import re
from hashlib import sha256
from hmac import compare_digest
from secrets import token_urlsafe

_FORM = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """256 random bits, for URLs, cookies and forms."""
    return token_urlsafe(32)


def is_token(text: str | None) -> bool:
    """Whether a text has the form of a token."""
    return text is not None and _FORM.fullmatch(text) is not None


def digest(token: str) -> str:
    """What is kept of a token. It is random and long, so that a plain hash cannot be turned back."""
    return sha256(token.encode("utf-8", "replace")).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two texts are the same, in a time that does not tell where they differ."""
    return compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
