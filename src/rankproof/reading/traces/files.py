"""Files: what traces say, written as a topic set, a run, calls of tasks, sessions and times."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from rankproof.kernel.atomic import new_folder
from rankproof.reading.traces.gather import Traces

TOPICS, RUN, CALLS = "topics.jsonl", "run.jsonl", "calls.jsonl"
LATENCIES, SESSIONS, LEFT_OUT = "latencies.tsv", "sessions.jsonl", "left_out.jsonl"


def write_traces(traces: Traces, folder: str) -> dict[str, int]:
    """Writes the files into a new folder, which is there whole or not at all; each with how many lines it has.

    A file that would be empty is not written.
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
    return {name: number for name, number in written.items() if number}


def _write(path: str, lines: Iterable[str]) -> int:
    lines = iter(lines)
    first = next(lines, None)
    if first is None:
        return 0
    number = 0
    with open(path, "x", encoding="utf-8", newline="\n") as file:
        for line in chain([first], lines):
            file.write(line)
            number += 1
    return number


def _lines(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    return (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _calls(traces: Traces) -> Iterator[Mapping[str, object]]:
    for call in traces.calls_of_tasks():
        row = {"task_id": call.task, "call": call.number, "docs": call.docs}
        yield row if call.tokens is None else {**row, "tokens": int(call.tokens)}


def _latencies(traces: Traces) -> Iterator[str]:
    header = ["query_id\tmilliseconds\n"] if traces.timed else []
    return chain(header, (f"{query}\t{ms!r}\n" for query, ms in traces.latencies()))


def _left_out(traces: Traces) -> Iterator[Mapping[str, object]]:
    for search in traces.left_out():
        row = {"trace_id": search.trace, "span_id": search.span, "query_id": search.query, "reason": search.reason}
        yield {name: value for name, value in row.items() if value is not None}
