"""Nuggetizer: which nuggets an answer or a document holds, as the AutoNuggetizer of TREC's RAG track assigns them.

JSON lines of three kinds, after the schemas that the tool publishes. Answers with assigned nuggets (`answer_text`):
scores by topic, the share of nuggets that the answer supports, strict ones without partial support, all and vital ones.
The tool's own scores by topic: as they stand, without its line for "all". Documents with assigned nuggets (`docid`):
judgments by nugget, with the grades of the format nuggets. A model assigned the nuggets, and the notes say so.

holds: qrels, scores
source: https://github.com/castorini/nuggetizer

    {"qid": "q1", "docid": "d1", "nuggets": [{"text": "it is safe", "importance": "vital", "assignment": "support"}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rankproof.errors import InputError
from rankproof.kernel.sections import counted, some
from rankproof.reading.formats._gather import Gather, id_text
from rankproof.reading.formats._records import first_record, records
from rankproof.reading.formats.contract import UNSUPPORTED, Format, Noun, Options, Read, ScoreRows, Sure
from rankproof.reading.formats.nuggets import IMPORTANCE, SUPPORT
from rankproof.reading.source import Source

SCORES = ("strict_vital_score", "strict_all_score", "vital_score", "all_score")
# What a nugget counts for a score that is not strict.
HALF = {"support": 1.0, "partial_support": 0.5, "not_support": 0.0}
ALL = "all"


class Nugget(NamedTuple):
    """A nugget, and whether a text holds it."""

    text: str
    importance: str
    assignment: str


def detect(source: Source, noun: Noun) -> Sure:
    """The keys of the first record."""
    record = first_record(source)
    if record is None or "qid" not in record:
        return Sure.NO
    assigned = isinstance(record.get("nuggets"), list)
    kind = "qrels" if assigned and "docid" in record else "scores" if assigned and "answer_text" in record else ""
    return Sure.CERTAIN if noun == (kind or ("scores" if record.keys() >= set(SCORES) else "")) else Sure.NO


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """A row for each nugget and document, labelled with the nugget."""
    gather, failed = Gather("qrels", source.name), 0
    seen: dict[tuple[str, str, str], None] = {}
    supported: dict[tuple[str, str], bool] = {}
    for where, record in records(source, "assigned nuggets"):
        query, doc = id_text(record.get("qid"), where), id_text(record.get("docid"), where)
        for nugget in _nuggets(record, where):
            if (query, doc, nugget.text) in seen:
                raise InputError(f"{where}: document {doc!r:.60} has the nugget {nugget.text!r:.60} twice. Keep one.")
            seen[query, doc, nugget.text] = None
            if nugget.assignment not in SUPPORT:
                failed += 1
                continue
            held = SUPPORT[nugget.assignment]
            key = query, nugget.text
            supported[key] = supported.get(key, False) or held > 0
            gather.add(query, doc, held + IMPORTANCE[nugget.importance] if held else 0, label=nugget.text)
    notes = ["judged by nugget: grades say importance and support; a model assigned the nuggets"]
    lacking = sum(not held for held in supported.values())
    notes += [f"{UNSUPPORTED}{lacking} of {len(supported)}; recall is over the others"] if lacking else []
    notes += [f"not taken over: {counted(failed, 'assignment')} that failed"] if failed else []
    return Read(gather.rows(), tuple(notes))


def scores(source: Source, options: Options) -> ScoreRows:
    """A row for each topic."""
    found: list[dict[str, object]] = []
    notes = ["a model assigned the nuggets; each score lies between 0 and 1"]
    without: dict[str, None] = {}
    failed, runs = 0, dict[str, None]()
    for where, record in records(source, "assigned nuggets"):
        topic = id_text(record.get("qid"), where)
        if "nuggets" not in record:
            if topic == ALL:
                notes.append('not taken over: the line of "all", which is the mean of the others')
                continue
            found.append({"unit": topic, **{name: record.get(name) for name in SCORES}})
            continue
        runs |= {str(record["run_id"]): None} if record.get("run_id") else {}
        every = _nuggets(record, where)
        held = [nugget for nugget in every if nugget.assignment in HALF]
        failed += len(every) - len(held)
        vital = [nugget for nugget in held if nugget.importance == "vital"]
        without |= {} if vital else {topic: None}
        shares = (_share(vital, strict=True), _share(held, strict=True), _share(vital), _share(held))
        found.append({"unit": topic, **dict(zip(SCORES, shares, strict=True))})
    if len(runs) > 1:
        raise InputError(f"{source.name} has answers of several runs: {some(tuple(runs))}. Split the file by run_id.")
    notes += [f"no vital nugget, and no score of vital ones: {some(tuple(without))}"] if without else []
    notes += [f"not taken over: {counted(failed, 'assignment')} that failed"] if failed else []
    return ScoreRows(found, tuple(notes))


def _share(nuggets: list[Nugget], strict: bool = False) -> float | None:
    """How much of the nuggets is there; None without any."""
    if not nuggets:
        return None
    worth = [float(n.assignment == "support") if strict else HALF[n.assignment] for n in nuggets]
    return sum(worth) / len(worth)


def _nuggets(record: Mapping[str, object], where: str) -> list[Nugget]:
    given = record.get("nuggets")
    if not isinstance(given, list):
        raise InputError(f"{where}: nuggets must be a list; got {given!r:.60}.")
    return list(_checked(given, where))


def _checked(given: list[object], where: str) -> Iterator[Nugget]:
    for number, nugget in enumerate(given, 1):
        place = f"{where}, nugget {number}"
        held = nugget if isinstance(nugget, Mapping) else {}
        text, importance, assignment = (held.get(key) for key in ("text", "importance", "assignment"))
        if not isinstance(text, str) or not text.strip():
            raise InputError(f"{place}: a nugget has a text, an importance and an assignment; got {nugget!r:.60}.")
        if importance not in IMPORTANCE:
            raise InputError(f"{place}: importance must be 'vital' or 'okay'; got {importance!r:.60}.")
        if assignment not in (*HALF, "failed"):
            words = ", ".join(map(repr, (*HALF, "failed")))
            raise InputError(f"{place}: the assignment must be one of {words}; got {assignment!r:.60}.")
        yield Nugget(text, str(importance), str(assignment))


OFFERS = (Format(name="nuggetizer", page=__doc__, holds=("qrels", "scores"), detect=detect, rows=rows, scores=scores),)
