"""Refusals of spans and chunk mappings that no other test would miss, named for what would happen without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankproof import spans
from rankproof.errors import InputError, UsageError
from rankproof.measuring.spans.evaluate import read_texts
from rankproof.reading.collect import read_run

GOLD = {"q1": [("d1", 0, 40)]}
CHUNKS = {"q1": [("d1", 0, 10), ("d1", 5, 15)]}
# The longest text, and how many of them are longer together than whole numbers are exact.
LONGEST, TOO_MANY = 2**40, 2**13 + 2


def test_a_column_that_is_one_text_is_not_read_letter_by_letter() -> None:
    columns = {"query_id": ["q1"], "doc_id": "d", "start": [0], "end": [9]}
    with pytest.raises(InputError, match="'doc_id' is no list"):
        spans.read_gold(columns)


def test_gold_in_tokens_is_not_held_against_chunks_in_characters() -> None:
    tokens, chars = spans.read_gold(GOLD, unit="tokens"), spans.read_chunks(CHUNKS, unit="chars")
    with pytest.raises(UsageError, match="one unit"):
        spans.evaluate(tokens, chars, "SpanRecall@5")
    with pytest.raises(UsageError, match="one unit"):
        spans.qrels_of_spans(tokens, chars, threshold=0.5)


def test_tokens_of_a_document_without_a_text_are_not_none() -> None:
    with pytest.raises(InputError, match="text of document 'd1' is needed"):
        spans.TokenOffsets({"d2": "some words"}, r"\w+")("d1")


def test_a_line_of_texts_without_an_id_is_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text('{"doc_id": "d1", "text": "a b"}\n{"doc_id": "d2", "body": 3}\n')
    with pytest.raises(InputError, match=r"line 2: .*'doc_id', 'body'"):
        read_texts(str(path))


def test_whole_without_a_budget_is_not_ignored() -> None:
    with pytest.raises(UsageError, match="crosses a budget"):
        spans.evaluate(GOLD, CHUNKS, "SpanRecall(whole=true)@5")


def test_offsets_beyond_exact_arithmetic_are_not_added() -> None:
    far = [(f"d{i}", 0, LONGEST) for i in range(TOO_MANY)]
    with pytest.raises(InputError, match=r"together are longer than 2\^53"):
        spans.evaluate({"q1": far}, {"q1": [("d1", 0, 9)]}, "SpanRecall@5")
    over = [("d1", i, LONGEST) for i in range(TOO_MANY)]
    with pytest.raises(InputError, match="long together"):
        spans.evaluate({"q1": [("d1", 0, 9)]}, {"q1": over}, "SpanRecall@5")


def test_a_line_of_a_chunk_map_without_its_columns_is_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "map.jsonl"
    path.write_text('{"chunk_id": "c1", "doc_id": "d1"}\n{"chunk_id": "c2"}\n')
    with pytest.raises(InputError, match="line 2"):
        read_run({"q": ["c1"]}, collapse=str(path))


@pytest.mark.parametrize("text", ['{\n"c1": "d1",\n"c2": }', '[{"chunk_id": "c1", "doc_id": "d1"}, '])
def test_a_chunk_map_that_is_broken_json_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "map.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"map\.json is no JSON"):
        read_run({"q": ["c1"]}, collapse=str(path))
