"""TREC topics: `<top>` blocks with a number and a title, a description and a narrative.

The text of a topic is its title; `field=desc` or `field=narr` gives the description or the narrative instead,
and `field=title+desc` several of them together. Closing tags may be there or not; words such as "Number:" and
"Description:" are taken off.

holds: topics
source: https://trec.nist.gov/data/topics_eng/

    <top>
    <num> Number: 301
    <title> International Organized Crime
    </top>
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._gather import add_topic
from rankproof.reading.formats._pieces import gathered
from rankproof.reading.formats.contract import Format, Noun, Options, Sure, Topics
from rankproof.reading.source import Source

FIELDS = ("title", "desc", "narr")
_BLOCK = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(
    r"<(num|title|desc|narr)>(.*?)(?=<(?:/?(?:num|title|desc|narr|top)|[a-z]+)>|$)", re.DOTALL | re.IGNORECASE
)
_LEAD = re.compile(r"\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)


def detect(source: Source, noun: Noun) -> Sure:
    """A `<top>` at the beginning."""
    head = source.head.lstrip().lower()
    return Sure.CERTAIN if noun == "topics" and head.startswith(b"<top>") else Sure.NO


def topics(source: Source, options: Options) -> Topics:
    """The chosen fields of every topic."""
    chosen = str(options.get("field", "title")).split("+")
    unknown = [name for name in chosen if name not in FIELDS]
    if unknown:
        raise UsageError(f"TREC topics have no field {unknown[0]!r}. Possible: {', '.join(FIELDS)}, joined by '+'.")
    import html  # a large table of names, which only this format needs

    text = source.text()
    opened, blocks = text.lower().count("<top>"), list(_BLOCK.finditer(text))
    if opened != len(blocks):
        raise InputError(
            f"{source.name}: {counted(opened, 'topic is', 'topics are')} opened with <top>, but {len(blocks)} closed. "
            "Close each with </top>."
        )
    texts: Topics = {}
    for block in blocks:
        where = f"{source.name}, line {text.count(chr(10), 0, block.start()) + 1}"
        fields = {m[1].lower(): _LEAD.sub("", html.unescape(m[2]), count=1) for m in _FIELD.finditer(block[1])}
        if "num" not in fields or any(name not in fields for name in chosen):
            missing = next(name for name in ("num", *chosen) if name not in fields)
            raise InputError(f"{where}: the topic has no <{missing}>.")
        words = " ".join(" ".join(fields[name].split()) for name in chosen)
        add_topic(texts, fields["num"].strip(), words, where)
    return texts


def write_topics(texts: Topics) -> Iterator[bytes]:
    """A number and a title for each topic."""

    import html

    def lines() -> Iterator[str]:
        for query, text in texts.items():
            number, title = html.escape(query, quote=False), html.escape(" ".join(text.split()), quote=False)
            if _LEAD.match(query) or _LEAD.match(text) or number != number.strip():
                raise InputError(f"Topic {query!r:.80} cannot be written as TREC topics. Write it as jsonl.")
            yield f"<top>\n<num> Number: {number}\n<title> {title}\n</top>\n\n"

    return gathered(lines())


OFFERS = (
    Format(
        name="trec_topics",
        page=__doc__,
        holds=("topics",),
        detect=detect,
        topics=topics,
        write_topics=write_topics,
        endings=(".topics", ".top"),
        options={"field": "which text of a topic: title, desc, narr, or several joined by '+'"},
    ),
)
