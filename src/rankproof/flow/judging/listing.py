"""Listing: pairs from a file: a sheet with columns for query and document, graded or not, or qrels of any format."""

from __future__ import annotations

import csv
import io

from rankproof.errors import InputError
from rankproof.flow.judging.choosing import Pair


def read_pairs(path: str) -> list[Pair]:
    """The pairs of a file, in its order, each once."""
    from rankproof.flow.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    text = source.text()
    head = text.partition("\n")[0].lstrip("\ufeff")
    for separator in ("\t", ","):
        names = next(csv.reader([head], delimiter=separator), [])
        if {"query_id", "doc_id"} <= set(names):
            return _rows(text.lstrip("\ufeff"), separator, source.name)
    from rankproof.flow.collect import read_qrels

    qrels = read_qrels(source)
    return [(query, doc) for query, docs, _, _ in qrels.judged() for doc in docs]


def _rows(text: str, separator: str, name: str) -> list[Pair]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restval="")
    found: dict[Pair, None] = {}
    try:
        for row in reader:
            if not row["query_id"] or not row["doc_id"]:
                raise InputError(
                    f"{name}, line {reader.line_num}: a pair needs a query and a document. Complete the line."
                )
            found[row["query_id"], row["doc_id"]] = None
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: {error}. Write it as a plain table.") from None
    return list(found)
