"""Stands in for somebody who judges in a spreadsheet: grades of a qrels file, written into the sheet's grade column.

python fill_sheet.py tojudge.csv qrels.trec [ROWS]   fills the first ROWS rows, or all; a pair without a grade gets 0

A person opens the sheet instead, reads query and document, and chooses a grade.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path


def main(sheet: str, qrels: str, rows: str = "1000000") -> None:
    """Fills the sheet in its place."""
    lines = (line.split() for line in Path(qrels).read_text(encoding="utf-8").splitlines())
    grades = {(query, doc): grade for query, _, doc, grade in lines}
    with open(sheet, encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    for row in table[: int(rows)]:
        row["grade"] = grades.get((row["query_id"], row["doc_id"]), "0")
    with open(sheet, "w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main(*sys.argv[1:])
