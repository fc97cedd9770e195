"""Concepts: one meaning with the glossary, words that lead to one page, pages that name what exists."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.kernel import shelf
from rankproof.kernel.concepts import CONCEPTS, Concept, concept_of, fold

ROOT = Path(__file__).resolve().parents[2]


def glossary() -> dict[str, str]:
    """Word to meaning, without the words of the house behind it."""
    text = (ROOT / "docs" / "GLOSSARY.md").read_text("utf-8")
    return {
        re.sub(r" \(.*\)$", "", word): what for word, what in re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", text, re.M)
    }


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda concept: concept.name)
def test_a_concept_has_the_sentence_of_the_glossary(concept: Concept) -> None:
    assert glossary()[concept.name] == concept.summary


def test_a_word_means_one_concept() -> None:
    words = [fold(word) for concept in CONCEPTS for word in (concept.name, *concept.spellings)]
    assert len(words) == len(set(words))
    items = {fold(name) for kind in shelf.KINDS for name in shelf.offered(kind) if kind != "measures"}
    assert not items & set(words), "a shelf's page and a concept of one name"


@pytest.mark.parametrize("concept", CONCEPTS, ids=lambda concept: concept.name)
def test_a_page_is_short_and_names_commands_and_pages_that_exist(concept: Concept) -> None:
    assert 1 <= len(re.findall(r"[.:] |\.$", concept.page)) <= 8
    for words in re.findall(r"`rankproof ([a-z][a-z ]*)", concept.page):
        first, *_ = words.split()
        assert first in cli.list_commands(click.Context(cli)), words
    for page in re.findall(r"docs/[\w/.-]+\.md", concept.page):
        assert (ROOT / page).is_file(), page


def explain(*words: str) -> str:
    told = CliRunner().invoke(cli, ["explain", *words])
    assert told.exit_code == 0, told.output
    return told.stdout


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("effect size", "effect size (concept)"), ("p-value", "p-value (concept)"), ("P value", "p-value (concept)"),
        ("confidence interval", "confidence interval (concept)"), ("shown", "statistically significant (concept)"),
        ("not shown", "statistically significant (concept)"), ("power", "power (concept)"), ("ties", "tie (concept)"),
        ("A/B test", "A/B test (concept)"), ("RAG", "RAG (concept)"), ("UNDECIDED", "UNDECIDED (concept)"),
        ("t-test", "t (significance method)"), ("paired t-test", "t (significance method)"),
        ("Gaffke", "gaffke (significance method)"), ("Holm", "holm (correction)"), ("recall@k", "R (measure)"),
        ("hit rate", "Success (measure)"), ("average precision", "AP (measure)"), ("qrels", "qrels (concept)"),
        ("unjudged", "unjudged (concept)"), ("multiple testing", "multiple testing (concept)"),
        ("non-inferiority", "non-inferiority (concept)"), ("primary measure", "primary measure (concept)"),
        ("sample ratio mismatch", "sample ratio mismatch (concept)"), ("baseline", "baseline (concept)"),
    ],
)  # fmt: skip
def test_what_people_ask_for_is_explained(words: str, page: str) -> None:
    assert page in explain(words)
    assert explain(*words.split()) == explain(words), "quotes are not needed"


def test_a_word_that_is_a_measure_and_a_concept_has_both_pages() -> None:
    assert "unjudged (concept)" in explain("unjudged")
    assert "Unjudged (measure)" in explain("unjudged")


def test_a_shelf_is_listed_by_its_name() -> None:
    listed = explain("corrections")
    assert all(f"\n  {name} " in listed for name in shelf.offered("corrections"))
    assert "nDCG" not in listed
    assert "effect size" in explain("concepts")


def test_what_nobody_knows_gets_three_suggestions() -> None:
    told = CliRunner().invoke(cli, ["explain", "xyzzyfoo"])
    assert told.exit_code == 2
    assert len(told.stderr.partition("names: ")[2].partition(".")[0].split(", ")) == 3


def test_folding_evens_out_case_hyphens_and_spaces() -> None:
    assert fold("Non-Inferiority") == fold("non_inferiority ") == "non inferiority"
    assert concept_of("no such thing") is None
