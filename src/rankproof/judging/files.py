"""Judgment files: judgments, flags, picks and preferences as JSON and CSV, and back; qrels as judgments.

A cell that begins with = + - @ or a control character is a formula to some spreadsheets. Such a text gets a ' in front,
and so does a text that begins with ' itself, so that taking one off gives the text back: reading does. Columns of
numbers are left as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal

from rankproof.errors import InputError, RankproofError, UsageError
from rankproof.judging.records import PERSON, Judgment, JudgmentSource, Mark, Preference, Project
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.specs.kinds import MOST_WHOLE, finite
from rankproof.reading.collect import read_qrels
from rankproof.reading.records import Qrels
from rankproof.reading.source import once, open_source
from rankproof.reading.stream import objects

Kind = Literal["judgments", "flags", "picks", "preferences"]
KINDS: tuple[Kind, ...] = ("judgments", "flags", "picks", "preferences")
ACTS_SCHEMA = "acts/1"
Act = Judgment | Mark | Preference

COLUMNS: Mapping[Kind, tuple[str, ...]] = {
    "judgments": (
        "key", "judge", "query_id", "doc_id", "grade", "reason", "note", "time",
        "source", "version", "prompt", "settings", "withdraws",
    ),
    "flags": ("key", "judge", "query_id", "doc_id", "variant", "reason", "note", "time", "withdraws"),
    "picks": ("key", "judge", "query_id", "doc_id", "variant", "reason", "note", "time", "withdraws"),
    "preferences": ("key", "judge", "query_id", "variants", "preferred", "blind", "note", "time", "withdraws"),
}  # fmt: skip
# What no text of these columns stands in: numbers, true and false.
_NUMBERS = ("grade", "blind")
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def to_body(kind: Kind, acts: Sequence[Act], project: str) -> dict[str, object]:
    """The acts for a JSON document, in their order."""
    return {"project": project, "kind": kind, "acts": [asdict(act) for act in acts]}


def to_csv(kind: Kind, acts: Sequence[Act]) -> str:
    """The acts as a table with a header, in their order."""
    lines = [_csv_line(COLUMNS[kind])]
    for act in acts:
        cells = _act_cells(act)
        lines.append(_csv_line([cells[name] if name in _NUMBERS else guarded(cells[name]) for name in COLUMNS[kind]]))
    return "".join(lines)


def _csv_line(cells: Sequence[str]) -> str:
    """A line of a table. Cells with an end of line are quoted: a bare \\r would end the row for a reader."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerow(cells)
    return out.getvalue().removesuffix("\r\n") + "\n"


def guarded(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def unguarded(text: str) -> str:
    """The text as it was."""
    return text.removeprefix("'")


def _act_cells(act: Act) -> dict[str, str]:
    fields = asdict(act)
    if isinstance(act, Judgment):
        source = fields.pop("source")
        fields = {**fields, **source, "source": source["kind"]}
    if isinstance(act, Preference):
        # Names may hold any sign, so that only JSON keeps them apart.
        from rankproof.kernel.jsontext import to_json

        fields["variants"] = to_json(list(act.variants))
        fields["blind"] = "true" if act.blind else "false"
    return {name: "" if value is None else str(value) for name, value in fields.items()}


_NEEDED = ("judge", "query_id", "doc_id")


@dataclass(frozen=True, slots=True)
class ActFile:
    """Acts that were read, and what messages call their file."""

    kind: Kind
    acts: tuple[Act, ...]
    source: str


def read_acts(what: Any) -> ActFile | None:
    """The acts in a file: JSON as it is exported; JSON lines or a table with judge, query_id, doc_id and grade.

    None where it is something else, such as qrels. A row without a key gets one made of its content, so that the same
    file read twice holds the same acts.
    """
    source = open_source(what)
    head = source.head.lstrip()
    if head.startswith(b"{") and b'"judge"' in head and f'"{ACTS_SCHEMA}"'.encode() not in head:
        rows = [(f"line {number}", row) for number, row in objects(source.text(), source.name)]
        return ActFile("judgments", tuple(_made("judgments", rows, source.name)), source.name)
    if head.startswith(b"{") and f'"{ACTS_SCHEMA}"'.encode() in head:
        return _document(source.text(), source.name)
    if head.startswith((b"{", b"[", b"PAR1")) or not _has_columns(head):
        return None
    return ActFile("judgments", tuple(_made("judgments", _table(source.text(), source.name), source.name)), source.name)


def _document(text: str, name: str) -> ActFile:
    document = from_json(text, name)
    kind, acts = document.get("kind"), document.get("acts")
    if document.get("schema") != ACTS_SCHEMA or kind not in KINDS or not isinstance(acts, list):
        raise InputError(f"{name} is no document of acts. Export one with: rankproof judgments export")
    rows = [(f"act {i}", act) for i, act in enumerate(acts, start=1)]
    return ActFile(kind, tuple(_made(kind, rows, name)), name)


def _has_columns(head: bytes) -> bool:
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    return set(_NEEDED) <= set(_cells(first, _separator(first)))


def _separator(line: str) -> str:
    return max("\t,;", key=line.count)


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]


