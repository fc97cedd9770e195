"""Files that look odd and are right: they are read, and give the values of the tidy file."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard
from tests.hostile.command import QRELS, RUN, here

import rankproof

MEASURES = "nDCG@10 RR AP P@2 NumRet"
HEADER = "query_id,doc_id,score\n"
ROWS = [line.split() for line in RUN.splitlines()]


def values(qrels: bytes | Path, run: bytes | Path) -> dict[str, dict[str, float]]:
    evaluation = rankproof.evaluate(qrels, run, MEASURES)
    return {name: dict(result.by_query) for name, result in evaluation.items()}


EXPECTED = values(QRELS.encode(), RUN.encode())

ODD = {
    "windows": RUN.replace("\n", "\r\n").encode(),
    "no newline at the end": RUN.rstrip().encode(),
    "newlines of two kinds": RUN.replace("\n", "\r\n", 1).encode(),
    "byte order mark": b"\xef\xbb\xbf" + RUN.encode(),
    "UTF-16": RUN.encode("utf-16"),
    "UTF-16, big end first": b"\xfe\xff" + RUN.encode("utf-16-be"),
    "UTF-32": RUN.encode("utf-32"),
    "tabs": RUN.replace(" ", "\t").encode(),
    "tabs and blanks": RUN.replace(" ", " \t  ").encode(),
    "blanks around lines": "".join(f"  {line}\t \n" for line in RUN.splitlines()).encode(),
    "vertical tabs and form feeds": RUN.replace(" ", "\v", 2).replace("Q0 ", "Q0\f").encode(),
    "comments and empty lines": f"# a comment\n\n{RUN}\n  \n# another\n".encode(),
    "gzip": gzip.compress(RUN.encode()),
    "bzip2": bz2.compress(RUN.encode()),
    "xz": lzma.compress(RUN.encode()),
    "zstd": zstandard.ZstdCompressor().compress(RUN.encode()),
    "two archives in one": gzip.compress(RUN[:17].encode()) + gzip.compress(RUN[17:].encode()),
    "gzip of a Windows file with a mark": gzip.compress(b"\xef\xbb\xbf" + RUN.replace("\n", "\r\n").encode()),
    "a plus sign and an exponent": RUN.replace("2.5", "+25e-1").replace("1.5", "0.15E+1").encode(),
    "digits that no double has": RUN.replace("2.5", "2.5000000000000000000000000000001").encode(),
    "more after the tag": RUN.replace(" t\n", " t and more\n").encode(),
    "csv": (HEADER + "".join(f"{q},{d},{s}\n" for q, _, d, _, s, _ in ROWS)).encode(),
    "csv with quotes": (HEADER + "".join(f'"{q}","{d}","{s}"\n' for q, _, d, _, s, _ in ROWS)).encode(),
    "csv, semicolons": (HEADER + "".join(f"{q},{d},{s}\n" for q, _, d, _, s, _ in ROWS)).replace(",", ";").encode(),
    "csv of a spreadsheet": b"\xef\xbb\xbf"
    + (HEADER + "".join(f"{q},{d},{s}\n" for q, _, d, _, s, _ in ROWS)).replace("\n", "\r\n").encode(),
    "a header of many names": b"qid\tQ0\tdocno\trank\tscore\ttag\n" + RUN.replace(" ", "\t").encode(),
    "json": b'{"q1": {"d1": 2.5, "d2": 1.5}, "q2": {"d3": 1}}',
    "json, ids as numbers in text": b' \n{"q1":{"d2":1.5,"d1":2.5},\n"q2":{"d3":1e0}}\n\n',
    "json lines": "".join(
        f'{{"query_id": "{q}", "doc_id": "{d}", "score": {s}}}\n\n' for q, _, d, _, s, _ in ROWS
    ).encode(),
}


@pytest.mark.parametrize("name", ODD)
def test_the_values_are_those_of_the_tidy_file(name: str, tmp_path: Path) -> None:
    assert values(QRELS.encode(), ODD[name]) == EXPECTED
    file, written = tmp_path / "odd", tmp_path / "written.run"
    file.write_bytes(ODD[name])
    assert values(QRELS.encode(), file) == EXPECTED
    assert here("runs", "validate", file).status == 0
    assert here("convert", file, written, "--noun", "run").status == 0
    assert values(QRELS.encode(), written) == EXPECTED


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("-0.0", "0.0"),
        ("1e-999", "0"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("9007199254740993", "9007199254740992"),
        ("1", "1.0000000000000000000001"),
    ],
)
def test_two_spellings_of_one_number_are_a_tie(first: str, second: str) -> None:
    # Ties go by document id, descending: zz before aa, whichever stands first.
    run = f"q Q0 aa 1 {first} t\nq Q0 zz 2 {second} t\n".encode()
    assert rankproof.evaluate(b"q 0 zz 1\n", run, "RR")["RR"].mean == 1
    assert rankproof.evaluate(b"q 0 aa 1\n", run, "RR", ties="expected")["RR"].mean == 0.75


@pytest.mark.parametrize(
    ("greater", "less"),
    [
        ("0.30000000000000004", "0.3"),
        ("9007199254740994", "9007199254740993"),
        ("4.9e-324", "0"),
        ("1.7976931348623157e308", "1.7976931348623155e308"),
        ("-1e-300", "-1"),
        ("12345678.123456789", "12345678.123456787"),
    ],
)
def test_numbers_that_differ_by_the_last_bit_are_no_tie(greater: str, less: str) -> None:
    run = f"q Q0 zz 1 {less} t\nq Q0 aa 2 {greater} t\n".encode()
    assert rankproof.evaluate(b"q 0 aa 1\n", run, "RR")["RR"].mean == 1
    assert rankproof.evaluate(b"q 0 zz 1\n", run, "RR", ties="expected")["RR"].mean == 0.5


def test_quotes_commas_and_doubled_quotes_in_csv() -> None:
    run = b'query_id,doc_id,score\n"q ""1""","a, ""b""",2\n"q ""1""",  c  ,1\nq2,"x"y,3\n'
    found = rankproof.read_run(run).to_dict()
    assert found == {'q "1"': {'a, "b"': 2.0, "c": 1.0}, "q2": {"xy": 3.0}}
