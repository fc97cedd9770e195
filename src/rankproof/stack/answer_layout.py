"""Answer layout: where the answer of an unknown search API has its hits, and what of a hit is id, title, text, ...

A guess, by names that APIs use and by what stands there: ids must be there in every hit and differ, addresses must look
like addresses. It is made to be shown to a person with the first hits, and to be corrected.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from rankproof.errors import InputError
from rankproof.stack.engines._expressions import expression, extracted
from rankproof.stack.engines._hit_fields import field_text
from rankproof.stack.engines._wire import said_against

# What may be kept of a hit, and the names that APIs have for it, the likeliest first.
FIELD_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "title": ("title", "name", "headline", "producttitle", "productname", "displayname", "subject", "label", "heading"),
    "snippet": ("snippet", "highlight", "highlights", "excerpt", "teaser"),
    "text": (
        "text", "description", "body", "content", "passage", "summary", "abstract", "longdescription",
        "shortdescription", "bullets", "features", "details",
    ),
    "price": ("price", "currentprice", "saleprice", "listprice", "cost", "amount"),
    "image": ("image", "imageurl", "images", "thumbnail", "thumbnailurl", "img", "picture", "photo", "thumb", "media"),
    "url": ("url", "link", "href", "permalink", "producturl", "weburl", "uri", "canonicalurl"),
}  # fmt: skip
_IDS: Final = (
    "id", "docid", "documentid", "productid", "itemid", "sku", "asin", "objectid", "uuid", "guid", "pid", "key", "code",
    "ean", "gtin", "isbn", "slug", "handle", "permalink", "url", "link", "href",
)  # fmt: skip
_HITS: Final = (
    "hits", "results", "items", "docs", "documents", "products", "records", "entries", "organic", "edges", "nodes",
    "matches", "rows", "data",
)  # fmt: skip
_BESIDE: Final = (
    "facets", "filters", "aggregations", "aggs", "buckets", "suggestions", "suggest", "spellcheck", "related",
    "errors", "breadcrumbs", "categories", "sort", "sorts", "ads", "sponsored", "variants", "images", "brands",
    "options", "tags",
)  # fmt: skip
# The part of a hit that is the document itself: what stands in it stands as near as what stands beside it.
_WRAPPERS: Final = (
    "source", "product", "node", "document", "doc", "item", "fields", "attributes", "data", "payload", "record",
)  # fmt: skip
# Inside of a field: price.amount, image.src, title.en.
_INSIDE: Final = (
    "url", "src", "href", "link", "value", "raw", "amount", "text", "display", "formatted", "en", "default",
)  # fmt: skip
_PLACES: Final = (
    "score", "rank", "position", "index", "relevance", "similarity", "distance", "number",
)  # fmt: skip
_DEEPEST = 8
_LOOKED_AT = 50  # hits of a list
_ADDRESS = re.compile(r"(https?:)?//\S+|/\S*", re.IGNORECASE)
_PICTURE = re.compile(r"(https?:)?//\S+|/\S+|data:image/\S+|\S+\.(?:jpe?g|png|webp|gif|avif)(?:\?\S*)?", re.IGNORECASE)
_NUMBER = re.compile(r"\d")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class AnswerLayout:
    """JMESPath expressions: of the list of hits in an answer, of the id in a hit, and of what is kept of it by name."""

    hits: str
    id: str
    fields: Mapping[str, str]

    def read(self, answer: object, most: int) -> list[tuple[str, dict[str, str]]]:
        """The first hits as they are read: id and fields."""
        found = extracted(expression("hits", self.hits), answer)
        hits = found[:most] if isinstance(found, list) else []
        places = {name: expression(name, place) for name, place in self.fields.items()}
        of_id = expression("id", self.id)
        return [
            (field_text(extracted(of_id, hit)), {n: field_text(extracted(place, hit)) for n, place in places.items()})
            for hit in hits
        ]


@dataclass(frozen=True, slots=True)
class HitList:
    """A list of objects in an answer: its expression and its objects."""

    path: str
    hits: tuple[Mapping[str, object], ...]

    def leaves(self) -> dict[str, list[object]]:
        """What stands in the hits, by expression: only what is no object and no list of objects."""
        found: dict[str, list[object]] = {}
        for hit in self.hits[:_LOOKED_AT]:
            for path, value in _leaves(hit, "", 0):
                found.setdefault(path, []).append(value)
        return found


def guess_layout(
    answer: object, hits: str = "", id_path: str = "", fields: Mapping[str, str] | None = None
) -> AnswerLayout:
    """The likeliest layout; what is given is taken as it is. InputError that says what came and what to name."""
    lists = [_given(answer, hits)] if hits else _hit_lists(answer)
    if not lists:
        raise InputError(_nothing(answer))
    best = max(lists, key=_likeliness)
    leaves = best.leaves()
    chosen = id_path or _id_of(best, leaves)
    if id_path:
        _refuse_ids(best, id_path)
    guessed = {name: place for name in FIELD_NAMES if (place := _field_of(name, leaves, chosen))}
    return AnswerLayout(best.path, chosen, {**guessed, **(fields or {})})


def complaint_of(answer: object) -> str:
    """What an answer says went wrong, as GraphQL does beside its data; "" where it says nothing."""
    return said_against(answer, str) if isinstance(answer, dict) and answer.get("errors") else ""


def _given(answer: object, path: str) -> HitList:
    found = extracted(expression("hits", path), answer)
    if not isinstance(found, list) or not all(isinstance(hit, dict) for hit in found):
        raise InputError(f"hits = {path!r} gives no list of objects. {_nothing(answer)}")
    if not found:
        raise InputError(f"hits = {path!r} gives an empty list: no hits came. Ask other words with --query.")
    return HitList(path, tuple(found))


def _nothing(answer: object) -> str:
    empty = [path for path, value in _lists(answer, "", 0) if not value]
    likely = [path for path in empty if _words(path) and _words(path)[-1] in _HITS] or empty
    if likely:
        return f"No hits came: {likely[0]} is an empty list. Ask words that find something with --query."
    top = ", ".join(map(str, list(answer)[:8])) if isinstance(answer, dict) else type(answer).__name__
    return (
        f"The answer has no list of objects anywhere; at its top it has: {top or 'nothing'}. Check the address and "
        "the names of its parameters. Where hits are no objects, write the file by hand: rankproof explain http"
    )


# ---- lists of hits -----------------------------------------------------------------------------


def _hit_lists(answer: object) -> list[HitList]:
    """Every list of objects in the answer, as they stand in it."""
    return [
        HitList(path, tuple(hit for hit in value if isinstance(hit, dict)))
        for path, value in _lists(answer, "", 0)
        if value and all(isinstance(hit, dict) and hit for hit in value)
    ]


def _lists(value: object, path: str, depth: int) -> Iterator[tuple[str, list[object]]]:
    """Every list with its expression. Lists in the objects of a list are taken together: groups[].items[]."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _lists(inner, _joined(path, name), depth + 1)
    if not isinstance(value, list):
        return
    yield path or "@", value
    if len(value) == 1:
        yield from _lists(value[0], f"{path}[0]", depth + 1)
        return
    together: dict[str, list[object]] = {}
    for item in value[:_LOOKED_AT]:
        for inner_path, inner in _lists(item, "", depth + 1) if isinstance(item, dict) else ():
            together.setdefault(inner_path, []).extend(inner)
    for inner_path, every in together.items():
        yield f"{path}[].{inner_path}[]", every