def _table(text: str, name: str) -> Iterator[tuple[str, Mapping[str, object]]]:
    separator = _separator(text.split("\n", 1)[0])
    lines = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restkey="", strict=True)
    try:
        for row in lines:
            at = f"line {lines.line_num}"
            if None in row.values() or "" in row:
                raise InputError(f"{name}, {at}: the row has not as many cells as the header. Correct it.")
            yield at, {key.strip(): unguarded(value) for key, value in row.items()}
    except csv.Error as error:
        raise InputError(f"{name}, line {lines.line_num}: {error}. Correct the table.") from None


def _made(kind: Kind, rows: Iterable[tuple[str, Mapping[str, object]]], name: str) -> Iterator[Act]:
    for at, row in rows:
        try:
            yield _act(kind, row)
        except RankproofError as error:
            raise InputError(f"{name}, {at}: {error}") from None
        except (KeyError, TypeError, ValueError) as error:
            needs = ", ".join(COLUMNS[kind])
            raise InputError(
                f"{name}, {at}: this is none of the {kind} ({error}). Their fields are: {needs}."
            ) from None


def _act(kind: Kind, row: Mapping[str, object]) -> Act:
    if not isinstance(row, Mapping):
        raise TypeError("no object")
    texts = {name: _text(row, name) for name in COLUMNS[kind] if name not in ("grade", "blind", "variants", "source")}
    judge, query = texts["judge"], texts["query_id"]
    if not judge or not query or not texts.get("doc_id", "-"):
        raise ValueError("the judge, the query or the document is empty")
    if kind == "preferences":
        variants, blind = _variants(row["variants"]), row["blind"] in (True, "true")
        return Preference(
            _key(texts), judge, query, variants, _preferred(row["preferred"]), blind, texts["note"], texts["time"],
            texts["withdraws"],
        )  # fmt: skip
    if kind in ("flags", "picks"):
        return Mark(
            _key(texts), "flag" if kind == "flags" else "pick", judge, query, texts["doc_id"], texts["reason"],
            texts["note"], texts["variant"], texts["time"], texts["withdraws"],
        )  # fmt: skip
    grade = row.get("grade")
    number = None if grade is None or grade == "" else _whole(grade)
    reason: Any = texts["reason"]
    return Judgment(
        _key({**texts, "grade": str(number)}), judge, query, texts["doc_id"], number, reason, texts["note"],
        texts["time"], _source(row, texts), texts["withdraws"],
    )  # fmt: skip


def _variants(value: object) -> tuple[str, ...]:
    names = from_json(value, "variants") if isinstance(value, str) else value
    if not isinstance(names, list):
        raise TypeError("variants is no list of names")
    return tuple(map(str, names))


