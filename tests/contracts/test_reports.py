"""The contract of the reports shelf: what every report promises, run over every report."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest
from tests.contracts.items import is_item

from rankproof.kernel import shelf
from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings
from rankproof.reports.forms.contract import Report
from rankproof.testing.tables import table_of

REPORTS = shelf.offered("reports")
FOLDER = Path(inspect.getfile(Report)).parent

QRELS = {"q1": {"d1": 3, "d2": 0, "d3": 1}, "q|2&": {"d1": 1, "d4": 2}, "ζ3": {"d9": 0}}
RUNS = {
    "a": {"q1": {"d1": 3.0, "d2": 2.0}, "q|2&": {"d4": 1.0, "d1": 1.0, "d7": 0.5}, "ζ3": {"d9": 1.0}},
    "b_<i>%": {"q1": {"d2": 3.0, "d3": 2.0, "d1": 1.0}, "q|2&": {"d1": 2.0}, "unknown": {"d1": 1.0}},
}


def evaluated(name: str, measures: str = "nDCG@10 RR AvgPos", **settings: object) -> Evaluation:
    run = RUNS[name]
    chosen = Settings(**settings)
    return evaluate_tables(lambda order: table_of(QRELS, run, order), parse(measures), chosen, run_name=name)


def both(**settings: object) -> list[Evaluation]:
    return [evaluated(name, **settings) for name in RUNS]


# Forms of comparisons and verdicts alone have their own tests.
OF_EVALUATIONS = {name: report for name, report in REPORTS.items() if "evaluation" in report.holds}
every_report = pytest.mark.parametrize("report", OF_EVALUATIONS.values(), ids=list(OF_EVALUATIONS))


def test_the_reports_promised_are_there() -> None:
    assert set(REPORTS) >= {"table", "json", "csv", "markdown", "latex", "trec"}


def test_every_file_of_the_shelf_offers_the_report_of_its_name() -> None:
    files = {file.stem for file in FOLDER.glob("*.py") if is_item(file)}
    assert set(REPORTS) == files


@every_report
def test_a_report_has_a_page_an_ending_and_a_media_type(report: Report) -> None:
    assert isinstance(report, Report)
    assert len(report.summary) > 20
    assert report.ending.startswith(".")
    assert "/" in report.mime


@every_report
@pytest.mark.parametrize("per_query", [False, True])
def test_the_same_evaluations_give_the_same_text_that_ends_in_a_line_end(report: Report, per_query: bool) -> None:
    first = report.render(both(), per_query=per_query, observed={})
    assert first == report.render(both(), per_query=per_query, observed={})
    assert first.endswith("\n")
    assert not first.endswith("\n\n")


@every_report
def test_what_is_observed_changes_nothing_but_its_own_place(report: Report) -> None:
    quick = report.render(both(), per_query=True, observed={"seconds": 0.125})
    slow = report.render(both(), per_query=True, observed={"seconds": 99.5})
    assert quick.replace("0.125", "99.5") == slow
    if report.name != "json":
        assert quick == slow


@every_report
def test_every_measure_and_value_of_every_run_is_told(report: Report) -> None:
    """The mean reciprocal ranks: run a (1 + 1 + 0)/3, run b (1/2 + 1 + 0)/3."""
    text = report.render(both(), per_query=False, observed={})
    assert "0.6667" in text or "0.6666666666666666" in text
    assert "0.5000" in text or "0.5" in text


@every_report
def test_each_query_is_told_when_asked_for(report: Report) -> None:
    with_queries = report.render(both(), per_query=True, observed={})
    assert len(with_queries) > len(report.render(both(), per_query=False, observed={}))
    assert "q1" in with_queries
    assert "ζ3" in with_queries


@every_report
@pytest.mark.parametrize("ties", ["expected", "range"])
def test_values_over_tied_orders_can_be_told(report: Report, ties: str) -> None:
    """q|2& of run a ties d4 (grade 2) with d1 (grade 1): nDCG differs by order, RR is 1 in both."""
    tied = evaluated("a", "nDCG@10 AvgPos", ties=ties)
    text = report.render([tied], per_query=True, observed={})
    # Ideal 2 + 1/log2(3) = 2.6309; the worse order has 1 + 2/log2(3) = 2.2619, so 0.8597 of it.
    if ties == "range" and report.name in ("table", "markdown", "latex"):
        assert "0.8597, 1.0000" in text
    elif ties == "expected" and report.name != "trec":
        assert "0.9298" in text or "0.9299" in text


@every_report
def test_a_population_of_no_query_is_told_in_words(report: Report) -> None:
    """Every query is undefined for one measure and skipped: no mean exists, and no number stands for it."""
    empty = {"q": {"d": 0}}
    nothing = evaluate_tables(
        lambda order: table_of(empty, {"q": {"d": 1.0}}, order), parse("RR"), Settings(undefined="skip")
    )
    text = report.render([nothing], per_query=True, observed={})
    if report.name != "trec":  # the form of another tool, which has no word for it
        assert "nan" not in text.casefold()
