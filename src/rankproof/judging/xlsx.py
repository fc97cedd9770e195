"""Workbooks of Excel with the standard library alone: one sheet of texts written, the first sheet of any read.

Every cell is written as a text: what stands in it is never a formula, a date or a number, whatever it looks like. What
is read is told as it stands: a number as Excel writes it, a formula as one.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from rankproof.errors import InputError

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_REL: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
# What XML does not hold, and halves of characters.
_NEVER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_CELL = re.compile(r"([A-Z]{1,3})(\d{1,7})")
MOST_OF_A_CELL: Final = 32_767  # characters, as Excel has it
MOST_BYTES: Final = 256 * 1024 * 1024  # of one part, unpacked
_BEGINS: Final = b"PK\x03\x04"
FORMULA: Final = "\x00="  # what a cell with a formula is read as begins so


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet: its head, its width in characters, and the words that a cell of it may be chosen from."""

    head: str
    width: int = 12
    words: tuple[str, ...] = ()


def is_workbook(head: bytes) -> bool:
    """Whether a file that begins so may be a workbook."""
    return head.startswith(_BEGINS)


def workbook(columns: Sequence[SheetColumn], rows: Iterable[Sequence[str]]) -> bytes:
    """A workbook with one sheet; the same cells give the same bytes."""
    parts = {
        "[Content_Types].xml": _TYPES,
        "_rels/.rels": _relations("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_REL}"><sheets>'
        '<sheet name="judge" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": _relations("worksheet", "worksheets/sheet1.xml", ("styles", "styles.xml")),
        "xl/styles.xml": _STYLES,
        "xl/worksheets/sheet1.xml": "".join(_sheet(columns, rows)),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{text}')
    return out.getvalue()


def _sheet(columns: Sequence[SheetColumn], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    yield '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>'
    for number, column in enumerate(columns, 1):
        yield f'<col min="{number}" max="{number}" width="{column.width}" customWidth="1"/>'
    yield "</cols><sheetData>"
    last = 1
    for last, row in enumerate([[column.head for column in columns], *rows], 1):
        yield f'<row r="{last}">'
        style = 1 if last == 1 else 2
        for number, text in enumerate(row):
            yield f'<c r="{_letters(number)}{last}" s="{style}" t="inlineStr"><is>'
            yield f'<t xml:space="preserve">{_escaped(text)}</t></is></c>'
        yield "</row>"
    yield "</sheetData>"
    chosen = [(number, column.words) for number, column in enumerate(columns) if _choosable(column.words)]
    if chosen and last > 1:
        yield f'<dataValidations count="{len(chosen)}">'
        for number, words in chosen:
            place = f"{_letters(number)}2:{_letters(number)}{last}"
            # Other words may be typed all the same: what they are is told on reading.
            yield f'<dataValidation type="list" allowBlank="1" showErrorMessage="0" sqref="{place}">'
            yield f"<formula1>{escape(chr(34) + ','.join(words) + chr(34))}</formula1></dataValidation>"
        yield "</dataValidations>"
    yield "</worksheet>"


def _choosable(words: Sequence[str]) -> bool:
    """Whether Excel takes them as a list to choose from: together below 256 characters, without signs of its own."""
    return bool(words) and len(",".join(words)) < 256 and not any(set(word) & set(',"\n') for word in words)


def _escaped(text: str) -> str:
    """A text of a cell: what looks like an escape of Excel's own is escaped itself."""
    plain = _NEVER.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))[:MOST_OF_A_CELL]
    return escape(_ESCAPED.sub(lambda found: f"_x005F{found[0]}", plain))


def _letters(number: int) -> str:
    """The letters of a column, from 0.

    >>> _letters(0), _letters(25), _letters(26)
    ('A', 'Z', 'AA')
    """
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text


def _number_of(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number - 1


def _relations(kind: str, target: str, *more: tuple[str, str]) -> str:
    every = "".join(
        f'<Relationship Id="rId{n}" Type="{_REL}/{each}" Target="{goal}"/>'
        for n, (each, goal) in enumerate([(kind, target), *more], 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{every}</Relationships>'


_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_TYPES = (
    f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SPREADSHEET}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SPREADSHEET}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_SPREADSHEET}.styles+xml"/></Types>'
)
# Plain; bold for the head; as a text (49 is @), wrapped, at the top.
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf/><xf numFmtId="49" fontId="1" applyNumberFormat="1" applyFont="1"/>'
    '<xf numFmtId="49" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>'
    "</cellXfs></styleSheet>"
)