def _preferred(value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise TypeError(f"preferred is {value!r:.40}: name a variant, or give null where they are equally good")
    return value


def _source(row: Mapping[str, object], texts: Mapping[str, str]) -> JudgmentSource:
    given = row.get("source") or "person"
    fields = given if isinstance(given, Mapping) else {**texts, "kind": given}
    kind: Any = fields["kind"]
    if kind not in ("person", "model", "clicks"):
        raise ValueError(f"no source is called {kind!r}: person, model and clicks are")
    return JudgmentSource(kind, *(_text(fields, name) for name in ("version", "prompt", "settings")))


def _text(row: Mapping[str, object], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str | int):
        raise TypeError(f"{name} is no text")
    if isinstance(value, str) and "\0" in value:
        raise ValueError(f"{name} has a NUL character, which no database keeps")
    return "" if value is None else str(value)


def _whole(grade: object) -> int:
    number = finite(float(grade[:40]) if isinstance(grade, str) else grade)
    if number is None or not number.is_integer() or abs(number) > MOST_WHOLE:
        raise ValueError(f"grade {grade!r:.40} is no whole number that a grade may be")
    return int(number)


def _key(texts: Mapping[str, str]) -> str:
    if texts["key"]:
        return texts["key"]
    return sha256("\n".join(f"{name}={value}" for name, value in sorted(texts.items())).encode()).hexdigest()


def judgments_of(qrels: Qrels, judge: str, source: JudgmentSource = PERSON) -> list[Judgment]:
    """A judgment for each grade. The same qrels by the same judge give the same keys, so that they are added once."""
    if qrels.has_subtopics:
        raise InputError(
            f"{qrels.name} judges subtopics, and a judgment here is of a whole document. Give other qrels."
        )
    body = qrels.content_hash
    return [
        Judgment(_qrels_key(body, judge, source, query, doc), judge, query, doc, grade, source=source)
        for query, docs, grades, _ in qrels.judged()
        for doc, grade in zip(docs, grades, strict=True)
    ]


def _qrels_key(body: str, judge: str, source: JudgmentSource, query: str, doc: str) -> str:
    parts = ("rankproof import 1", body, judge, source.kind, source.version, source.prompt, query, doc)
    text = "".join(f"{len(part)} {part}\n" for part in parts)
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def read_any(
    what: Any, judge: str = "", source: JudgmentSource = PERSON, form: str | None = None, allow: Sequence[str] = ()
) -> ActFile:
    """The acts in a file of acts; those of qrels of any format, in the name of the judge."""
    what = once(what)
    acts = read_acts(what) if form is None else None
    if acts is not None:
        if judge:
            raise UsageError(f"{acts.source} says itself who judged. Leave out the judge.")
        return acts
    qrels = read_qrels(what, form, allow=allow)
    if not judge:
        raise UsageError(f"{qrels.name} does not say who judged. Name the judge.")
    return ActFile("judgments", tuple(judgments_of(qrels, judge, source)), qrels.name)


def takeable(read: ActFile, project: Project, queries: Collection[str]) -> list[Act]:
    """The acts about queries of the project, or all where it has none yet. All grades must be on its scale."""
    for act in read.acts:
        grade = getattr(act, "grade", None)
        if grade is not None and grade not in project.scale.grades:
            doc = getattr(act, "doc_id", "")
            raise InputError(
                f"{read.source}: {doc!r} for {act.query_id!r} has grade {grade}, and the scale "
                f"{project.scale.name!r} has {', '.join(map(str, project.scale.grades))}. Nothing was added."
            )
    taken = [act for act in read.acts if not queries or act.query_id in queries]
    if read.acts and not taken:
        raise InputError(
            f"{read.source} has none of the queries of the project {project.slug!r}. Check that it is the right file."
        )
    return taken
