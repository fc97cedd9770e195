"""The short form of a comparison: few lines, and nothing that could change the verdict left out of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import rankproof
from rankproof.kernel.sections import Screen, sections_text
from rankproof.proving.compare import compare_values
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.records import Comparison, Design
from rankproof.proving.summary import MOST_LINES, comparison_summary
from rankproof.reports.forms.table import comparison as table_form

QRELS = {f"q{i:02}": {"d1": 2, "d2": 1, "d3": 0} for i in range(20)}


def ranked(*docs: str) -> dict[str, dict[str, float]]:
    return {query: {doc: float(9 - at) for at, doc in enumerate(docs)} for query in QRELS}


GOOD, BAD = ranked("d1", "d2", "d3"), ranked("d3", "d2", "d1")


def short(comparison: Comparison, width: int | None = None, per_query: bool = False) -> str:
    screen = Screen(width, False) if width is None else Screen(width, False, width)
    return table_form(comparison, per_query=per_query, observed={}, screen=screen)


def of_values(*systems: list[float], design: Design | None = None, measures: int = 1) -> Comparison:
    table = np.array(systems).T
    ids = tuple(f"q{i}" for i in range(len(table)))
    tables = [PerUnit(f"m{i}", "higher", "mean", ids, table) for i in range(measures)]
    return compare_values([f"s{i}" for i in range(len(systems))], tables, design or Design(resamples=1_000))


def test_a_verdict_is_one_sentence_in_the_words_of_the_field() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(0.5, 0.1, 40)
    better = short(of_values(base.tolist(), (base + rng.normal(0.1, 0.05, 40)).tolist()))
    assert "Statistically significant: s1 is better than s0 in m0" in better
    assert "95% confidence interval" in better
    assert "effect size" in better
    same = short(of_values(base.tolist(), (base + rng.normal(0.0, 0.2, 40)).tolist()))
    assert "Not statistically significant in m0" in same
    assert "40 queries detect a true difference of" in same


def test_ties_that_could_change_the_verdict_are_said() -> None:
    tied = {query: dict.fromkeys(("d1", "d2", "d3"), 1.0) for query in QRELS}
    assert "Warning: another order of tied scores could change the result of" in short(
        rankproof.compare(QRELS, GOOD, tied, "nDCG@3", names=["good", "tied"])
    )
    assert "tied scores" not in short(rankproof.compare(QRELS, GOOD, BAD, "nDCG@3", names=["good", "bad"]))


def test_unjudged_documents_that_could_turn_the_sign_are_said() -> None:
    new = ranked("x", "d2", "d1")
    text = short(rankproof.compare(QRELS, GOOD, new, "nDCG@3", names=["good", "new"]))
    assert "Warning: unjudged documents could turn the sign of the difference in nDCG@3 of new (" in text
    assert "unjudged documents could turn" not in short(
        rankproof.compare(QRELS, GOOD, BAD, "nDCG@3", names=["good", "bad"])
    )


def test_missing_queries_are_said_of_one_system_and_of_several() -> None:
    fewer = {query: docs for query, docs in BAD.items() if query > "q01"}
    one = short(rankproof.compare(QRELS, GOOD, fewer, "nDCG@3", names=["good", "fewer"]))
    assert "Warning: fewer lacks 2 of 20 judged queries, which count as empty rankings." in one
    two = rankproof.compare(QRELS, GOOD, [fewer, fewer], "nDCG@3", names=["good", "fewer", "same"])
    assert "Warning: missing queries count as empty rankings (fewer 2, same 2)." in short(two)


def test_settings_that_make_another_number_are_said() -> None:
    text = short(rankproof.compare(QRELS, GOOD, BAD, "nDCG@3", names=["a", "b"], depth=2, judged_only=True))
    assert "measured with depth=2, judged_only=True" in text
    assert "measured with" not in short(rankproof.compare(QRELS, GOOD, BAD, "nDCG@3", names=["a", "b"]))


def test_an_interval_that_reaches_zero_beside_a_significant_difference_is_explained() -> None:
    """Step-down tests of a family say more than its simultaneous intervals."""
    rng = np.random.default_rng(3)
    base = rng.normal(0.5, 0.1, 30)
    for gain in np.linspace(0.02, 0.08, 40):
        noise = np.random.default_rng(4)
        far, near = (base + 0.3 + noise.normal(0, 0.05, 30)), (base + gain + noise.normal(0, 0.1, 30))
        comparison = of_values(base.tolist(), far.tolist(), near.tolist(), design=Design(correction="holm"))
        near_contrast = comparison.contrast("m0", "s2")
        assert near_contrast.adjusted is not None
        if near_contrast.direction == "better" and near_contrast.adjusted.low <= 0:
            assert "adjusted interval reaches 0 although the difference is significant" in short(comparison)
            return
    pytest.fail("no case came up where an interval reaches 0 beside a significant difference")


def test_a_margin_that_was_asked_for_is_answered() -> None:
    text = short(rankproof.compare(QRELS, GOOD, BAD, "nDCG@3", names=["a", "b"], non_inferiority=0.02))
    assert "non-inferior to a within 0.0200" in text


def test_warnings_without_room_are_counted_and_those_on_the_verdict_stay() -> None:
    tied = {query: dict.fromkeys(("x", "d2", "d3"), 1.0) for query in QRELS if query != "q05"}
    comparison = rankproof.compare(QRELS, GOOD, tied, "nDCG@3 RR P@2 R@2 AP", names=["good", "tied"])
    further = (f"warning number {i} has some words" for i in range(9))
    many = replace(comparison, warnings=(*comparison.warnings, *further))
    text = short(many, 80)
    assert len(text.splitlines()) <= MOST_LINES
    assert "more warnings, queries, ties, fine print" in text
    assert "tied lacks 1 of 20" in text
    full = table_form(many, per_query=False, observed={}, screen=Screen())
    assert "warning number 8 has some words" in full


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_long_names_are_never_cut(width: int) -> None:
    names = ["a_baseline_with_a_very_long_name_of_its_own", "candidate_of_some_length"]
    comparison = rankproof.compare(QRELS, GOOD, BAD, "nDCG(gain=exp2)@3 P(rel=2)@2", names=names)
    text = sections_text(comparison_summary(comparison, False, width), width)
    for word in (*names, "nDCG(gain=exp2)@3", "P(rel=2)@2"):
        assert word in text
    for line in text.splitlines():
        assert len(line) <= width or len(line.split()) <= 2, line


def test_each_query_is_shown_on_demand() -> None:
    comparison = rankproof.compare(QRELS, GOOD, BAD, "nDCG@3", names=["a", "b"])
    assert "q07" in short(comparison, per_query=True)
    assert "q07" not in short(comparison)
