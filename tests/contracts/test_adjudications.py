"""The contract of the adjudications shelf: what every way to settle promises, run over every one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import check_page, check_params, files_of
from tests.effort import examples

from rankproof.judging.adjudications.contract import Adjudication, Settled
from rankproof.judging.records import Judgment, Level, Scale
from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import Configured, read_configured
from rankproof.testing.judging import votes

ITEMS: dict[str, Adjudication] = dict(shelf.offered("adjudications"))
# Every item, with each of its rules; and whether it always finds a grade for judges called a, b, c, ...
ASKED = {
    "majority": False,
    "majority(ties='lower')": True,
    "majority(ties='higher')": True,
    "mean": True,
    "mean(ties='higher')": True,
    "mean(ties='unresolved')": False,
    "median": True,
    "median(ties='higher')": True,
    "median(ties='unresolved')": False,
    "newest": True,
    "settled": False,
    "settled(otherwise='median')": True,
    "trusted(judges=['c', 'a'])": True,
    "trusted(judges=['c', 'b'])": False,
    "trusted(judges=['z'], otherwise='majority')": False,
}
ODD = Scale("odd", tuple(Level(grade, f"grade {grade}") for grade in (-2, 0, 1, 5, 6)))
GRADES = st.lists(st.sampled_from(ODD.grades), min_size=1, max_size=7)

every_way = pytest.mark.parametrize("text", ASKED)
quick = settings(max_examples=examples(80), deadline=None)


def settle(asked: Configured, given: list[Judgment]) -> Settled:
    found: Settled = asked.item.settle(given, ODD, asked.values)
    return found


def test_every_item_is_in_a_group() -> None:
    assert {text.partition("(")[0] for text in ASKED} == set(ITEMS)
    assert {file.stem for file in files_of("adjudications")} == set(ITEMS)


@pytest.mark.parametrize("file", files_of("adjudications"), ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("adjudications", file)


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS.keys())
def test_parameters_are_explained(item: Adjudication) -> None:
    check_params(item)


@every_way
def test_its_text_reads_back_to_itself(text: str) -> None:
    assert read_configured("adjudications", text).text == text


@every_way
@given(grades=GRADES, rng=st.randoms())
@quick
def test_the_order_of_judgments_changes_nothing(text: str, grades: list[int], rng) -> None:
    asked, given_ = read_configured("adjudications", text), votes(*grades)
    if asked.item.by_order:
        return
    shuffled = list(given_)
    rng.shuffle(shuffled)
    assert settle(asked, shuffled) == settle(asked, given_)


@every_way
@given(grades=GRADES)
@quick
def test_the_grade_is_on_the_scale_between_the_least_and_the_greatest_given(text: str, grades: list[int]) -> None:
    found = settle(read_configured("adjudications", text), votes(*grades))
    if found.grade is not None:
        assert found.grade in ODD.grades
        assert min(grades) <= found.grade <= max(grades)
    assert found.how


@every_way
@given(grade=st.sampled_from(ODD.grades), n=st.integers(1, 7))
@quick
def test_judges_who_agree_get_their_grade(text: str, grade: int, n: int) -> None:
    found = settle(read_configured("adjudications", text), votes(*[grade] * n))
    if found.grade is None:
        assert found.how == "no trusted judge"
        assert n == 1  # only b and c are trusted, and only a has graded
    else:
        assert found.grade == grade


@pytest.mark.parametrize("text", [text for text, always in ASKED.items() if always])
@given(grades=GRADES)
@quick
def test_where_the_rule_says_so_nothing_stays_unresolved(text: str, grades: list[int]) -> None:
    assert settle(read_configured("adjudications", text), votes(*grades)).grade is not None


def test_importing_the_shelf_loads_no_database() -> None:
    code = (
        "import sys; from rankproof.kernel import shelf; shelf.offered('adjudications'); "
        "print([m for m in ('sqlalchemy', 'alembic', 'scipy') if m in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout.strip() == "[]"
