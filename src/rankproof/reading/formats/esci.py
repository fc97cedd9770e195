"""Amazon's ESCI shopping queries: query_id, product_id and esci_label, in Parquet or CSV.

The label is Exact, Substitute, Complement or Irrelevant, as a word or its first letter, and becomes grade 3,
2, 1 or 0. The file holds several locales, two versions and two splits together: `locale=us`, `version=small`
(or large) and `split=test` (or train) keep one of each. Topics are the column `query`.

holds: qrels, topics
source: Reddy et al., Shopping queries dataset: a large-scale ESCI benchmark, 2022

    query_id,product_id,product_locale,esci_label
    0,B000MOO21W,us,Irrelevant
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.formats import parquet
from rankproof.reading.formats._gather import Gather, add_topic, id_text
from rankproof.reading.formats._names import plain
from rankproof.reading.formats._pieces import gathered
from rankproof.reading.formats._table import cut, sample
from rankproof.reading.formats.contract import Format, Noun, Options, Read, Sure, Topics
from rankproof.reading.formats.csv import quoting
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels

GRADES = {"exact": 3, "substitute": 2, "complement": 1, "irrelevant": 0}
GRADES |= {word[0]: grade for word, grade in GRADES.items()}
LETTERS = {3: "E", 2: "S", 1: "C", 0: "I"}
NEEDED = ("query_id", "query", "product_id", "esci_label", "product_locale", "split")
VERSIONS = ("small", "large")
# Parquet keeps the names of its columns in plain letters at its end.
FOOTER = 1 << 16
Record = dict[str, object]
_protect = quoting("esci")


def detect(source: Source, noun: Noun) -> Sure:
    """A column called esci_label."""
    if noun == "run":
        return Sure.NO
    if parquet.is_parquet(source):
        return Sure.CERTAIN if b"esci_label" in footer(source) else Sure.NO
    lines = sample(source.head)
    return Sure.CERTAIN if lines and any("esci_label" in _header(lines[0][1], s) for s in ",\t") else Sure.NO


def footer(source: Source) -> bytes:
    """The end of a file, where Parquet names its columns."""
    return source.part(max(0, source.size - FOOTER), FOOTER)


def _header(line: str, separator: str) -> list[str]:
    return [plain(name) for name in cut(line, separator)]


def records(source: Source, options: Options) -> Iterator[tuple[int, Record]]:
    """The rows that the options keep, each with its line (0 in Parquet)."""
    keep = _filters(options)
    in_parquet = parquet.is_parquet(source)
    rows = _parquet_records(source, {*NEEDED, *keep}) if in_parquet else _csv_records(source)
    for line, row in rows:
        for column in keep:
            if column not in row:
                raise UsageError(f"{source.name} has no column {column!r}, so it cannot be filtered by it.")
        if all(str(row[column]).strip().casefold() in allowed for column, allowed in keep.items()):
            yield line, row


def _filters(options: Options) -> dict[str, tuple[str, ...]]:
    """Column -> the values that stay."""
    keep: dict[str, tuple[str, ...]] = {}
    for option, column in (("locale", "product_locale"), ("split", "split")):
        if options.get(option) is not None:
            keep[column] = (str(options[option]).casefold(),)
    version = options.get("version")
    if version is not None:
        if version not in VERSIONS:
            raise UsageError(f"ESCI has no version {version!r}. Possible: {', '.join(VERSIONS)}.")
        keep[f"{version}_version"] = ("1", "true")
    return keep


def _parquet_records(source: Source, chosen: set[str]) -> Iterator[tuple[int, Record]]:
    table = parquet.table_of(source)
    table = table.select([name for name in table.column_names if plain(name) in chosen])
    names = [plain(name) for name in table.column_names]
    for batch in table.to_batches(max_chunksize=1 << 16):
        columns = [batch.column(i).to_pylist() for i in range(batch.num_columns)]
        for values in zip(*columns, strict=True):
            yield 0, dict(zip(names, values, strict=True))


def _csv_records(source: Source) -> Iterator[tuple[int, Record]]:
    lines = sample(source.head)
    separator = "\t" if lines and "esci_label" in _header(lines[0][1], "\t") else ","
    reader = csv.reader(io.StringIO(source.text(), newline=""), delimiter=separator)
    names: list[str] = []
    for row in reader:
        if not any(row):
            continue
        if not names:
            names = [plain(name) for name in row]
        elif len(row) != len(names):
            raise InputError(
                f"{source.name}, line {reader.line_num}: {counted(len(row), 'column')}, "
                f"but the header has {len(names)}."
            )
        else:
            yield reader.line_num, dict(zip(names, row, strict=True))


def rows(source: Source, noun: Noun, options: Options) -> Read:
    """Grades from labels."""
    gather = Gather("qrels", source.name)
    for line, row in records(source, options):
        where = f"{source.name}, line {line}" if line else f"{source.name}, row {len(gather) + 1}"
        missing = [name for name in ("query_id", "product_id", "esci_label") if row.get(name) in (None, "")]
        if missing:
            raise InputError(f"{where}: {missing[0]} is missing. ESCI has query_id, product_id and esci_label.")
        label = str(row["esci_label"]).strip()
        if label.casefold() not in GRADES:
            raise InputError(
                f"{where}: {label!r:.80} is not an ESCI label. Possible: E, S, C, I, or "
                "Exact, Substitute, Complement, Irrelevant."
            )
        gather.add(row["query_id"], row["product_id"], GRADES[label.casefold()], line=line)
    filters = [f"{name} {options[name]}" for name in ("locale", "version", "split") if options.get(name) is not None]
    notes: tuple[str, ...] = ("labels read as grades: Exact 3, Substitute 2, Complement 1, Irrelevant 0",)
    if filters:
        notes = (*notes, f"kept only {', '.join(filters)}")
    return Read(gather.rows(), notes, unit=gather.unit)


def topics(source: Source, options: Options) -> Topics:
    """Query ids and the column `query`."""
    texts: Topics = {}
    for line, row in records(source, options):
        where = f"{source.name}, line {line}" if line else source.name
        text = row.get("query")
        if row.get("query_id") in (None, "") or not isinstance(text, str):
            raise InputError(f"{where}: topics need the columns query_id and query.")
        name = id_text(row["query_id"], where)
        if texts.get(name) != text:
            add_topic(texts, name, text, where)
    return texts


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """CSV with letters for grades; other grades than 0 to 3 have no letter."""
    others = [grade for grade in qrels.grades if grade not in LETTERS]
    if others or qrels.has_subtopics:
        content = "subtopics" if qrels.has_subtopics else f"the grade {others[0]}"
        raise InputError(f"ESCI has no label for {content}. Write the qrels as trec, tsv, csv or jsonl.")

    def lines() -> Iterator[str]:
        yield "query_id,product_id,esci_label\n"
        for query, docs, grades, _ in qrels.judged():
            begin = _protect([query])[0]
            for doc, grade in zip(_protect(docs), grades, strict=True):
                yield f"{begin},{doc},{LETTERS[grade]}\n"

    return gathered(lines())


OFFERS = (
    Format(
        name="esci",
        page=__doc__,
        holds=("qrels", "topics"),
        detect=detect,
        rows=rows,
        topics=topics,
        write_qrels=write_qrels,
        endings=(".esci",),
        binary=True,  # Parquet, mostly; its CSV form is text all the same
        options={
            "locale": "keep one product_locale: us, es or jp",
            "version": "keep the small or the large version",
            "split": "keep the train or the test split",
        },
    ),
)
