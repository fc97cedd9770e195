"""Sheets: pairs to judge as a spreadsheet, and what somebody filled in of it.

Each row begins with a key made of the project, the query and the document, which no spreadsheet takes for a number, a
date or a formula. By it a row is known wherever it stands, whatever a spreadsheet made of its ids, and whichever other
columns are gone. The query's text and the title, where they are still there, must be those of the store: else grades
would go to other rows than those that were read. What is wrong with a row is told by its number; the others count.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, NamedTuple

from rankproof.errors import InputError
from rankproof.judging.files import guarded, unguarded
from rankproof.judging.records import Judgment, Project, Reason, Scale
from rankproof.judging.xlsx import FORMULA, MOST_OF_A_CELL, SheetColumn, is_workbook, read_workbook, workbook
from rankproof.reading.source import open_source

Pair = tuple[str, str]
KEY: Final = "pair"
GRADE: Final = "grade"
NOTE: Final = "note"
QUERY: Final = "query"
CANNOT_TELL: Final = "cannot tell"
LONGEST_NOTE: Final = 10_000
_EXPONENT = re.compile(r"-?\d+([.,]\d+)?E[+-]?\d+", re.IGNORECASE)
_WHOLE = re.compile(r"(-?\d+)(?:[.,]0*)?", re.ASCII)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A pair to judge with what is shown of it: the query's text, and the document's fields."""

    query_id: str
    doc_id: str
    query: str
    fields: Mapping[str, str]


class RefusedRow(NamedTuple):
    """A row that does not count, by its number in the file, and why."""

    row: int
    why: str


@dataclass(frozen=True, slots=True)
class SheetAnswers:
    """What was filled in: judgments, numbers of rows that are still empty, and rows that do not count."""

    source: str
    judgments: tuple[Judgment, ...]
    empty: tuple[int, ...]
    refused: tuple[RefusedRow, ...]


def row_key(project: str, pair: Pair) -> str:
    """The key of a pair: letters first and no E between digits alone, so that every spreadsheet leaves it as it is."""
    body = "".join(f"{len(part)} {part}\n" for part in (project, *pair))
    return f"pair-{sha256(body.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


# ---- writing -----------------------------------------------------------------------------------


def columns_of(project: Project, rows: Sequence[SheetRow]) -> tuple[SheetColumn, ...]:
    """The columns: key, query, what is shown of the document, grade, note, and the ids."""
    words = (*(f"{level.grade} {level.label}" for level in project.scale.levels), CANNOT_TELL)
    shown = [SheetColumn(name, 60 if name in project.template.texts else 40) for name in _shown(project, rows)]
    return (
        SheetColumn(KEY, 10), SheetColumn(QUERY, 30), *shown, SheetColumn(GRADE, 22, words), SheetColumn(NOTE, 30),
        SheetColumn("query_id", 12), SheetColumn("doc_id", 16),
    )  # fmt: skip


def _shown(project: Project, rows: Sequence[SheetRow]) -> list[str]:
    """The fields that the page shows and some document has; one that is called like a column of ours is left out."""
    template = project.template
    names = dict.fromkeys([template.title, *template.texts, template.link, template.image])
    ours = {KEY, QUERY, GRADE, NOTE, "query_id", "doc_id"}
    return [name for name in names if name and name not in ours and any(row.fields.get(name) for row in rows)]


def _cells(project: Project, rows: Sequence[SheetRow]) -> Iterator[list[str]]:
    shown = _shown(project, rows)
    for row in rows:
        fields = [row.fields.get(name, "") for name in shown]
        key = row_key(project.slug, (row.query_id, row.doc_id))
        yield [_cell(text) for text in (key, row.query, *fields, "", "", row.query_id, row.doc_id)]


