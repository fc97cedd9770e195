"""Shops of WordNet's nouns: thousands of kinds of things, with the words that people wrote to say what each is.

A family is what WordNet puts under one noun ("seat": armchair, bench, stool, ...). Its products carry a kind's name and
some of what WordNet says of it; a query asks by one of its names or by what it is, in WordNet's words. Grades are by
construction, as in `training.shops`: 3 of that kind, 2 of that kind without what else was asked for, 1 of its family.

WordNet 3.0, Copyright 2006 by Princeton University; Debian's package `wordnet-base` has its files.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from training.shops import PRAISE, GeneratedShop, GradedQuery, ShopProduct, made_brand, made_model, misspelled

# Numbers of WordNet's files of nouns: artifact, food, plant, substance.
SOLD = ("06", "13", "20", "27")
FACTS: tuple[tuple[tuple[str, ...], ...], ...] = (
    (
        ("black",),
        ("white",),
        ("red",),
        ("navy", "dark blue"),
        ("sage green", "green"),
        ("silver",),
        ("walnut", "brown"),
    ),
    (("small",), ("large", "big"), ("extra large", "XL"), ("mini", "tiny")),
    (("pack of 2", "two pack"), ("set of 4", "4 pieces"), ("pack of 12", "dozen")),
    (("stainless steel",), ("oak", "wooden"), ("cotton",), ("leather",), ("recycled plastic", "plastic"), ("glass",)),
    (
        ("waterproof", "keeps water out"),
        ("foldable", "folding"),
        ("portable", "to take along"),
        ("for children", "kids"),
    ),
)
LEAD = ("", "", "something like ", "what is it called: ", "looking for ", "i need ", "thing: ", "one of those: ")


@dataclass(frozen=True, slots=True)
class Noun:
    """One meaning. `says` is its definition, `examples` sentences with it."""

    names: tuple[str, ...]
    file: str
    above: tuple[str, ...]
    says: str
    examples: tuple[str, ...]


def read_nouns(folder: Path) -> dict[str, Noun]:
    """All meanings of nouns, by their place in the file."""
    nouns = {}
    for line in (folder / "data.noun").read_text("utf-8", "replace").splitlines():
        if line.startswith(" "):
            continue
        data, _, gloss = line.partition(" | ")
        fields = data.split()
        count = int(fields[3], 16)
        names = tuple(fields[4 + 2 * at].replace("_", " ") for at in range(count))
        links = fields[5 + 2 * count :]
        above = tuple(links[at + 1] for at in range(0, len(links) - 3, 4) if links[at] == "@")
        examples = tuple(re.findall(r'"([^"]+)"', gloss))
        says = gloss.split('; "')[0].strip()
        nouns[fields[0]] = Noun(names, fields[1], above, says, examples)
    return nouns


def families_of(nouns: dict[str, Noun]) -> list[list[Noun]]:
    """Kinds of one thing, three or more, that a shop could sell."""
    under: dict[str, list[Noun]] = defaultdict(list)
    for noun in nouns.values():
        plain = noun.names[0].islower() and 15 <= len(noun.says) <= 160
        if noun.file in SOLD and plain:
            for place in noun.above:
                under[place].append(noun)
    return [kinds for _, kinds in sorted(under.items()) if len(kinds) >= 3]


def noun_shop(seed: int, families: Sequence[Sequence[Noun]], many: int = 60) -> GeneratedShop:
    """A shop with products and queries of so many families."""
    random = Random(f"nouns {seed}")
    products: dict[str, ShopProduct] = {}
    queries: list[GradedQuery] = []
    brands = [made_brand(random) for _ in range(max(3, many))]
    for number, family in enumerate(random.sample(list(families), many)):
        kinds = random.sample(list(family), min(len(family), random.choice([3, 4, 5])))
        own_brands = random.sample(brands, 3)
        own = []
        for what, noun in enumerate(kinds):
            for _ in range(random.choice([1, 2, 3])):
                product = _product(random, f"n{number}-{len(own)}", str(number), what, noun, random.choice(own_brands))
                products[product.doc_id] = product
                own.append(product)
        queries += [_query(random, kinds, own, products) for _ in range(8)]
    return GeneratedShop(products, tuple(queries))


def _product(random: Random, doc_id: str, family: str, what: int, noun: Noun, brand: str) -> ShopProduct:
    values = {
        str(at): random.randrange(len(FACTS[at]))
        for at in random.sample(range(len(FACTS)), random.choice([1, 2, 2, 3]))
    }
    facts = [FACTS[int(at)][value][0] for at, value in values.items()]
    name = random.choice(noun.names) if random.random() < 0.3 else noun.names[0]
    model = made_model(random) if random.random() < 0.4 else ""
    title = random.choice(
        (f"{brand} {model} {_title(name)}", f"{brand} {_title(name)} {model}", f"{_title(name)} by {brand} {model}")
    ).strip()
    said = random.randrange(len(facts) + 1)
    title += "".join(f", {_title(fact)}" for fact in facts[:said])
    told = [random.choice(PRAISE)] if random.random() < 0.7 else []
    told += facts[said:]
    if random.random() < 0.4:
        told.append(_part(random, noun.says))
    if noun.examples and random.random() < 0.3:
        told.append(random.choice(noun.examples))
    if len(noun.names) > 1 and random.random() < 0.15:
        told.append(f"also sold as {random.choice(noun.names[1:])}")
    random.shuffle(told)
    text = ". ".join([title, *(one[:1].upper() + one[1:].rstrip(".") for one in told)]) + "."
    return ShopProduct(doc_id, family, "main", what, brand, model, "", values, frozenset(), text)


def _query(
    random: Random, kinds: Sequence[Noun], own: Sequence[ShopProduct], products: dict[str, ShopProduct]
) -> GradedQuery:
    wanted = random.choice(own)
    noun = kinds[wanted.what]
    kind = random.choice(("name", "name", "fact", "fact", "says", "says", "says", "misspelled", "brand", "model"))
    if kind == "model" and not wanted.model:
        kind = "brand"
    must: dict[str, int] = {}
    name = random.choice(noun.names).lower()
    if kind == "says":
        text = random.choice(LEAD) + _part(random, noun.says)
    elif kind == "brand":
        alone = random.random() < 0.5
        text = wanted.brand if alone else f"{wanted.brand} {name}"
        if alone:
            return GradedQuery(
                text.lower(),
                kind,
                wanted.family,
                {doc: 3 for doc, one in products.items() if one.brand == wanted.brand},
            )
    elif kind == "model":
        text = random.choice((wanted.model, f"{wanted.brand} {wanted.model}", f"{wanted.model} {name}"))
    elif kind == "fact":
        at = random.choice(list(wanted.values))
        must = {at: wanted.values[at]}
        fact = random.choice(FACTS[int(at)][wanted.values[at]])
        text = random.choice((f"{fact} {name}", f"{name} {fact}", f"{name}, {fact}"))
    else:
        text = name
    if kind == "misspelled":
        text = misspelled(random, text)
    grades = {}
    for product in own:
        same = product.what == wanted.what
        named = kind != "brand" or product.brand == wanted.brand
        named = named and (kind != "model" or product.model == wanted.model)
        holds = named and all(product.values.get(at) == value for at, value in must.items())
        grades[product.doc_id] = 3 if same and holds else 2 if same else 1
    return GradedQuery(text.lower(), kind, wanted.family, grades)


def _part(random: Random, says: str) -> str:
    """The definition, or a part of it."""
    parts = [part for part in re.split(r"[;()]", says) if len(part.strip()) > 12] or [says]
    words = random.choice(parts).split()
    if len(words) > 8 and random.random() < 0.4:
        begin = random.randrange(0, len(words) - 7)
        words = words[begin : begin + random.randrange(6, 12)]
    return " ".join(words)


def _title(text: str) -> str:
    return " ".join(word[:1].upper() + word[1:] for word in text.split())
