"""TREC topics: fields, closing tags, words that are taken off, and what is refused."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_topics
from rankproof.reading.detect import by_name
from rankproof.reading.write import pieces

OLD = b"""
<top>

<num> Number: 301
<title> Topic: International
Organized Crime

<desc> Description:
Identify organizations &amp; groups.

<narr> Narrative:
A relevant document must name one.
</top>
<top>
<num>302</num>
<title>Polio</title>
<desc>Is it over?</desc>
<narr>Yes or no.</narr>
</top>
"""


def test_fields() -> None:
    assert read_topics(OLD) == {"301": "International Organized Crime", "302": "Polio"}
    assert read_topics(OLD, field="desc") == {"301": "Identify organizations & groups.", "302": "Is it over?"}
    assert read_topics(OLD, field="title+narr")["302"] == "Polio Yes or no."
    with raises(UsageError, "'body'", "title", "desc", "narr"):
        read_topics(OLD, field="body")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"<top>\n<title> x\n</top>\n", "<bytes>, line 1: the topic has no <num>."),
        (b"\n<top>\n<num> 1\n</top>\n", "<bytes>, line 2: the topic has no <title>."),
        (b"<top>\n<num> 1\n<title> x\n", "1 topic is opened with <top>, but 0 closed"),
        (b"<top><num>1<title>x</top>\n<top><num>1<title>y</top>\n", "line 2: query '1' already has a text"),
        (b"<top><num> <title>y</top>\n", "the query id is empty"),
    ],
)
def test_what_is_refused(content: bytes, said: str) -> None:
    with pytest.raises(InputError) as error:
        read_topics(content)
    assert said in str(error.value)


def test_tags_in_a_text_are_protected() -> None:
    topics = {"1": "what is <b> & </top>?"}
    written = b"".join(pieces(topics, by_name("trec_topics", "topics")))
    assert read_topics(written) == topics
    with raises(InputError, "'1'", "TREC", "jsonl"):
        list(pieces({"1": "Topic: x"}, by_name("trec_topics", "topics")))
