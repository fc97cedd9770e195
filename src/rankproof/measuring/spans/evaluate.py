"""Evaluate retrieved chunks against gold spans: values by query that comparisons and reports take as they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import compress
from typing import Any, cast

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, some
from rankproof.measuring.records import Evaluation, LazyLines, Population, Result, aggregate
from rankproof.measuring.spans.coverage import ReadText, SpanTable
from rankproof.measuring.spans.measures.contract import SpanVariant, canonical, parse
from rankproof.measuring.spans.read import read_chunks, read_gold
from rankproof.measuring.spans.records import (
    GoldSpans,
    RetrievedChunks,
    Unit,
    Whole,
    chunks_in_tokens,
    gold_in_tokens,
)
from rankproof.reading.source import FileLike, open_source, require_text

SpanMeasures = str | SpanVariant | Iterable[str | SpanVariant]
# The characters where tokens start, or (start, end) of each, as tokenizers give them.
Splitter = Callable[[str], Iterable[int] | Iterable[tuple[int, int]]]
# Words and single marks: a stand-in where no model's tokenizer is at hand.
WORDS = r"\w+|[^\w\s]"
NOUNS = {"chars": "character", "tokens": "token"}


class TokenOffsets:
    """Where the tokens of each document start; a document is split once, when it is first needed.

    `tokens` is a regular expression whose matches are the tokens, or a function from a text to the tokens' starts, or
    to their (start, end). Tokens of one model are not those of another: a budget holds for the tokenizer it was
    counted with.
    """

    def __init__(self, texts: Mapping[str, str], tokens: str | Splitter) -> None:
        self.texts = texts
        self.name = f"pattern {tokens!r}" if isinstance(tokens, str) else getattr(tokens, "__qualname__", "a function")
        self._split: Splitter = _by_pattern(tokens) if isinstance(tokens, str) else tokens
        self._starts: dict[str, Whole] = {}

    def __call__(self, doc: str) -> Whole:
        """The characters where the tokens of a document start, sorted."""
        if doc not in self._starts:
            if doc not in self.texts:
                raise InputError(f"The text of document {doc!r:.80} is needed to count its tokens, and was not given.")
            self._starts[doc] = self._read(doc)
        return self._starts[doc]

    def _read(self, doc: str) -> Whole:
        given = list(self._split(self.texts[doc]))
        listed = [token[0] if isinstance(token, tuple | list) else token for token in given]
        starts = np.array(listed) if listed else np.zeros(0, dtype=np.int64)
        if starts.dtype.kind not in "iu" or (starts < 0).any() or (starts > len(self.texts[doc])).any():
            raise InputError(
                f"The tokens of document {doc!r:.80} must start at whole numbers from 0 to {len(self.texts[doc])}, the "
                f"length of its text; {self.name} gave {listed[:5]!r:.60}. Return starts, or (start, end)."
            )
        return np.sort(starts.astype(np.int64))


def _by_pattern(pattern: str) -> Splitter:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(f"The pattern of tokens {pattern!r:.60} is no regular expression: {error}.") from None
    return lambda text: [match.start() for match in compiled.finditer(text)]


def read_texts(path: FileLike) -> dict[str, str]:
    """Documents by id, for offsets and tokens: JSON lines with an id and `text`, or one object {doc_id: text}."""
    from rankproof.reading.datasets.documents import ID_FIELDS
    from rankproof.reading.stream import objects

    source = open_source(path)
    require_text(source)
    texts: dict[str, str] = {}
    for line, record in objects(source.text().removeprefix("\ufeff"), source.name):
        where = f"{source.name}, line {line}"
        named = next((field for field in ID_FIELDS if field in record), None)
        plain = named is None and record and all(isinstance(value, str) for value in record.values())
        if not plain and (named is None or not isinstance(record.get("text"), str)):
            raise InputError(
                f"{where}: a document is an id ({', '.join(ID_FIELDS[:3])}) and its text, under `text`; there is "
                f"{', '.join(map(repr, list(record)[:5])) or 'nothing'}."
            )
        documents = record if named is None else {str(record[named]): record["text"]}
        for doc, text in documents.items():
            if texts.setdefault(doc, str(text)) != text:
                raise InputError(f"{where}: document {doc!r:.80} has a second text. Give each document one text.")
    if not texts:
        raise InputError(f"{source.name} has no document. Give lines with a doc_id and a text.")
    return texts


def evaluate(
    gold: object,
    chunks: object,
    measures: SpanMeasures,
    *,
    unit: Unit = "chars",
    texts: Mapping[str, str] | None = None,
    tokens: str | Splitter | TokenOffsets | None = None,
    name: str | None = None,
) -> Evaluation:
    """Values of span measures: `evaluate(gold, chunks, "SpanRecall@4000tokens SpanIoU@5", texts=texts, tokens=WORDS)`.

    unit     what offsets count: "chars" (Unicode code points, as in Python), or "tokens" where they are token offsets
    texts    {doc_id: text}: ends of spans are held against them
    tokens   measure in tokens: a pattern, a function, or a TokenOffsets that several evaluations share
    name     what the system is called in a comparison
    """
    variants = parse(measures)
    if unit not in NOUNS:
        raise UsageError(f"Offsets count 'chars' or 'tokens'; got {unit!r:.40}.")
    if tokens is not None and unit == "tokens":
        raise UsageError("The offsets are tokens already: leave out `tokens`, or give offsets in characters.")
    offsets = tokens if isinstance(tokens, TokenOffsets) else None
    if offsets is None and tokens is not None:
        if texts is None:
            raise UsageError("Counting tokens needs the documents: give `texts`, a mapping from doc_id to text.")
        offsets = TokenOffsets(texts, cast("str | Splitter", tokens))
    texts = offsets.texts if offsets is not None else texts
    lengths = {doc: len(text) for doc, text in texts.items()} if texts is not None and unit == "chars" else None
    read, got = read_gold(gold, lengths, unit=unit), read_chunks(chunks, lengths, unit=unit, name=name or "")
    if offsets is not None:
        read = read if read.unit == "tokens" else gold_in_tokens(read, offsets)
        got = got if got.unit == "tokens" else chunks_in_tokens(got, offsets)
    if read.unit != got.unit:
        raise UsageError(f"{read.name} is in {read.unit} and {got.name} in {got.unit}. Give both in one unit.")
    return evaluate_spans(read, got, variants, name, offsets.name if offsets is not None else "")


def evaluate_spans(
    gold: GoldSpans, chunks: RetrievedChunks, variants: Sequence[SpanVariant], name: str | None = None, tokens: str = ""
) -> Evaluation:
    """Values of variants on gold and chunks that were read, in one unit."""
    for variant in variants:
        if variant.budget is not None and variant.budget.unit != gold.unit:
            remedy = "Give `texts` and `tokens`" if gold.unit == "chars" else "Write the budget in tokens"
            raise UsageError(f"{variant}: spans are measured in {gold.unit} here. {remedy}, or change the budget.")
    _require_common_query(gold, chunks)
    table = SpanTable(gold, chunks)
    results = {variant.text: _result(table, variant) for variant in variants}
    ids = table.query_ids
    population = Population(
        scored=len(ids),
        judged=len(ids),
        missing=tuple(compress(ids, (~table.in_run).tolist())),
        without_relevant=tuple(compress(ids, (table.gold_units(1) == 0).tolist())),
        unjudged=table.unjudged,
    )
    lines = LazyLines(partial(_fine_print, table, variants, population, tokens, _no_common_document(gold, chunks)))
    return Evaluation(
        results, population, lines, name or chunks.name, canonical=canonical,
        judgments_hash=partial(getattr, gold, "content_hash"),
    )  # fmt: skip


def _require_common_query(gold: GoldSpans, chunks: RetrievedChunks) -> None:
    """InputError where no query is on both sides: every value would be 0 and say nothing of the system."""
    if gold.query_ids and chunks.query_ids and set(gold.query_ids).isdisjoint(chunks.query_ids):
        raise InputError(
            f"No query is in both {gold.name} ({gold.query_ids[0]!r:.40}, ...) and {chunks.name} "
            f"({chunks.query_ids[0]!r:.40}, ...). Check that they belong together, and write the ids the same way."
        )


def _no_common_document(gold: GoldSpans, chunks: RetrievedChunks) -> str:
    """What to say where no document is on both sides: ids written in two ways look like a system that finds nothing."""
    if not len(gold) or not len(chunks) or not set(gold.doc_ids).isdisjoint(chunks.doc_ids):
        return ""
    return (
        f"no document is in both {gold.name} ({gold.doc_ids[0]!r:.40}, ...) and {chunks.name} "
        f"({chunks.doc_ids[0]!r:.40}, ...), so that nothing was found: check that their ids are written the same way"
    )


def text_read(table: SpanTable, variant: SpanVariant) -> ReadText:
    """What was read up to the variant's cutoff."""
    return table.read(variant.values.get("rel", 1), variant.at, bool(variant.values.get("whole")))


