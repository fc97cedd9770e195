"""Errors named by their type and the values in them, so that wording can improve without breaking a test."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


def names(message: str, value: object) -> bool:
    """Whether a message has the value as a whole: `3` is not in `13`, `a.run` is not in `data.running`."""
    return re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", message) is not None


@contextmanager
def raises(kind: type[BaseException], *values: object) -> Iterator[pytest.ExceptionInfo[BaseException]]:
    """Expects an error of exactly this type whose message names every one of the values.

    Values are what a reader needs whatever the sentence: names, ids, lines, numbers, choices that are possible.
    """
    with pytest.raises(kind) as caught:
        yield caught
    assert caught.type is kind, f"a {caught.type.__name__}, not a {kind.__name__}: {caught.value}"
    message = str(caught.value)
    missing = [value for value in values if not names(message, value)]
    assert not missing, f"the message does not name {missing}: {message}"
