"""Lists to learn from and to measure by: a query, texts, their grades, and what a teacher thinks of them."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from training.nouns import Noun
from training.shops import FamilyOfProducts, GeneratedShop, GradedQuery

DEV_SHOP = Path(__file__).parent / "dev_shop.txt"
# Families of the categories that dev_shop.txt has: none of them is in a shop for training.
HELD_OUT = frozenset({"aquarium", "baking", "board_games", "car_care", "car_electric", "sewing", "skiing"})
# Documents of a query that are read together.
LIST = 16


@dataclass(frozen=True, slots=True)
class GradedList:
    """A query with texts. `grades` is empty where only a teacher knows."""

    query: str
    texts: tuple[str, ...]
    grades: tuple[int, ...] = ()


def held_out(family: FamilyOfProducts) -> bool:
    """Whether a family is kept for measuring."""
    return family.name in HELD_OUT


def lists_of(shop: GeneratedShop, random: Random, size: int = LIST) -> Iterator[GradedList]:
    """Each query with graded products, products that share words with it, and others."""
    ids = list(shop.products)
    words: dict[str, list[str]] = defaultdict(list)
    for doc, product in shop.products.items():
        for word in set(product.text.lower().replace(".", " ").replace(",", " ").split()):
            words[word].append(doc)
    for query in shop.queries:
        graded = list(query.grades)
        random.shuffle(graded)
        chosen = dict.fromkeys(graded[: size * 5 // 8])
        shared: Counter[str] = Counter()
        for word in query.text.split():
            of = words.get(word, ())
            for doc in of if len(of) < 200 else random.sample(of, 200):
                shared[doc] += 1
        likely = [doc for doc, _ in shared.most_common(3 * size) if doc not in query.grades]
        chosen |= dict.fromkeys(likely[: size * 13 // 16 - len(chosen)])
        while len(chosen) < size:
            chosen[random.choice(ids)] = None
        yield _list(shop, query, list(chosen))


def _list(shop: GeneratedShop, query: GradedQuery, docs: Sequence[str]) -> GradedList:
    return GradedList(
        query.text, tuple(shop.products[doc].text for doc in docs), tuple(query.grades.get(doc, 0) for doc in docs)
    )


def plain_lists(nouns: dict[str, Noun], random: Random, many: int, size: int = LIST) -> list[GradedList]:
    """Sentences and definitions of WordNet with texts near them and others: only the teacher knows how they fit."""
    places = list(nouns)
    others = random.sample(places, 25 * size)
    near: dict[str, list[str]] = defaultdict(list)
    for place, noun in nouns.items():
        for above in noun.above:
            near[above].append(place)
    lists = []
    while len(lists) < many:
        place = random.choice(places)
        noun = nouns[place]
        sayings = [*noun.examples, noun.says]
        query = random.choice(sayings)
        if len(query) < 15:
            continue
        around = [place, *noun.above, *(other for above in noun.above for other in near[above][:40]), *near[place][:10]]
        around = [other for other in dict.fromkeys(around) if other in nouns]
        chosen = around[:1] + random.sample(around[1:], min(len(around) - 1, size // 4))
        chosen += random.sample(others, size - len(chosen))
        texts = tuple(f"{nouns[one].names[0]}: {nouns[one].says}" for one in chosen)
        lists.append(GradedList(query, texts))
    return lists


def dev_lists() -> list[GradedList]:
    """The shop written by hand: every query with every product."""
    products: dict[str, str] = {}
    lists = []
    for line in DEV_SHOP.read_text("utf-8").splitlines():
        if line.startswith("? "):
            text, _, grades = (part.strip() for part in line[2:].split("|", 2))
            graded = {
                doc: int(grade) for grade, docs in re.findall(r"(\d): ([^:]+?)(?:\||$)", grades) for doc in docs.split()
            }
            lists.append(GradedList(text, tuple(products.values()), tuple(graded.get(doc, 0) for doc in products)))
        elif line and not line.startswith("#"):
            doc, title, bullets, told = (part.strip() for part in line.split(" | "))
            products[doc] = f"{title}. {bullets.replace(';', '.')}. {told}"
    return lists


def ndcg(order: Sequence[int], k: int = 10) -> float:
    """nDCG of grades in the order of a ranking, the grade as gain."""
    gain = sum(grade / math.log2(at + 2) for at, grade in enumerate(order[:k]))
    ideal = sum(grade / math.log2(at + 2) for at, grade in enumerate(sorted(order, reverse=True)[:k]))
    return gain / ideal if ideal else 0.0


def mean_ndcg(lists: Sequence[GradedList], scores: Sequence[Sequence[float]]) -> float:
    """nDCG@10 of the lists in the order of the scores."""
    found = [
        ndcg([grade for _, grade in sorted(zip(own, one.grades, strict=True), key=lambda pair: -pair[0])])
        for one, own in zip(lists, scores, strict=True)
    ]
    return sum(found) / len(found)
