"""Names of columns: which usual names mean what, what a caller chose (`columns=`), and what was decided."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rankproof.errors import InputError, UsageError
from rankproof.reading.formats.contract import Noun

# Names of an id come before words that may as well be a text; two ids in one table are a doubt, an id and a word not.
QUERY_IDS = ("query_id", "queryid", "qid", "q_id", "topic_id", "topicid", "question_id", "questionid")
QUERY = (*QUERY_IDS, "topic", "query", "question", "user_input", "query_ids", "question_ids", "queries", "questions")
DOC_IDS = (
    "doc_id", "docid", "docno", "doc_no", "document_id", "documentid", "corpus_id", "corpusid", "product_id",
    "productid", "passage_id", "passageid", "pid", "item_id", "itemid", "chunk_id", "chunkid", "context_id",
    "contextid", "node_id", "nodeid",
)  # fmt: skip
DOC = (*DOC_IDS, "document", "doc", "product", "passage", "item")
DISTANCES = ("distance", "dist", "cosine_distance", "l2_distance")
SCORE = ("score", "sim", "similarity", "similarity_score", "relevance_score", "cosine_similarity", *DISTANCES)
RANK = ("rank", "position")
JUDGED = ("grade", "relevance", "rel", "label", "judgment", "judgement", "rating", "relevant", "is_relevant")
GRADE = (*JUDGED, "score")
TAG = ("tag", "run", "run_id", "runid", "run_name", "system")
SUBTOPIC = ("subtopic", "subtopic_id", "iteration", "iter", "q0")
TOPIC_ID = (*QUERY_IDS, "topic", "_id", "id", "number", "num")
TEXT = ("text", "query", "query_text", "title", "question")
# Columns that hold all documents of a query, where there is no column of single ones.
DOCS = ("docs", "documents", "doc_ids", "docids", "results", "hits", "ranking", "items", "passages", "chunk_ids")
RETRIEVED = (
    "retrieved_ids", "retrieved_doc_ids", "retrieved_docs", "retrieved_documents", "retrieved_context_ids",
    "retrieved_chunk_ids", "retrieved_node_ids", "retrieved",
)  # fmt: skip
RELEVANT = (
    "relevant_ids", "relevant_doc_ids", "relevant_docs", "relevant_documents", "relevant_context_ids",
    "relevant_chunk_ids", "reference_context_ids", "reference_ids", "expected_ids", "expected_doc_ids", "gold_ids",
    "gold_doc_ids", "gold_docs", "gold", "ground_truth_ids", "ground_truth_doc_ids", "positive_ids", "positives",
    "relevant",
)  # fmt: skip
# Texts of contexts, which no list of ids is read beside: a sample of ragas, whose own format names them.
CONTEXT_TEXTS = frozenset({"retrieved_contexts", "reference_contexts"})
LISTS: dict[Noun, tuple[str, ...]] = {"run": RETRIEVED, "qrels": RELEVANT, "topics": ()}

# What `columns=` may name, and which part of a row each is: the first that is named counts.
_PARTS: dict[Noun, dict[str, tuple[str, ...]]] = {
    "qrels": {"query": ("query_id",), "doc": ("relevant", "doc_id"), "number": ("grade",), "label": ("subtopic",)},
    "run": {
        "query": ("query_id",), "doc": ("retrieved", "doc_id"), "number": ("score", "distance"), "rank": ("rank",),
        "label": ("tag",),
    },
    "topics": {},
}  # fmt: skip
ROLES = ("query_id", "doc_id", "grade", "score", "distance", "rank", "relevant", "retrieved", "subtopic", "tag")
IS_A_RUN = (
    "names a score or rank and no grade: this is a run, not judgments. Give the judgments here; if a column is the "
    "grade, name it: --columns grade=NAME (in Python columns={'grade': NAME})."
)
LONGEST_NAME = 60  # in an example: what is longer is hardly a name
_EXAMPLE = (
    "--columns query_id=question_id,doc_id=chunk_id "
    "(in Python columns={'query_id': 'question_id', 'doc_id': 'chunk_id'})"
)


def plain(name: object) -> str:
    """A column name without case and quotes, and with '_' for '-' and ' '. The keys of a dict need not be text."""
    return str(name).strip().strip("\"'").lstrip("#").strip().casefold().replace("-", "_").replace(" ", "_")


def is_known(name: str) -> bool:
    """Whether a name is one of those that mean something here; Q0 is one that every TREC row has."""
    return plain(name) in {*QUERY, *DOC, *SCORE, *RANK, *GRADE, *TAG, *SUBTOPIC} - {"q0"}


class ColumnChoice(NamedTuple):
    """The columns that a caller named, as (part of a row, name); whether the number is a distance.

    `required` where the caller meant this very source, which then must have named columns.
    """

    named: tuple[tuple[str, str], ...] = ()
    lower_is_better: bool = False
    required: bool = False

    def __bool__(self) -> bool:
        return bool(self.named)

    def missing(self, header: Sequence[str]) -> tuple[str, ...]:
        """The named columns that a table does not have."""
        return tuple(name for _, name in self.named if name not in header)


NO_CHOICE = ColumnChoice()


def chosen(columns: object, noun: Noun) -> ColumnChoice:
    """What `columns=` says about a run or qrels: {role: name}, or one such mapping for each of the two."""
    if isinstance(columns, ColumnChoice):
        return columns
    if columns is None or columns == ():
        return NO_CHOICE
    roles = _as_mapping(columns)
    apart = bool(roles) and all(isinstance(value, Mapping) for value in roles.values())
    if apart:
        if not roles.keys() <= {"qrels", "run"}:
            raise UsageError(f"columns may have a mapping for 'qrels' and one for 'run'; got {_shown(roles)}.")
        inner = roles.get(noun)
        return NO_CHOICE if inner is None else _checked(dict(_as_mapping(inner)), noun, required=True)
    return _checked(dict(roles), noun, required=False)


def noun_named(columns: object) -> Noun | None:
    """Whether `columns` names what only judgments or only runs have; None where it leaves that open."""
    roles = _as_mapping(columns)
    nouns: tuple[Noun, ...] = ("qrels", "run")
    own = {noun: {role for part in _PARTS[noun].values() for role in part} - {"query_id", "doc_id"} for noun in nouns}
    told = [noun for noun in nouns if noun in roles or own[noun] & roles.keys()]
    return told[0] if len(told) == 1 else None


def _as_mapping(columns: object) -> Mapping[str, object]:
    if isinstance(columns, list | tuple) and all(isinstance(text, str) for text in columns):
        columns = ",".join(columns)
    if isinstance(columns, str):
        pairs = [piece.partition("=") for piece in columns.split(",") if piece.strip()]
        if pairs and all(sign for _, sign, _ in pairs):
            return _of_pairs([(role.strip(), name.strip()) for role, _, name in pairs])
    elif isinstance(columns, Mapping):
        return columns
    raise UsageError(f"columns maps roles to names of columns, such as {_EXAMPLE}; got {columns!r:.80}.")


def _of_pairs(pairs: Sequence[tuple[str, str]]) -> Mapping[str, object]:
    """Pairs of a text as a mapping; `run:score=similarity` and `qrels:grade=label` speak of one of the two alone."""
    of: dict[str, dict[str, str]] = {"": {}, "qrels": {}, "run": {}}
    for key, name in pairs:
        noun, colon, role = key.rpartition(":")
        if colon and noun not in ("qrels", "run"):
            raise UsageError(f"columns has {key!r:.80}; what is before the colon is qrels or run: run:score=NAME.")
        if role in of[noun]:
            raise UsageError(f"columns names {key!r:.80} twice, {of[noun][role]!r:.40} and {name!r:.40}. Keep one.")
        of[noun][role] = name
    shared = of.pop("")
    if not any(of.values()):
        return shared
    return {noun: {**shared, **own} for noun, own in of.items() if shared or own}


def _checked(roles: Mapping[str, object], noun: Noun, required: bool) -> ColumnChoice:
    unknown = [role for role in roles if role not in ROLES]
    if unknown and all(name in ROLES for name in roles.values()):
        raise UsageError(f"columns has the role first and the name of the column second: {_EXAMPLE}.")
    if unknown:
        raise UsageError(f"columns has no role {unknown[0]!r:.80}. The roles are: {', '.join(ROLES)}.")
    for role, name in roles.items():
        if not isinstance(name, str) or not name:
            raise UsageError(f"columns: the name of the column for {role} must be a text; got {name!r:.80}.")
    if "score" in roles and "distance" in roles:
        raise UsageError("columns names a score and a distance. Name the one that puts the documents in order.")
    named, used = [], dict[str, str]()
    for part, candidates in _PARTS[noun].items():
        given = next((candidate for candidate in candidates if candidate in roles), None)
        if given is None:
            continue
        name = str(roles[given])
        if name in used:
            raise UsageError(f"columns: {name!r:.80} cannot be both {used[name]} and {given}. Name two columns.")
        used[name] = given
        named.append((part, name))
    return ColumnChoice(tuple(named), noun == "run" and "distance" in roles, required)


def _shown(names: Sequence[object] | Mapping[str, object]) -> str:
    return ", ".join(f"{name!r:.40}" for name in list(names)[:12])


class ColumnPlaces(NamedTuple):
    """Which column means what, by place; -1 where there is none.

    lists   the documents of a query stand together, in one field
    doubt   why it cannot be told which column is meant; an error for whoever reads the rows
    """

    query: int
    doc: int
    number: int = -1
    rank: int = -1
    label: int = -1
    lower_is_better: bool = False
    lists: bool = False
    doubt: str = ""


def place(names: Sequence[str], candidates: Sequence[str]) -> int:
    """The index of the first candidate that is among the plain names; -1 when none is."""
    return next((names.index(name) for name in candidates if name in names), -1)


def by_name(header: Sequence[str], noun: Noun, choice: ColumnChoice = NO_CHOICE) -> ColumnPlaces | None:
    """The columns that a header names, or None when it does not name those that the noun needs."""
    return _by_name(tuple(header), noun, choice)


@lru_cache(maxsize=256)
def _by_name(header: tuple[str, ...], noun: Noun, choice: ColumnChoice) -> ColumnPlaces | None:
    if choice.missing(header):
        return None
    names = [plain(name) for name in header]
    own = {part: header.index(name) for part, name in choice.named}
    for at in own.values():
        names[at] = ""  # a column has one meaning
    query = own.get("query", place(names, QUERY))
    doc = own.get("doc", place(names, DOC))
    lists = doc < 0
    if lists:
        doc = place(names, (*LISTS[noun], *DOCS))
    if query < 0 or doc < 0:
        return None
    doubts = [
        _doubt(header, names, *kind)
        for kind in (("query", QUERY_IDS, "query_id"), ("doc", LISTS[noun][:-1] if lists else DOC_IDS, "doc_id"))
        if kind[0] not in own
    ]
    doubt = next(filter(None, doubts), "")
    if "docid" in names and "doc" not in own and header[doc] == header[names.index("docid")] and "docno" in names:
        doc = names.index("docno")  # PyTerrier's docid is a number within its index, docno the id
    if lists:
        return ColumnPlaces(query, doc, lists=True, doubt=doubt)
    score, rank = own.get("number", place(names, SCORE)), own.get("rank", place(names, RANK))
    if noun == "qrels":
        number = own.get("number", place(names, GRADE))
        # Without a grade every named document is relevant; but what has scores or ranks is a run.
        if number < 0 and "doc" not in own and max(score, rank) >= 0:
            return None
        return ColumnPlaces(query, doc, number, label=own.get("label", place(names, SUBTOPIC)), doubt=doubt)
    # Judgments read as a run without scores would be a ranking in file order: do not recognize a run in them.
    if score < 0 and rank < 0 and "doc" not in own and place(names, JUDGED) >= 0:
        return None
    lower = choice.lower_is_better if "number" in own else score >= 0 and names[score] in DISTANCES
    return ColumnPlaces(query, doc, score, rank, own.get("label", place(names, TAG)), lower, doubt=doubt)


def _doubt(header: Sequence[str], names: Sequence[str], what: str, candidates: Sequence[str], role: str) -> str:
    """Why it cannot be told which of several ids is meant; '' where there is one."""
    several = [header[i] for i, name in enumerate(names) if name in candidates]
    if len(several) < 2 or {plain(name) for name in several} == {"docid", "docno"}:
        return ""
    word = "document" if what == "doc" else "query"
    both = " and ".join(f"{name.strip()!r:.40}" for name in several)
    return (
        f"the columns {both} could each be the {word}. Say which: --columns {role}={several[-1].strip():.40} (in "
        f"Python columns={{{role!r}: {several[-1].strip()!r:.40}}}), or leave the others out."
    )


def topic_columns(header: Sequence[str]) -> tuple[int, int] | None:
    """Where a header names the query id and its text; None when it does not."""
    names = [plain(name) for name in header]
    query, text = place(names, TOPIC_ID), place(names, TEXT)
    return None if query < 0 or text < 0 or query == text else (query, text)


def column_notes(header: Sequence[str], columns: ColumnPlaces, noun: Noun) -> tuple[str, ...]:
    """Which column was read as what, for the description of the source."""
    number = "grade" if noun == "qrels" else "score"
    label = "subtopic" if noun == "qrels" else "tag"
    roles = [
        ("query", columns.query), ("documents" if columns.lists else "document", columns.doc), (number, columns.number),
        ("rank", columns.rank), (label, columns.label),
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
        return "a query (query_id, qid, ...), a document (doc_id, docid, ...) and a grade (grade, rel, ...), or none"
    return "a query (query_id, qid, topic, ...), a document (doc_id, docid, ...) and a score or rank, or neither"


def no_columns(header: Sequence[str], noun: Noun, choice: ColumnChoice, where: str) -> InputError:
    """The error for a table without the columns that the noun needs: what it has, what is needed, what to do."""
    shown = ", ".join(f"{name!s:.40}" for name in header[:12])
    has = f"has the column{'' if len(header) == 1 else 's'} {shown}" if header else "has no columns"
    absent = choice.missing(header)
    if absent:
        return InputError(
            f"{where} {has}; columns names {', '.join(f'{name!r:.40}' for name in absent)}, which is not among them. "
            "Correct the name; where judgments and run have different names, give each its own: "
            "--columns qrels:query_id=NAME,run:query_id=NAME (in Python columns={'qrels': {...}, 'run': {...}})."
        )
    if noun == "qrels" and by_name(header, "run", choice) is not None:
        return InputError(f"{where} {has}: it {IS_A_RUN}")
    return InputError(f"{where} {has}; {needed(header, noun)}")


def needed(header: Sequence[str], noun: Noun) -> str:
    """What a table with a header that is not understood needs, and the option that names its columns."""
    needs = {"qrels": "qrels need", "run": "a run needs", "topics": "topics need"}[noun]
    if noun == "topics":
        return f"{needs} {expected(noun)}. Rename the columns."
    return f"{needs} {expected(noun)}. Rename the columns, or say what they hold, such as {_example(header, noun)}."


def _example(header: Sequence[str], noun: Noun) -> str:
    """The option that names the columns of a header, to be corrected by whoever knows what they hold.

    Columns with a usual name have their role; the others get the roles that are left, in their order.
    """
    names = [plain(name) for name in header]
    known = {"query_id": QUERY, "doc_id": (*DOC, *LISTS[noun], *DOCS)}
    known |= {"grade": GRADE} if noun == "qrels" else {"score": SCORE, "rank": RANK}
    places = {role: place(names, candidates) for role, candidates in known.items()}
    if places.get("rank", -1) < 0:
        places.pop("rank", None)
    elif places["score"] < 0:
        places.pop("score")
    left = [at for at, name in enumerate(names) if at not in places.values() and name not in (*TAG, *SUBTOPIC)]
    for role, at in places.items():
        if at < 0 and left:
            places[role] = left.pop(0)
    roles = {role: str(header[at]).strip() for role, at in places.items() if at >= 0}
    nameable = all(0 < len(name) <= LONGEST_NAME and name.isprintable() for name in roles.values())
    if not {"query_id", "doc_id"} <= roles.keys() or not nameable:
        return _EXAMPLE
    in_python = f"columns={{{noun!r}: {roles}}}"
    if any("," in name for name in roles.values()):
        return f"{in_python} in Python (on the command line a name with a comma cannot stand)"
    option = shlex.quote(",".join(f"{noun}:{role}={name}" for role, name in roles.items()))
    return f"--columns {option} (in Python {in_python})"
