"""The forms that answers have in Python: files, frames, charts, lines at a prompt; and what each cannot be."""

from __future__ import annotations

import csv
import io
import json
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.reports.benchmarks import benchmark_of
from tests.reports.comparisons import HOSTILE, comparison_of, verdict_of

import rankproof
from rankproof.errors import MissingExtra, UsageError
from rankproof.kernel.shown import METHODS, Drawing, Shown
from rankproof.kernel.verdict import Ruling
from rankproof.measuring.records import Evaluation, Population, Result
from rankproof.proving.verdict import Verdict

QRELS = {f"q{i}": {"d1": 1, "d2": 0} for i in range(6)}
BEST = {query: {"d1": 2.0, "d2": 1.0} for query in QRELS}
# Two of six queries have their relevant document second: RR (4 + 2/2)/6.
WORSE = {query: {"d1": 1.5 if i > 1 else 0.5, "d2": 1.0} for i, query in enumerate(QRELS)}
POLICY = {
    "rule": [
        {"rule": "least_value", "measure": "RR", "at_least": 0.1},
        {"rule": "no_regression", "measure": "RR", "margin": 0.01},
    ]
}


def answers() -> dict[str, Shown]:
    comparison = rankproof.compare(QRELS, WORSE, {"best": BEST}, "RR AP")
    return {
        "evaluation": comparison.evaluations[0],
        "evaluations": rankproof.evaluate(QRELS, {"a": WORSE, "b": BEST}, "RR AP"),
        "comparison": comparison,
        "verdict": rankproof.gate(POLICY, qrels=QRELS, baseline=WORSE, candidate=BEST),
        "benchmark": benchmark_of(),
    }


ANSWERS = answers()
every_answer = pytest.mark.parametrize("answer", ANSWERS.values(), ids=list(ANSWERS))
# The forms that cannot hold a benchmark: its comparison has them.
WITHOUT = {("benchmark", "to_latex"), ("benchmark", "to_csv")}
HELD = [(name, method) for name in ANSWERS for method in METHODS if (name, method) not in WITHOUT]


@pytest.mark.parametrize(("name", "method"), HELD)
def test_a_method_returns_the_text_and_writes_the_same(name: str, method: str, tmp_path: Path) -> None:
    text = getattr(ANSWERS[name], method)()
    goal = tmp_path / "answer"
    assert getattr(ANSWERS[name], method)(goal) == text
    assert goal.read_text("utf-8") == text
    assert text.endswith("\n")


@pytest.mark.parametrize(("name", "method"), sorted(WITHOUT))
def test_a_form_that_cannot_hold_an_answer_is_refused_with_those_that_can(name: str, method: str) -> None:
    with raises(UsageError, method, name, "to_html()", "to_markdown()", "to_pandas()") as refused:
        getattr(ANSWERS[name], method)()
    assert f"{method}()" not in str(refused.value)


@every_answer
def test_a_file_that_cannot_be_written_is_refused_and_nothing_is_left(answer: Shown, tmp_path: Path) -> None:
    with raises(UsageError, tmp_path / "none" / "page.html", "folder"):
        answer.to_html(tmp_path / "none" / "page.html")
    with raises(UsageError, tmp_path, "folder"):
        answer.to_html(tmp_path)
    assert list(tmp_path.iterdir()) == []


@every_answer
def test_the_text_of_an_answer_is_what_print_shows(answer: Shown) -> None:
    assert f"{answer}\n" == answer.to_text()
    assert len(repr(answer).splitlines()) == 1


# ---- frames ----------------------------------------------------------------------------------------


def test_values_by_query_and_of_all_queries() -> None:
    evaluation, several = ANSWERS["evaluation"], ANSWERS["evaluations"]
    frame = evaluation.to_pandas()
    assert list(frame.index) == list(QRELS)
    assert frame["RR"].tolist() == [0.5, 0.5, 1, 1, 1, 1]
    assert frame.mean().to_dict() == evaluation.to_pandas(per_query=False).loc["run"].to_dict()
    assert several.to_pandas()["RR"].to_dict() == {"a": 5 / 6, "b": 1.0}
    values = several.to_pandas(per_query=True)
    assert values["RR", "a"].tolist() == frame["RR"].tolist()
    assert values.columns.names == ["measure", "run"]


def test_a_column_without_a_value_is_a_column_of_numbers() -> None:
    """No query has a relevant document in the run, so that MinPos has no value at all."""
    made = rankproof.evaluate({"q1": {"d1": 1}}, {"q1": {"d9": 1.0}}, "MinPos RR")
    frame = made.to_pandas()
    assert frame["MinPos"].dtype == np.float64
    assert frame["MinPos"].isna().tolist() == [True]
    assert np.isnan(made.to_pandas(per_query=False).loc["run", "MinPos"])
    assert made.to_arrow().column("MinPos").to_pylist() == [None]
    assert made.to_polars()["MinPos"].to_list() == [None]