def _joined(path: str, name: str) -> str:
    """An expression one step further; names that are no plain words stand in quotes."""
    from rankproof.kernel.jsontext import to_json

    step = name if _PLAIN.fullmatch(name) else to_json(name)
    return f"{path}.{step}" if path else step


def _words(path: str) -> list[str]:
    """The names of a path in small letters, without signs."""
    return [re.sub(r"[^a-z0-9]", "", part.lower()) for part in re.sub(r"\[\d*\]", "", path).split(".") if part != "@"]


def _likeliness(found: HitList) -> float:
    words, leaves = _words(found.path), found.leaves()
    points = 3.0 if words and words[-1] in _HITS else 0.0
    points -= 6.0 * any(word in _BESIDE for word in words)
    points += 4.0 * bool(_ids(found, leaves))
    points += sum(2.0 if name == "title" else 1.0 for name in FIELD_NAMES if _field_of(name, leaves, ""))
    # Where two fit as well: what stands nearer to the top, and what has more in it.
    return points - 2.0 * ("[]" in found.path) - 0.1 * len(words) + 0.01 * min(len(found.hits), 50)


# ---- what stands in a hit ----------------------------------------------------------------------


def _leaves(value: object, path: str, depth: int) -> Iterator[tuple[str, object]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _leaves(inner, _joined(path, name), depth + 1)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from _leaves(value[0], f"{path}[0]", depth + 1)
    elif value is not None and value != []:
        yield path, value


def _named(path: str) -> tuple[str, int]:
    """What a leaf is called, and how far from the document it stands: product.price.amount is a price, 0 away."""
    words = _words(path)
    while len(words) > 1 and words[0] in _WRAPPERS:
        words = words[1:]
    if len(words) > 1 and words[-1] in _INSIDE:
        words = words[:-1]
    return words[-1], len(words) - 1


def _ids(found: HitList, leaves: Mapping[str, Sequence[object]]) -> list[str]:
    """What may be an id: in every hit another one, in one piece. The likeliest first."""
    hits = found.hits[:_LOOKED_AT]
    fit = [path for path, values in leaves.items() if "[" not in path and len(values) == len(hits) and _are_ids(values)]
    known = [path for path in fit if _named(path)[0] in _IDS]
    known.sort(key=lambda path: (_named(path)[1], _IDS.index(_named(path)[0]), path.count(".")))
    rest = [path for path in fit if path not in known and _named(path)[0] not in _PLACES and _named(path)[1] == 0]
    texts = [path for path in rest if all(isinstance(value, str) for value in leaves[path])]
    fields = {word for words in FIELD_NAMES.values() for word in words}
    return known + [path for path in texts if _named(path)[0] not in fields and len(hits) > 1]


def _are_ids(values: Sequence[object]) -> bool:
    whole = all(_one_piece(value) for value in values)
    return whole and len({str(value) for value in values}) == len(values)


def _one_piece(value: object) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and len(value.split()) == 1
    )


