"""Texts of questions as ids: blanks, line breaks, 5,000 characters, and the same text twice."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import rankproof
from rankproof.errors import InputError, Refused
from rankproof.reading.formats.contract import IN_SEVERAL

TEXTS = [
    "What is a refund?", "Line one\nline two", "  leading and trailing  ", "x" * 4_990 + " why?", "tab\there",
    "ünï çode ’quote’", 'He said "hi", ok\u00a0so',
]  # fmt: skip
ON_ONE_LINE = [text for text in TEXTS if not set(text) & set("\n\t")]


def gold(texts: list[str]) -> pd.DataFrame:
    return pd.DataFrame([{"user_input": text, "reference_context_ids": [f"c{i}"]} for i, text in enumerate(texts)])


def lists(texts: list[str]) -> pd.DataFrame:
    """The right chunk second: RR is 1/2 for each."""
    rows = [{"user_input": text, "retrieved_context_ids": ["no", f"c{i}"]} for i, text in enumerate(texts)]
    return pd.DataFrame(rows)


def rows(texts: list[str]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"question": text, "chunk_id": chunk, "score": score}
            for i, text in enumerate(texts)
            for chunk, score in (("no", 0.9), (f"c{i}", 0.5))
        ]
    )


@pytest.mark.parametrize("run", [rows, lists])
def test_every_text_meets_itself_in_frames(run: object) -> None:
    found = rankproof.evaluate(gold(TEXTS), run(TEXTS), "RR")  # type: ignore[operator]
    assert found["RR"].by_query == dict.fromkeys(TEXTS, 0.5)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_every_text_meets_itself_in_files_that_can_hold_it(tmp_path: Path, ending: str) -> None:
    paths = []
    for name, frame in (("gold", gold(TEXTS)), ("run", lists(TEXTS))):
        path = tmp_path / f"{name}.{ending}"
        if ending == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_json(path, orient="records", lines=True)
        paths.append(str(path))
    assert rankproof.evaluate(*paths, "RR")["RR"].by_query == dict.fromkeys(TEXTS, 0.5)


@pytest.mark.parametrize(("separator", "ending"), [(",", "csv"), ("\t", "tsv")])
def test_a_text_on_several_lines_is_told_in_a_table_of_text(tmp_path: Path, separator: str, ending: str) -> None:
    path = tmp_path / f"run.{ending}"
    rows(TEXTS).to_csv(path, index=False, sep=separator)
    with pytest.raises((InputError, Refused), match="line break") as error:
        rankproof.evaluate(gold(TEXTS), str(path), "RR")
    assert "JSON lines" in str(error.value)
    assert "--columns" not in str(error.value)  # the header is understood
    # In TSV a quote is a letter like others, and pandas would write it twice.
    texts = ON_ONE_LINE if ending == "csv" else [text for text in ON_ONE_LINE if '"' not in text]
    rows(texts).to_csv(path, index=False, sep=separator)
    found = rankproof.evaluate(gold(texts), str(path), "RR")
    # A table of text has no blanks around a field.
    assert found["RR"].by_query == {text: 0.5 if text == text.strip() else 0.0 for text in texts}


def test_a_text_twice_in_the_gold_is_told() -> None:
    """Two questions of one text, or one question in two records: the documents count together, and a note says so."""
    twice = pd.concat([gold(TEXTS), pd.DataFrame([{"user_input": TEXTS[0], "reference_context_ids": ["other"]}])])
    found = rankproof.evaluate(twice, lists(TEXTS), "recall@2")
    assert found["recall@2"].by_query[TEXTS[0]] == 0.5  # one of c0 and other
    told = [line for line in found.fine_print if IN_SEVERAL in line]
    assert len(told) == 1
    assert "1 (What is a refund?)" in told[0]
    alone = rankproof.evaluate(gold(TEXTS), lists(TEXTS), "recall@2")
    assert not any(IN_SEVERAL in line for line in alone.fine_print)


def test_two_lists_of_one_text_in_a_run_were_read_as_one_ranking() -> None:
    twice = pd.concat([lists(TEXTS), pd.DataFrame([{"user_input": TEXTS[0], "retrieved_context_ids": ["other"]}])])
    with pytest.raises(InputError, match="list of documents already"):
        rankproof.evaluate(gold(TEXTS), twice, "RR")


def test_two_lists_with_scores_are_one_ranking() -> None:
    run = [
        {"query_id": "q1", "docs": ["a"], "scores": [0.1]},
        {"query_id": "q1", "docs": ["b"], "scores": [0.9]},
    ]
    assert rankproof.evaluate({"q1": ["b"]}, run, "RR")["RR"].by_query == {"q1": 1.0}


def test_texts_that_differ_by_a_blank_alone_are_guessed() -> None:
    other = {f"{text} ": [f"c{i}"] for i, text in enumerate(ON_ONE_LINE)}
    with pytest.raises(Refused, match="white space"):
        rankproof.evaluate(other, rows(ON_ONE_LINE), "RR")