def test_a_measure_of_texts_is_a_column_of_texts_without_a_mean() -> None:
    made = rankproof.evaluate(QRELS, {"a": WORSE, "b": BEST}, "relstring RR", dialect="trec_eval")
    text = next(name for name in made.measures if name != "RR")
    assert made["b"].to_pandas().loc["q0", text] == made["b"][text].labels["q0"]
    assert made.to_pandas()[text].isna().all()
    assert made["b"].to_arrow().schema.field(text).type == "string"
    assert made.plot().title == "RR of a, b"


def test_no_query_at_all_is_an_empty_frame() -> None:
    made = rankproof.evaluate({"q1": {"d1": 0}}, {"q1": {"d1": 1.0}}, "RR AP", undefined="skip")
    frame = made.to_pandas()
    assert list(frame.columns) == ["RR", "AP"]
    assert len(frame) == 0
    assert frame["RR"].dtype == np.float64


def test_contrasts_in_a_frame() -> None:
    comparison: Any = ANSWERS["comparison"]
    frame = comparison.to_pandas()
    assert len(frame) == len(comparison.contrasts)
    first, contrast = frame.iloc[0], comparison.contrasts[0]
    assert (first["measure"], first["candidate"], first["queries"]) == ("RR", "best", 6)
    assert first["difference"] == contrast.difference.value == pytest.approx(1 / 6)
    assert (first["low"], first["high"]) == (contrast.difference.low, contrast.difference.high)
    assert (first["wins"], first["ties"], first["losses"]) == (2, 4, 0)
    values = comparison.to_pandas(per_query=True)
    assert values["RR", "best"].mean() - values["RR", "run"].mean() == pytest.approx(first["difference"])
    assert pytest.importorskip("pyarrow").table(comparison).num_rows == len(frame)


def test_a_contrast_that_cannot_be_estimated_has_a_reason_and_no_number() -> None:
    one = rankproof.compare({"q1": {"d1": 1}}, {"q1": ["d2", "d1"]}, {"b": {"q1": ["d1"]}}, "RR")
    row = one.to_pandas().iloc[0]
    assert row["result"] == "not estimable"
    assert row["reason"]
    assert np.isnan(row["low"])
    assert np.isnan(row["p_value"])
    assert repr(one) == "<Comparison with run, 1 query: RR b not estimable>"
    assert "not estimable" in repr(one.contrasts[0])
    assert "not estimable" in one._repr_html_()
    (cells,) = csv.DictReader(io.StringIO(one.to_csv()))
    assert cells["low"] == ""
    assert cells["reason"] == row["reason"]
    assert "nan" not in one.to_csv()


def test_rules_in_a_frame() -> None:
    verdict: Any = ANSWERS["verdict"]
    frame = verdict.to_pandas()
    assert frame["rule"].tolist() == ["least_value", "no_regression"]
    assert frame["status"].tolist() == [ruling.status for ruling in verdict.rulings]
    assert frame["lower"].tolist() == [ruling.answer.low for ruling in verdict.rulings]
    with raises(UsageError, "verdict.comparison.to_pandas(per_query=True)"):
        verdict.to_pandas(per_query=True)


def test_modes_in_a_frame() -> None:
    benchmark: Any = ANSWERS["benchmark"]
    frame = benchmark.to_pandas()
    assert list(frame.index) == list(benchmark.comparison.systems)
    assert frame["failures"].dtype == np.int64
    first = benchmark.comparison.evaluations[0]
    assert frame.loc[first.run_name, first.population and next(iter(first.results))] == next(iter(first.values())).mean


@every_answer
def test_polars_and_arrow_have_the_rows_of_pandas(answer: Shown) -> None:
    frame = answer.to_pandas()
    assert answer.to_polars().height == answer.to_arrow().num_rows == len(frame)
    assert {str(dtype) for dtype in answer.to_arrow().schema.types} <= {"string", "double", "int64"}


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> Any:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("rankproof.kernel.libraries.import_module", gone)
    for answer in ANSWERS.values():
        with raises(MissingExtra, "pip install pandas"):
            answer.to_pandas()


# ---- charts ----------------------------------------------------------------------------------------


@every_answer
def test_a_chart_shows_itself_and_is_saved(answer: Shown, tmp_path: Path) -> None:
    drawing = answer.plot()
    assert isinstance(drawing, Drawing)
    root = ET.fromstring(drawing.svg)
    assert root.tag.endswith("svg")
    assert drawing._repr_svg_() == drawing.svg == answer.plot().svg
    drawing.save(tmp_path / "chart.svg")
    assert (tmp_path / "chart.svg").read_text("utf-8") == drawing.svg
    for name in ("chart.png", "chart"):
        with raises(UsageError, name, ".svg", "PNG"):
            drawing.save(tmp_path / name)