def _cell(text: str) -> str:
    """A text as a cell holds it: line ends as one sign, and no longer than a cell of Excel."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "\ufffd")[: MOST_OF_A_CELL - 1]


def to_xlsx(project: Project, rows: Sequence[SheetRow]) -> bytes:
    """The sheet as a workbook; the grade is chosen from the words of the scale."""
    return workbook(columns_of(project, rows), _cells(project, rows))


def to_sheet_csv(project: Project, rows: Sequence[SheetRow]) -> bytes:
    """The sheet as CSV in UTF-8 with its mark, so that spreadsheets read it as such; no cell is a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([column.head for column in columns_of(project, rows)])
    writer.writerows([[guarded(text) for text in row] for row in _cells(project, rows)])
    return out.getvalue().encode("utf-8-sig", "replace")


# ---- reading -----------------------------------------------------------------------------------


def read_sheet(what: object) -> tuple[str, list[list[str]]] | None:
    """The name and the rows of a file that is a sheet, its head first; None for anything else."""
    source = open_source(what)  # type: ignore[arg-type]
    if is_workbook(source.head):
        return source.name, read_workbook(source.data, source.name)
    first = source.head.split(b"\n", 1)[0].decode("utf-8", "replace")
    separator = max(",;\t", key=first.count)
    heads = [_head(cell) for cell in next(csv.reader([first.lstrip("\ufeff")], delimiter=separator), [])]
    if KEY not in heads and not {"query_id", "doc_id", QUERY, NOTE} <= set(heads):
        return None
    text = source.text().lstrip("\ufeff")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise InputError(f"{source.name}: {error}. Save the sheet again as CSV in UTF-8, or as .xlsx.") from None
    return source.name, [[unguarded(cell) for cell in row] for row in rows]


def _head(cell: str) -> str:
    return cell.strip().casefold()


def answers_of(
    name: str,
    rows: Sequence[Sequence[str]],
    project: Project,
    judge: str,
    pairs: Mapping[Pair, SheetRow],
    held: Mapping[Pair, Judgment],
) -> SheetAnswers:
    """What a judge filled in. `pairs` are those of the project, `held` the judge's own judgments that hold now."""
    heads = [_head(cell) for cell in rows[0]] if rows else []
    place = {head: at for at, head in enumerate(heads)}
    twice = sorted({head for head in heads if head and heads.count(head) > 1})
    if GRADE not in place or twice:
        why = f"the column {twice[0]!r} stands twice" if twice else f"it has no column {GRADE!r}"
        raise InputError(f"{name}: {why}. Its columns are: {', '.join(filter(None, heads)) or 'none'}.")
    if KEY not in place and not {"query_id", "doc_id"} <= set(place):
        raise InputError(
            f"{name}: neither the column {KEY!r} is there nor both ids, so that nobody knows which rows these are. "
            "Take the grades into the sheet as it was written."
        )
    known = {row_key(project.slug, pair): row for pair, row in pairs.items()}
    sheet = _Sheet(project, place, known, pairs)
    empty: list[int] = []
    refused: list[RefusedRow] = []
    seen: dict[Pair, int] = {}
    judgments: list[Judgment] = []
    for number, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        try:
            found = sheet.row(row)
            grade = sheet.grade(row)
            if grade is None:
                empty.append(number)
                continue
            pair = (found.query_id, found.doc_id)
            if pair in seen:
                raise _Wrong(f"row {seen[pair]} is the same pair")
            seen[pair] = number
            judgments.append(_judgment(project, judge, pair, grade, sheet.note(row), held.get(pair)))
        except _Wrong as wrong:
            refused.append(RefusedRow(number, str(wrong)))
    if refused and not judgments and not empty and all("no pair of the project" in one.why for one in refused):
        raise InputError(
            f"{name} has no pair of the project {project.slug!r}: it is a sheet of another project. Name that one with "
            "--project."
        )
    return SheetAnswers(name, tuple(judgments), tuple(empty), tuple(refused))


class _Wrong(Exception):
    """Why a row does not count."""


Answer = tuple[int | None, Reason]