def _id_of(found: HitList, leaves: Mapping[str, Sequence[object]]) -> str:
    if ids := _ids(found, leaves):
        return ids[0]
    named = sorted((path for path in leaves if _named(path)[0] in _IDS), key=lambda p: (_named(p)[1], p.count(".")))
    if named:
        _refuse_ids(found, named[0])
    there = ", ".join(list(leaves)[:12]) or "nothing"
    raise InputError(
        f"The hits in {found.path} have nothing that could be an id: one text or whole number in every hit, each "
        f"another. They have: {there}. Name one with --id, or another list with --hits."
    )


def _refuse_ids(found: HitList, path: str) -> None:
    """InputError where these are no ids, with what they are."""
    compiled = expression("id", path)
    values = [extracted(compiled, hit) for hit in found.hits]
    wrong = next((place for place, value in enumerate(values, 1) if not _one_piece(value)), 0)
    remedy = "Name what has the ids with --id, or another list of hits with --hits."
    if wrong:
        raise InputError(f"{path} is no id: hit {wrong} in {found.path} has {values[wrong - 1]!r:.60} there. {remedy}")
    value, times = Counter(map(str, values)).most_common(1)[0]
    if times > 1:
        raise InputError(f"{path} is no id: {times} of {len(values)} hits in {found.path} have {value!r:.60}. {remedy}")


def _field_of(name: str, leaves: Mapping[str, Sequence[object]], taken: str) -> str:
    """The likeliest place of a field; "" where nothing fits."""
    names = FIELD_NAMES[name]
    fit = [path for path, values in leaves.items() if _named(path)[0] in names and _fits(name, values)]
    fit = [path for path in fit if path != taken or name == "url"]
    fit.sort(key=lambda path: (_named(path)[1], names.index(_named(path)[0]), path.count("."), path))
    if not fit:
        return ""
    value = leaves[fit[0]][0]
    return f"{fit[0]}[0]" if name == "image" and isinstance(value, list) else fit[0]


def _fits(name: str, values: Sequence[object]) -> bool:
    first = values[0][0] if isinstance(values[0], list) else values[0]
    if name == "price":
        number = isinstance(first, int | float) and not isinstance(first, bool)
        return number or (isinstance(first, str) and bool(_NUMBER.search(first)))
    if not isinstance(first, str) or not first.strip():
        return False
    if name in ("image", "url"):
        return bool((_PICTURE if name == "image" else _ADDRESS).fullmatch(first.strip()))
    return not _ADDRESS.fullmatch(first.strip())