def test_charts_of_several_measures_stand_one_below_the_other() -> None:
    whole, one = ANSWERS["evaluations"].plot(), ANSWERS["evaluations"].plot("mrr")
    tall = [float(ET.fromstring(drawing.svg).attrib["height"]) for drawing in (whole, one)]
    assert tall[0] == 2 * tall[1]
    assert ET.fromstring(one.svg).findtext("{http://www.w3.org/2000/svg}title") == "RR"


def test_a_chart_of_one_measure() -> None:
    comparison = rankproof.compare(QRELS, WORSE, {"b": BEST, "c": WORSE}, "RR AP", beyond=False)
    assert "AP" not in ET.fromstring(comparison.plot("mrr").svg).findtext("{http://www.w3.org/2000/svg}title", "AP")
    with raises(UsageError, "P@5", "RR, AP"):
        comparison.plot("P@5")


def test_what_cannot_be_drawn_is_refused_by_name() -> None:
    fact = Ruling("checks", "no errors", "PASS", "There are none.")
    with raises(UsageError, "release", "to_text()"):
        Verdict("PASS", (fact,), "release", "new", "old", ()).plot()
    nothing = rankproof.evaluate({"q1": {"d1": 1}}, {"q1": {"d9": 1.0}}, "MinPos")
    with raises(UsageError, "MinPos"):
        nothing.plot()
    many = rankproof.evaluate(QRELS, BEST, [f"P@{k}" for k in range(1, 12)])
    with raises(UsageError, "11", "8"):
        many.plot()


def test_hostile_names_stay_text_in_every_form() -> None:
    comparison = comparison_of(("base", HOSTILE), 30)
    verdict = verdict_of(comparison)
    for answer in (comparison, verdict, comparison.evaluations[1]):
        for html in (answer._repr_html_(), answer.plot().svg):
            assert "<script>alert" not in html
            assert "<img src=x" not in html
        ET.fromstring(answer.plot().svg)


# ---- at a prompt --------------------------------------------------------------------------------------


def test_a_hundred_thousand_queries_take_a_line_and_no_time() -> None:
    """The line of a result, a population, an evaluation and a contrast does not look at single queries."""
    ids = tuple(f"query {i}" for i in range(100_000))
    result = Result("RR", 0.5, ids, np.full(len(ids), 0.5))
    population = Population(100_000, 100_000, missing=ids)
    evaluation = Evaluation({"RR": result}, population)
    contrast = comparison_of(("a", "b"), 50_000).contrasts[0]
    for record in (result, population, evaluation, contrast):
        began = time.perf_counter()
        line = repr(record)
        assert time.perf_counter() - began < 0.05
        assert len(line) < 200, line[:300]
    assert repr(result) == "<Result of RR: 0.5000 over 100,000 queries>"
    assert "100,000 missing" in repr(population)


def test_long_lists_are_counted_at_a_prompt() -> None:
    many = rankproof.evaluate(QRELS, BEST, [f"P@{k}" for k in range(1, 12)])
    assert repr(many) == (
        "<Evaluation of run: P@1 1.0000, P@2 0.5000, P@3 0.3333, P@4 0.2500, P@5 0.2000, P@6 0.1667, and 5 more; "
        "6 queries>"
    )
    rules = tuple(Ruling("r", f"rule {i}", "PASS", "Fine.") for i in range(9))
    assert repr(Verdict("PASS", rules, "p", "new", None, ())).endswith("rule 3: PASS, and 5 more rules>")


@pytest.mark.parametrize("width", [30, 60, 80, 200])
@every_answer
def test_a_rich_console_cuts_nothing(answer: Any, width: int) -> None:
    console_text = _on_console(answer, width)
    assert max(map(len, console_text.splitlines())) <= width
    together = "".join(console_text.split())
    shown = answer.__rich__()
    for row in shown.rows:
        for cell in row:
            assert "".join(cell.split()) in together, cell


def test_a_comparison_fits_the_usual_console_as_a_table() -> None:
    comparison = rankproof.compare(QRELS, WORSE, {"best": BEST, "other": WORSE}, "nDCG@10 RR@10", beyond=False)
    lines = _on_console(comparison, 80).splitlines()
    assert lines[1].split() == ["measure", "candidate", "difference", "adjusted", "95%", "CI", "p", "(max_t)", "result"]
    narrow = " ".join(_on_console(comparison, 60).split())
    assert "nDCG@10 best: difference +0.1230, adjusted 95% CI" in narrow  # 2 of 6 queries gain 1 - 1/log2(3) = 0.3691
    assert "candidate" not in narrow


def _on_console(answer: Any, width: int) -> str:
    from rich.console import Console

    out = io.StringIO()
    Console(width=width, file=out, color_system=None).print(answer)
    return out.getvalue()


def test_json_of_each_answer_says_its_schema() -> None:
    schemas = {name: json.loads(answer.to_json())["schema"] for name, answer in ANSWERS.items()}
    assert schemas == {
        "evaluation": "evaluation/1",
        "evaluations": "evaluation/1",
        "comparison": "comparison/1",
        "verdict": "verdict/1",
        "benchmark": "benchmark/1",
    }
