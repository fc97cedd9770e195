"""Records of other tools, broken in every place: there is an answer or one clear message, and never a crash."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.effort import examples

import rankproof
from rankproof.errors import RankproofError
from rankproof.reading.score_tables import score_rows

RECORDED = Path(__file__).parents[1] / "reading/formats/recorded"
FILES = sorted(path for path in RECORDED.rglob("*.*") if path.suffix in (".json", ".jsonl", ".csv"))
READERS: tuple[Callable[[Any], object], ...] = (
    rankproof.read_run, rankproof.read_qrels, rankproof.read_topics, rankproof.read_calls, score_rows,
)  # fmt: skip
# What no field expects.
VALUES: tuple[object, ...] = (
    None, True, 0, -1, 1e308, float("nan"), float("inf"), "", " ", "x" * 5000, "\U0001f600", "\x00", [], {}, [[]],
    [None], {"a": []}, {"id": None}, [1, "a"], 12345678901234567890, "2026-01-01", "[1,2", '{"a":',
)  # fmt: skip


def places(value: object, place: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a JSON value; of long lists the first few items, of deep ones the upper part."""
    inner: list[tuple[Any, Any]] = []
    if len(place) > 30:
        return [place]
    if isinstance(value, dict):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value[:5]))
    return [place, *(found for key, item in inner for found in places(item, (*place, key)))]


def broken(value: Any, random: Random) -> Any:
    """The value with something missing, doubled, renamed, nested or replaced in a place or several."""
    value = json.loads(json.dumps(value))
    for _ in range(random.choice([1, 1, 2, 5])):
        *way, last = random.choice(places(value)[1:] or [("nowhere",)])
        holder = value
        for key in way:
            holder = holder[key]
        if last == "nowhere":
            continue
        kind = random.random()
        if kind < 0.2 and isinstance(holder, dict):
            del holder[last]
        elif kind < 0.3 and isinstance(holder, list):
            holder.append(holder[last])
        elif kind < 0.4 and isinstance(holder, dict):
            holder[random.choice(["", "x", "id", last.upper()])] = holder.pop(last)
        elif kind < 0.5:
            for _ in range(random.choice([3, 50, 400])):
                holder[last] = [holder[last]]
        else:
            holder[last] = deepcopy(random.choice(VALUES))  # what is broken further is this one alone
    return value


def broken_bytes(content: bytes, random: Random) -> bytes:
    """The file cut, doubled, packed, in another encoding, or with wrong bytes."""
    at = random.randrange(len(content))
    return random.choice(
        [
            content[:at],
            content + content,
            content.decode().encode("utf-16"),
            b"\xef\xbb\xbf" + content,
            content.replace(b"\n", b"\r\n"),
            gzip.compress(content),
            content[:at] + b"\x00" + content[at:],
            content[:at] + b"\xff\xfe" + content[at:],
            b"[" * 100_000 + content,
        ]
    )


def broken_records(content: bytes, random: Random) -> bytes:
    """The file with one record, or its only value, broken."""
    lines = content.decode().splitlines()
    try:
        value = json.loads(content)
    except ValueError:
        at = random.randrange(len(lines))
        try:
            lines[at] = json.dumps(broken(json.loads(lines[at]), random))
        except ValueError:
            return broken_bytes(content, random)
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    return json.dumps(broken(value, random)).encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(RECORDED)))
def test_a_broken_record_is_read_or_refused(path: Path) -> None:
    content, random = path.read_bytes(), Random(path.name)
    for at in range(examples(90)):
        changed = (broken_bytes if at % 4 == 0 else broken_records)(content, random)
        for read in READERS:
            try:
                read(changed)
                continue
            except RankproofError as error:
                message = str(error)
            assert 0 < len(message) < 1500, "a message is for a person"
