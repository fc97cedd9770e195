"""Wayfair's WANDS: product.csv, query.csv and label.csv, with tabs between the columns.

Labels become grades: Exact 2, Partial 1, Irrelevant 0. The paper scores them 1, 0.5 and 0, which is the same under a
linear gain. The class of a query is kept as its column.

source: Chen et al., WANDS: dataset for product search relevance assessment, 2022
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Container, Iterator, Sequence

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Corpus
from rankproof.reading.datasets.documents import DocumentReader
from rankproof.reading.datasets.layout import DatasetLayout, DatasetParts, DatasetRequest, named
from rankproof.reading.datasets.queries import read_queries
from rankproof.reading.records import Qrels
from rankproof.reading.source import open_source, require_text

GRADES = {"exact": 2, "partial": 1, "irrelevant": 0}
# The file's column -> the field; ratings and counts of reviews are no text to search.
FIELDS = {
    "product_name": "title",
    "product_class": "class",
    "category hierarchy": "category",
    "product_description": "description",
    "product_features": "features",
}


def _rows(path: str, needed: Sequence[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row with its place; the header must have the needed columns."""
    source = open_source(path)
    require_text(source)
    reader = csv.reader(io.StringIO(source.text(), newline=""), delimiter="\t")
    header: list[str] = []
    try:
        for row in reader:
            where = f"{source.name}, line {reader.line_num}"
            if not row:
                continue
            if not header:
                header = [name.strip().casefold() for name in row]
                missing = [name for name in needed if name not in header]
                if missing:
                    raise InputError(
                        f"{where}: no column {missing[0]!r} among {', '.join(header)}. WANDS has tabs between columns."
                    )
            elif len(row) != len(header):
                raise InputError(f"{where}: {counted(len(row), 'column')}, but the header has {len(header)}.")
            else:
                yield where, dict(zip(header, row, strict=True))
    except csv.Error as error:
        raise InputError(f"{source.name}, line {reader.line_num}: this is not a table ({error}).") from None


def _products(path: str, keep: Container[str] | None, fields: Sequence[str] | None) -> tuple[Corpus, tuple[str, ...]]:
    reader = DocumentReader(path, keep, fields)
    for where, row in _rows(path, ("product_id", "product_name")):
        if not row["product_id"]:
            raise InputError(f"{where}: the product has no product_id.")
        reader.add(row["product_id"], ((field, row[name]) for name, field in FIELDS.items() if name in row))
    return reader.corpus()


def _labels(path: str, allow: tuple[str, ...]) -> Qrels:
    known: dict[tuple[str, str], tuple[int, str]] = {}
    doubles = 0
    for where, row in _rows(path, ("query_id", "product_id", "label")):
        grade = GRADES.get(row["label"].strip().casefold())
        if grade is None:
            raise InputError(
                f"{where}: {row['label']!r:.60} is not a WANDS label. Possible: Exact, Partial, Irrelevant."
            )
        pair = (row["query_id"], row["product_id"])
        before, line = known.setdefault(pair, (grade, where))
        if line != where:
            doubles += 1
            if before != grade:
                raise InputError(f"{where}: this pair has another label in {line}. Keep one of the two.")
    rows = [(query, doc, grade) for (query, doc), (grade, _) in known.items()]
    qrels = read_qrels(rows, name=path, allow=allow)
    notes = ["labels read as grades: Exact 2, Partial 1, Irrelevant 0"]
    if doubles:
        stand = counted(doubles, "label stands", "labels stand")
        notes.append(f"{stand} there twice: one of each kept")
    return Qrels(qrels.rows, path, tuple(notes))


def _path(folder: str, stem: str) -> str:
    return named(folder, f"{stem}.csv", f"{stem}.tsv") or ""


def _fits(path: str) -> bool:
    return os.path.isdir(path) and all(_path(path, stem) for stem in ("product", "query", "label"))


def _read(path: str, request: DatasetRequest) -> DatasetParts:
    qrels = _labels(_path(path, "label"), request.allow)
    queries = read_queries(_path(path, "query"))
    return DatasetParts(
        queries, qrels, lambda keep: _products(_path(path, "product"), keep, request.fields), notes=qrels.notes
    )


WANDS = DatasetLayout("wands", "product.csv, query.csv and label.csv (WANDS)", _fits, _read, ("fields",))
