"""Read click logs: files, folders and patterns, in any known layout, as one ClickLog."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankproof.errors import InputError, UsageError
from rankproof.kernel.progress import Progress, silent
from rankproof.online.clicks.logs import by_document, by_page, ga4, text, ubi
from rankproof.online.clicks.logs.builder import DEPTH, EARLY, STAY, ClickLogBuilder
from rankproof.online.clicks.logs.faults import NOT_SHOWN, REPEATED, TWICE
from rankproof.online.clicks.logs.layout import LogDescription, detect_layout
from rankproof.online.impressions import ClickLog, Impressions
from rankproof.reading import row_batches as rowstream
from rankproof.reading.source import STDIN
from rankproof.reading.stream import HEAD, plain_stream

__all__ = ["NOT_SHOWN", "REPEATED", "TWICE", "files_of", "pages_of_text", "read_log", "read_pages"]


def read_log(
    names: Sequence[str],
    description: LogDescription | None = None,
    *,
    stay: float = STAY,
    depth: int = DEPTH,
    early: float = EARLY,
    progress: Progress = silent,
) -> ClickLog:
    """The log in files, folders and patterns such as `logs/*.jsonl.gz`; the layout of each file is detected.

    description   of the layout and the columns; what it leaves out is guessed from the names of columns
    stay    how many seconds on a document count as satisfied
    depth   the last rank that is read
    early   how many seconds a click may come before its page, for clocks that differ
    """
    described = description or LogDescription()
    into = ClickLogBuilder(stay, depth, early)
    passed: Counter[str] = Counter()
    files = files_of(names)
    for done, path in enumerate(files):
        progress("reading file", done, len(files))
        passed += _read(path, described, into)
    progress("reading file", len(files), len(files))
    log = into.finish(files[0] if len(files) == 1 else f"The log of {len(files)} files")
    notes = [f"passed over: {count:,} {what}" for what, count in passed.items()]
    return replace(log, notes=(*log.notes, *notes)) if notes else log


def files_of(names: Sequence[str]) -> list[str]:
    """The files that names stand for: a folder is its files in the order of their names, and so is a pattern."""
    files: list[str] = []
    for name in names:
        if name == STDIN or (os.path.exists(name) and not os.path.isdir(name) and not os.path.isfile(name)):
            raise UsageError(
                "A log is read twice, once to detect its layout, so it cannot come from standard input or a pipe. "
                "Name a file; compressed files are read as they are."
            )
        if os.path.isdir(name):
            matches = sorted(entry.path for entry in os.scandir(name) if entry.is_file() and entry.name[0] not in "._")
            if not matches:
                raise InputError(f"The folder {name} has no files. Name a folder with a log.")
            files += matches
        elif any(mark in name for mark in "*?[") and not os.path.exists(name):
            matches = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
            if not matches:
                raise InputError(f"No file matches {name}. Check the pattern.")
            files += matches
        else:
            files.append(name)
    if not files:
        raise UsageError("Name the files of a log, such as: rankproof clicks fit clicks.csv")
    path, count = Counter(files).most_common(1)[0]
    if count > 1:
        raise UsageError(f"The file {path} is named twice. Its pages would count twice: name it once.")
    return files


def read_pages(path: Path) -> Impressions:
    """The pages of one file."""
    return read_log([str(path)]).pages


def pages_of_text(content: str, name: str = "text") -> Impressions:
    """The pages of a text with the layout `text`; `name` is what errors call it."""
    into = ClickLogBuilder()
    text.read_lines(content.splitlines(), name, into)
    return into.finish(name).pages


def _read(path: str, described: LogDescription, into: ClickLogBuilder) -> Counter[str]:
    """One file; what was passed over in it, counted."""
    if described.layout == "text" or (described.layout is None and text.is_text(_head(path))):
        text.read(path, into)
        return Counter()
    header = rowstream.header(path)
    layout, columns = detect_layout(header, described, path)
    if layout == "ubi":
        return ubi.read(path, header, described.actions, into)
    if layout == "ga4":
        into.mappings.add(described.ga4.sentence)
        return ga4.read(path, described.ga4, into)
    if layout == "pages":
        by_page.read(path, columns, described.clicks_are, into)
    else:
        by_document.read(path, columns, into)
    return Counter()


def _head(path: str) -> bytes:
    with plain_stream(path, path) as file:
        return file.peek(HEAD)[:HEAD]
