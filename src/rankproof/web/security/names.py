"""Names of accounts: plain, so that nobody can pass for somebody else by a look-alike."""

from __future__ import annotations

from rankproof.records.account import NAMES, is_name
from rankproof.web.problems import Problem


def read_name(typed: str) -> str:
    """The name in small letters; an error where it holds anything but letters, digits and . _ @ + -"""
    name = typed.strip().lower()
    if not is_name(name):
        raise Problem(422, "This cannot be the name of an account.", f"Take {NAMES}.")
    return name
