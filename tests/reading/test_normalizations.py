"""What reading evens out is listed, line by line as a plain loop would count it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.reading import repair as tidying
from rankproof.reading.formats.trec import RUN
from rankproof.reading.source import Source, open_source

LAYOUT = RUN.layout


def said(data: bytes) -> list[str]:
    source = Source("x.run", data)
    return [str(change) for change in tidying.normalizations(source, LAYOUT, LAYOUT.read(source))]


def plain(data: bytes) -> list[str]:
    """The same, one line at a time."""
    lines = data.split(b"\n")
    ended = lines[:-1]
    returns = sum(line.endswith(b"\r") for line in ended)
    bare = [*(line.removesuffix(b"\r") for line in ended), lines[-1]]
    uneven = sum(bool(line.strip()) and re.search(rb"[\t\v\f\r]|  |^ | $", line) is not None for line in bare)
    silent = sum(not line.strip() or line.lstrip().startswith(b"#") for line in (bare if lines[-1] else bare[:-1]))

    def many(n: int, what: str) -> str:
        return f"{n} {what}" if n == 1 else f"{n} {what}s"

    expected = []
    if returns:
        expected.append(f"carriage return at the end of {many(returns, 'line')} removed")
    if uneven:
        expected.append(f"tabs and repeated blanks made one blank on {many(uneven, 'line')}")
    if silent:
        expected.append(f"{many(silent, 'empty or comment line')} removed")
    return expected


def test_an_even_file_needs_nothing() -> None:
    assert said(b"q1 Q0 d1 1 9 t\nq1 Q0 d2 2 8 t\n") == []
    assert said(b"q1 Q0 d1 1 9 t") == []


pieces = st.sampled_from([b"q1 Q0 d1 1 9 t", b"#c", b" ", b"\t", b"\r", b"\n", b"\r\n", b"x", b"  "])


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(pieces, max_size=12).map(b"".join))
def test_it_counts_as_a_plain_loop_does(data: bytes) -> None:
    assert said(data) == plain(data)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(pieces, max_size=12).map(b"".join), st.integers(1, 9))
def test_the_size_of_the_pieces_changes_nothing(data: bytes, size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tidying, "PIECE", size)
        assert said(data) == plain(data)


def test_a_byte_order_mark_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(b"\xef\xbb\xbfq1 Q0 d1 1 9 t\n")
    source = open_source(path)
    changes = tidying.normalizations(source, LAYOUT, LAYOUT.read(source))
    assert [str(change) for change in changes] == ["byte order mark removed"]
