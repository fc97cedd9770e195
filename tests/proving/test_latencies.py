"""Latency files: tab, comma, JSON lines, a header or none; and what is no time."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.proving.percentile import read_latencies


@pytest.mark.parametrize(
    "text",
    [
        "q1\t12.5\nq2\t30\n",
        "q1\t12.5\r\n\r\nq2\t30\r\n",
        "query_id\tmilliseconds\nq1\t12.5\nq2\t30\n",
        "query_id,latency_ms,host\nq1,12.5,a\nq2,30,b\n",
        "q1 12.5\nq2  30\n",
        "12.5\n30\n",
        '{"query_id": "q1", "ms": 12.5}\n\n{"query_id": "q2", "ms": 30}\n',
        "\ufeffq1\t12.5\nq2\t30\n",
    ],
)
def test_every_form_gives_the_times(tmp_path: Path, text: str) -> None:
    path = tmp_path / "latency"
    path.write_text(text, encoding="utf-8")
    assert read_latencies(path).tolist() == [12.5, 30.0]


def test_a_compressed_file_and_a_list(tmp_path: Path) -> None:
    path = tmp_path / "latency.tsv.gz"
    path.write_bytes(gzip.compress(b"q1\t12.5\n"))
    assert read_latencies(path).tolist() == [12.5]
    assert read_latencies([1, 2.5]).tolist() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ["request", "holds"]),
        ("query_id\tms\n", ["request", "holds"]),
        ("q1\t12\nq2\tfast\n", ["line 2", "'fast'", "milliseconds"]),
        ("q1\t12\nq2\t-1\n", ["line 2", "'-1'", "milliseconds"]),
        ("q1\tnan\n", ["line 1", "'nan'", "milliseconds"]),
        ("q1\tinf\n", ["line 1", "'inf'", "milliseconds"]),
        ("query_id\tms\nq1\n", ["line 2", "time", "milliseconds"]),
        ('{"query_id": "q1"}\n', ["line 1", "time", "latency_ms", "took"]),
        ('{"ms": 1}\n{"ms"\n', ["line 2", "JSON"]),
        ('{"ms": true}\n', ["line 1", "True", "milliseconds"]),
    ],
)
def test_what_is_no_time_is_refused_with_its_line(tmp_path: Path, text: str, values: list[str]) -> None:
    path = tmp_path / "latency"
    path.write_text(text, encoding="utf-8")
    with raises(InputError, path, *values):
        read_latencies(path)


def test_what_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latency"
    path.write_bytes(b"q\xff\t1\n")
    with raises(InputError, path, "line 1", "0xff", "UTF-8"):
        read_latencies(path)
