"""A table whose header is not understood: the error has the header, what is needed and the option that names it."""

from __future__ import annotations

import ast
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rankproof
from rankproof.errors import InputError
from rankproof.reading.collect import read_qrels, read_rows, read_run
from rankproof.reading.validate import RunReference, validate_file

Noun = Literal["run", "qrels"]
ROWS = [("q1", "d1", 3), ("q1", "d2", 1), ("q2", "d2", 2)]
HEADER = ("fragment", "stueck", "wert")


def frame() -> Any:
    return pd.DataFrame(ROWS, columns=list(HEADER))


def parquet() -> bytes:
    whole = io.BytesIO()
    pq.write_table(pa.table(dict(frame())), whole)
    return whole.getvalue()


FORMS: dict[str, Callable[[], Any]] = {
    "csv": lambda: frame().to_csv(index=False).encode(),
    "semicolons": lambda: frame().to_csv(index=False, sep=";").encode(),
    "tsv": lambda: frame().to_csv(index=False, sep="\t").encode(),
    "jsonl": lambda: frame().to_json(orient="records", lines=True).encode(),
    "json": lambda: frame().to_json(orient="records").encode(),
    "parquet": parquet,
    "pandas": frame,
    "polars": lambda: pl.DataFrame(frame().to_dict("list")),
    "arrow": lambda: pa.table(frame().to_dict("list")),
    "records": lambda: frame().to_dict("records"),
}
NUMBER = {"run": "score", "qrels": "grade"}


@pytest.mark.parametrize("noun", ["run", "qrels"])
@pytest.mark.parametrize("form", FORMS)
def test_an_unknown_header_names_the_option_built_from_it(form: str, noun: Noun) -> None:
    with pytest.raises(InputError) as error:
        read_rows(FORMS[form](), noun)
    said = str(error.value)
    assert "fragment, stueck, wert" in said
    assert "query_id, qid" in said
    option = re.search(r"--columns (\S+) \(in Python columns=(\{.*\}\})\)", said)
    assert option is not None, said
    assert option[1] == f"{noun}:query_id=fragment,{noun}:doc_id=stueck,{noun}:{NUMBER[noun]}=wert"
    # Both spellings of the example read the very table that was refused.
    read = read_qrels if noun == "qrels" else read_run
    for columns in (option[1], ast.literal_eval(option[2])):
        assert len(read(FORMS[form](), columns=columns).rows) == len(ROWS)


def test_what_has_a_usual_name_keeps_its_role_in_the_example() -> None:
    with pytest.raises(InputError) as error:
        read_rows(b"piece,closeness,query_id\nd1,0.5,q1\nd2,0.4,q1\n", "run")
    assert "--columns run:query_id=query_id,run:doc_id=piece,run:score=closeness (" in str(error.value)


def test_names_that_a_shell_would_cut_are_quoted() -> None:
    with pytest.raises(InputError) as error:
        read_rows(pd.DataFrame({"my id": ["q1"], "my chunk": ["d1"]}), "qrels")
    assert "--columns 'qrels:query_id=my id,qrels:doc_id=my chunk' (" in str(error.value)
    with pytest.raises(InputError) as error:
        read_rows(pd.DataFrame({"id, own": ["q1"], "chunk": ["d1"]}), "qrels")
    assert "--columns" not in str(error.value)
    assert "columns={'qrels': {'query_id': 'id, own', 'doc_id': 'chunk'}} in Python" in str(error.value)


@pytest.mark.parametrize("noun", ["run", "qrels"])
def test_an_unknown_header_of_two_columns_was_counted_as_a_query(noun: Noun) -> None:
    with pytest.raises(InputError, match=f"--columns {noun}:query_id=fragment,{noun}:doc_id=piece"):
        read_rows(b"fragment,piece\nq1,d1\nq2,d2\n", noun)
    # A first row that is like the others stays a row, and so does one above words.
    assert len(read_rows(b"q1,d1\nq2,d2\n", noun)[0]) == 2
    assert len(read_rows(b"refunds,policy\nshipping,faq\n", noun)[0]) == 2


@pytest.mark.parametrize("noun", ["run", "qrels"])
def test_texts_as_ids_under_an_unknown_header(noun: Noun) -> None:
    with pytest.raises(InputError, match=f"--columns {noun}:query_id=frage,{noun}:doc_id=stueck"):
        read_rows(b"frage,stueck\nwhat is a,c1\nwhy b,c2\n", noun)


