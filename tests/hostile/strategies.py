"""Bytes to try: anything at all, pieces that mean something, and files that are nearly right."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = [
    b"q1", b"q2", b"d1", b"d2", b"Q0", b"0", b"1", b"2", b"2.5", b"-1", b"nan", b"inf", b"1e999", b"1e5", b"0x1",
    b"1_0", b" ", b" ", b" ", b"\t", b"\n", b"\n", b"\r\n", b"\r", b",", b";", b"|", b'"', b"{", b"}", b"[", b"]",
    b":", b"#", b"query_id", b"doc_id", b"score", b"grade", b"rank", b'{"query_id":', b'"docs"', b"null",
    b"NaN", b"<top>", b"q1 Q0 d1 1 2.5 t\n", b"q1 0 d1 1\n", b"q1\td1\t1\n", b"q1,d1,1\n", b'{"q1": {"d1": 1}}',
    b'["q1", "d1", 1]', b"PAR1", b"\x1f\x8b\x08", b"BZh91AY&SY", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd",
    b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\x1c", b"\x1b[0m",
    b"9" * 400, b"x" * 300,
]  # fmt: skip

anything = st.one_of(
    st.binary(max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join),
    st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=30).map(b"".join),
)

QUERIES = st.sampled_from(["q1", "q2", "q3", "問い", "q\u0301"])
DOCS = st.sampled_from(["d1", "d2", "d3", "d4", "é", "e\u0301", "🦆", "doc-with-a-rather-long-name-0123456789"])
GAPS = st.sampled_from([" "] * 12 + ["\t", "  ", " \t ", "\v", "\f"])
ENDS = st.sampled_from(["\n"] * 8 + ["\r\n", " \n", "\t\r\n"])
USUAL = ["1", "2", "2", "0", "-1", "0.5", "1e3", "12.25", "3.5", "3.5"]
ODD = ["+1.5", "-0.0", "0", ".5", "5.", "1e-999", "00012", "9007199254740993", "1E+2", "0.1", "0.10000000000000001"]
WRONG = ["nan", "inf", "1e999", "0x10", "1_000", "1,5", "١", "", "high", "1e", "--1"]
SCORES = st.sampled_from(USUAL * 6 + ODD * 3 + WRONG)
GRADES = st.sampled_from(["0", "1", "2", "3", "-1"] * 8 + ["+1", "1.0", "2e0", "-0", "0.5", "x", "3e9", "nan"])
# Bytes put into a file that was right: most of the time none.
DAMAGE = st.one_of(
    st.just(b""),
    st.just(b""),
    st.just(b""),
    st.sampled_from([b"\0", b"\xff", b"\xed\xa0\x80", b"#", b"\n", b" ", b"\r"]),
)


@st.composite
def nearly_run(draw: st.DrawFn) -> bytes:
    """A TREC run with, now and then, something wrong in it."""
    return _damaged(draw, [[draw(QUERIES), "Q0", draw(DOCS), str(i), draw(SCORES), "t"] for i in range(1, draw(_many))])


@st.composite
def nearly_qrels(draw: st.DrawFn) -> bytes:
    """TREC qrels with, now and then, something wrong in them."""
    return _damaged(draw, [[draw(QUERIES), "0", draw(DOCS), draw(GRADES)] for _ in range(draw(_many))])


_many = st.integers(1, 12)


def _damaged(draw: st.DrawFn, rows: list[list[str]]) -> bytes:
    # A document comes twice for one query only when nobody wants a fault elsewhere: else nearly all files had one.
    seen: set[tuple[str, str]] = set()
    keep = draw(st.integers(0, 9)) == 0
    lines = []
    for row in rows:
        if (row[0], row[2]) not in seen or keep:
            lines.append(draw(GAPS).join(row) + draw(ENDS))
        seen.add((row[0], row[2]))
    text = "".join(lines).encode()
    if draw(st.integers(0, 4)) == 0:
        text = text.rstrip(b"\n")
    at = draw(st.integers(0, len(text)))
    return text[:at] + draw(DAMAGE) + text[at:]
