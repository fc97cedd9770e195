"""A verdict in every form that can hold one: what it says, and how hostile names and texts come through."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import Any

import pytest

from rankproof.kernel import shelf
from rankproof.kernel.verdict import Payer, Ruling
from rankproof.proving.gate import gate
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms.github import command

HOSTILE = "a|b*<i>&\"' %0A::error::x\r\n\x1b[31m\x00\ud800 検索"

PASSED = Ruling("judged_rate", "Judged@10 at least 0.9", "PASS", "It is.", observed=0.95, threshold=0.9, band="good")
FAILED = Ruling(
    "no_query_loses_more", f"no query loses {HOSTILE}", "FAIL", f"One does: {HOSTILE}.", threshold=0.3, observed=0.4,
    better="lower", payers=(Payer("q1", f"red {HOSTILE}", 0.1, 0.5, -0.4), Payer("q2", "", None, 0.5)),
)  # fmt: skip
OPEN = Ruling(
    "least_value", "nDCG@10 at least 0.5", "UNDECIDED", "Who knows.", decides="About 90 queries would.", band="warn"
)


def verdict(*rulings: Ruling, status: str = "FAIL", **more: Any) -> Verdict:
    return Verdict(status, rulings, "release", "new", "old", ("Because.",), **more)


MIXED = verdict(PASSED, FAILED, OPEN, source="policies/a,b.toml")
FORMS = [name for name, report in shelf.offered("reports").items() if "verdict" in report.holds]


def render(form: str, of: Verdict = MIXED, **observed: Any) -> str:
    text = shelf.find("reports", form).verdict(of, observed=observed)
    assert isinstance(text, str)
    return text


def test_the_forms_promised_are_there() -> None:
    assert set(FORMS) >= {"table", "markdown", "json", "junit", "github", "html"}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_verdict_gives_the_same_text_that_ends_in_a_line_end(form: str) -> None:
    assert render(form) == render(form)
    assert render(form).endswith("\n")


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("json", "html")])
def test_seconds_change_nothing(form: str) -> None:
    assert render(form, seconds=1.0) == render(form, seconds=2.0)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_what_would_decide_it(form: str) -> None:
    assert "About 90 queries would." in render(form)


@pytest.mark.parametrize("form", ["table", "markdown", "junit", "github"])
def test_control_characters_are_written_out(form: str) -> None:
    text = render(form)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f]", text)
    text.encode("utf-8")  # nor is there half of a surrogate pair, which no file can hold


# ---- table and markdown --------------------------------------------------------------------------


def test_the_table_has_the_verdict_first_and_words_for_what_did_not_pass() -> None:
    lines = render("table", verdict(PASSED, OPEN, status="UNDECIDED")).splitlines()
    assert lines[0] == "UNDECIDED: release, new against old (1 undecided, 1 passed)"
    assert lines[1].split() == ["verdict", "rule", "observed", "required", "one-sided", "bounds", "label"]
    assert lines[2].split() == ["PASS", "Judged@10", "at", "least", "0.9", "0.9500", ">=", "0.9000", "good"]
    assert "UNDECIDED: nDCG@10 at least 0.5" in lines
    assert "  What would decide it: About 90 queries would." in lines
    assert lines[-1] == "  labels decide nothing"


def test_a_query_that_pays_stands_there_with_its_text_and_values() -> None:
    lost = replace(
        FAILED,
        title="limit",
        reason="One does.",
        payers=(Payer("q1", "red  shoes", 0.1, 0.5, -0.4), Payer("q2", "", None, 0.5)),
    )
    lines = render("table", verdict(lost)).splitlines()
    assert "      q1 'red shoes': 0.5000 -> 0.1000 (-0.4000)" in lines
    assert "      q2: 0.5000 -> undefined" in lines


def test_markdown_has_no_character_of_its_own_in_names() -> None:
    text = render("markdown")
    assert r"a\|b\*\<i\>" in text
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(rows) == 5
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}
    assert text.startswith("## ❌ FAIL")


# ---- JUnit ---------------------------------------------------------------------------------------

# As junit-10.xsd, the schema of Jenkins' xUnit plugin, has it: attributes and the order of children.
ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "disabled", "errors"},
    "testsuite": {
        "name", "tests", "failures", "errors", "group", "time", "disabled", "skipped", "timestamp", "hostname", "id",
        "package", "file", "log", "url", "version",
    },
    "properties": set(),
    "property": {"name", "value"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "system-out": set(),
}  # fmt: skip
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out"],
    "properties": ["property"],
    "testcase": ["failure", "error", "system-out"],
}


def check_element(element: ET.Element) -> None:
    assert set(element.attrib) <= ATTRIBUTES[element.tag], element.tag
    allowed = CHILDREN.get(element.tag, [])
    assert {child.tag for child in element} <= set(allowed)
    places = [allowed.index(child.tag) for child in element]
    if element.tag == "testsuite":
        assert places == sorted(places)
    for child in element:
        check_element(child)


def test_junit_is_of_the_schema_and_counts() -> None:
    root = ET.fromstring(render("junit"))
    check_element(root)
    (suite,) = root
    assert suite.attrib == {"name": "release", "tests": "3", "failures": "1", "errors": "1", "skipped": "0"}
    assert {p.get("name"): p.get("value") for p in suite.iter("property")} == {
        "verdict": "FAIL", "candidate": "new", "baseline": "old", "confidence": "0.95", "significance": "t_or_gaffke",
    }  # fmt: skip


def test_junit_has_a_case_for_each_rule_and_an_error_for_what_is_undecided() -> None:
    passed, failed, undecided = ET.fromstring(render("junit")).iter("testcase")
    assert [child.tag for child in passed] == ["system-out"]
    (failure,) = failed
    assert (failure.tag, failure.get("type")) == ("failure", "FAIL")
    assert "q2: 0.5000 -> undefined" in (failure.text or "")
    (error,) = undecided
    assert (error.tag, error.get("type"), error.get("message")) == ("error", "UNDECIDED", "Who knows.")
    assert "What would decide it: About 90 queries would." in (error.text or "")


def test_junit_keeps_hostile_texts_as_far_as_xml_can() -> None:
    text = render("junit")
    text.encode("utf-8")
    failed = list(ET.fromstring(text).iter("testcase"))[1]
    assert failed.get("name") == "no query loses a|b*<i>&\"' %0A::error::x\r\n\\x1b[31m\\x00\\ud800 検索"


# ---- GitHub --------------------------------------------------------------------------------------


def test_annotations_are_one_line_each_gravest_first() -> None:
    lines = render("github", verdict(OPEN, PASSED, FAILED)).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::error"]
    assert lines[-1] == "::error title=gate%3A FAIL::FAIL: release, new against old (1 failed, 1 undecided, 1 passed)"


def test_annotations_cannot_be_broken_out_of() -> None:
    """A line end in an id must not begin another command."""
    text = render("github")
    assert text.count("\n") == 3
    assert all(line.startswith("::") for line in text.splitlines())
    assert "file=policies/a%2Cb.toml," in text
    assert command("notice", "a,b:c%", "x\r\ny%", "f:1") == "::notice file=f%3A1,title=a%2Cb%3Ac%25::x%0D%0Ay%25"


def test_a_pass_is_one_notice_and_a_warning_label_another() -> None:
    near = replace(PASSED, band="warn")
    assert render("github", verdict(PASSED, status="PASS")).startswith("::notice title=gate%3A PASS::")
    assert render("github", verdict(near, status="PASS")).splitlines()[0].startswith("::notice title=PASS%3A Judged")


# ---- JSON ----------------------------------------------------------------------------------------


def test_json_has_the_shape_it_promises() -> None:
    document = json.loads(render("json", seconds=0.5))
    assert list(document) == [
        "rankproof", "schema", "status", "exit_status", "policy", "candidate", "baseline", "reasons", "rulings",
        "notes", "evaluation", "comparison", "manifest", "observed",
    ]  # fmt: skip
    assert (document["schema"], document["status"], document["exit_status"]) == ("verdict/1", "FAIL", 1)
    assert document["policy"] == {
        "name": "release", "source": "policies/a,b.toml", "confidence": 0.95, "significance": "t_or_gaffke", "seed": 0,
    }  # fmt: skip
    assert document["observed"] == {"seconds": 0.5}
    first = document["rulings"][0]
    assert list(first) == [
        "rule", "title", "status", "reason", "decides", "measure", "segment", "basis", "better", "unit", "observed",
        "threshold", "bounds", "confidence", "p_fail", "adjusted", "effect", "band", "queries", "payers", "notes",
    ]  # fmt: skip
    assert (first["band"], first["decides"], first["bounds"]) == ("good", None, None)


def test_json_of_a_real_gate_has_bounds_and_what_it_rests_on() -> None:
    qrels = {f"q{i}": {"d": 1} for i in range(4)}
    good = {f"q{i}": {"x": 2.0 + (i < 3) * -1.5, "d": 1.0} for i in range(4)}
    told = gate(
        {
            "rule": [
                {"rule": "least_value", "measure": "RR", "at_least": 0.5},
                {"rule": "no_regression", "measure": "RR", "margin": 0.1},
            ]
        },
        qrels=qrels, candidate=good, baseline={f"q{i}": {"x": 2.0, "d": 1.0} for i in range(4)},
    )  # fmt: skip
    document = json.loads(render("json", told))
    bounds = document["rulings"][0]["bounds"]
    assert (bounds["method"], bounds["n"]) == ("gaffke", 4)
    assert bounds["lower"] < 0.875 < bounds["upper"]  # RR 1, 1, 1, 0.5
    assert document["evaluation"]["measures"]["RR"]["value"] == 0.875
    assert document["comparison"]["systems"] == ["baseline", "candidate"]
    assert "NaN" not in render("json", told)
    assert "Infinity" not in render("json", told)
