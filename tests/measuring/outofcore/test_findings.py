"""Every check that can refuse a run is known to look at rows, at queries or at the whole run."""

from __future__ import annotations

from rankproof.core import Rows
from rankproof.kernel import shelf
from rankproof.measuring.outofcore.findings import OF_QUERIES, OF_RUNS, in_order
from rankproof.reading.check_subject import Subject
from rankproof.reading.finding import Finding
from rankproof.reading.records import Order

# A new check that refuses runs belongs here only when it looks at one row at a time.
OF_ROWS = {"wrong_columns", "undecodable_bytes", "not_a_number", "nan_score", "infinite_score", "bad_rank"}


def test_every_grave_check_has_its_place() -> None:
    by_rank = Subject(Rows.from_columns([], []), "run", "a", order=Order(by="rank", ties="given"))
    grave = {c.name for c in shelf.offered("checks").values() if "run" in c.of and c.severity_for(by_rank) == "error"}
    assert grave == OF_ROWS | set(OF_QUERIES) | set(OF_RUNS)


def test_findings_of_pieces_are_those_of_the_whole() -> None:
    """Of 6 findings the first three by line are shown and 3 counted; the code with line 2 comes first."""

    def at(line: int, code: str = "nan_score", further: int = 0) -> Finding:
        return Finding(code, "error", "a", "m.", "r.", line, further=further)

    found = [at(9), at(11), at(5), at(7), at(8, further=1), at(2, "wrong_columns")]
    assert [(f.code, f.line, f.further) for f in in_order(found)] == [
        ("wrong_columns", 2, 0), ("nan_score", 5, 0), ("nan_score", 7, 0), ("nan_score", 8, 3),
    ]  # fmt: skip
