"""Hostile input: whatever the bytes are, there are rows or one clear message, and never a crash."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises
from tests.reading.formats.samples import SAMPLES

from rankproof.errors import InputError, RankproofError
from rankproof.kernel import shelf
from rankproof.reading.collect import read_qrels, read_rows, read_run, read_topics
from rankproof.reading.formats.contract import NOUNS, Noun

FILES = [(name, noun) for name, form in shelf.offered("formats").items() for noun in form.holds if not form.prefix]
# Pieces that mean something to one format or another, put together at random.
PIECES = st.sampled_from(
    [
        b"q1", b"d1", b"Q0", b"0", b"1", b"2.5", b"nan", b"-inf", b"1e999", b" ", b"\t", b",", b";", b"|", b"\n",
        b"\r\n", b"\r", b'"', b"{", b"}", b"[", b"]", b":", b"#", b"<top>", b"</top>", b"<num>", b"<title>",
        b"query_id", b"doc_id", b"score", b"rank", b"grade", b"esci_label",
        b'"groundTruth"', b'{"query_id":', b"PAR1", b"\x1f\x8b",
        b"BZh91AY&SY",
        b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00", b"\xff", b"\xc3\xa9",
        b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\x1c", b"x" * 50,
    ]
)  # fmt: skip
messy = st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=30).map(b"".join))


def try_to_read(content: bytes, noun: Noun, name: str | None) -> None:
    try:
        if noun == "topics":
            assert read_topics(content, name)
        else:
            rows, said = read_rows(content, noun, name)
            assert len(rows) == len(rows.doc_ids()) == len(rows.number)
            assert str(said).startswith("<bytes>")
            (read_run if noun == "run" else read_qrels)(content, name)
    except RankproofError as error:
        message = str(error)
        assert message
        assert len(message) < 1500, "a message is for a person"


@given(messy, st.sampled_from(FILES))
@settings(max_examples=examples(500), deadline=None)
def test_forced(content: bytes, asked: tuple[str, Noun]) -> None:
    try_to_read(content, asked[1], asked[0])


@given(messy, st.sampled_from(NOUNS))
@settings(max_examples=examples(500), deadline=None)
def test_by_content(content: bytes, noun: Noun) -> None:
    try_to_read(content, noun, None)


@given(st.sampled_from(sorted(SAMPLES)), st.integers(0, 2000), st.binary(max_size=3), st.integers(0, 3))
@settings(max_examples=examples(500), deadline=None)
def test_damaged_samples(key: tuple[str, Noun], at: int, new: bytes, gone: int) -> None:
    name, noun = key
    content = SAMPLES[key]
    at %= len(content)
    damaged = content[:at] + new + content[at + gone :]
    try_to_read(damaged, noun, None)
    try_to_read(damaged, noun, name)


def test_a_very_long_line() -> None:
    for content in (b"x" * 3_000_000, b"q1 Q0 " + b"d" * 3_000_000 + b" 1 2.5 t\n", b'{"q1": "' + b"x" * 3_000_000):
        try_to_read(content, "run", None)
    assert read_run(b"q1 Q0 " + b"d" * 50_000 + b" 1 2.5 t\n").to_dict() == {"q1": {"d" * 50_000: 2.5}}


def test_a_long_document_beyond_what_is_looked_at_is_refused_not_misread() -> None:
    with raises(InputError, "<bytes>", "run", 3, "--format", "trec"):
        read_run(b"q1 Q0 " + b"d" * 200_000 + b" 1 2.5 t\n")
    assert len(read_run(b"q1 Q0 " + b"d" * 200_000 + b" 1 2.5 t\n", "trec")["q1"]) == 1


def test_ids_in_any_script() -> None:
    ids = ["文書", "مستند", "ドキュメント", "документ", "🦆", "e\u0301", "\u00a0x", "a\u2028b", "\x1c"]
    text = "".join(f"問い Q0 {doc} {i} {-i} t\n" for i, doc in enumerate(ids, start=1))
    assert list(read_run(text.encode())["問い"]) == ids
