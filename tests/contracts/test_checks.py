"""Every check on the shelf: found at the exact line, silent where the fault is not, explained on its page."""

from __future__ import annotations

import doctest
import importlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import rankproof.reading.checks
from rankproof.kernel import shelf
from rankproof.reading.checks.contract import FEW
from rankproof.reading.finding import SEVERITIES
from rankproof.reading.records import Order
from rankproof.testing.ruling import findings


@dataclass(frozen=True)
class Case:
    """Lines with the fault, the lines it is found on (None: the whole source), and lines without it."""

    faulty: dict[str, Any]
    lines: list[int | None]
    clean: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)


GOOD = ["q1 Q0 d1 1 9.5 t", "q1 Q0 d2 2 9.1 t", "q2 Q0 d1 1 0.3 t"]
TEN = [f"q1 Q0 d{i} {i} {20 - i} t" for i in range(1, 11)]
JUDGED = ["q1 0 d1 1", "q1 0 d2 2", "q2 0 d1 3"]


def run(*lines: str, qrels: list[str] | None = None) -> dict[str, Any]:
    return {"run": list(lines)} if qrels is None else {"run": list(lines), "qrels": qrels}


def qrels(*lines: str) -> dict[str, Any]:
    return {"qrels": list(lines)}


CASES: dict[str, Case] = {
    "bad_rank": Case(run("q1 Q0 d1 1 9 t", "q1 Q0 d2 1.5 8 t", "q1 Q0 d3 -1 7 t"), [2, 3], run(*GOOD)),
    "conflicting_judgment": Case(
        qrels("q1 0 d1 1", "q2 0 d1 1", "q1 0 d1 0"), [3], qrels("q1 0 d1 1", "q1 0 d1 1", "q1 2 d1 0")
    ),
    "constant_scores": Case(
        run("q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 t", "q2 Q0 d1 1 5 t", "q2 Q0 d2 2 5.0 t"),
        [3],
        run(*GOOD),  # q2 has one document only: one score is no constant
    ),
    "duplicate_document": Case(
        run("q1 Q0 d1 1 9 t", "q2 Q0 d1 1 9 t", "q1 Q0 d1 2 8 t", "q1 Q0 d1 3 7 t"), [3, 4], run(*GOOD)
    ),
    "duplicate_judgment": Case(qrels("q1 0 d1 1", "q1 0 d1 1.0"), [2], qrels("q1 1 d1 1", "q1 2 d1 1", "q2 1 d1 1")),
    "duplicate_rank": Case(
        run("q1 Q0 d1 2 9 t", "q1 Q0 d2 1 9 t", "q1 Q0 d3 2 9 t", "q1 Q0 d4 2 9 t"), [3, 4], run(*GOOD)
    ),
    "empty": Case(run("", "   ", "\t\r"), [None], run(*GOOD)),
    "empty_qrels": Case(qrels(""), [None], qrels(*JUDGED)),
    "extra_columns": Case(run("q1 Q0 d1", "q1 Q0 d1 1 9 t and more", "q1 Q0 d2 2 8 t"), [2], run(*GOOD)),
    "fractional_grade": Case(
        qrels("q1 0 d1 0.5", "q1 0 d2 3e9", "q1 0 d3 inf"),
        [1, 2, 3],
        qrels("q1 0 d1 1.0", "q1 0 d2 -1", "q1 0 d3 2e0"),
    ),
    "infinite_score": Case(
        run("q1 Q0 d1 1 inf t", "q1 Q0 d2 2 9 t", "q1 Q0 d3 3 -1e999 t"),
        [1, 3],
        run(*GOOD, "q3 Q0 d1 1 1e308 t"),
    ),
    "missing_query": Case(run("q1 Q0 d1 1 9 t", qrels=JUDGED), [None], run(*GOOD, qrels=JUDGED)),
    "mixed_tags": Case(run("q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 u", "q1 Q0 d3 3 7 v"), [2], run(*GOOD)),
    "nan_score": Case(run("q1 Q0 d1 1 9 t", "q1 Q0 d2 2 NaN t"), [2], run(*GOOD)),
    "negative_grade": Case(qrels("q1 0 d1 1", "q1 0 d2 -2"), [2], qrels("q1 0 d1 1", "q1 0 d2 -0")),
    "no_common_document": Case(run("q1 Q0 D7 1 9 t", qrels=["q1 0 d7 1"]), [None], run(*GOOD, qrels=["q9 0 d2 1"])),
    "no_common_query": Case(run("1 Q0 d1 1 9 t", qrels=["001 0 d1 1"]), [None], run(*GOOD, qrels=["q2 0 d9 1"])),
    "no_relevant_document": Case(
        qrels("q1 0 d1 1", "q2 0 d1 0", "q2 0 d2 -1", "q3 0 d1 0"), [2, 4], qrels("q1 0 d1 0", "q1 0 d2 1")
    ),
    "not_a_number": Case(
        run("q1 Q0 d1 1 9 t", "q1 Q0 d2 2 1,5 t", "q1 Q0 d3 3 0x1F t", "q1 Q0 d4 4 7_0 t"),
        [2, 3, 4],
        run(*GOOD),
    ),
    "rank_disagrees": Case(
        run("q1 Q0 d1 1 9 t", "q1 Q0 d2 2 8 t", "q2 Q0 d1 2 8 t", "q2 Q0 d2 1 7 t"),
        [3],
        run("q1 Q0 d1 2 9 t", "q1 Q0 d2 1 9 t", "q1 Q0 d3 3 8 t"),
    ),
    "rank_gap": Case(
        run("q1 Q0 d1 1 9 t", "q1 Q0 d2 3 8 t", "q1 Q0 d3 5 7 t", "q2 Q0 d1 2 9 t"),
        [2, 4],
        run("q1 Q0 d1 0 9 t", "q1 Q0 d2 1 8 t", "q2 Q0 d1 2 7 t", "q2 Q0 d2 1 8 t"),
    ),
    "shallow": Case(run(*TEN, "q2 Q0 d1 1 9 t"), [11], run(*TEN)),
    "tied_at_cutoff": Case(
        run("q1 Q0 a 1 9 t", "q1 Q0 b 2 8 t", "q1 Q0 c 3 8 t", "q2 Q0 a 1 5 t", "q2 Q0 b 2 5 t"),
        [2],
        run("q1 Q0 a 1 9 t", "q1 Q0 b 2 9 t", "q1 Q0 c 3 8 t", "q1 Q0 d 4 8 t"),
        {"cutoffs": (2,)},
    ),
    "too_deep": Case(
        run("q1 Q0 d1 1 9 t", *GOOD[1:], "q2 Q0 d2 2 0.2 t"), [1, 3], run("q1 Q0 d1 1 9 t"), {"max_depth": 1}
    ),
    "undecodable_bytes": Case(
        {"run": b"q1 Q0 d1 1 9 t\nq1 Q0 \xff\xfe 2 8 t\nq\xc3 Q0 d 1 1 t\n"},
        [2, 3],
        run("q1 Q0 d\u00e9j\u00e0 1 9 t", "\u95ee Q0 \u6587 1 9 t"),
    ),
    "unknown_query": Case(run(*GOOD, "q7 Q0 d1 1 9 t", qrels=JUDGED), [4], run(*GOOD, qrels=JUDGED)),
    "wrong_columns": Case(
        run("q1 Q0 d1 1 9", "q1 Q0 d1 1 9 t", "q1"), [1, 3], run("q1 Q0 d1 1 9 t", "", " q2\tQ0  d1 1 9 t \r")
    ),
    "zero_grades": Case(qrels("q1 0 d1 0", "q1 0 d2 -0.0", "q1 0 d3 1"), [None], qrels("q1 0 d1 -1", "q1 0 d2 1")),
}

