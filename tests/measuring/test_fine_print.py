"""The fine print: what stands below a table of numbers, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Settings
from rankproof.testing.tables import table_of

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}, "none": {"d4": 0}}
RUN = {"q1": {"d1": 2.0, "x": 1.0}, "none": {"d4": 1.0}, "new": {"d1": 1.0}}


def lines(
    measures: str,
    run: Mapping[str, Mapping[str, float]] = RUN,
    qrels: Mapping[str, Mapping[str, int]] = QRELS,
    **settings: object,
) -> Sequence[str]:
    chosen = Settings(**settings)
    return evaluate_tables(lambda order: table_of(qrels, run, order), parse(measures), chosen).fine_print


def test_population_is_told_with_names() -> None:
    told = lines("RR")
    assert "queries: 3 scored of 3 judged" in told
    assert "missing from the run: 1, count as empty rankings (q2)" in told
    assert "without a relevant document: 1 (none)" in told
    assert "in the run, not judged, not scored: 1 (new)" in told


def test_many_queries_are_counted_and_a_few_named() -> None:
    qrels = {f"q{i}": {"d": 1} for i in range(8)}
    assert "missing from the run: 8, count as empty rankings (q0, q1, q2, q3, q4 and 3 more)" in lines("RR", {}, qrels)


def test_undefined_queries_say_what_becomes_of_them() -> None:
    """RR is undefined in `none` and counts as 0; MinPos has no value there, nor in q2, where nothing was found."""
    told = lines("RR AP MinPos")
    assert "undefined: 1 query counts as 0 in RR, AP" in told
    assert "undefined: 2 queries left out of MinPos" in told


def test_skipped_queries_are_told_and_no_longer_undefined() -> None:
    told = lines("RR", undefined="skip")
    assert "skipped as undefined: 1 (none)" in told
    assert not any(line.startswith("undefined:") for line in told)


def test_the_judged_share_is_told_at_every_cutoff() -> None:
    """Judged of the first 1: 1, 0 (missing), 1; of the first 10: 1/2, 0, 1."""
    assert "Judged@1 0.6667, Judged@10 0.5000 (share of the first k documents that is judged)" in lines(
        "P@10 RR@1 R@10 AP"
    )


def test_without_a_cutoff_the_judged_share_is_that_of_the_first_ten() -> None:
    assert any(line.startswith("Judged@10 ") for line in lines("AP IPrec@0.1"))


def test_a_low_judged_share_is_warned_of() -> None:
    warning = "few of the first 10 documents are judged: unjudged ones count as not relevant, so the true values"
    assert any(line.startswith(warning) for line in lines("P@10"))
    whole = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}, "none": {"d4": 1.0}}
    assert not any(line.startswith("few") for line in lines("P@10", whole))


def test_condensed_rankings_have_no_judged_share_to_tell() -> None:
    told = lines("P@10", judged_only=True)
    assert not any("Judged@" in line for line in told)
    assert "judged only: unjudged documents removed before ranking" in told


def test_ties_are_told_when_the_rule_does_not_decide() -> None:
    assert "ties: mean over all orders of documents with equal scores" in lines("RR", ties="expected")
    assert "ties: least and greatest over all orders of documents with equal scores" in lines("RR", ties="range")
    assert not any(line.startswith("ties") for line in lines("RR"))
