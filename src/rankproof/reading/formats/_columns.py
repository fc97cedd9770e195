"""The usual names of columns, and which column of a table means what.

Text, JSON, Parquet and data frames all use these lists. Within a role the first name of the list wins, so that
`query_id` is the query where a table also has its text in `query`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.reading.formats.contract import Noun

QUERY = ("query_id", "queryid", "qid", "q_id", "topic_id", "topicid", "topic", "query")
DOC = (
    "doc_id", "docid", "docno", "doc_no", "document_id", "documentid", "corpus_id", "corpusid", "product_id",
    "productid", "passage_id", "passageid", "pid", "item_id", "itemid", "document", "doc", "product",
    "passage", "item",
)  # fmt: skip
SCORE = ("score", "sim", "similarity", "distance", "dist")
DISTANCES = ("distance", "dist")
RANK = ("rank", "position")
JUDGED = ("grade", "relevance", "rel", "label", "judgment", "judgement", "rating")
GRADE = (*JUDGED, "score")
TAG = ("tag", "run", "run_id", "runid", "run_name", "system")
SUBTOPIC = ("subtopic", "subtopic_id", "iteration", "iter", "q0")
TOPIC_ID = (*QUERY[:-1], "_id", "id", "number", "num")
TEXT = ("text", "query", "query_text", "title", "question")


def plain(name: object) -> str:
    """A column name without case and quotes, and with '_' for '-' and ' '. The keys of a dict need not be text."""
    return str(name).strip().strip("\"'").lstrip("#").strip().casefold().replace("-", "_").replace(" ", "_")


def is_known(name: str) -> bool:
    """Whether a name is one of those that mean something here; Q0 is one that every TREC row has."""
    return plain(name) in {*QUERY, *DOC, *SCORE, *RANK, *GRADE, *TAG, *SUBTOPIC} - {"q0"}


@dataclass(frozen=True, slots=True)
class ColumnPlaces:
    """Which column means what, by place; -1 where there is none."""

    query: int
    doc: int
    number: int = -1
    rank: int = -1
    label: int = -1
    lower_is_better: bool = False


def place(names: Sequence[str], candidates: Sequence[str]) -> int:
    """The index of the first candidate that is among the plain names; -1 when none is."""
    return next((names.index(name) for name in candidates if name in names), -1)


def by_name(header: Sequence[str], noun: Noun) -> ColumnPlaces | None:
    """The columns that a header names, or None when it does not name those that the noun needs."""
    names = [plain(name) for name in header]
    query, doc = place(names, QUERY), place(names, DOC)
    if query < 0 or doc < 0:
        return None
    if noun == "qrels":
        number = place(names, GRADE)
        return None if number < 0 else ColumnPlaces(query, doc, number, label=place(names, SUBTOPIC))
    number, rank = place(names, SCORE), place(names, RANK)
    # Judgments read as a run without scores would be a ranking in file order: refuse to see a run in them.
    if number < 0 and rank < 0 and place(names, JUDGED) >= 0:
        return None
    return ColumnPlaces(query, doc, number, rank, place(names, TAG), number >= 0 and names[number] in DISTANCES)


def topic_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """Where a header names the query id and its text; None when it does not."""
    names = [plain(name) for name in header]
    query, text = place(names, TOPIC_ID), place(names, TEXT)
    return None if query < 0 or text < 0 or query == text else (query, text)


def notes(header: Sequence[str], columns: ColumnPlaces, noun: Noun) -> tuple[str, ...]:
    """Which column was read as what, for the description of the source."""
    number = "grade" if noun == "qrels" else "score"
    label = "subtopic" if noun == "qrels" else "tag"
    roles = [
        ("query", columns.query), ("document", columns.doc), (number, columns.number), ("rank", columns.rank),
        (label, columns.label),
    ]  # fmt: skip
    named = ", ".join(f"{role} from {header[at].strip()!r}" for role, at in roles if at >= 0)
    if columns.lower_is_better:
        return (named, f"{header[columns.number].strip()!r} is a distance: lower is better")
    return (named,)


def expected(noun: Noun) -> str:
    """The names that a header must have, in words."""
    if noun == "topics":
        return "a query id (query_id, qid, _id, ...) and its text (text, query, title, ...)"
    if noun == "qrels":
        return "a query (query_id, qid, ...), a document (doc_id, docid, ...) and a grade (grade, rel, ...)"
    return "a query (query_id, qid, topic, ...), a document (doc_id, docid, ...) and a score or rank, or neither"