class _Sheet:
    """The rows of one sheet, read by its heads."""

    def __init__(
        self, project: Project, place: Mapping[str, int], known: Mapping[str, SheetRow], pairs: Mapping[Pair, SheetRow]
    ) -> None:
        self.project, self.place, self.known, self.pairs = project, place, known, pairs
        self.answers = dict(_words(project.scale))

    def cell(self, row: Sequence[str], head: str) -> str | None:
        """What stands in a column; None where the column is gone."""
        at = self.place.get(head)
        return None if at is None else row[at] if at < len(row) else ""

    def row(self, row: Sequence[str]) -> SheetRow:
        """The pair that a row is of, with the texts that it was written with."""
        key, ids = self.cell(row, KEY), (self.cell(row, "query_id"), self.cell(row, "doc_id"))
        found = None
        if key is not None and key.strip():
            found = self.known.get(key.strip())
        elif None not in ids:
            query, doc = str(ids[0]), str(ids[1])
            found = self.pairs.get((query, doc)) or self.pairs.get((query.strip(), doc.strip()))
            if found is None and (changed := [one for one in (query, doc) if _EXPONENT.fullmatch(one.strip())]):
                raise _Wrong(f"the spreadsheet made {changed[0]!r} of an id, and its {KEY} is gone")
        if found is None:
            raise _Wrong(f"{key or ids!r} is no pair of the project {self.project.slug!r}")
        for head, text in (
            (QUERY, found.query),
            (self.project.template.title, found.fields.get(self.project.template.title, "")),
        ):
            there = self.cell(row, head.casefold())
            if there is not None and head not in (KEY, GRADE, NOTE) and _even(there) != _even(_cell(text)):
                raise _Wrong(f"its {head} is {there[:40]!r} and not {text[:40]!r}: edited, or sorted without its row")
        return found

    def grade(self, row: Sequence[str]) -> Answer | None:
        """The grade, or the reason for having none; None where nothing is filled in."""
        text = " ".join((self.cell(row, GRADE) or "").split())
        if not text:
            return None
        if text.startswith((FORMULA, "=")):
            raise _Wrong("the grade is a formula: write the grade itself")
        whole = _WHOLE.fullmatch(text)
        answer = self.answers.get(str(int(whole[1])) if whole else text.casefold())
        if answer is None:
            possible = ", ".join(f"{level.grade} {level.label}" for level in self.project.scale.levels)
            raise _Wrong(f"the grade {text[:40]!r} is none of: {possible}, {CANNOT_TELL}")
        return answer

    def note(self, row: Sequence[str]) -> str:
        """The note beside a grade."""
        text = (self.cell(row, NOTE) or "").replace("\r\n", "\n").replace("\r", "\n").strip()
        if text.startswith(FORMULA):
            raise _Wrong("the note is a formula: write it as a text")
        if len(text) > LONGEST_NOTE:
            raise _Wrong(f"the note has {len(text):,} characters; {LONGEST_NOTE:,} is the most")
        return text


def _even(text: str) -> str:
    """A text without what spreadsheets change: blanks, line ends, signs that they do not hold, and ends cut off."""
    return " ".join(re.sub("[\x00-\x1f\ufffd\ufffe\uffff\ud800-\udfff]", " ", text).split())[:1000]


def _words(scale: Scale) -> Iterable[tuple[str, Answer]]:
    """What may be written for each grade: its number, its word, or both. A word of two grades is none."""
    labels = [level.label.casefold() for level in scale.levels]
    for level in scale.levels:
        yield str(level.grade), (level.grade, "")
        yield f"{level.grade} {level.label}".casefold(), (level.grade, "")
        if labels.count(level.label.casefold()) == 1 and not _WHOLE.fullmatch(level.label):
            yield level.label.casefold(), (level.grade, "")
    yield CANNOT_TELL, (None, "cannot_tell")


def _judgment(project: Project, judge: str, pair: Pair, answer: Answer, note: str, held: Judgment | None) -> Judgment:
    """The act. What the judge has said already is that act again; else a new one, after the one that holds."""
    grade, reason = answer
    if held is not None and (held.grade, held.reason, held.note) == (grade, reason, note):
        return held
    before = "" if held is None else held.key
    parts = ("rankproof sheet 1", project.slug, judge, *pair, str(grade), reason, note, before)
    body = "".join(f"{len(part)} {part}\n" for part in parts)
    return Judgment(sha256(body.encode("utf-8", "surrogatepass")).hexdigest(), judge, *pair, grade, reason, note)