# ---- reading -----------------------------------------------------------------------------------


def read_workbook(data: bytes, name: str) -> list[list[str]]:
    """The rows of the first sheet, each as long as the longest; a cell with a formula begins with FORMULA."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            shared = _shared(archive, name)
            sheet = _part(archive, _first_sheet(archive, name), name)
            rows = _rows(sheet, shared)
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, NotImplementedError, ValueError, IndexError) as error:
        why = str(error).strip("'\"") or type(error).__name__
        raise InputError(
            f"{name} is no workbook of Excel that can be read ({why:.80}). Save it as .xlsx without a password, or as "
            "CSV in UTF-8."
        ) from None
    most = max(map(len, rows), default=0)
    return [row + [""] * (most - len(row)) for row in rows]


def _part(archive: zipfile.ZipFile, path: str, name: str) -> ElementTree.Element:
    if archive.getinfo(path).file_size > MOST_BYTES:
        raise InputError(f"{name}: {path} has more than {MOST_BYTES // 2**20} MiB. Split the sheet, or save it as CSV.")
    with archive.open(path) as file:
        text = file.read(MOST_BYTES + 1)
    # No workbook has entities of its own; who writes them wants to fill the memory, or to read files.
    if len(text) > MOST_BYTES or b"<!DOCTYPE" in text or b"<!ENTITY" in text:
        raise ValueError("it declares entities, or is larger than it says")
    return ElementTree.fromstring(text)


def _first_sheet(archive: zipfile.ZipFile, name: str) -> str:
    sheet = _part(archive, "xl/workbook.xml", name).find(f"{{{_MAIN}}}sheets/{{{_MAIN}}}sheet")
    if sheet is None:
        raise ValueError("it has no sheet")
    wanted = sheet.get(f"{{{_REL}}}id")
    for one in _part(archive, "xl/_rels/workbook.xml.rels", name):
        if one.get("Id") == wanted:
            target = one.get("Target", "")
            return target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    raise ValueError("its sheet is nowhere")


def _shared(archive: zipfile.ZipFile, name: str) -> list[str]:
    path = "xl/sharedStrings.xml"
    if path not in archive.namelist():
        return []
    return [_text(item) for item in _part(archive, path, name).iter(f"{{{_MAIN}}}si")]


def _text(item: ElementTree.Element) -> str:
    """The text of a string, of all its runs; how it is pronounced is no part of it."""
    runs = [*item.findall(f"{{{_MAIN}}}t"), *item.findall(f"{{{_MAIN}}}r/{{{_MAIN}}}t")]
    whole = "".join(run.text or "" for run in runs)
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), whole)


def _rows(sheet: ElementTree.Element, shared: list[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for row in sheet.iter(f"{{{_MAIN}}}row"):
        at = int(row.get("r", len(rows) + 1)) - 1
        if not len(rows) <= at <= len(rows) + 1_048_576:
            raise ValueError("its rows are out of order")
        cells: list[str] = []
        for cell in row.iter(f"{{{_MAIN}}}c"):
            place = _CELL.fullmatch(cell.get("r", ""))
            column = _number_of(place[1]) if place else len(cells)
            if column >= 16_384:
                raise ValueError("it has more columns than Excel has")
            cells += [""] * (column + 1 - len(cells))
            cells[column] = _value(cell, shared)
        if any(cells):
            rows += [[] for _ in range(at - len(rows))]
            rows.append(cells)
    return rows


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    inline, value = cell.find(f"{{{_MAIN}}}is"), cell.findtext(f"{{{_MAIN}}}v") or ""
    if (formula := cell.find(f"{{{_MAIN}}}f")) is not None:
        return f"{FORMULA}{formula.text or ''}"
    if inline is not None:
        return _text(inline)
    return shared[int(value)] if cell.get("t") == "s" else value
