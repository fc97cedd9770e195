"""Files that somebody writes to while they are read: refused in one sentence, or read as they were; never a crash.

A mapped file that is truncated ends the process at the next byte (SIGBUS). No file that others can write to is mapped.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.effort import examples
from tests.hostile.command import apart, here
from tests.raising import raises

import rankproof
from rankproof.core import Judgments, Rows, TextFile, ranked_ids
from rankproof.errors import FileChanged, RankproofError
from rankproof.reading.formats.trec import RUN
from rankproof.reading.source import open_source

QUERIES, DEPTH = 400, 400
LAYOUT = {"separator": " ", "query": 0, "doc": 2, "number": 4, "rank": 3, "label": 5, "least": 6}
ORDER = {"by": "score", "ties": "id_descending", "precision": "float64", "lower_is_better": False}
OPTIONS: dict[str, Any] = {**LAYOUT, "most": 0, "skip": 0, "quoted": False, "comments": True}


def query(number: int, depth: int = DEPTH) -> str:
    return "".join(
        f"q{number} Q0 document-{(number * rank) % 9973:06d} {rank} {depth - rank}.5 t\n" for rank in range(depth)
    )


@pytest.fixture(scope="module")
def texts() -> tuple[bytes, bytes, bytes]:
    """A run of some megabytes, its first half, and what is appended to it: all of whole queries."""
    lines = [query(number).encode() for number in range(1, QUERIES + 1)]
    return b"".join(lines), b"".join(lines[: QUERIES // 2]), query(QUERIES + 1, 20).encode()


@pytest.fixture(scope="module")
def qrels() -> dict[str, dict[str, int]]:
    """A relevant document for each query, further down for later ones: each of the texts has its own mean."""
    return {f"q{n}": {f"document-{n * (n % 50) % 9973:06d}": 1} for n in range(1, QUERIES + 2)}


class Writer(threading.Thread):
    """Until it is stopped, makes the file whole, truncates it to its half, and appends a query to that."""

    def __init__(self, path: Path, texts: tuple[bytes, bytes, bytes]) -> None:
        super().__init__(daemon=True)
        self.path, (self.text, self.half, self.more) = path, texts
        self.stopped, self.turns = threading.Event(), 0
        path.write_bytes(self.text)

    def run(self) -> None:
        # Each step is one act of the system, so that there are three texts and no other.
        fresh = self.path.with_suffix(".fresh")
        while not self.stopped.wait(0.005):
            os.truncate(self.path, len(self.half))
            if self.stopped.wait(0.005):
                break
            with self.path.open("ab", buffering=0) as file:
                file.write(self.more)
            fresh.write_bytes(self.text)
            os.replace(fresh, self.path)
            self.turns += 1


@contextmanager
def being_written(path: Path, texts: tuple[bytes, bytes, bytes]) -> Iterator[Writer]:
    writer = Writer(path, texts)
    writer.start()
    try:
        yield writer
    finally:
        writer.stopped.set()
        writer.join()


READERS: dict[str, Callable[[str, Judgments], Any]] = {
    "join": lambda path, pool: pool.join_text(path, **OPTIONS, **ORDER, threads=2).rank.tobytes(),
    "rows": lambda path, _: Rows.from_text(path, **LAYOUT).number.tobytes(),
    "ids": lambda path, _: tuple(ranked_ids(path, **OPTIONS, **ORDER).items()),
    "text": lambda path, _: open_source(path).text(),
    "pieces": lambda path, _: b"".join(bytes(p) for p in parts(path)),
}


def parts(path: str) -> list[bytes]:
    file = TextFile(path)
    return [file.read(begin, 1 << 20) for begin in range(0, file.size, 1 << 20)]


@pytest.mark.parametrize("reader", READERS)
def test_a_file_truncated_and_grown_while_it_is_read(
    reader: str, texts: tuple[bytes, bytes, bytes], qrels: dict[str, dict[str, int]], tmp_path: Path
) -> None:
    pool, read = Judgments.from_dicts(qrels), READERS[reader]
    text, half, more = texts
    right = []
    for number, known in enumerate((text, half, half + more)):
        path = tmp_path / f"known-{number}.run"
        path.write_bytes(known)
        right.append(read(str(path), pool))
        path.unlink()
    changed = 0
    with being_written(tmp_path / "a.run", texts) as writer:
        for _ in range(examples(300)):
            try:
                assert read(str(writer.path), pool) in right
            except FileChanged as error:
                changed += error.name == str(writer.path)
    assert writer.turns > 0
    assert changed > 0, "no reading met a change: the test shows nothing"


@pytest.mark.parametrize("memory", [None, "1MB"])
def test_evaluations_of_a_file_that_is_written(
    memory: str | None, texts: tuple[bytes, bytes, bytes], qrels: dict[str, dict[str, int]], tmp_path: Path
) -> None:
    """Read at once, and in pieces."""
    text, half, more = texts
    right = []
    for known in (text, half, half + more):
        path = tmp_path / "known.run"
        path.write_bytes(known)
        right.append(rankproof.evaluate(qrels, path, "RR", memory=memory)["RR"].mean)
    assert len(set(right)) == 3
    changed = 0
    with being_written(tmp_path / "a.run", texts) as writer:
        for _ in range(examples(90)):
            try:
                assert rankproof.evaluate(qrels, writer.path, "RR", memory=memory)["RR"].mean in right
            except FileChanged as error:
                changed += error.name == str(writer.path)
    assert changed > 0, "no reading met a change: the test shows nothing"


def test_the_command_line_on_a_file_that_is_written(
    texts: tuple[bytes, bytes, bytes], qrels: dict[str, dict[str, int]], tmp_path: Path
) -> None:
    judged = tmp_path / "a.qrels"
    judged.write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in qrels.items() for d, g in docs.items()))
    statuses = set()
    with being_written(tmp_path / "a.run", texts) as writer:
        for _ in range(examples(36)):
            told = apart("evaluate", judged, writer.path, "-m", "RR")
            statuses.add(told.status)
            if told.status != 0:
                assert "changed while it was read" in told.refused()
                assert str(writer.path) in told.err
    assert statuses <= {0, 1}


def test_a_file_is_known_by_size_time_and_number(tmp_path: Path) -> None:
    """What tells that a file changed, one by one: each alone is enough."""
    path = tmp_path / "a.run"

    def known() -> TextFile:
        path.write_bytes(b"q1 Q0 d1 1 2.5 t\n")
        os.utime(path, ns=(10**18, 10**18))
        return TextFile(str(path))

    def keep_time() -> None:
        os.utime(path, ns=(10**18, 10**18))

    def grow() -> None:
        with path.open("ab") as file:
            file.write(b"\n")
        keep_time()

    def shrink() -> None:
        os.truncate(path, 5)
        keep_time()

    def overwrite() -> None:
        with path.open("r+b") as file:
            file.write(b"q2")
        os.utime(path, ns=(10**18, 10**18 + 100_000))

    def replace() -> None:
        shutil.copy2(path, tmp_path / "b.run")
        os.replace(tmp_path / "b.run", path)
        keep_time()

    for change in (grow, shrink, overwrite, replace, path.unlink):
        file = known()
        assert file.read(0, 99) == b"q1 Q0 d1 1 2.5 t\n"
        file.check()
        change()
        for use in (
            file.check,
            lambda file=file: file.read(0, 2),
            lambda file=file: Rows.from_text(file, **LAYOUT),
            lambda file=file: ranked_ids(file, **OPTIONS, **ORDER),
        ):
            with raises(FileChanged, path):
                use()


def test_reading_the_same_source_again_after_a_change(tmp_path: Path) -> None:
    """A run is read once to be joined and once to be explained: both must be of one text."""
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d1 2 1.5 t\n")
    source = open_source(path)
    assert len(RUN.layout.read(source)) == 2
    path.write_text("q1 Q0 d1 1 2.5 t\n")
    with raises(FileChanged, path):
        RUN.layout.read(source)


def test_a_packed_file_that_changed_is_told_so_and_not_damaged(tmp_path: Path) -> None:
    from rankproof.reading.stream import plain_stream

    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(os.urandom(1 << 20)))
    with raises(FileChanged, path), plain_stream(str(path), str(path)) as stream:
        stream.read(10)
        os.truncate(path, 1 << 19)
        stream.read()
    path.write_bytes(gzip.compress(b"a" * 100))
    with raises(FileChanged, path), plain_stream(str(path), str(path)) as stream:
        stream.read()
        os.utime(path, ns=(1, 1))


def test_a_parquet_file_that_changed(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    write_table = pytest.importorskip("pyarrow.parquet").write_table
    from rankproof.reading.formats import parquet

    table = pyarrow.table({"query_id": ["q1"] * 5000, "doc_id": [f"d{i}" for i in range(5000)], "score": [1.0] * 5000})
    held = io.BytesIO()
    write_table(table, held)
    path = tmp_path / "a.parquet"
    for change in (lambda: os.truncate(path, 20_000), lambda: os.utime(path, ns=(1, 1)), path.unlink):
        path.write_bytes(held.getvalue())
        source = open_source(path)
        assert parquet.table_of(source).num_rows == 5000
        change()
        with raises(FileChanged, path):
            parquet.table_of(source)


def test_no_file_of_others_is_mapped() -> None:
    """Only unnamed temporary files are, which nobody else can truncate."""
    import rankproof as package

    root = Path(package.__file__).parent
    mapping = [path.name for path in root.rglob("*.py") if "import mmap" in path.read_text("utf-8")]
    assert mapping == ["column_files.py"]
    assert [path.name for path in root.rglob("*.[ch]pp") if "mman.h" in path.read_text("utf-8")] == []


def test_what_a_person_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = tmp_path / "a.qrels", tmp_path / "a.run"
    qrels.write_text("q1 0 d1 1\n")
    run.write_text("q1 Q0 d1 1 2.5 t\n")
    check = Judgments.join_text

    def join(self: Judgments, *args: Any, **named: Any) -> Any:
        run.write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n")
        return check(self, *args, **named)

    monkeypatch.setattr(Judgments, "join_text", join)
    message = here("evaluate", qrels, run).refused()
    assert message.startswith(f"rankproof: {run} changed while it was read")
    assert issubclass(FileChanged, RankproofError)
