"""Files that no ranking can be read from, each with words that its message must have."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable

import zstandard
from tests.hostile.command import QRELS, RUN

TEXTS = {"run": RUN, "qrels": QRELS}
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def unreadable(noun: str) -> dict[str, tuple[bytes, str]]:
    """name -> content and words of the message, for files that are wrong as a whole."""
    text = TEXTS[noun].encode()
    packed = {
        f"{name}_cut_off": (pack(text * 50)[:-5], f"cannot be decompressed ({name}): it ends too early")
        for name, pack in PACK.items()
    }
    return packed | {
        "empty": (b"", "no row"),
        "blank": (b" \n\t\r\n\n", "no row"),
        "byte_order_mark_alone": (b"\xef\xbb\xbf", "no row"),
        "empty_gzip": (gzip.compress(b""), "no row"),
        "comments_alone": (b"# nothing\n# here\n", "no row"),
        "gzip_damaged": (_flipped(gzip.compress(text * 50)), "cannot be decompressed (gzip)"),
        "bzip2_damaged": (_flipped(bz2.compress(text * 50)), "cannot be decompressed (bzip2)"),
        "xz_damaged": (_flipped(lzma.compress(text * 50)), "cannot be decompressed (xz)"),
        "binary": (bytes(range(256)) * 8, "is a binary file, not text"),
        "zeros": (bytes(4096), "is a binary file, not text"),
        "utf16_without_mark": (text.decode().encode("utf-16-le"), "It may be UTF-16 without its mark"),
        "utf16_cut_off": (text.decode().encode("utf-16")[:-1], "begins as UTF-16, but goes on as something else"),
        "old_macintosh": (text.replace(b"\n", b"\r"), "ends its lines with a carriage return alone"),
        "zip": (b"PK\x03\x04" + bytes(100), "is a zip archive"),
        "web_page": (b"<html><body>404 not found</body></html>\n", "its format is not recognized"),
        "one_word": (b"hello\n" * 20, "its format is not recognized"),
        "parquet_cut_off": (b"PAR1" + bytes(100), "cannot be read as Parquet"),
        "json_open": (b'{"q1": {"d1": 1}', "line 1: this is not JSON"),
        "json_and_more": (b'{"q1": {"d1": 1}} x', "line 1: this is not JSON (Extra data"),
        "json_too_deep": (b'{"q1":' * 100_000, "nested too deeply"),
        "json_list_too_deep": (b"[" * 100_000, "nested too deeply"),
        "json_query_twice": (b'{"q1": {"d1": 1}, "q1": {"d2": 1}}', "the key 'q1' is there twice"),
        "json_null": (b'{"q1": {"d1": null}}', "document 'd1' has null"),
        "json_word_for_number": (b'{"q1": {"d1": "high"}}', "row 1: 'high' is not a number"),
        "json_empty_id": (b'{"q1": {"": 1}}', "an id is empty"),
        "json_empty_query": (b'{"": {"d1": 1}}', "an id is empty"),
        "json_nothing": (b"{}", "no row"),
        "json_number": (b"[5]", "is not a row"),
        "json_long_number": (b'{"q1": {"d1": ' + b"9" * 5000 + b"}}", "a whole number with thousands of digits"),
        "json_undecodable": (b'{"q1": {"d\xff": 1}}', "byte 0xff is not UTF-8"),
        "json_lines_broken": (
            b'{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id":\n',
            "line 2: this is not JSON",
        ),
        "json_lines_null": (
            b'{"query_id": "q1", "doc_id": "d1", "score": 1}\n{"query_id": "q1", "doc_id": "d2", "score": null}\n',
            "line 2: 'score' is null",
        ),
    }


def _flipped(content: bytes) -> bytes:
    """The content with one byte in its middle turned over."""
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]


def faulty_runs() -> dict[str, tuple[bytes, str, str]]:
    """name -> content, code of the check and words of its message, for runs with one fault."""
    head = RUN.encode()
    numbers = {
        "infinite_score": [b"1e999", b"-1e999", b"inf", b"-Infinity", b"+INF"],
        "nan_score": [b"nan", b"NaN", b"-nan"],
        "not_a_number": [
            b"0x10",
            b"1_000",
            b"1,5",
            "١".encode(),
            "½".encode(),
            b"1.5f",
            b"--1",
            b"1e",
            b"nan(1)",
            b".",
        ],
    }
    out = {
        f"{code}_{i}": (head + b"q2 Q0 d9 2 %s t\n" % text, code, "line 4: the score of document 'd9' for query 'q2'")
        for code, texts in numbers.items()
        for i, text in enumerate(texts)
    }
    long = b"d" * 30_000
    return out | {
        "twice": (head + b"q1 Q0 d1 3 0.5 t\n", "duplicate_document", "line 4: document 'd1' is already ranked"),
        "twice_far_apart": (
            head + b"".join(b"q3 Q0 x%d %d 1 t\n" % (i, i) for i in range(9000)) + b"q1 Q0 d1 3 0.5 t\n",
            "duplicate_document",
            "line 9004: document 'd1' is already ranked for query 'q1' on line 1",
        ),
        "cut_off_in_a_line": (head + b"q2 Q0 d4", "wrong_columns", "line 4: 3 columns"),
        "latin1": (head + b"q2 Q0 caf\xe9 2 0.5 t\n", "undecodable_bytes", "line 4: an id on this line is not text"),
        "zero_bytes_far_down": (
            b"".join(b"q1 Q0 d%d %d 1 t\n" % (i, i) for i in range(9000)) + b"q1 Q0 d\0 9001 0.5 t\n",
            "undecodable_bytes",
            "line 9001: an id on this line is not text",
        ),
        "long_id_twice": ((b"q1 Q0 " + long + b" 1 2.5 t\n") * 2, "duplicate_document", "'... is already ranked"),
        "quote_over_two_lines": (
            b"query_id,doc_id,score\n" + b"".join(b"q1,d%d,1\n" % i for i in range(20)) + b'q2,"d\n1",2\n',
            "wrong_columns",
            "line 22: a quote is opened and not closed on this line",
        ),
        "json_twice": (b'{"q1": {"d1": 1, "d1": 2}}', "duplicate_document", "row 2: document 'd1' is already ranked"),
        "json_nan": (b'{"q1": {"d1": NaN}}', "nan_score", "row 1: the score of document 'd1'"),
        "json_infinite": (b'{"q1": {"d1": 1e999}}', "infinite_score", "row 1: the score of document 'd1'"),
        "json_whole_number_too_large": (
            b'{"query_id": "q1", "doc_id": "d1", "score": ' + b"9" * 400 + b"}\n",
            "infinite_score",
            "line 1: the score of document 'd1'",
        ),
        "json_lone_surrogate": (b'{"q1": {"\\ud800": 1, "d1": 2}}', "undecodable_bytes", "row 1: an id"),
    }


def faulty_qrels() -> dict[str, tuple[bytes, str, str]]:
    """name -> content, code of the check and words of its message, for qrels with one fault."""
    head = QRELS.encode()
    return {
        "another_grade": (head + b"q1 0 d1 2\n", "conflicting_judgment", "line 4: document 'd1' has grade 2"),
        "another_grade_after_a_subtopic": (
            b"q1 a d1 1\nq1 b d1 0\nq1 b d1 2\n",
            "conflicting_judgment",
            "line 3: document 'd1' has grade 2 for query 'q1' here, and grade 0 on line 2",
        ),
        "fraction": (head + b"q2 0 d9 0.5\n", "fractional_grade", "line 4: the grade of document 'd9'"),
        "huge": (head + b"q2 0 d9 1e30\n", "fractional_grade", "beyond any scale of grades"),
        "word": (head + b"q2 0 d9 high\n", "not_a_number", "line 4: the grade of document 'd9'"),
        "hexadecimal": (head + b"q2 0 d9 0x1\n", "not_a_number", "line 4: the grade of document 'd9'"),
        "short_line": (head + b"q2 0 d9\n", "wrong_columns", "line 4: 3 columns"),
        "latin1": (head + b"q2 0 caf\xe9 1\n", "undecodable_bytes", "line 4: an id on this line is not text"),
        "json_twice": (b'{"q1": {"d1": 1, "d1": 2}}', "conflicting_judgment", "row 2: document 'd1' has grade 2"),
    }
