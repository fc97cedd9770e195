"""Judging in a spreadsheet: what is filled counts, whatever a spreadsheet or a person did to the rest is told."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.cli.judging_commands import done, refused, run
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.judging.records import Judgment
from rankproof.judging.store import open_store
from rankproof.judging.xlsx import FORMULA, SheetColumn, read_workbook, workbook

# Ids that spreadsheets rewrite, texts that they take for formulas, and what no cell holds.
LONG, EXPONENT, DATE = "1200000000000000123", "12E15", "1-2"
TITLES = {
    LONG: "=HYPERLINK(\"http://x\")", EXPONENT: "-1+1", DATE: "+49 'lamp\"", "d4": "two\r\nlines\rof, it; \t_x0041_",
    "d5": "  Ü 灯 مصباح  ", "d6": "@SUM(A1)", "d7": "x" * 40_000, "d8": "",
}  # fmt: skip

Table = list[list[str]]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    lines = [json.dumps({"_id": doc, "title": title, "text": "a text"}) for doc, title in TITLES.items()]
    (data / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    (data / "queries.jsonl").write_text('{"_id": "q1", "text": "=red lamp"}\n{"_id": "q2", "text": "desk"}\n')
    (data / "qrels.trec").write_text("q1 0 d8 0\n")
    run_lines = [f"{query} Q0 {doc} {n} {9 - n} live" for query in ("q1", "q2") for n, doc in enumerate(TITLES, 1)]
    (tmp_path / "live.run").write_text("\n".join(run_lines) + "\n")
    monkeypatch.chdir(tmp_path)
    done("init", "j.db", "-p", "shop", "--dataset", "data", "--run", "live.run")
    return tmp_path


def sheet(name: str) -> Table:
    assert done("sheet", "j.db", name) == f"shop -> {name}: 16 pairs of 2 queries\n"
    return table(name)


def table(name: str) -> Table:
    data = Path(name).read_bytes()
    if name.endswith(".xlsx"):
        return read_workbook(data, name)
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))


def save(name: str, rows: Table, separator: str = ",") -> None:
    """As a spreadsheet would write it."""
    if name.endswith(".xlsx"):
        Path(name).write_bytes(workbook([SheetColumn(head) for head in rows[0]], rows[1:]))
        return
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=separator, lineterminator="\r\n").writerows(rows)
    Path(name).write_bytes(out.getvalue().encode("utf-8-sig"))


def fill(rows: Table, *grades: str, notes: tuple[str, ...] = ()) -> Table:
    """The grades in the first rows."""
    at, note = rows[0].index("grade"), rows[0].index("note")
    for row, grade in zip(rows[1:], grades, strict=False):
        row[at] = grade
    for row, text in zip(rows[1:], notes, strict=False):
        row[note] = text
    return rows


def imported(name: str, judge: str = "ann", status: int = 0) -> dict[str, object]:
    told = run("import", "j.db", name, "--judge", judge, "--json")
    assert told.exit_code == status, told.output
    document: dict[str, object] = json.loads(told.stdout)
    return document


def held(judge: str = "ann") -> dict[tuple[str, str], Judgment]:
    with open_store("j.db") as store:
        return {(act.query_id, act.doc_id): act for act in store.judgments.current("shop", judge=judge)}


BOTH = pytest.mark.parametrize("name", ["s.csv", "s.xlsx"])


@BOTH
def test_a_half_filled_sheet_counts_as_far_as_it_is_filled(name: str, here: Path) -> None:
    rows = sheet(name)
    assert rows[0] == ["pair", "query", "title", "text", "grade", "note", "query_id", "doc_id"]
    save(name, fill(rows, "3", "not relevant", "", "2 relevant", "Cannot tell", notes=("a\r\nb", "=1+1")))
    document = imported(name)
    assert (document["added"], document["there"], document["refused"]) == (4, 0, [])
    assert document["empty"] == [4, *range(7, 18)]
    acts = held()
    assert {doc: (act.grade, act.reason) for (_, doc), act in acts.items()} == {
        LONG: (3, ""), EXPONENT: (0, ""), "d4": (2, ""), "d5": (None, "cannot_tell")
    }  # fmt: skip
    assert acts["q1", LONG].note == "a\nb"
    again = imported(name)
    assert (again["added"], again["there"]) == (0, 4)


@BOTH
def test_no_cell_is_a_formula_and_texts_come_back_as_they_were(name: str, here: Path) -> None:
    rows = sheet(name)
    if name.endswith(".csv"):
        assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
        assert rows[1][1] == "'=red lamp"
        assert "\r" not in "".join(cell for row in rows for cell in row)
    else:
        assert rows[1][1:3] == ["=red lamp", TITLES[LONG]]
        assert rows[4][2] == "two\nlines\nof, it; \t_x0041_"
    save(name, fill(rows, *["1"] * 16))
    document = imported(name)
    assert (document["added"], document["refused"]) == (16, [])


@BOTH
def test_rows_and_columns_may_be_moved_and_removed(name: str, here: Path) -> None:
    rows = fill(sheet(name), *map(str, [0, 1, 2, 3] * 4))
    keep = [rows[0].index(head) for head in ("note", "grade", "pair")]
    head, *body = [[row[at] for at in keep] for row in rows]
    save(name, [head, *reversed(body[:7])])
    assert imported(name)["added"] == 7
    assert {doc: act.grade for (_, doc), act in held().items()} == dict(
        zip(TITLES, [0, 1, 2, 3, 0, 1, 2], strict=False)
    )


def test_a_semicolon_between_cells_is_as_good(here: Path) -> None:
    save("s.csv", fill(sheet("s.csv"), "1"), ";")
    assert imported("s.csv")["added"] == 1


@BOTH
def test_ids_that_a_spreadsheet_rewrote_do_not_matter_beside_the_key(name: str, here: Path) -> None:
    rows = fill(sheet(name), "1", "1", "1")
    for row, id_ in zip(rows[1:], ("1.2E+18", "1.2E+16", "2026-02-01"), strict=False):
        row[-1] = id_
    save(name, rows)
    assert imported(name)["added"] == 3
    assert set(held()) == {("q1", LONG), ("q1", EXPONENT), ("q1", DATE)}


@BOTH
def test_without_the_key_rewritten_ids_are_refused_and_whole_ones_count(name: str, here: Path) -> None:
    rows = [row[1:] for row in fill(sheet(name), "1", "1", "1", "1")]
    for row, id_ in zip(rows[1:], ("1.2E+18", "1,2E+16", "2026-02-01"), strict=False):
        row[-1] = id_
    save(name, rows)
    document = imported(name, status=1)
    assert set(held()) == {("q1", "d4")}
    one, two, three = document["refused"]  # type: ignore[misc]
    assert (one["row"], two["row"], three["row"]) == (2, 3, 4)
    assert "1.2E+18" in one["why"]
    assert "made '1,2E+16' of an id" in two["why"]
    assert "no pair of the project" in three["why"]


GRADES: tuple[tuple[str, int | None], ...] = (
    ("1.0", 1), ("2,00", 2), (" 3 ", 3), ("RELATED", 1), ("2  relevanT", 2), ("1.5", None), ("01.02.2026", None),
    ("46054", None), ("=1", None), (f"{FORMULA}A1", None), ("4", None), ("-1", None), ("1 2", None), ("true", None),
    ("¹", None), ("٢", None),
)  # fmt: skip


def test_a_grade_is_a_number_or_a_word_of_the_scale(here: Path) -> None:
    save("s.csv", fill(sheet("s.csv"), *(grade for grade, _ in GRADES)))
    document = imported("s.csv", status=1)
    wrong = [number for number, (_, taken) in enumerate(GRADES, start=2) if taken is None]
    assert [one["row"] for one in document["refused"]] == wrong  # type: ignore[index, attr-defined]
    assert sorted(act.grade or 0 for act in held().values()) == [1, 1, 2, 2, 3]


@BOTH
def test_a_row_whose_text_is_another_is_refused(name: str, here: Path) -> None:
    rows = fill(sheet(name), "1", "1", "1")
    rows[1][1], rows[2][2] = "blue lamp", rows[3][2]
    save(name, rows)
    document = imported(name, status=1)
    assert [one["row"] for one in document["refused"]] == [2, 3]  # type: ignore[index, attr-defined]
    assert set(held()) == {("q1", DATE)}


@BOTH
def test_a_sheet_of_another_project_is_refused_whole(name: str, here: Path) -> None:
    done("init", "j.db", "-p", "other", "--dataset", "data", "--run", "live.run")
    done("sheet", "j.db", name, "-p", "other")
    save(name, fill(table(name), "1", "1"))
    told = refused("import", "j.db", name, "-p", "shop", "--judge", "ann")
    assert "sheet of another project" in told or "no pair of the project" in told
    assert held() == {}


def test_a_pair_that_stands_twice_counts_once_and_is_told(here: Path) -> None:
    rows = fill(sheet("s.csv"), "1")
    save("s.csv", [*rows, [*rows[1][:4], "3", *rows[1][5:]]])
    document = imported("s.csv", status=1)
    assert document["refused"] == [{"row": 18, "why": "row 2 is the same pair"}]
    assert held()["q1", LONG].grade == 1


def test_a_grade_that_was_changed_and_changed_back_holds_as_it_was_last(here: Path) -> None:
    rows = sheet("s.csv")
    for grade in ("1", "3", "1"):
        save("s.csv", fill(rows, grade))
        assert imported("s.csv")["added"] == 1
        assert held()["q1", LONG].grade == int(grade)


def test_a_judge_gets_what_was_handed_out_without_what_is_done(here: Path) -> None:
    save("s.csv", fill(sheet("s.csv"), "1", "2"))
    imported("s.csv")
    assert "14 pairs" in done("sheet", "j.db", "ann.csv", "--judge", "ann")
    assert "16 pairs" in done("sheet", "j.db", "bo.csv", "--judge", "bo")
    assert "5 pairs of 1 query" in done("sheet", "j.db", "five.csv", "-n", "5")
    done("assign", "j.db", "--judges", "bo,cy", "--pairs", "6", "--overlap", "2")
    assert "4 pairs" in done("sheet", "j.db", "bo.xlsx", "--judge", "bo")


def test_what_is_told_in_words(here: Path) -> None:
    save("s.csv", fill(sheet("s.csv"), "1", "seven"))
    told = run("import", "j.db", "s.csv", "--judge", "ann")
    assert told.exit_code == 1
    assert "1 judgment added to shop" in told.stdout
    assert "  not filled: 14 rows (4-17)\n" in told.stdout
    assert "  row 3 does not count: the grade 'seven' is none of: 0 Not relevant" in told.stdout


def _head(rows: Table, old: str, new: str) -> None:
    rows[0][rows[0].index(old)] = new


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda rows: _head(rows, "grade", "mark"), "no column 'grade'"),
        (lambda rows: _head(rows, "note", "grade"), "stands twice"),
        (lambda rows: (_head(rows, "pair", "x"), _head(rows, "doc_id", "y")), "neither the column"),
    ],
)
def test_a_sheet_without_what_it_needs_is_refused(change: Callable[[Table], object], told: str, here: Path) -> None:
    rows = fill(sheet("s.xlsx"), "1")
    change(rows)
    save("s.xlsx", rows)
    assert told in refused("import", "j.db", "s.xlsx", "--judge", "ann")
    assert held() == {}


def test_nobody_judges_without_a_name(here: Path) -> None:
    save("s.csv", fill(sheet("s.csv"), "1"))
    assert "--judge NAME" in refused("import", "j.db", "s.csv")
    assert "neither" in refused("sheet", "j.db", "s.txt")


# ---- workbooks ---------------------------------------------------------------------------------


def test_a_workbook_is_read_as_other_programs_write_it() -> None:
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    data = workbook([SheetColumn("a"), SheetColumn("b")], [["1", "2"]])
    sheet_xml = (
        f'<worksheet xmlns="{main}"><sheetData><row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2"><v>1.2E+18</v></c>'
        '<c r="D2"><f>A1*2</f><v>4</v></c></row></sheetData></worksheet>'
    )
    shared = f'<sst xmlns="{main}"><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>no</t></rPh></si></sst>'
    read = read_workbook(_with(data, {"xl/worksheets/sheet1.xml": sheet_xml, "xl/sharedStrings.xml": shared}), "x")
    assert read == [["", "", "", ""], ["", "rich text", "1.2E+18", f"{FORMULA}A1*2"]]


def _with(data: bytes, parts: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in dict.fromkeys([*old.namelist(), *parts]):
            new.writestr(name, parts[name] if name in parts else old.read(name))
    return out.getvalue()


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet>&b;</worksheet>'
ROWS = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


@pytest.mark.parametrize(
    "broken",
    [
        lambda data: data[:200],
        lambda data: b"PK\x03\x04 and nothing",
        lambda data: _with(data, {"xl/worksheets/sheet1.xml": BOMB}),
        lambda data: _with(data, {"xl/worksheets/sheet1.xml": "<worksheet"}),
        lambda data: _with(
            data, {"xl/worksheets/sheet1.xml": ROWS.format('<row r="99999999"><c r="A1"><v>1</v></c></row>')}
        ),
        lambda data: _with(data, {"xl/worksheets/sheet1.xml": ROWS.format('<row><c r="ZZZ1"><v>1</v></c></row>')}),
        lambda data: _with(data, {"xl/worksheets/sheet1.xml": ROWS.format('<row><c t="s"><v>7</v></c></row>')}),
        lambda data: _with(data, {"xl/workbook.xml": "<workbook/>"}),
    ],
)
def test_what_is_no_workbook_is_told(broken: Callable[[bytes], bytes]) -> None:
    with raises(InputError, "x.xlsx", "no workbook of Excel"):
        read_workbook(broken(workbook([SheetColumn("a")], [["1"]])), "x.xlsx")


def test_a_workbook_is_the_same_each_time_and_every_part_is_xml() -> None:
    columns = [SheetColumn("a", words=("0 Not", 'a "word"')), SheetColumn("grade", words=("0 <No>", "1 & yes"))]
    data = workbook(columns, [["\x00\x1b\ud800", "_x0041_"]])
    assert data == workbook(columns, [["\x00\x1b\ud800", "_x0041_"]])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            ElementTree.fromstring(archive.read(name))
        assert archive.read("xl/worksheets/sheet1.xml").count(b"<dataValidation ") == 1
    assert read_workbook(data, "x") == [["a", "grade"], ["\ufffd\ufffd\ufffd", "_x0041_"]]
