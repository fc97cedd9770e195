"""Generated shops: the same by a seed, graded by what was asked for, and nothing of the sample in them."""

from __future__ import annotations

from random import Random

import pytest
from examples.shop.catalog import read_catalog
from examples.shop.grading import read_queries
from training.shops import KINDS, GeneratedShop, make_shop, misspelled, read_families

FAMILIES = read_families()


@pytest.fixture(scope="module")
def shop() -> GeneratedShop:
    return make_shop(1, FAMILIES)


def test_a_seed_makes_one_shop(shop: GeneratedShop) -> None:
    assert make_shop(1, FAMILIES) == shop
    assert make_shop(2, FAMILIES) != shop


def test_queries_of_all_kinds_have_a_relevant_product(shop: GeneratedShop) -> None:
    assert {query.kind for query in shop.queries} == set(KINDS)
    for query in shop.queries:
        assert query.text == " ".join(query.text.split())
        assert set(query.grades.values()) <= {1, 2, 3}
        assert all(shop.products[doc].family == query.family for doc in query.grades)
    exact = [query for query in shop.queries if query.kind != "vague"]
    assert all(3 in query.grades.values() for query in exact)


def test_an_exact_query_names_its_product(shop: GeneratedShop) -> None:
    for query in (query for query in shop.queries if query.kind == "exact"):
        for doc in (doc for doc, grade in query.grades.items() if grade == 3):
            product = shop.products[doc]
            for words in (product.brand, product.model):
                assert words.lower() in query.text
                assert words.lower() in product.text.lower()


def test_grades_hold_what_attributes_ask_for(shop: GeneratedShop) -> None:
    families = {family.name: family for family in FAMILIES}
    asked = [query for query in shop.queries if query.kind == "attribute"]
    assert len(asked) > 50
    for query in asked:
        types = {shop.products[doc].what for doc, grade in query.grades.items() if grade == 3}
        assert len(types) == 1
        (what,) = types
        said = families[query.family].types[what]
        assert any(name.lower() in query.text for name in said)
        for doc, grade in query.grades.items():
            product = shop.products[doc]
            assert (grade == 1) == (product.kind == "accessory")
            assert (grade >= 2) == (product.kind == "main" and product.what == what)


def test_nothing_of_the_sample_is_in_them(shop: GeneratedShop) -> None:
    brands = {product.brand.lower() for product in read_catalog()}
    assert not brands & {product.brand.lower() for product in shop.products.values()}
    titles = {product.title.lower() for product in read_catalog()}
    assert not titles & {product.text.partition(". ")[0].lower() for product in shop.products.values()}
    assert not {query.text.lower() for query in read_queries()} & {query.text for query in shop.queries}


def test_slips_of_the_fingers_change_a_word_and_keep_it_readable() -> None:
    random = Random(1)
    changed = [misspelled(random, "telescopic ladder aluminum") for _ in range(200)]
    assert sum(text != "telescopic ladder aluminum" for text in changed) > 180
    assert all(abs(len(text) - len("telescopic ladder aluminum")) <= 2 for text in changed)
