"""Files: what traces say, written as a topic set, a run, calls of tasks, sessions and times, with a manifest."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import chain

from rankproof.kernel.atomic import new_folder
from rankproof.reading.traces.gather import Traces

TOPICS, RUN, CALLS = "topics.jsonl", "run.jsonl", "calls.jsonl"
LATENCIES, SESSIONS, LEFT_OUT = "latencies.tsv", "sessions.jsonl", "left_out.jsonl"
MANIFEST = "manifest.json"
# A file: how many lines it has, and the hash of its bytes.
Written = Mapping[str, Mapping[str, object]]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def write_traces(traces: Traces, folder: str, manifest: Callable[[Written], str]) -> Written:
    """Writes the files into a new folder, which is there whole or not at all; each with its lines and its hash.

    A file that would be empty is not written. `manifest` makes the text of manifest.json of the others.
    """
    contents: dict[str, Iterable[str]] = {
        TOPICS: _lines({"_id": query, "text": text} for query, text in traces.topics()),
        RUN: _lines({"query_id": query, "docs": docs} for query, docs in traces.rankings()),
        CALLS: _lines(_calls(traces)),
        LATENCIES: _latencies(traces),
        SESSIONS: _lines(traces.sessions_of_users()),
        LEFT_OUT: _lines(_left_out(traces)),
    }
    with new_folder(folder) as beside:
        written = {name: _write(os.path.join(beside, name), lines) for name, lines in contents.items()}
        told = {name: file for name, file in written.items() if file}
        _write(os.path.join(beside, MANIFEST), [manifest(told)])
    return told


def _write(path: str, lines: Iterable[str]) -> Mapping[str, object]:
    """The number of lines and the hash; nothing where there is no line."""
    lines = iter(lines)
    first = next(lines, None)
    if first is None:
        return {}
    number, digest = 0, sha256()
    with open(path, "xb") as file:
        for line in chain([first], lines):
            data = line.encode()
            file.write(data)
            digest.update(data)
            number += 1
    return {"lines": number, "sha256": digest.hexdigest()}


def _lines(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _calls(traces: Traces) -> Iterator[Mapping[str, object]]:
    """Each call with what `rankproof tasks` reads first, and then where and when it was made."""
    for call in traces.calls_of_tasks():
        yield {"task_id": call.task, "call": call.number, "docs": call.docs} | _known(
            tokens=None if call.tokens is None else int(call.tokens),
            query_id=call.query,
            session_id=call.session,
            trace_id=call.trace,
            start=None if call.start is None else _moment(call.start),
            milliseconds=call.ms,
        )


def _known(**values: object) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}


def _moment(nanoseconds: int) -> str:
    """The time as ISO 8601 in UTC, to the microsecond."""
    return (_EPOCH + timedelta(microseconds=nanoseconds // 1000)).isoformat(timespec="microseconds")


def _latencies(traces: Traces) -> Iterator[str]:
    """A table: ids of traces may be any text, so that cells are quoted where they need it."""
    if traces.timed:
        yield "query_id\tmilliseconds\n"
    for query, ms in traces.latencies():
        line = io.StringIO()
        csv.writer(line, delimiter="\t", lineterminator="\n").writerow([query, ms])
        yield line.getvalue()


def _left_out(traces: Traces) -> Iterator[Mapping[str, object]]:
    for search in traces.left_out():
        yield {"trace_id": search.trace, "span_id": search.span} | _known(query_id=search.query, reason=search.reason)
