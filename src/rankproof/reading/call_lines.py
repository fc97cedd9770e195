"""Lines of calls: which field of a line is what, and its values as ids, order and tokens; refused with their place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from sys import intern
from typing import NamedTuple, cast

import numpy as np

from rankproof.errors import InputError
from rankproof.reading.formats._gather import id_text
from rankproof.reading.formats._names import DOC_IDS, QUERY_IDS, RETRIEVED, plain
from rankproof.reading.formats._names import DOCS as SEVERAL_DOCS
from rankproof.reading.naming import as_list, is_list

# Names of columns, the likeliest first. The first names of a task are one; of the others two are a doubt.
TASK = ("task_id", "taskid", "task")
CONVERSATION = ("conversation_id", "session_id", "thread_id", "trace_id", "dialogue_id", "dialog_id", "episode_id")
CALL = (
    "call", "step", "turn", "hop", "call_number", "call_index", "step_number", "step_index", "turn_id", "turn_number",
    "turn_index",
)  # fmt: skip
DOCS = (*SEVERAL_DOCS, *RETRIEVED)
TOKENS = ("tokens", "total_tokens", "token_count", "num_tokens", "n_tokens")
CALLS = ("calls", "searches")
ID_OF_A_DOCUMENT = (*DOC_IDS, "id", "_id")
FORM = '{"task_id": "t1", "call": 1, "docs": ["a", "b"]}'
# Every whole number up to it is a double, and no sum of a task's calls overflows.
MOST = 2**53
# How many names an error gives.
FEW = 5
_UNKNOWN = frozenset({"", "nan", "none", "null", "na", "n/a"})


class CallFields(NamedTuple):
    """The fields of a line by what they are; '' where there is none. `whole`: the calls of a whole task."""

    task: str
    docs: str
    call: str
    tokens: str
    whole: str


def fields_of(keys: Sequence[str], where: str) -> CallFields:
    """What each field of a line is; refused where that cannot be told."""
    names = {plain(key): key for key in keys}
    task = next((names[name] for name in TASK if name in names), "")
    task = task or _one(names, CONVERSATION, "task_id", where) or _one(names, QUERY_IDS, "task_id", where)
    whole = _one(names, CALLS, "calls", where)
    docs = "" if whole else _one(names, DOCS, "docs", where)
    if not task or not (whole or docs):
        shown = ", ".join(f"{key!s:.40}" for key in list(keys)[:12]) or "nothing"
        needed = "task_id" if not task else "docs"
        alone = next((key for key in keys if plain(key) in DOC_IDS), "") if needed == "docs" else ""
        hint = f" {alone!r:.40} has one document: list all documents of a call in docs." if alone else ""
        raise InputError(
            f"{where}: there is no {needed}; there is {shown}.{hint} Give one call a line, such as {FORM}, or name the "
            "columns so."
        )
    return CallFields(
        task, docs, "" if whole else _one(names, CALL, "call", where), _one(names, TOKENS, "tokens", where), whole
    )


def _one(names: Mapping[str, str], candidates: Sequence[str], role: str, where: str) -> str:
    """The field that has one of these names, '' where none has; two are a doubt unless one is called as it should."""
    found = [names[name] for name in candidates if name in names]
    if role in names and role in candidates and role != "docs":
        return names[role]
    if len(found) > 1:
        both = " and ".join(f"{name!r:.40}" for name in found[:2])
        raise InputError(f"{where}: {both} could each be {role}. Call one of them {role} and leave out the other.")
    return found[0] if found else ""


# ---- values -------------------------------------------------------------------------------------


def ids_of(given: object, where: str, texts: bool) -> tuple[str, ...]:
    """The documents of a call, best first."""
    docs = _listed(given.strip(), where) if texts and isinstance(given, str) else as_list(given)
    if type(docs) is not list and not is_list(docs):
        raise InputError(
            f"{where}: a list of document ids, best first, is needed, [] for a call that returned nothing; got "
            f"{given!r:.60}."
        )
    if set(map(type, docs)) <= {str} and "" not in docs:  # nearly always
        ids = cast("Sequence[str]", docs)
    else:
        ids = [_id(doc, where) for doc in docs]
    refuse_half_characters("".join(ids), where)
    return tuple(map(intern, ids))


def refuse_half_characters(text: str, where: str) -> None:
    """InputError for half of a surrogate pair, which JSON can spell and no file can hold."""
    if text.isascii():
        return
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        raise InputError(f"{where}: an id holds half a character ({half!r}). Write ids as UTF-8 text.") from None


def _id(doc: object, where: str) -> str:
    """The id of a document that is one, or an object with one."""
    if not isinstance(doc, Mapping):
        return id_text(doc, where)
    names = {plain(key): key for key in doc}
    key = next((names[name] for name in ID_OF_A_DOCUMENT if name in names), None)
    if key is None:
        shown = ", ".join(f"{key!r:.40}" for key in list(doc)[:FEW]) or "nothing"
        raise InputError(f"{where}: a document has {shown} and no id. Give each an id (doc_id), or list the ids.")
    return id_text(doc[key], where)


def _listed(cell: str, where: str) -> object:
    """The documents in a cell of a table: a JSON or Python list, or ids with blanks between them."""
    if cell.startswith("["):
        # As frames write lists. Quotes within ids make no JSON, and are refused rather than guessed at.
        for text in (cell, cell.replace("'", '"')):
            try:
                read: object = json.loads(text)
            except (ValueError, RecursionError):
                continue
            return read
    elif not any(separator in cell for separator in ",;|"):
        return cell.split()
    raise InputError(
        f"{where}: {cell!r:.60} is no list of documents. Write a JSON list, or ids with blanks between them; nothing "
        "for a call that returned nothing."
    )


def order_of(given: object, column: str, where: str) -> int:
    """The number of a call: a whole number, also as CSV and frames write it."""
    value = _number(given)
    if value is None or not value.is_integer() or abs(value) > MOST:
        raise InputError(f"{where}: {column} must be a whole number, the order of the call; got {given!r:.60}.")
    return int(value)


def tokens_of(given: object, where: str) -> float:
    """What a call cost; NaN where that is not known, which is not 0."""
    if given is None or (isinstance(given, str) and given.strip().casefold() in _UNKNOWN):
        return math.nan
    value = _number(given)
    if value is None or not (math.isnan(value) or 0 <= value <= MOST):
        raise InputError(
            f"{where}: tokens must be a number, 0 or more, and at most {MOST}; nothing where they are not known; got "
            f"{given!r:.60}."
        )
    return value


def _number(given: object) -> float | None:
    """The value as a number; None where it is none."""
    if type(given) is int and abs(given) <= MOST:  # nearly always
        return float(given)
    if isinstance(given, bool | np.bool_) or not isinstance(given, str | int | float | np.number):
        return None
    if isinstance(given, str) and "_" in given:  # "1_000" is a number to Python and a typing error to everybody else
        return None
    try:
        return float(given)
    except (ValueError, OverflowError, TypeError):
        return None