CODES = sorted(shelf.offered("checks"))


def test_every_check_has_a_case_and_every_case_a_check() -> None:
    assert sorted(CASES) == CODES


@pytest.mark.parametrize("code", CODES)
def test_it_finds_its_fault_on_the_exact_line(code: str) -> None:
    case = CASES[code]
    seen = findings(code, **case.faulty, **case.options)
    assert [finding.line for finding in seen] == case.lines
    for finding in seen:
        assert finding.code == code
        assert finding.severity == shelf.find("checks", code).severity
        assert finding.source == ("example.run" if "run" in case.faulty else "example.qrels")
        assert finding.message.endswith(".")
        assert finding.remedy.endswith(".")
        assert finding.further == 0


@pytest.mark.parametrize("code", CODES)
def test_it_is_silent_where_the_fault_is_not(code: str) -> None:
    case = CASES[code]
    assert findings(code, **case.clean, **case.options) == ()


@pytest.mark.parametrize("code", CODES)
def test_its_page_explains_the_fault_and_the_remedy(code: str) -> None:
    check = shelf.find("checks", code)
    lines = check.page.splitlines()
    (severity,) = (line for line in lines if line.startswith("severity: "))
    assert severity.removeprefix("severity: ").split(";")[0] == check.severity
    (remedy,) = (line for line in lines if line.startswith("remedy: "))
    assert len(remedy) > len("remedy: ")
    assert check.summary[0].isupper()
    assert check.summary.endswith(".")
    assert check.severity in SEVERITIES
    assert set(check.of) <= {"run", "qrels"}
    assert check.of


@pytest.mark.parametrize("code", CODES)
def test_the_message_on_its_page_is_the_one_it_gives(code: str) -> None:
    module = importlib.import_module(f"rankproof.reading.checks.{code}")
    results = doctest.testmod(module)
    assert results.attempted >= 2
    assert results.failed == 0


@pytest.mark.parametrize("code", CODES)
def test_its_name_is_its_files_and_reads_well_after_allow(code: str) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
    file = Path(next(iter(rankproof.reading.checks.__path__))) / f"{code}.py"
    assert file.exists()
    (item,) = importlib.import_module(f"rankproof.reading.checks.{code}").OFFERS
    assert item.name == code


@pytest.mark.parametrize(
    ("code", "noun"), [(code, noun) for code in CODES for noun in shelf.offered("checks")[code].of]
)
def test_nothing_at_all_is_only_called_empty(code: str, noun: str) -> None:
    seen = findings(code, **{noun: ""})
    assert bool(seen) == (code in ("empty", "empty_qrels"))


def test_many_like_findings_are_folded() -> None:
    lines = [f"q{i} Q0 d1 1 nan t" for i in range(1, 101)]
    seen = findings("nan_score", run=lines)
    assert [finding.line for finding in seen] == [1, 2, 3] == list(range(1, FEW + 1))
    assert [finding.further for finding in seen] == [0, 0, 97]
    assert str(seen[-1]).endswith("(97 more like this.)")


def test_unreadable_ranks_are_an_error_only_where_ranks_decide() -> None:
    faulty = CASES["bad_rank"].faulty
    assert {f.severity for f in findings("bad_rank", **faulty)} == {"warning"}
    assert {f.severity for f in findings("bad_rank", **faulty, order=Order(by="rank"))} == {"error"}
