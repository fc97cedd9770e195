"""The schema of what `rankproof index` makes in Solr: types, fields, and a type that holds the marker."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.stack.engines._template import names_in

KEY: Final = "id"
PREFIX: Final = "rankproof"
# The field of a search by vector: {!knn f=embedding topK=10}[...]
NEAREST: Final = re.compile(r"\{!(?:knn|vectorSimilarity)\b[^}]*?\bf=(\w+)")
_USABLE: Final = re.compile(r"[^\W\d_]\w*", re.ASCII)
# As Lucene's EnglishAnalyzer has it, with its stop words.
_ENGLISH: Final = {
    "tokenizer": {"name": "standard"},
    "filters": [{"name": name} for name in ("englishPossessive", "lowercase", "stop", "porterStem")],
}
Schema = dict[str, list[dict[str, object]]]


def usable(name: str) -> bool:
    """Whether every part of Solr takes it as the name of a field."""
    return _USABLE.fullmatch(name) is not None


def vector_fields(mode: str, values: Mapping[str, object], own: object) -> str | None:
    """The field that a mode searches by vector; None where it does not."""
    asked = [values["q"], values["params"]]
    if "vector" not in names_in(asked):
        return None
    params = values["params"]
    texts = [values["q"], *(params.values() if isinstance(params, Mapping) else ())]
    fields = {mark[1] for text in texts for mark in NEAREST.finditer(str(text))}
    if isinstance(own, str):
        fields = {own}
    if len(fields) != 1:
        raise UsageError(
            f"solr, mode {mode}: q or params hold {{vector}}, and in which field the documents' vectors are is not "
            f"known{': ' + ' or '.join(sorted(fields)) if fields else ''}. Say it in the configuration: [index.solr] "
            'vector_field = "..."'
        )
    return fields.pop()


def schema_of(texts: Sequence[str], vectors: Mapping[str, int], analyzer: str, key: str) -> Schema:
    """Types and fields to be added; types are called after what they are, since cores may share them."""
    types: list[dict[str, object]] = []
    kind = analyzer
    if analyzer == "english":
        kind = f"{PREFIX}_english"
        types.append({"name": kind, "class": "solr.TextField", "analyzer": _ENGLISH})
    plain = {"indexed": True, "stored": True, "multiValued": False}
    fields: list[dict[str, object]] = [{"name": name, "type": kind, **plain} for name in texts]
    for name, size in vectors.items():
        kind = f"{PREFIX}_cosine_{size}"
        place = {"class": "solr.DenseVectorField", "vectorDimension": size, "similarityFunction": "cosine"}
        if kind not in [one["name"] for one in types]:
            types.append({"name": kind, **place})
        fields.append({"name": name, "type": kind, "indexed": True, "stored": True})
    if key != KEY:
        types.append({"name": f"{PREFIX}_word", "class": "solr.StrField"})
        fields.append({"name": key, "type": f"{PREFIX}_word", **plain})
    return {"fieldTypes": types, "fields": fields}


def named(schema: Mapping[str, object], kind: str) -> dict[str, Mapping[str, object]]:
    """Types or fields of a schema by name."""
    found = schema.get(kind)
    return {str(one.get("name")): one for one in found if isinstance(one, dict)} if isinstance(found, list) else {}


def unlike(schema: Mapping[str, object], planned: Schema, only: str | None = None) -> list[str]:
    """Those that a schema has not, or not as planned, as far as the plan says it."""
    wrong = []
    for kind in (only,) if only else ("fieldTypes", "fields"):
        there = named(schema, kind)
        wrong += [str(one["name"]) for one in planned[kind] if not _as_planned(there.get(str(one["name"])), one)]
    return wrong


def _as_planned(actual: Mapping[str, object] | None, planned: Mapping[str, object]) -> bool:
    if actual is None:
        return False
    for name, value in planned.items():
        if name == "analyzer":
            if actual.get(name) != value:
                return False
        elif str(actual.get(name)).lower() != str(value).lower():  # a number comes back as text
            return False
    return True


# ---- the marker ----------------------------------------------------------------------------------


def as_marker(marker: Mapping[str, object], number: str) -> dict[str, object]:
    """A field type that no field has, with the marker where an analyzer says what a pattern is replaced by."""
    # In hexadecimal digits, since config sets fill in what looks like a variable.
    text = to_json(dict(marker)).encode().hex()
    replaced = {"name": "patternReplace", "pattern": PREFIX, "replacement": text}
    analyzer = {"charFilters": [replaced], "tokenizer": {"name": "keyword"}}
    return {"name": f"{PREFIX}_{number}", "class": "solr.TextField", "analyzer": analyzer}


def marker_in(schema: Mapping[str, object], number: str) -> dict[str, object] | None:
    """The marker of that number; None where the schema has none."""
    analyzer = named(schema, "fieldTypes").get(f"{PREFIX}_{number}", {}).get("analyzer")
    filters = analyzer.get("charFilters") if isinstance(analyzer, dict) else None
    first = filters[0] if isinstance(filters, list) and filters else None
    try:
        found = json.loads(bytes.fromhex(first["replacement"])) if isinstance(first, dict) else None
    except (ValueError, TypeError, KeyError):
        return None
    return found if isinstance(found, dict) else None
