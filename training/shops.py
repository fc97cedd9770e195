"""Shops for training: products, queries and grades, generated from `families.toml` and graded by construction.

No family, brand, product or query is in the sample. Grades mean what they mean there: 3 exact, 2 a substitute (of the
same type, but not all that was asked for), 1 a complement (an accessory of what was asked for), 0 irrelevant.

A shop is made by its seed alone: the same seed makes the same shop.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

HERE = Path(__file__).parent
# What a family has beside its attributes.
OTHERS = ("types", "accessories", "uses")
KINDS = ("exact", "attribute", "vague", "misspelled", "brand", "complement")
SYLLABLES = (
    "ar", "bel", "cor", "dan", "el", "fen", "gal", "hol", "ister", "jor", "kel", "lum", "mor", "nor", "ost", "pel",
    "quil", "rav", "sol", "tar", "ul", "ver", "wes", "xan", "yar", "zel",
)  # fmt: skip
ENDINGS = ("a", "o", "ix", "ley", "ton", "wood", "field", "er", "is", "son", "mark", "ly", "ex", "ora", "by")
PRAISE = (
    "Built to last.", "Made for daily use.", "A favorite of our customers.", "Easy to set up and easy to keep clean.",
    "Two-year warranty.", "Ships in plastic-free packaging.", "Tested by people who use it every week.",
    "Good value without corners cut.", "Small enough to put away.", "The one we would buy again.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class FamilyOfProducts:
    """What a family can be made of; each text is (what a title says, what else a shopper may type)."""

    name: str
    types: tuple[tuple[str, ...], ...]
    attributes: dict[str, tuple[tuple[str, ...], ...]]
    accessories: tuple[tuple[str, ...], ...]
    uses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShopProduct:
    """A product, and what grading looks at. `fits`: the brand and model that an accessory is for, '' where it fits all.

    kind     "main" or "accessory"
    what     the place of the type, or of the accessory, in its family
    values   the place of the value by attribute
    """

    doc_id: str
    family: str
    kind: str
    what: int
    brand: str
    model: str
    fits: str
    values: dict[str, int]
    uses: frozenset[int]
    text: str


@dataclass(frozen=True, slots=True)
class GradedQuery:
    """A query with the grade of every product that has one above 0."""

    text: str
    kind: str
    family: str
    grades: dict[str, int]


@dataclass(frozen=True, slots=True)
class GeneratedShop:
    """Products by id, and queries."""

    products: dict[str, ShopProduct]
    queries: tuple[GradedQuery, ...]


def read_families() -> tuple[FamilyOfProducts, ...]:
    """All families, by name."""
    data = tomllib.loads((HERE / "families.toml").read_text("utf-8"))
    return tuple(
        FamilyOfProducts(
            name,
            _said(family["types"]),
            {attribute: _said(values) for attribute, values in family.items() if attribute not in OTHERS},
            _said(family["accessories"]),
            tuple(family["uses"]),
        )
        for name, family in sorted(data.items())
    )


def _said(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(part.strip() for part in text.split(" | ")) for text in texts)


def make_shop(seed: int, families: Sequence[FamilyOfProducts], each: int = 14, queries: int = 12) -> GeneratedShop:
    """A shop with `each` products and `queries` queries of every family."""
    random = Random(f"shop {seed}")
    products: dict[str, ShopProduct] = {}
    asked: list[GradedQuery] = []
    for family in families:
        own = _products(random, family, each)
        products |= {product.doc_id: product for product in own}
        asked += [query for _ in range(queries) if (query := _query(random, family, own)) is not None]
    return GeneratedShop(products, tuple(asked))


# ---- products ----------------------------------------------------------------------------------------------


def made_brand(random: Random) -> str:
    """A brand that nobody has."""
    return "".join(random.choice(SYLLABLES) for _ in range(random.choice([1, 2]))).capitalize() + random.choice(ENDINGS)


def made_model(random: Random) -> str:
    """A name of a model, such as HX-45."""
    letters = "".join(random.choice("ABCDEFGHKLMNPRSTVWX") for _ in range(random.choice([1, 2, 2, 3])))
    return f"{letters}{random.choice(['-', ' ', ''])}{random.randrange(10, 990)}"


def _products(random: Random, family: FamilyOfProducts, each: int) -> list[ShopProduct]:
    brands = [made_brand(random) for _ in range(3)]
    made: list[ShopProduct] = []
    for number in range(each):
        accessory = number >= each * 2 // 3
        # An accessory belongs to the family, or to one product of it by name.
        target = (
            random.choice([one for one in made if one.kind == "main"]) if accessory and random.random() < 0.4 else None
        )
        what = random.randrange(len(family.accessories if accessory else family.types))
        values = {} if accessory else {name: random.randrange(len(of)) for name, of in family.attributes.items()}
        uses = frozenset(at for at in range(len(family.uses)) if not accessory and random.random() < 0.5)
        brand = target.brand if target is not None and random.random() < 0.7 else random.choice(brands)
        model = "" if accessory else made_model(random)
        fits = f"{target.brand} {target.model}" if target is not None else ""
        text = (
            _accessory_text(random, family, what, brand, fits, target)
            if accessory
            else _main_text(random, family, what, brand, model, values, uses)
        )
        made.append(
            ShopProduct(
                f"{family.name}-{number}", family.name, "accessory" if accessory else "main", what, brand, model, fits,
                values, uses, text,
            )
        )  # fmt: skip
    return made


def _main_text(
    random: Random, family: FamilyOfProducts, what: int, brand: str, model: str, values: dict[str, int],
    uses: frozenset[int],
) -> str:  # fmt: skip
    kind = family.types[what]
    facts = [family.attributes[name][at][0] for name, at in values.items()]
    random.shuffle(facts)
    in_title = facts[: random.choice([0, 1, 1, 2])]
    titled = random.random() < 0.6
    pieces = [brand, *([model] if titled else []), _capital(kind[0])]
    title = " ".join(pieces) + "".join(f", {_capital(fact)}" for fact in in_title)
    bullets = [_capital(fact) for fact in facts if fact not in in_title] + ([] if titled else [f"Model {model}"])
    bullets += random.sample(("In stock", "Free returns", "Gift wrap available", f"Item {random.randrange(10**5)}"), 1)
    told = [random.choice(PRAISE)]
    told += [f"{random.choice(['Great for', 'Think of', 'Made with one thing in mind:'])} {family.uses[at]}."
             for at in sorted(uses) if random.random() < 0.7]  # fmt: skip
    if len(kind) > 1 and random.random() < 0.3:
        told.append(f"Also known as a {kind[-1]}.")
    if random.random() < 0.2:  # words of accessories stand in what they are not sold with
        told.append(f"{_capital(random.choice(family.accessories)[0])} not included.")
    random.shuffle(told)
    return f"{title}. {' '.join(f'{bullet}.' for bullet in bullets)} {' '.join(told)}"


def _accessory_text(
    random: Random, family: FamilyOfProducts, what: int, brand: str, fits: str, target: ShopProduct | None
) -> str:
    name = _capital(family.accessories[what][0])
    kind = random.choice(family.types)[0] if target is None else family.types[target.what][0]
    goal = f"{fits} {kind}" if fits else f"{kind}s" if random.random() < 0.5 else "all common models"
    title = random.choice([f"{brand} {name} for {goal}", f"Replacement {name} for {goal}", f"{brand} {name}"])
    told = f"{name} that fits {goal}." if goal not in title else random.choice(PRAISE)
    return f"{title}. {random.choice(['Item sold alone', 'Pack of 1', 'Pack of 2'])}. {told}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# ---- queries -----------------------------------------------------------------------------------------------


def _query(random: Random, family: FamilyOfProducts, own: Sequence[ShopProduct]) -> GradedQuery | None:
    """A query about one product of the family, the others graded by what it asks for."""
    kind = random.choice(KINDS)
    mains = [product for product in own if product.kind == "main"]
    if kind == "complement":
        return _complement(random, family, own)
    wanted = random.choice(mains)
    if kind == "vague":
        return _vague(random, family, own)
    asked = QueryWords(random.choice(family.types[wanted.what]))
    names = random.sample(sorted(wanted.values), k=min(len(wanted.values), random.choice([1, 1, 2])))
    if kind == "exact":
        asked.brand, asked.model = wanted.brand, wanted.model
    elif kind == "brand":
        asked.brand = wanted.brand
    else:
        asked.values = {name: random.choice(family.attributes[name][wanted.values[name]]) for name in names}
    text = asked.typed(random)
    if kind == "misspelled":
        text = misspelled(random, text)
    must = {name: wanted.values[name] for name in asked.values}
    grades = {}
    for product in own:
        if product.kind == "accessory":
            specific = f"{wanted.brand} {wanted.model}" if kind == "exact" else ""
            grades[product.doc_id] = 1 if product.fits in ("", specific) or not specific else 0
            continue
        same_type = product.what == wanted.what
        named = (not asked.brand or product.brand == asked.brand) and (not asked.model or product.model == asked.model)
        holds = named and all(product.values[name] == at for name, at in must.items())
        grades[product.doc_id] = 3 if same_type and holds else 2 if same_type else 0
    return GradedQuery(text, kind, family.name, {doc: grade for doc, grade in grades.items() if grade})


def _vague(random: Random, family: FamilyOfProducts, own: Sequence[ShopProduct]) -> GradedQuery:
    use = random.randrange(len(family.uses))
    begin = random.choice(["something for ", "what do I need for ", "", "gift idea: ", "best thing for "])
    grades = {product.doc_id: 1 if product.kind == "accessory" else 3 if use in product.uses else 2 for product in own}
    return GradedQuery(f"{begin}{family.uses[use]}", "vague", family.name, grades)


def _complement(random: Random, family: FamilyOfProducts, own: Sequence[ShopProduct]) -> GradedQuery | None:
    """A query for an accessory: exact where it fits, a substitute where it is for another product."""
    accessories = [product for product in own if product.kind == "accessory"]
    if not accessories:
        return None
    wanted = random.choice(accessories)
    name = random.choice(family.accessories[wanted.what])
    goal = wanted.fits or random.choice(random.choice(family.types))
    text = random.choice([f"{name} for {goal}", f"{goal} {name}", name]).lower()
    specific = wanted.fits and wanted.fits.lower() in text
    grades = {}
    for product in own:
        if product.kind == "accessory":
            same = product.what == wanted.what
            fits = not specific or product.fits in ("", wanted.fits)
            grades[product.doc_id] = (3 if fits else 2) if same else 0
        elif f"{product.brand} {product.model}" == wanted.fits or not specific:
            grades[product.doc_id] = 1 if text != name.lower() else 0
    return GradedQuery(text, "complement", family.name, {doc: grade for doc, grade in grades.items() if grade})


@dataclass(slots=True)
class QueryWords:
    """What a query says, put together as shoppers do."""

    kind: str
    brand: str = ""
    model: str = ""
    values: dict[str, str] = field(default_factory=dict)

    def typed(self, random: Random) -> str:
        """The words in an order that somebody may type."""
        values = list(self.values.values())
        random.shuffle(values)
        front = [self.brand, self.model] if random.random() < 0.8 else []
        words = [*front, *values, self.kind] if random.random() < 0.6 else [*front, self.kind, *values]
        if not front:
            words += [self.brand, self.model]
        return " ".join(word for word in words if word).lower()


def misspelled(random: Random, text: str) -> str:
    """The text with one or two slips of the fingers, in its longer words."""
    words = text.split()
    for _ in range(random.choice([1, 1, 2])):
        at = random.choice([i for i, word in enumerate(words) if len(word) > 3] or [0])
        word, slip = words[at], random.randrange(4)
        i = random.randrange(1, max(2, len(word) - 1))
        if slip == 0:
            word = word[:i] + word[i + 1 :]
        elif slip == 1:
            word = word[:i] + word[i : i + 1] * 2 + word[i + 1 :]
        elif slip == 2:
            word = word[: i - 1] + word[i : i + 1] + word[i - 1 : i] + word[i + 1 :]
        else:
            word = word[:i] + random.choice("aeiourstln") + word[i + 1 :]
        words[at] = word
    return " ".join(words)
