"""A folder of TREC files: topics, qrels and, where there are any, documents between <DOC> and </DOC>.

A file is known by how it begins; only a table of topics needs a name with "topic" or "quer" in it. Documents may
also lie in a folder called docs, documents or corpus. Their title is what TITLE, HEADLINE or TTL holds; the text is
what TEXT holds, or all the rest where there is no TEXT.

source: https://trec.nist.gov/data/docs_eng.html
"""

from __future__ import annotations

import os
import re
from collections.abc import Container, Sequence

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Corpus
from rankproof.reading.datasets.documents import DocumentReader
from rankproof.reading.datasets.layout import (
    UNNAMED,
    DatasetLayout,
    DatasetParts,
    DatasetRequest,
    choose,
    entries,
    put_together,
    stem_of,
)
from rankproof.reading.formats.contract import Sure
from rankproof.reading.formats.trec import TREC
from rankproof.reading.source import open_source, require_text

FOLDERS = ("docs", "documents", "corpus")
_DOC = re.compile(r"<DOC>(.*?)</DOC>", re.DOTALL | re.IGNORECASE)
_DOCNO = re.compile(r"<DOCNO>(.*?)</DOCNO>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<(TITLE|HEADLINE|TTL)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_TEXT = re.compile(r"<TEXT>(.*?)</TEXT>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")
_NOT_DATA = (".md", ".run", ".html", ".pdf", ".py", ".sh")


def _sorted_out(folder: str) -> tuple[list[str], list[str], list[str]]:
    """The paths of topics, of qrels and of documents."""
    topics: list[str] = []
    qrels: list[str] = []
    documents: list[str] = []
    for name in entries(folder):
        path, low = os.path.join(folder, name), name.casefold()
        if stem_of(low)[1] in _NOT_DATA or low == "manifest.json":
            continue
        source = open_source(path)
        head = source.head.lstrip().lower()
        if head.startswith(b"<top>"):
            topics.append(path)
        elif head.startswith(b"<doc>"):
            documents.append(path)
        elif "qrel" in low or TREC.detect(source, "qrels") == Sure.CERTAIN:
            qrels.append(path)
        elif "topic" in low or "quer" in low:
            topics.append(path)
    inside = os.path.join(folder, "qrels")
    if os.path.isdir(inside):
        qrels = [os.path.join(inside, name) for name in entries(inside)]
    called = [path for path in qrels if "qrel" in os.path.basename(path).casefold()]
    for beside in (os.path.join(folder, name) for name in FOLDERS):
        if os.path.isdir(beside):
            documents += [os.path.join(beside, name) for name in entries(beside)]
    return topics, called or qrels, documents


def _documents(
    paths: Sequence[str], name: str, keep: Container[str] | None, fields: Sequence[str] | None
) -> tuple[Corpus, tuple[str, ...]]:
    import html

    reader = DocumentReader(name, keep, fields)
    for path in paths:
        source = open_source(path)
        require_text(source)
        text = source.text()
        opened, blocks = text.upper().count("<DOC>"), list(_DOC.finditer(text))
        if opened != len(blocks):
            raise InputError(
                f"{path}: {counted(opened, 'document is', 'documents are')} opened with <DOC>, "
                f"but {len(blocks)} closed. Close each with </DOC>."
            )
        for block in blocks:
            number = _DOCNO.search(block[1])
            if number is None or not number[1].strip():
                line = text.count("\n", 0, block.start()) + 1
                raise InputError(f"{path}, line {line}: the document has no <DOCNO>.")
            rest = block[1][: number.start()] + block[1][number.end() :]
            title = " ".join(part[2] for part in _TITLE.finditer(rest))
            body = " ".join(_TEXT.findall(rest)) or _TITLE.sub(" ", rest)
            parts = (("title", title), ("text", body))
            texts = [(field, _plain(html.unescape(_TAG.sub(" ", part)))) for field, part in parts]
            reader.add(number[1].strip(), texts)
    return reader.corpus()


def _plain(text: str) -> str:
    return " ".join(text.split())


def _fits(path: str) -> bool:
    if not os.path.isdir(path):
        return False
    topics, qrels, _ = _sorted_out(path)
    return bool(topics) and bool(qrels)


def _read(path: str, request: DatasetRequest) -> DatasetParts:
    topics, judgments, documents = _sorted_out(path)
    stems = {stem_of(os.path.basename(file))[0]: file for file in judgments}
    available = stems if len(stems) > 1 else {UNNAMED: judgments[0]}
    chosen = choose(list(available), request.split, path)
    judged = [(split, read_qrels(available[split], allow=request.allow)) for split in chosen]
    read = (lambda keep: _documents(documents, path, keep, request.fields)) if documents else None
    return put_together(path, available, judged, {file: file for file in topics}, request, read)


TREC_FILES = DatasetLayout(
    "trec",
    "TREC files: topics (<top> or a table called topics or queries), qrels and perhaps <DOC> files",
    _fits,
    _read,
    ("split", "field", "fields"),
)
