"""One run or several in the place of a run: decided by shape, refused where it cannot be seen; and their names."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, Refused, UsageError

QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}}
# RR 1 and 1/2: mean 3/4; the other 1/2 and 1/2.
GOOD = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 2.0, "d2": 1.0}}
OTHER = {"q1": {"d1": 1.0, "d2": 2.0}, "q2": {"d1": 2.0, "d2": 1.0}}
ROWS = [(q, d, s) for q, docs in GOOD.items() for d, s in docs.items()]
# Rows may carry a field that is nested.
RECORDS = [{"query_id": q, "doc_id": d, "score": s, "metadata": {"page": [1, 2]}} for q, d, s in ROWS]


def rr(run: Any, **choices: Any) -> Any:
    """The mean of one run, or the means of several by name."""
    made = rankproof.evaluate(QRELS, run, "RR", **choices)
    if isinstance(made, rankproof.Evaluations):
        return {name: evaluation["RR"].mean for name, evaluation in made.items()}
    return made["RR"].mean


@pytest.mark.parametrize(
    "run",
    [
        GOOD,
        {query: list(docs) for query, docs in GOOD.items()},
        {query: list(docs.items()) for query, docs in GOOD.items()},
        {q: [{"query_id": q, "doc_id": d, "score": s} for d, s in docs.items()] for q, docs in GOOD.items()},
        {"q0": {}, **GOOD},
        ROWS,
        RECORDS,
        [[query, doc] for query, doc, _ in ROWS],
        tuple(ROWS),
        rankproof.read_run(GOOD),
        {"query_id": [q for q, _, _ in ROWS], "doc_id": [d for _, d, _ in ROWS], "score": [s for _, _, s in ROWS]},
        {"query_id": np.array([q for q, _, _ in ROWS]), "doc_id": np.array([d for _, d, _ in ROWS])},
        {"queries": list(GOOD), "retrieved": [list(docs) for docs in GOOD.values()], "relevant": [["d1"], ["d2"]]},
        {query: np.array(list(docs)) for query, docs in GOOD.items()},
        [{"query_id": query, "retrieved": list(docs)} for query, docs in GOOD.items()],
        [{"query_id": query, "retrieved": np.array(list(docs))} for query, docs in GOOD.items()],
    ],
    ids=[
        "dicts",
        "lists",
        "pairs",
        "objects",
        "an empty query first",
        "rows",
        "records",
        "two columns",
        "tuple",
        "Run",
        "columns",
        "columns that are arrays",
        "one table of gold and rankings",
        "rankings that are arrays",
        "wide rows",
        "wide rows with arrays",
    ],
)
def test_one_run_stays_one_run(run: Any) -> None:
    assert rr(run) == 0.75


@pytest.mark.parametrize(
    "runs",
    [
        {"a": GOOD, "b": OTHER},
        {"a": rankproof.read_run(GOOD), "b": OTHER},
        {"a": {query: list(docs) for query, docs in GOOD.items()}, "b": OTHER},
        [rankproof.read_run(GOOD, name="a"), rankproof.read_run(OTHER, name="b")],
        {"a": {"queries": list(GOOD), "retrieved": [list(docs) for docs in GOOD.values()]}, "b": OTHER},
        {"a": {query: np.array(list(docs)) for query, docs in GOOD.items()}, "b": OTHER},
    ],
    ids=["dicts", "Run and dict", "ranked lists", "a list", "a table of columns", "arrays"],
)
def test_several_runs_by_name(runs: Any) -> None:
    assert rr(runs) == {"a": 0.75, "b": 0.5}


def test_runs_of_a_list_are_told_apart(tmp_path: Path) -> None:
    """By their own names, by their paths where two have one name, by numbers where they have neither."""
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        rankproof.write(rankproof.read_run(GOOD), str(tmp_path / folder / "bm25.run"))
    paths = [str(tmp_path / folder / "bm25.run") for folder in ("old", "new")]
    assert list(rr(paths)) == paths
    assert list(rr([Path(path) for path in paths])) == paths
    assert list(rr([paths[0], rankproof.read_run(OTHER, name="other")])) == ["bm25", "other"]
    assert rr([GOOD, OTHER]) == {"run 1": 0.75, "run 2": 0.5}
    assert rr([ROWS, RECORDS]) == {"run 1": 0.75, "run 2": 0.75}


def test_prepared_runs_and_frames() -> None:
    judged = rankproof.prepare(QRELS)
    prepared = judged.evaluate({"a": judged.prepare(GOOD), "b": OTHER}, "RR")
    assert [evaluation["RR"].mean for evaluation in prepared.values()] == [0.75, 0.5]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["query_id", "doc_id", "score"])
    assert rr({"frame": frame, "b": OTHER}) == {"frame": 0.75, "b": 0.5}
    assert rr(frame) == 0.75
    with raises(UsageError, "'run'", "judgments"):
        rankproof.evaluate(QRELS, [judged.prepare(GOOD), OTHER], "RR")


@pytest.mark.parametrize(
    ("runs", "told"),
    [
        ([], ["No run", "empty"]),
        ((), ["No run", "empty"]),
        ([GOOD, ("q1", "d1", 1.0)], ["Item 2", "tuple"]),
        ([GOOD, None], ["Item 2", "None"]),
        ({"a": GOOD, "b": {"d1": 1.0}}, ["'b'", "dict"]),
        ({"a": "a.run", "b": 7}, ["'b'", "7"]),
        ({"a": "a.run", 2: "b.run"}, ["name", "2"]),
        ({"a": GOOD, "": OTHER}, ["name", "''"]),
    ],
)
def test_what_may_be_one_run_or_several_is_refused(runs: Any, told: list[str]) -> None:
    with raises(UsageError, *told):
        rr(runs)


def test_a_set_is_no_ranking_and_no_name_of_a_run() -> None:
    with raises(InputError, "q1", "set", "order"):
        rr({"q1": {"d1", "d2"}, "q2": {"d2"}})


def test_columns_are_named_for_several_runs() -> None:
    chosen = {"doc_id": "chunk_id"}
    tables = {
        name: [{"query_id": q, "doc_id": "x", "chunk_id": d, "score": s} for q, d, s in ROWS] for name in ("a", "b")
    }
    assert rr(list(tables.values()), columns=chosen) == {"run 1": 0.75, "run 2": 0.75}
    with raises(UsageError, "columns="):
        rr({"a": GOOD, "b": OTHER}, columns=chosen)


def test_an_empty_run_among_several_is_refused_as_empty() -> None:
    with pytest.raises(Refused) as refused:
        rr({"a": GOOD, "b": {}})
    assert [finding.code for finding in refused.value.findings] == ["empty"]


def test_one_name_for_several_runs_is_refused() -> None:
    with raises(UsageError, "2 runs", "'best'"):
        rr([GOOD, OTHER], name="best")


def test_several_candidates_by_name_and_rows_as_one_candidate() -> None:
    """A list of rows was taken for a list of runs."""
    by_name = rankproof.compare(QRELS, OTHER, {"good": GOOD, "same": OTHER}, "RR", beyond=False)
    assert by_name.systems == ("run", "good", "same")
    assert rankproof.compare(QRELS, {"old": OTHER}, {"new": GOOD}, "RR", beyond=False).systems == ("old", "new")
    with raises(UsageError, "one baseline", 2):
        rankproof.compare(QRELS, {"old": OTHER, "older": OTHER}, GOOD, "RR", beyond=False)
    rows = rankproof.compare(QRELS, OTHER, ROWS, "RR", beyond=False)
    assert rows.contrast("RR").candidate_mean == 0.75


def test_evaluations_are_compared_as_they_are() -> None:
    made = rankproof.evaluate(QRELS, {"a": OTHER, "b": GOOD}, "RR AP")
    compared = rankproof.compare_evaluations(made)
    assert compared.systems == ("a", "b")
    assert compared.contrast("RR").difference.value == 0.25


def test_evaluations_at_a_prompt() -> None:
    made = rankproof.evaluate(QRELS, {"a": OTHER, "b": GOOD}, "RR AP")
    assert repr(made) == "<Evaluations of 2 runs in RR (and 1 more): a 0.5000, b 0.7500>"
    assert made.runs == ("a", "b")
    assert made.measures == ("RR", "AP")
    assert str(made).splitlines()[:3] == ["run      RR       AP", "a    0.5000   0.5000", "b    0.7500*  0.7500*"]
    with raises(KeyError, "'c'", "a, b"):
        made["c"]
    many = rankproof.evaluate(QRELS, {f"r{i}": GOOD for i in range(9)}, "RR")
    assert repr(many).endswith("r3 0.7500, and 5 more>")
    assert "<b>" not in rankproof.evaluate(QRELS, {"<b>": GOOD, "x": OTHER}, "RR")._repr_html_()


def test_evaluations_travel_to_another_process() -> None:
    made = rankproof.evaluate(QRELS, {"a": OTHER, "b": GOOD}, "RR")
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dict() == made.to_dict()


def test_codes_to_allow_hold_for_every_run() -> None:
    """Given as what can be looked through only once."""
    twice = [*ROWS, ROWS[0]]
    codes = (code for code in ["duplicate_document"])
    assert rr({"a": rankproof.read_run(GOOD), "b": GOOD}, allow=codes) == {"a": 0.75, "b": 0.75}
    assert rr([twice, twice], allow=(code for code in ["duplicate_document"])) == {"run 1": 0.75, "run 2": 0.75}
