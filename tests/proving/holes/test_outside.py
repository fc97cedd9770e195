"""Relevant documents outside the universe: which measures they could move, and that every form of a report says so."""

from __future__ import annotations

import html
import json

import pytest

import rankproof
from rankproof.kernel import shelf
from rankproof.measuring.names import parse
from rankproof.proving.compare import compare
from rankproof.proving.holes.bounding import dependence
from rankproof.proving.holes.summary import _counts_missed
from rankproof.proving.records import Comparison
from rankproof.reports.forms.contract import Report

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "c": 1}, "q3": {"d": 1}}
RUNS = (
    {"q1": {"a": 3.0, "x": 2.0}, "q2": {"a": 2.0, "y": 1.0}, "q3": {"e": 2.0, "d": 1.0}},
    {"q1": {"x": 3.0, "a": 2.0}, "q2": {"c": 2.0, "a": 1.0}, "q3": {"d": 1.0}},
)


def compared(measures: str, **choices: object) -> Comparison:
    return compare(QRELS, *RUNS, measures, **choices)


@pytest.mark.parametrize("measure", ["AP", "R@2", "Rprec", "nDCG@2", "SetR", "Bpref", "NumRel"])
def test_bounds_were_silent_about_relevant_documents_that_no_run_has(measure: str) -> None:
    found = compared(f"{measure} P@1").holes
    assert found is not None
    assert found.outside.startswith(f"{measure} depends ")
    assert "--pool" in found.outside


@pytest.mark.parametrize("measure", ["P@2", "RR", "Success@2", "RBP", "NumRet"])
def test_nothing_is_said_where_they_cannot_matter(measure: str) -> None:
    found = compared(measure).holes
    assert found is not None
    assert found.outside == ""


def test_an_open_universe_has_no_outside() -> None:
    found = compared("AP", universe="open").holes
    assert found is not None
    assert found.outside == ""


def test_a_dialect_without_bounds_says_only_that_there_are_none() -> None:
    found = compared("AP", dialect="trec_eval").holes
    assert found is not None
    assert found.note
    assert found.outside == ""


@pytest.mark.parametrize("measure", ["AP", "R@2", "Rprec", "nDCG@2", "SetR", "P@2", "RR", "RBP", "Success@2"])
def test_what_it_says_is_so(measure: str) -> None:
    """One more relevant document that no run has: the value moves just where the measure is named."""
    (variant,) = parse(measure)
    more = {query: {**grades, "elsewhere": 1} for query, grades in QRELS.items()}
    before, after = (rankproof.evaluate(qrels, RUNS[1], measure)[measure].mean for qrels in (QRELS, more))
    assert (before != after) == _counts_missed(dependence(variant))


@pytest.mark.parametrize("form", ["table", "markdown", "json", "html"])
def test_every_form_of_the_report_says_it(form: str) -> None:
    comparison = compared("AP R@2 P@1")
    assert comparison.holes is not None
    report: Report = shelf.find("reports", form)
    assert report.comparison is not None
    text = html.unescape(report.comparison(comparison, per_query=False, observed={}))
    sentence = comparison.holes.outside
    assert sentence.startswith("AP, R@2 depend on how many documents are relevant in all")
    if form == "json":
        assert json.loads(text)["holes"]["outside"] == sentence
    else:
        assert sentence in " ".join(text.split())
