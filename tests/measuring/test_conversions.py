"""What an Evaluation turns into: dict, Arrow, pandas, polars, HTML, rich and a line of text."""

from __future__ import annotations

import builtins
import importlib
import json
import pickle
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import MissingExtra
from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation
from rankproof.testing.tables import table_of

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}, "q3": {"d4": 0}}
RUN = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}, "q3": {"d4": 1.0}}


@pytest.fixture
def evaluation() -> Evaluation:
    """RR 1/2, 1, 0 (undefined, counts as 0); MinPos 2, 1, none (undefined, does not count)."""
    return evaluate_tables(lambda order: table_of(QRELS, RUN, order), parse("RR MinPos"), run_name="<b>run</b> [red]")


EXPECTED = {"query_id": ["q1", "q2", "q3"], "RR": [0.5, 1.0, 0.0], "MinPos": [2.0, 1.0, None]}


def test_to_arrow(evaluation: Evaluation) -> None:
    table = evaluation.to_arrow()
    assert table.to_pydict() == EXPECTED
    assert [str(field.type) for field in table.schema] == ["string", "double", "double"]


def test_arrow_stream(evaluation: Evaluation) -> None:
    import pyarrow as pa

    assert pa.table(evaluation).to_pydict() == EXPECTED


def test_to_pandas(evaluation: Evaluation) -> None:
    frame = evaluation.to_pandas()
    assert list(frame.columns) == ["RR", "MinPos"]
    assert list(frame.index) == EXPECTED["query_id"]
    assert frame.index.name == "query_id"
    assert frame["RR"].mean() == evaluation["RR"].mean
    assert frame["MinPos"].mean() == evaluation["MinPos"].mean == 1.5


def test_to_polars(evaluation: Evaluation) -> None:
    frame = evaluation.to_polars()
    assert frame.to_dict(as_series=False) == EXPECTED


def test_to_dict_is_plain_data(evaluation: Evaluation) -> None:
    document = evaluation.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["measures"]["RR"]["by_query"] == {"q1": 0.5, "q2": 1.0, "q3": 0.0}
    assert document["measures"]["RR"]["undefined"] == ["q3"]
    assert document["measures"]["MinPos"]["better"] == "lower"
    assert "by_query" not in evaluation.to_dict(by_query=False)["measures"]["RR"]


@pytest.mark.parametrize(
    ("way", "library", "line"),
    [
        ("to_arrow", "pyarrow", "'rankproof[arrow]'"),
        ("to_pandas", "pandas", "pandas"),
        ("to_polars", "polars", "polars"),
    ],
)
def test_a_missing_library_is_named_with_its_install_line(
    evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch, way: str, library: str, line: str
) -> None:
    def no_such_library(name: str, *rest: Any) -> Any:
        if name == library:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return importlib.__import__(name, *rest)

    monkeypatch.setattr("rankproof.kernel.libraries.import_module", no_such_library)
    with raises(MissingExtra, repr(library), f"pip install {line}"):
        getattr(evaluation, way)()


def test_html_escapes_names_and_shows_fine_print(evaluation: Evaluation) -> None:
    html = evaluation._repr_html_()
    assert "<b>run" not in html
    assert "&lt;b&gt;run&lt;/b&gt;" in html
    assert "0.5000" in html
    assert "order: score descending" in html


def test_html_brings_no_color_of_its_own(evaluation: Evaluation) -> None:
    """Light and dark pages both stay readable when text and background are the page's."""
    html = evaluation._repr_html_()
    assert "color:inherit" in html
    assert "background:#" not in html
    assert "color:#" not in html
    assert "white" not in html.replace("white-space", "")


def test_rich_form(evaluation: Evaluation) -> None:
    from rich.console import Console

    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(evaluation)
    text = console.export_text()
    assert "[red]" in text  # a name in brackets is a name, not markup
    assert "0.5000" in text
    assert "order: score descending" in text


def test_repr_is_one_line(evaluation: Evaluation) -> None:
    assert repr(evaluation) == "<Evaluation of <b>run</b> [red]: RR 0.5000, MinPos 1.5000; 3 queries>"


def test_any_spelling_finds_a_result(evaluation: Evaluation) -> None:
    assert evaluation["mrr"] is evaluation["RR"]
    assert "mrr" in evaluation
    assert "nDCG@10" not in evaluation
    assert "no such measure" not in evaluation
    with raises(KeyError, "nDCG@10", "RR", "MinPos"):
        evaluation["ndcg@10"]


def test_an_evaluation_travels_to_another_process(evaluation: Evaluation) -> None:
    again = pickle.loads(pickle.dumps(evaluation))
    assert again.to_dict() == evaluation.to_dict()
    assert again["mrr"].mean == 0.5


def test_converting_imports_nothing_beforehand() -> None:
    """The module of conversions can be read without any of the libraries."""
    module = importlib.import_module("rankproof.measuring.conversions")
    assert not {"pyarrow", "pandas", "polars"} & set(vars(module)) - set(dir(builtins))
