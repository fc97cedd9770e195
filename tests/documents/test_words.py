"""What documents must not say, and the words of the field that a person looks for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.documents.pages import ROOT, documents, name_of

from rankproof.cli.shared.root import cli

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


# ---- the words of the field, where a person would look --------------------------------------------

STATISTICS = ("confidence interval", "statistically significant", "effect size")
WORDS = (*STATISTICS, "A/B test", "RAG", "recall@k")
# Page -> words that it must have. Another page or word is one more entry.
LOOKED_FOR = {
    "README.md": WORDS,
    "docs/index.md": WORDS,
    "docs/GLOSSARY.md": WORDS,
    "docs/doors/evaluate.md": (*STATISTICS, "RAG", "recall@"),
    "docs/doors/ship.md": (*STATISTICS, "A/B test"),
    "docs/doors/judge.md": (*STATISTICS, "recall@"),
    "docs/doors/ab-test.md": (*STATISTICS, "A/B test"),
    "docs/rag.md": (*STATISTICS, "RAG", "recall@k"),
    "docs/compare.md": STATISTICS,
    "docs/statistics.md": STATISTICS,
    "docs/trials.md": ("A/B test",),
    "docs/online-statistics.md": ("A/B test",),
    "docs/reference/measures.md": ("recall@k",),
}
# Command -> words of its help.
HELPED = {
    "": ("confidence interval", "statistically significant", "A/B test", "RAG", "recall@k"),
    "compare": ("confidence interval",),
    "trial": ("A/B test",),
    "ab": ("A/B test",),
}


def lacking(text: str, words: tuple[str, ...]) -> list[str]:
    """The words that a text does not have, wherever its lines break."""
    flat = " ".join(text.split())
    return [word for word in words if not re.search(rf"(?<!\w){re.escape(word)}", flat, re.IGNORECASE)]


@pytest.mark.parametrize("page", LOOKED_FOR)
def test_a_page_has_the_words_that_people_look_for(page: str) -> None:
    assert lacking((ROOT / page).read_text(encoding="utf-8"), LOOKED_FOR[page]) == []


@pytest.mark.parametrize("command", HELPED)
def test_help_has_the_words_that_people_look_for(command: str) -> None:
    told = CliRunner().invoke(cli, [*command.split(), "--help"])
    assert lacking(told.output, HELPED[command]) == []


@pytest.mark.parametrize("word", WORDS)
def test_a_word_stands_in_several_documents(word: str) -> None:
    assert sum(not lacking(page.read_text(encoding="utf-8"), (word,)) for page in documents()) >= 4


def test_counting_words_can_fail() -> None:
    assert lacking("a confidence\ninterval", STATISTICS) == ["statistically significant", "effect size"]
    assert lacking("storage and fragments", ("RAG",)) == ["RAG"]
