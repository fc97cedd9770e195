"""TREC files read the slow and plain way: what a file means, or that it means nothing."""

from __future__ import annotations

import re

from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation
from rankproof.testing.tables import table_of

BLANKS = " \t\v\f\r"
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
SCORE = 4
# As rankproof says a grade must be: a whole number, within any scale.
LARGEST_GRADE = 2e9


class MeansNothing(ValueError):
    """The file has a fault that no result may stand on."""


def rows(content: bytes, least: int, most: int) -> list[list[str]]:
    """The columns of every line that is a row."""
    if content.startswith(b"\xef\xbb\xbf"):
        content = content[3:]
    if b"\0" in content or (b"\r" in content and b"\n" not in content):
        raise MeansNothing("no text, or the lines of another time")
    found = []
    for line in content.decode("utf-8", "surrogateescape").split("\n"):
        fields = [field for field in re.split(f"[{BLANKS}]+", line) if field]
        if not fields or fields[0].startswith("#"):
            continue
        if not least <= len(fields) <= most:
            raise MeansNothing(f"{len(fields)} columns")
        found.append(fields)
    if not found:
        raise MeansNothing("nothing")
    return found


def number(text: str) -> float:
    """A finite decimal number."""
    if not NUMBER.fullmatch(text) or float(text) in (float("inf"), float("-inf")):
        raise MeansNothing(text)
    return float(text)


def _read(
    content: bytes, least: int, most: int, doc: int, value: int, ids: tuple[int, ...]
) -> dict[str, dict[str, float]]:
    out: dict[str, dict[str, float]] = {}
    for fields in rows(content, least, most):
        for at in ids:
            if re.search(r"[\ud800-\udfff]", fields[at]):
                raise MeansNothing("an id that is not text")
        said = out.setdefault(fields[0], {})
        # A judgment said twice is one judgment; a document ranked twice has no rank.
        if fields[doc] in said and (value == SCORE or said[fields[doc]] != number(fields[value])):
            raise MeansNothing(f"{fields[doc]} twice")
        said[fields[doc]] = number(fields[value])
    return out


def run(content: bytes) -> dict[str, dict[str, float]]:
    """query_id Q0 doc_id rank score tag, and anything after it."""
    return _read(content, 6, 1_000_000, 2, SCORE, (0, 2, 5))


def qrels(content: bytes) -> dict[str, dict[str, int]]:
    """query_id subtopic doc_id grade; column 2 must not vary, as it would then name subtopics."""
    read = _read(content, 4, 4, 2, 3, (0, 1, 2))
    for grades in read.values():
        for grade in grades.values():
            if grade != int(grade) or abs(grade) > LARGEST_GRADE:
                raise MeansNothing(str(grade))
    return {query: {doc: int(grade) for doc, grade in grades.items()} for query, grades in read.items()}


def evaluation(judged: dict[str, dict[str, int]], ranked: dict[str, dict[str, float]], measures: str) -> Evaluation:
    """The values on tables made by a few lines of Python."""
    if not set(judged) & set(ranked):
        raise MeansNothing("no query in common")
    return evaluate_tables(lambda order: table_of(judged, ranked, order), parse(measures))
