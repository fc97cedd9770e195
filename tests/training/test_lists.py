"""What a model learns from and is measured by: WordNet's nouns, lists, and the shop that was written by hand."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from examples.shop.catalog import read_catalog
from examples.shop.grading import read_queries
from training.lists import HELD_OUT, LIST, dev_lists, held_out, lists_of, mean_ndcg, ndcg, plain_lists
from training.nouns import families_of, noun_shop, read_nouns
from training.shops import make_shop, read_families

# In the form of WordNet's data.noun: a seat, four kinds of it, a person, and one that nobody sells.
NOUNS = """\
  1 This software and database is provided to you under a license.
00000001 06 n 01 seat 0 001 @ 00000009 n 0000 | furniture that is designed for sitting on
00000002 06 n 02 armchair 0 easy_chair 0 001 @ 00000001 n 0000 | chair with a support on each side for arms
00000003 06 n 01 bench 0 001 @ 00000001 n 0000 | a long seat for more than one person; "they sat on the bench"
00000004 06 n 01 stool 0 001 @ 00000001 n 0000 | a simple seat without a back or arms
00000005 06 n 02 sofa 0 couch 0 001 @ 00000001 n 0000 | an upholstered seat for more than one person
00000006 18 n 01 sitter 0 001 @ 00000009 n 0000 | a person who poses for a painter or sculptor
00000007 06 n 01 Windsor_chair 0 001 @ 00000001 n 0000 | straight-backed chair with spindles in the back
"""


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wordnet")
    (folder / "data.noun").write_text(NOUNS)
    return folder


def test_nouns_are_read_with_names_sayings_and_what_is_above(wordnet: Path) -> None:
    nouns = read_nouns(wordnet)
    assert len(nouns) == 7
    assert nouns["00000002"].names == ("armchair", "easy chair")
    assert nouns["00000003"].says == "a long seat for more than one person"
    assert nouns["00000003"].examples == ("they sat on the bench",)
    assert nouns["00000003"].above == ("00000001",)
    (kinds,) = families_of(nouns)  # the name with a capital letter and the person are not sold
    assert [kind.names[0] for kind in kinds] == ["armchair", "bench", "stool", "sofa"]


def test_a_shop_of_nouns_is_graded_by_kind(wordnet: Path) -> None:
    families = families_of(read_nouns(wordnet))
    shop = noun_shop(3, families, 1)
    assert shop == noun_shop(3, families, 1)
    assert shop != noun_shop(4, families, 1)
    for seed in range(30):
        shop = noun_shop(seed, families, 1)
        for query in shop.queries:
            assert 3 in query.grades.values()
            if query.kind in ("name", "says", "misspelled"):
                what = {shop.products[doc].what for doc, grade in query.grades.items() if grade == 3}
                assert len(what) == 1
                assert all((shop.products[doc].what in what) == (grade == 3) for doc, grade in query.grades.items())
            if query.kind == "model":
                (doc,) = (doc for doc, grade in query.grades.items() if grade == 3)
                assert shop.products[doc].model.lower() in query.text


def test_lists_have_one_length_and_the_grades_of_the_shop(wordnet: Path) -> None:
    shop = make_shop(1, read_families()[:8])
    by_text = {product.text: doc for doc, product in shop.products.items()}
    for one, query in zip(lists_of(shop, Random(1)), shop.queries, strict=True):
        assert len(one.texts) == len(one.grades) == LIST
        assert all(
            query.grades.get(by_text[text], 0) == grade for text, grade in zip(one.texts, one.grades, strict=True)
        )
    nouns = read_nouns(wordnet)
    many = {f"{place}-{at}": noun for at in range(100) for place, noun in nouns.items()}
    for one in plain_lists(many, Random(1), 20):
        assert len(one.texts) == LIST
        assert one.grades == ()


def test_the_shop_by_hand_has_answers_and_nothing_of_training_or_the_sample() -> None:
    dev = dev_lists()
    assert len(dev) == 49
    assert all(max(one.grades) == 3 and len(one.grades) == len(one.texts) == 61 for one in dev)
    families = {family.name for family in read_families()}
    assert families > HELD_OUT
    assert sum(held_out(family) for family in read_families()) == len(HELD_OUT)
    titles = {product.title.lower() for product in read_catalog()}
    assert not titles & {text.partition(". ")[0].lower() for one in dev for text in one.texts}
    assert not {query.text.lower() for query in read_queries()} & {one.query.lower() for one in dev}


def test_a_perfect_order_has_1_and_the_reverse_less() -> None:
    assert ndcg([3, 2, 1, 0]) == 1
    assert ndcg([0, 1, 2, 3]) == pytest.approx((1 / 1.5849625 + 2 / 2 + 3 / 2.3219281) / (3 + 2 / 1.5849625 + 1 / 2))
    dev = dev_lists()[:3]
    assert mean_ndcg(dev, [[float(grade) for grade in one.grades] for one in dev]) == 1
