"""What a document must not say: what is unfinished, where it was written, and words in another spelling."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.documents.pages import documents, name_of

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|TBD|WIP|lorem ipsum|coming soon)\b", re.IGNORECASE)
# A folder of one machine, or a name that only one network knows. The loopback address is every machine's own.
MACHINE = re.compile(r"(?<![\w.])/(home|root|work|tmp|Users|mnt|opt|var)/|\blocalhost\b|\b[A-Z]:\\")
BRITISH = re.compile(
    r"\b\w*(behaviour|colour|neighbour|favour|honour|analyse|normalis|recognis|materialis|vectoris|optimis|summaris"
    r"|serialis|penalis|centre\b|catalogue|licence|judgement|labelled|modelling)\w*",
    re.IGNORECASE,
)
FORBIDDEN = {"unfinished": UNFINISHED, "a machine": MACHINE, "British spelling": BRITISH}
# Titles of papers keep their spelling.
CITES = "- **source**: "


def said(text: str) -> list[str]:
    """What the text says and should not."""
    return [
        f"line {number}: {what}: {found[0]!r}"
        for number, line in enumerate(text.splitlines(), start=1)
        for what, pattern in FORBIDDEN.items()
        if pattern is not BRITISH or not line.startswith(CITES)
        for found in pattern.finditer(line)
    ]


@pytest.mark.parametrize("page", documents(), ids=name_of)
def test_a_document_says_nothing_that_it_should_not(page: Path) -> None:
    assert said(page.read_text(encoding="utf-8")) == []


def test_the_test_can_fail() -> None:
    assert len(said("TODO: see /home/me/x\nits behaviour\n/home/you/y is here")) == 4
    assert said("the Makefile, src/work/x, https://example.org/home/ and a neighbor") == []