def _result(table: SpanTable, variant: SpanVariant) -> Result:
    kind, read = variant.measure, text_read(table, variant)
    undefined = kind.undefined(read, variant)
    counts = (~undefined).tolist()
    values = kind.compute(read, variant)[~undefined]
    return Result(
        variant.text, aggregate(values, "mean"), list(compress(table.query_ids, counts)), values,
        tuple(compress(table.query_ids, undefined.tolist())), "mean", kind.better,
        note=partial(kind.fine_print, variant),
    )  # fmt: skip


def _fine_print(
    table: SpanTable, variants: Sequence[SpanVariant], population: Population, tokens: str, apart: str
) -> tuple[str, ...]:
    """Each measure's own lines, how much was read at each cutoff, then unit and population."""
    lines = [f"{variant}: {note}" for variant in variants if (note := variant.measure.fine_print(variant))]
    cutoffs: dict[tuple[Any, ...], SpanVariant] = {}
    for variant in variants:
        cutoffs.setdefault((str(variant.at), variant.values.get("whole")), variant)
    lines += [_amount(table, variant) for variant in cutoffs.values()]
    how = f", split by {tokens}; other tokenizers count otherwise" if tokens else ""
    lines.append(f"unit: {NOUNS[table.unit]}s{how}; overlapping gold spans are one")
    lines.append(f"queries: {population.scored} scored")
    lines += [apart] if apart else []
    for text, ids in (
        ("missing from the chunks, count as nothing retrieved", population.missing),
        ("without a gold span, in no mean that needs one", population.without_relevant),
        ("retrieved for, without gold, not scored", population.unjudged),
    ):
        if ids:
            lines.append(f"{text}: {len(ids)} ({some(ids)})")
    return tuple(lines)


def _amount(table: SpanTable, variant: SpanVariant) -> str:
    """How much text a cutoff lets a reader read: chunks of different length make equal ranks unequal."""
    read, noun = text_read(table, variant), NOUNS[table.unit]
    mean = float(np.mean(read.units)) if len(table) else 0.0
    if variant.budget is None:
        cutoff = "all chunks" if variant.at is None else f"the first {counted(variant.at, 'chunk')}"
        return (
            f"{cutoff}: {mean:,.1f} {noun}s per query on average; longer chunks read more at equal ranks, so compare "
            f"chunkers at a budget, such as {variant.measure.name}@4000{table.unit}"
        )
    policy = "is left out" if variant.values.get("whole") else "is cut there"
    short = int((read.units < int(variant.budget)).sum())
    less = f"; {counted(short, 'query', 'queries')} read less than the budget" if short else ""
    return (
        f"@{variant.budget}: in rank order, the chunk that crosses the budget {policy}; {mean:,.1f} {noun}s per query "
        f"on average{less}"
    )
