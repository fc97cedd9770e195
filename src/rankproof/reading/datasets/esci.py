"""Amazon's ESCI shopping queries: a Parquet file of examples and one of products, in one folder.

Grades are Exact 3, Substitute 2, Complement 1, Irrelevant 0 (see the format esci). The text of a product is its title,
brand, bullets, description and color, each a field. The same product_id is another product in another locale, so
one locale is read at a time.

source: Reddy et al., Shopping queries dataset: a large-scale ESCI benchmark, 2022
"""

from __future__ import annotations

import os
from collections.abc import Container, Mapping, Sequence
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_qrels, read_topics
from rankproof.reading.collection import Corpus
from rankproof.reading.datasets.documents import DocumentReader
from rankproof.reading.datasets.layout import (
    DatasetLayout,
    DatasetParts,
    DatasetRequest,
    choose,
    entries,
    merged,
    stem_of,
)
from rankproof.reading.datasets.queries import joined, of_topics
from rankproof.reading.formats import esci, parquet
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats.contract import Sure
from rankproof.reading.source import open_source

# The file's column -> the field, in the order a shop shows them.
FIELDS = {
    "product_title": "title",
    "product_brand": "brand",
    "product_bullet_point": "bullets",
    "product_description": "description",
    "product_color": "color",
}


def _find(path: str) -> tuple[str, str] | None:
    """The files of examples and of products, by the columns they have; a path may also be that of the examples."""
    folder = path if os.path.isdir(path) else os.path.dirname(path) or "."
    files = [os.path.join(folder, name) for name in entries(folder) if stem_of(name)[1] in (".parquet", ".pq")]
    examples = [file for file in files if _has_labels(file)] if os.path.isdir(path) else [path]
    products = [file for file in files if _has_titles(file)]
    if len(examples) != 1 or len(products) != 1 or not _has_labels(examples[0]):
        return None
    return examples[0], products[0]


def _has_labels(path: str) -> bool:
    return esci.detect(open_source(path), "qrels") == Sure.CERTAIN


def _has_titles(path: str) -> bool:
    source = open_source(path)
    return parquet.is_parquet(source) and b"product_title" in esci.footer(source)


def _products(
    path: str, locale: str | None, keep: Container[str] | None, fields: Sequence[str] | None
) -> tuple[Corpus, tuple[str, ...]]:
    reader = DocumentReader(path, keep, fields)
    for batch in parquet.batches_of(open_source(path), ("product_id", "product_locale", *FIELDS)):
        names = batch.schema.names
        if "product_id" not in names or "product_title" not in names:
            raise InputError(f"{path}: the columns are {', '.join(names)}; products need product_id and product_title.")
        columns = {name: batch.column(i).to_pylist() for i, name in enumerate(names)}
        locales = columns.get("product_locale")
        for i, product in enumerate(columns["product_id"]):
            if locale is not None and locales is not None and locales[i] != locale:
                continue
            reader.add(id_text(product, path), ((FIELDS[n], columns[n][i]) for n in FIELDS if n in columns))
    return reader.corpus()


def _values(path: str, column: str, options: Mapping[str, str]) -> list[str]:
    """What a column of the examples holds, in alphabetical order; nothing where there is no such column."""
    return sorted({str(row[column]) for _, row in esci.records(open_source(path), options) if row.get(column)})


def _locale(path: str, name: str | None) -> str | None:
    locales = _values(path, "product_locale", {"locale": name} if name is not None else {})
    if len(locales) > 1:
        raise UsageError(f"{path} has several locales: {', '.join(locales)}. Say which one (locale).")
    if name is not None and not locales:
        known = ", ".join(_values(path, "product_locale", {}))
        raise UsageError(f"{path} has no locale {name!r}. It has: {known}.")
    return locales[0] if locales else None


def _fits(path: str) -> bool:
    return _find(path) is not None


def _read(path: str, request: DatasetRequest) -> DatasetParts:
    files = _find(path)
    assert files is not None  # it fits
    examples, products = files
    options: dict[str, Any] = {} if request.version is None else {"version": request.version}
    locale = _locale(examples, request.locale)
    if locale is not None:
        options["locale"] = locale
    names = _values(examples, "split", options)
    chosen = choose(names, request.split, path) if names or request.split is not None else ()
    filters = [{**options, "split": split} for split in chosen] or [options]
    judged = [
        (filter_.get("split", ""), read_qrels(examples, "esci", allow=request.allow, **filter_)) for filter_ in filters
    ]
    queries = joined((examples, of_topics(read_topics(examples, "esci", **filter_))) for filter_ in filters)
    qrels = merged(judged, examples)
    return DatasetParts(
        queries,
        qrels,
        lambda keep: _products(products, locale, keep, request.fields),
        splits={split: part.query_ids for split, part in judged} if len(judged) > 1 else {},
        split=chosen[0] if len(chosen) == 1 else None,
        notes=qrels.notes,
    )


ESCI = DatasetLayout(
    "esci",
    "a Parquet file with the column esci_label and one with product_title (ESCI)",
    _fits,
    _read,
    ("split", "locale", "version", "fields"),
)
