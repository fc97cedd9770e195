"""The contract of the similarities shelf: what every similarity promises, run over every one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import is_item
from tests.effort import examples

from rankproof.kernel import shelf
from rankproof.measuring.similarities import contract
from rankproof.measuring.similarities.contract import Pairing, Ranking, Similarity, parse

ITEMS: dict[str, Similarity] = dict(shelf.offered("similarities"))
FILES = sorted(p for p in Path(inspect.getfile(contract)).parent.glob("*.py") if is_item(p))
ASKED = {"Jaccard": ("Jaccard@3", "Jaccard"), "RBO": ("RBO", "RBO(p=0.5)"), "TauAP": ("TauAP",)}
PAIRINGS = [parse(text)[0] for texts in ASKED.values() for text in texts]

every_pairing = pytest.mark.parametrize("pairing", PAIRINGS, ids=str)
rankings = st.lists(st.sampled_from("abcdefgh"), unique=True)
quick = settings(max_examples=examples(60), deadline=None)


# ---- plain references ----------------------------------------------------------------------------


def plain_jaccard(a: Ranking, b: Ranking, pairing: Pairing) -> float | None:
    both = [doc for doc in a[: pairing.k] if doc in b[: pairing.k]]
    either = len(a[: pairing.k]) + len(b[: pairing.k]) - len(both)
    return len(both) / either if either else None


def plain_rbo(a: Ranking, b: Ranking, pairing: Pairing) -> float | None:
    """Agreement at each depth, weighed; to a depth where p^d is nothing. Definition in the paper, section
    4.3.

    To the end of the short list agreement is counted; from there to the end of the long one the documents
    that the short list does not show are taken to agree as it did at its end; below, agreement stays as it
    is.
    """
    if not a or not b:
        return None if not a and not b else 0.0
    (short, long), p = sorted((a, b), key=len), pairing["p"]
    rate = len(set(short) & set(long[: len(short)])) / len(short)

    def agreement(d: int) -> float:
        if d <= len(short):
            return len(set(short[:d]) & set(long[:d])) / d
        if d <= len(long):
            return (len(set(short) & set(long[:d])) + rate * (d - len(short))) / d
        return agreement(len(long))

    return sum((1 - p) * p ** (d - 1) * agreement(d) for d in range(1, 400))


def plain_tau_ap(a: Ranking, b: Ranking, pairing: Pairing) -> float | None:
    common = [doc for doc in a if doc in b]
    if len(common) < 2:
        return None
    shares = [sum(b.index(above) < b.index(doc) for above in common[:i]) / i for i, doc in enumerate(common) if i]
    return 2 * sum(shares) / len(shares) - 1


REFERENCES = {"Jaccard": plain_jaccard, "RBO": plain_rbo, "TauAP": plain_tau_ap}


# ---- the contract --------------------------------------------------------------------------------


def test_every_similarity_is_asked_for_and_has_a_plain_reference() -> None:
    assert set(ITEMS) == set(ASKED) == set(REFERENCES)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    module = importlib.import_module(f"rankproof.measuring.similarities.{file.stem}")
    (item,) = module.OFFERS
    assert item.page == module.__doc__
    for heading in ("range:", "undefined:", "source:"):
        assert len(re.findall(rf"^{heading} \S", item.page, re.MULTILINE)) == 1, heading
    assert re.search(rf"^range: {item.low:g} to {item.high:g}$", item.page, re.MULTILINE)
    told = doctest.testmod(module)
    assert told.attempted >= 2
    assert told.failed == 0


@every_pairing
def test_the_text_reads_back(pairing: Pairing) -> None:
    (again,) = parse(str(pairing))
    assert (again, again.values, again.at) == (pairing, pairing.values, pairing.at)
    for spelling in pairing.similarity.spellings:
        assert parse(spelling)[0].similarity is pairing.similarity


@every_pairing
@given(a=rankings, b=rankings)
@quick
def test_the_value_equals_the_plain_reference(pairing: Pairing, a: list[str], b: list[str]) -> None:
    item = pairing.similarity
    value, told = item.compare(a, b, pairing), REFERENCES[item.name](a, b, pairing)
    assert (value is None) == (told is None)
    if value is not None and told is not None:
        assert math.isclose(value, told, rel_tol=1e-9, abs_tol=1e-12)
        assert item.low - 1e-12 <= value <= item.high + 1e-12


@every_pairing
@given(a=rankings)
@quick
def test_a_ranking_is_most_like_itself(pairing: Pairing, a: list[str]) -> None:
    value = pairing.similarity.compare(a, a, pairing)
    assert value is None or math.isclose(value, pairing.similarity.high)


@every_pairing
@given(a=rankings, b=rankings)
@quick
def test_both_sides_can_change_places_where_it_says_so(pairing: Pairing, a: list[str], b: list[str]) -> None:
    compare = pairing.similarity.compare
    if pairing.similarity.symmetric:
        there, back = compare(a, b, pairing), compare(b, a, pairing)
        assert there == back if there is None or back is None else math.isclose(there, back, abs_tol=1e-12)
    else:
        assert compare("cab", "abc", pairing) != compare("abc", "cab", pairing)


@every_pairing
@given(a=rankings, b=rankings)
@quick
def test_renaming_documents_changes_nothing(pairing: Pairing, a: list[str], b: list[str]) -> None:
    new = dict(zip("abcdefgh", ["é", "9", "A", "zz", "0", "ß", " ", "h"], strict=True))
    renamed = pairing.similarity.compare([new[d] for d in a], [new[d] for d in b], pairing)
    assert renamed == pairing.similarity.compare(a, b, pairing)


def test_lists_of_different_lengths_counted_by_hand() -> None:
    """a b c against a c: agreements 1, 1/2, then the short list ends with rate 1/2 and c comes at depth 3:
    (2 + 1/2) / 3 there and below. With p = 0.5: 0.5 x 1 + 0.25 x 0.5 + 0.25 x 5/6.
    """
    (pairing,) = parse("RBO(p=0.5)")
    value = pairing.similarity.compare(["a", "b", "c"], ["a", "c"], pairing)
    assert value == pytest.approx(0.5 + 0.125 + 0.25 * 5 / 6)