def test_a_format_that_was_named_gives_the_option_too() -> None:
    with pytest.raises(InputError, match="--columns run:query_id=frage,run:doc_id=stueck"):
        read_rows(b"frage,stueck\nwhat is a,c1\nwhy b,c2\n", "run", "csv")


def test_a_parquet_file_of_unknown_columns_was_called_binary(tmp_path: Path) -> None:
    path = tmp_path / "chunks.parquet"
    path.write_bytes(parquet())
    with pytest.raises(InputError, match="has the columns fragment, stueck, wert"):
        validate_file(str(path), "chunks.parquet", reference=RunReference())


# ---- JSON nested by query, where columns were named for another input ----------------------------

NESTED = {"q1": [{"stueck": "d1", "wert": 0.5}, {"stueck": "d3", "wert": 0.7}], "q2": [{"stueck": "d2", "wert": 0.1}]}
BOTH = {"query_id": "fragment", "doc_id": "stueck", "score": "wert", "grade": "wert"}


@pytest.mark.parametrize("columns", [BOTH, {"run": {"doc_id": "stueck", "score": "wert"}}])
def test_objects_nested_by_query_are_read_by_the_named_columns(columns: dict[str, Any]) -> None:
    for nested in (NESTED, json.dumps(NESTED).encode()):
        run = read_run(nested, columns=columns)
        assert [docs for _, docs, _ in run.rankings()] == [["d3", "d1"], ["d2"]]


def test_objects_nested_by_query_in_python_alone_take_columns() -> None:
    gold = {"q1": ["d1"], "q2": ["d2"]}
    named = rankproof.evaluate(gold, NESTED, "RR", columns={"run": {"doc_id": "stueck", "score": "wert"}})
    assert named["RR"].by_query == {"q1": 0.5, "q2": 1.0}


def test_a_distance_of_nested_objects_counts_downwards() -> None:
    run = read_run(NESTED, columns={"query_id": "fragment", "doc_id": "stueck", "distance": "wert"})
    assert [docs for _, docs, _ in run.rankings()] == [["d1", "d3"], ["d2"]]


def test_named_columns_of_nested_objects_were_ignored_where_usual_names_stood_beside() -> None:
    objects = {"q1": [{"doc_id": "d1", "score": 1, "wert": 9}, {"doc_id": "d2", "score": 2, "wert": 8}]}
    run = read_run(objects, columns={"doc_id": "doc_id", "score": "wert"})
    assert [docs for _, docs, _ in run.rankings()] == [["d1", "d2"]]
    with pytest.raises(InputError, match="'nope'"):
        read_run(objects, columns={"doc_id": "doc_id", "score": "nope"})


@pytest.mark.parametrize("nested", [{"q1": ["d1", "d3"], "q2": ["d2"]}, {"q1": {"d1": 1}, "q2": {"d2": 1}}])
def test_a_file_that_has_no_columns_says_that_they_play_no_part(nested: Any, tmp_path: Path) -> None:
    table, path = tmp_path / "table.csv", tmp_path / "nested.json"
    table.write_bytes(FORMS["csv"]())
    path.write_text(json.dumps(nested))
    as_run = rankproof.evaluate(str(table), str(path), "RR", columns=BOTH)
    assert sum("columns play no part" in line for line in as_run.fine_print) == 1
    as_gold = rankproof.evaluate(str(path), str(table), "RR", columns=BOTH)
    assert sum(line.startswith("judgments: columns play no part") for line in as_gold.fine_print) == 1
    alone = rankproof.evaluate(str(path), str(path), "RR")
    assert not any("columns play no part" in line for line in alone.fine_print)


@pytest.mark.parametrize("header", [("", "", "9" * 900), ("", "", ""), ("a\x07", "b", "c")])
def test_a_header_that_names_nothing_is_not_repeated_in_the_example(header: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as told:
        read_qrels(pd.DataFrame(ROWS, columns=list(header)))
    assert "--columns query_id=question_id,doc_id=chunk_id" in str(told.value)
    assert len(str(told.value)) < 700


def test_bytes_of_one_long_line_are_refused_shortly() -> None:
    with pytest.raises(InputError) as told:
        read_qrels(b"\t\t" + b"9" * 400 + b"x" * 300)
    assert len(str(told.value)) < 900
