"""Each report's own form: what it looks like and how hostile names come through."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping

import pytest

from rankproof.kernel import shelf
from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings
from rankproof.testing.tables import table_of

Dicts = Mapping[str, Mapping[str, float]]
QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
GOOD: Dicts = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
BAD: Dicts = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"x": 2.0, "d3": 1.0}}


def evaluated(
    run: Dicts, measures: str, name: str, qrels: Mapping[str, Mapping[str, int]] = QRELS, **settings: object
) -> Evaluation:
    chosen = Settings(**settings)
    return evaluate_tables(lambda order: table_of(qrels, run, order), parse(measures), chosen, run_name=name)


def render(form: str, *evaluations: Evaluation, per_query: bool = False) -> str:
    text = shelf.find("reports", form).render(evaluations, per_query=per_query, observed={})
    assert isinstance(text, str)
    return text


def two(measures: str = "RR P@1") -> tuple[Evaluation, Evaluation]:
    return evaluated(GOOD, measures, "good"), evaluated(BAD, measures, "bad")


# ---- table ---------------------------------------------------------------------------------------


def test_table_marks_the_best_and_aligns() -> None:
    """RR of bad: 1/2 in both queries."""
    lines = render("table", *two()).splitlines()
    assert lines[:3] == ["run       RR      P@1", "good  1.0000*  1.0000*", "bad   0.5000   0.0000"]
    assert lines[3] == ""
    assert lines[4].startswith("* best of these runs")


def test_table_of_one_run_marks_nothing() -> None:
    assert "*" not in render("table", two()[0])


def test_equal_values_have_no_best() -> None:
    good = two()[0]
    assert "*" not in render("table", good, good)


def test_lower_is_better_where_the_measure_says_so() -> None:
    """MinPos: good 1 and 1, bad 2 and 2."""
    rows = render("table", *two("MinPos")).splitlines()
    assert rows[1].split() == ["good", "1.0000*"]


def test_table_per_query_ends_with_all_queries() -> None:
    rows = [line.split() for line in render("table", *two("RR"), per_query=True).splitlines()]
    assert rows[:7] == [
        ["query_id", "run", "RR"],
        ["q1", "good", "1.0000"],
        ["q1", "bad", "0.5000"],
        ["q2", "good", "1.0000"],
        ["q2", "bad", "0.5000"],
        ["all", "good", "1.0000*"],
        ["all", "bad", "0.5000"],
    ]


def test_many_measures_go_down_the_page() -> None:
    measures = " ".join(f"P@{k} R@{k}" for k in range(1, 12))
    rows = render("table", *two(measures)).splitlines()
    assert rows[0].split() == ["measure", "good", "bad"]
    assert rows[1].split() == ["P@1", "1.0000*", "0.0000"]
    assert max(map(len, rows[:23])) < 40


def test_fine_print_that_holds_for_all_runs_stands_once() -> None:
    text = render("table", *two())
    assert text.count("order: score descending") == 1
    assert text.count("queries: 2 scored of 2 judged") == 1


def test_fine_print_of_one_run_bears_its_name() -> None:
    part = evaluated({"q1": {"d1": 1.0}}, "RR", "part")
    assert "part: missing from the run: 1" in render("table", evaluated(GOOD, "RR", "good"), part)


def test_runs_scored_on_other_queries_are_not_compared() -> None:
    """Undefined queries are skipped run by run; here the runs meet different judgments altogether."""
    other = evaluated(BAD, "RR", "bad", {"q1": {"d1": 1}})
    text = render("table", evaluated(GOOD, "RR", "good"), other)
    assert "their values do not compare" in text
    assert "*" not in text


def test_undefined_is_a_word_in_its_query() -> None:
    qrels = {"q1": {"d1": 1}, "none": {"d1": 0}}
    run: Dicts = {"q1": {"d1": 1.0}, "none": {"d1": 1.0}}
    text = render("table", evaluated(run, "RR", "r", qrels), per_query=True)
    assert ["none", "r", "undefined"] in [line.split() for line in text.splitlines()]
    assert "undefined: 1 query counts as 0 in RR" in text


def test_a_range_over_ties_shows_least_and_greatest() -> None:
    """d1 (relevant) and d2 tie: RR is 1 or 1/2 in q1 and 1 in q2, so 0.75 to 1."""
    tied: Dicts = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 1.0}}
    text = render("table", evaluated(tied, "RR", "t", ties="range"), per_query=True)
    assert "[0.7500, 1.0000]" in text
    assert "[0.5000, 1.0000]" in text


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = render("table", evaluated(GOOD, "RR", "\x1b[31mred\r\n"))
    assert "\x1b" not in text
    assert "\\x1b[31mred\\r\\n" in text


def test_wide_and_combining_characters_keep_columns_aligned() -> None:
    from rankproof.kernel.sections import width

    assert [width(text) for text in ("abc", "検索", "e\u0301")] == [3, 4, 1]


# ---- markdown, latex -----------------------------------------------------------------------------


def test_markdown_is_a_table_with_the_best_in_bold() -> None:
    lines = render("markdown", *two("RR")).splitlines()
    assert lines[:4] == ["| run | RR |", "| --- | ---: |", "| good | **1.0000** |", "| bad | 0.5000 |"]
    assert lines[4] == ""
    assert all(line.startswith("- ") for line in lines[5:])


def test_markdown_escapes_names() -> None:
    text = render("markdown", evaluated(GOOD, "RR", "a|b*c_<i>\n"))
    assert r"| a\|b\*c\_\<i\>  | 1.0000 |" in text


def test_latex_is_booktabs_with_the_best_in_bold() -> None:
    lines = render("latex", *two("RR")).splitlines()
    assert lines[:7] == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"run & RR \\",
        r"\midrule",
        r"good & \textbf{1.0000} \\",
        r"bad & 0.5000 \\",
        r"\bottomrule",
    ]
    assert all(line.startswith("% ") for line in lines[8:])


def test_latex_escapes_names() -> None:
    text = render("latex", evaluated(GOOD, "RR", "50%_a&b#{x}^~\\"))
    assert r"50\%\_a\&b\#\{x\}\textasciicircum{}\textasciitilde{}\textbackslash{} & 1.0000 \\" in text


# ---- data forms ----------------------------------------------------------------------------------


def test_csv_has_full_precision_and_no_row_for_all_queries() -> None:
    run: Dicts = {"q1": {"x": 3.0, "y": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}}
    name = 'with "quotes", and comma'
    rows = list(csv.reader(io.StringIO(render("csv", evaluated(run, "RR", name), per_query=True))))
    assert rows == [["run", "query_id", "RR"], [name, "q1", repr(1 / 3)], [name, "q2", "1.0"]]
    means = list(csv.reader(io.StringIO(render("csv", evaluated(run, "RR", name)))))
    assert means == [["run", "RR"], [name, repr((1 / 3 + 1) / 2)]]


def test_csv_says_undefined_and_never_a_number() -> None:
    qrels = {"q1": {"d1": 1}, "none": {"d1": 0}}
    run: Dicts = {"q1": {"d1": 1.0}, "none": {"d1": 1.0}}
    evaluation = evaluated(run, "RR AvgPos", "r", qrels)
    rows = list(csv.reader(io.StringIO(render("csv", evaluation, per_query=True))))
    assert ["r", "none", "undefined", "undefined"] in rows


def test_csv_of_a_range_has_two_columns() -> None:
    tied: Dicts = {"q1": {"d1": 1.0, "d2": 1.0}, "q2": {"d3": 1.0}}
    text = render("csv", evaluated(tied, "RR", "t", ties="range"), per_query=True)
    assert text.splitlines() == ["run,query_id,RR least,RR greatest", "t,q1,0.5,1.0", "t,q2,1.0,1.0"]


def test_json_reads_back_to_the_same_numbers() -> None:
    first, second = two("RR nDCG@10")
    document = json.loads(render("json", first, second, per_query=True))
    assert document["schema"] == "evaluation/1"
    assert [run["run"] for run in document["evaluations"]] == ["good", "bad"]
    told = document["evaluations"][1]["measures"]["nDCG@10"]
    assert told["value"] == second["nDCG@10"].mean
    assert told["by_query"] == second["nDCG@10"].by_query
    assert "by_query" not in json.loads(render("json", first))["evaluations"][0]["measures"]["RR"]


def test_json_holds_every_field_its_page_names() -> None:
    run: Dicts = {"q1": {"d1": 1.0}}
    document = json.loads(render("json", evaluated(run, "RR", "r", undefined="zero")))
    (told,) = document["evaluations"]
    assert told["settings"]["undefined"] == "zero"
    assert told["population"] == {
        "scored": 2,
        "judged": 2,
        "missing": ["q2"],
        "missing_policy": "zero",
        "without_relevant": [],
        "unjudged": [],
        "skipped": [],
    }
    page = shelf.find("reports", "json").page
    for field in (*document, *told, *told["measures"]["RR"], *told["settings"]):
        assert f'"{field}"' in page or field in page, field


def test_a_mean_of_nothing_is_null() -> None:
    nothing = evaluated({"q": {"d": 1.0}}, "RR", "r", {"q": {"d": 0}}, undefined="skip")
    document = json.loads(render("json", nothing))
    assert document["evaluations"][0]["measures"]["RR"]["value"] is None
    assert "undefined" in render("table", nothing)


@pytest.mark.parametrize("form", ["table", "markdown", "latex"])
def test_counts_are_whole_numbers(form: str) -> None:
    text = render(form, evaluated(GOOD, "NumRel NumRet", "good"))
    assert "2" in text
    assert "2.0000" not in text
