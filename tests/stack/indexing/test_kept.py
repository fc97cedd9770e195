"""Indexes of Tantivy and SQLite that are kept in folders: filled, resumed, verified, refused, searched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.stack.indexing.filling import filled, made_corpus

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.system import append_only, lock
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.filling import FillRequest
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground

pytest.importorskip("tantivy", reason="tantivy is not installed")
pytest.importorskip("apsw", reason="apsw is not installed")
pytest.importorskip("sqlite_vec", reason="sqlite-vec is not installed")

ROOT = Path(__file__).resolve().parents[3]
N = 40
# Engine -> options besides the folder.
WAYS = {
    "tantivy": "",
    "tantivy fields": "fields='title^3 text', stemming='none'",
    "sqlite": "",
    "sqlite fields": "fields='title^2', tokenizer='trigram'",
    "sqlite vectors": "mode='vector', model='wordllama'",
}
QUERIES = [Query("q1", "red tents"), Query("q2", "number 17 long"), Query("q3", "nothing like it"), Query("q4", "é")]
every_way = pytest.mark.parametrize("way", WAYS)


def mode(way: str, path: str | None = "kept") -> str:
    options = [*([f"path={path!r}"] if path else []), *([WAYS[way]] if WAYS[way] else [])]
    return f"{way.split()[0]}({', '.join(options)})"


def opened(text: str, corpus: Corpus, folder: Path) -> Any:
    step = read_pipeline(text)
    return shelf.find("engines", step.name).open(step.values, Ground(corpus, folder=str(folder)))


def answers(engine: Any) -> list[tuple[tuple[str, ...], list[float]]]:
    return [(ranking.doc_ids, ranking.scores.tolist()) for ranking in engine.search(QUERIES, 15)]


def all_of(text: str, corpus: Corpus, folder: Path) -> dict[str, Any]:
    """Every document that the index holds, read back: texts and vectors."""
    step = read_pipeline(text)
    fills = shelf.find("engines", step.name).fills
    filler = fills.open(FillRequest(step.name, {"m": step.values}, {}, Ground(corpus, folder=str(folder))))
    try:
        assert filler.count() == len(corpus)
        read = filler.read(corpus.doc_ids)
        return {
            doc: (dict(one.texts), {name: None if v is None else v.tolist() for name, v in one.vectors.items()})
            for doc, one in read.items()
        }
    finally:
        filler.close()


@every_way
def test_a_kept_index_answers_as_one_that_is_built_for_the_benchmark(way: str, tmp_path: Path) -> None:
    corpus = made_corpus(N)
    (done,) = filled({"m": mode(way)}, corpus, tmp_path, batch=15, sample=None)
    assert (done.outcome, done.put, done.compared, done.faults) == ("made", N, N, ())
    assert done.searches["m"].found >= 1
    kept, built = opened(mode(way), corpus, tmp_path), opened(mode(way, None), corpus, tmp_path)
    assert answers(kept) == answers(built)
    assert kept.identity == built.identity
    kept.prepare()
    assert kept.observed["index_bytes"] > 0
    assert kept.observed["index_seconds"] > 0


@every_way
def test_what_is_there_is_verified_and_not_put_again(way: str, tmp_path: Path) -> None:
    corpus = made_corpus(N)
    filled({"m": mode(way)}, corpus, tmp_path)
    marker = (tmp_path / "kept" / "rankproof-index.json").read_text()
    (again,) = filled({"m": mode(way)}, corpus, tmp_path)
    assert (again.outcome, again.put, again.faults) == ("there", 0, ())
    assert (tmp_path / "kept" / "rankproof-index.json").read_text() == marker
    assert again.to_dict() == filled({"m": mode(way)}, corpus, tmp_path, batch=3)[0].to_dict()


# ---- killed --------------------------------------------------------------------------------------


def killed(way: str, folder: Path, call: str, at: int, after: bool) -> None:
    said = {
        "modes": {"m": mode(way)},
        "n": N,
        "batch": 7,
        "folder": str(folder),
        "call": call,
        "at": at,
        "after": after,
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.stack.indexing.filling", json.dumps(said)], cwd=ROOT, timeout=60
    )
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize(
    ("way", "call", "at", "after"),
    [
        ("tantivy", "put", 3, True),
        ("sqlite", "put", 3, True),
        pytest.param("sqlite vectors", "put", 2, False, marks=pytest.mark.slow),
        *(
            pytest.param(way, call, at, after, marks=pytest.mark.full)
            for way in ("tantivy", "sqlite")
            for call, at in (("create", 1), ("put", 1), ("put", 6), ("finish", 1), ("mark", 1), ("mark", 2))
            for after in (False, True)
        ),
    ],
)
def test_one_that_was_killed_goes_on_and_is_as_one_filled_in_one_go(
    way: str, call: str, at: int, after: bool, tmp_path: Path
) -> None:
    corpus = made_corpus(N)
    (tmp_path / "whole").mkdir()
    filled({"m": mode(way)}, corpus, tmp_path / "whole", batch=7)
    killed(way, tmp_path, call, at, after)
    if call == "put":
        with raises(UsageError, "'kept'", "whole", "rankproof index"):
            opened(mode(way), corpus, tmp_path)
    (done,) = filled({"m": mode(way)}, corpus, tmp_path, batch=5, sample=None)
    assert done.faults == ()
    if call == "put":
        assert (done.outcome, done.put) == ("resumed", max(0, N - 7 * (at if after else at - 1)))
    assert all_of(mode(way), corpus, tmp_path) == all_of(mode(way), corpus, tmp_path / "whole")
    kept, whole = (opened(mode(way), corpus, folder) for folder in (tmp_path, tmp_path / "whole"))
    assert answers(kept) == answers(whole)


def test_two_at_once_are_one_too_many(tmp_path: Path) -> None:
    corpus = made_corpus(N)
    filled({"m": mode("sqlite")}, corpus, tmp_path)
    held = append_only(str(tmp_path / "kept" / "lock"))
    assert lock(held)
    try:
        for replace in (True, False):
            with raises(InputError, "'kept'", "another process"):
                filled({"m": mode("sqlite")}, corpus, tmp_path, replace=replace)
    finally:
        os.close(held)
    assert filled({"m": mode("sqlite")}, corpus, tmp_path)[0].faults == ()


# ---- found behind our back -----------------------------------------------------------------------


def change(folder: Path, statement: str) -> None:
    import apsw

    with apsw.Connection(str(folder / "kept" / "data" / "index.sqlite")) as database:
        database.execute(statement)


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("UPDATE docs SET f0 = 'something else' WHERE rowid = 20", "not as they were put"),
        ("DELETE FROM docs WHERE rowid = 20", ""),
        ("INSERT INTO docs(rowid, f0, f1) VALUES (999, 'one', 'more')", "41 documents, 1 more"),
    ],
)
def test_a_document_that_somebody_changed_is_found(statement: str, fault: str, tmp_path: Path) -> None:
    corpus = made_corpus(N)
    filled({"m": mode("sqlite")}, corpus, tmp_path)
    change(tmp_path, statement)
    (done,) = filled({"m": mode("sqlite")}, corpus, tmp_path, sample=None)
    if not fault:  # one that is gone is put again
        assert (done.outcome, done.put, done.faults) == ("resumed", 1, ())
        return
    assert fault in " ".join(done.faults)
    with raises(UsageError, "'kept'", "whole"):
        opened(mode("sqlite"), corpus, tmp_path)
    (anew,) = filled({"m": mode("sqlite")}, corpus, tmp_path, replace=True, sample=None)
    assert (anew.outcome, anew.faults) == ("made anew", ())


def test_a_sample_is_the_same_each_time_and_may_miss_what_all_find(tmp_path: Path) -> None:
    corpus = made_corpus(N)
    filled({"m": mode("sqlite")}, corpus, tmp_path)
    change(tmp_path, "UPDATE docs SET f0 = 'something else' WHERE rowid = 20")
    found = [bool(filled({"m": mode("sqlite")}, corpus, tmp_path, sample=2)[0].faults) for _ in range(2)]
    assert found == [False, False]


# ---- refused -------------------------------------------------------------------------------------


@every_way
def test_another_dataset_is_refused_and_made_anew_only_when_told(way: str, tmp_path: Path) -> None:
    first, second = made_corpus(N), made_corpus(N, "x")
    filled({"m": mode(way)}, first, tmp_path)
    with raises(UsageError, "'kept'", "another dataset", "--replace"):
        filled({"m": mode(way)}, second, tmp_path)
    with raises(UsageError, "'kept'", "another dataset", "rankproof index"):
        opened(mode(way), second, tmp_path)
    assert all_of(mode(way), first, tmp_path)["d0"]  # untouched
    (done,) = filled({"m": mode(way)}, second, tmp_path, replace=True)
    assert (done.outcome, done.faults) == ("made anew", ())
    assert answers(opened(mode(way), second, tmp_path)) == answers(opened(mode(way, None), second, tmp_path))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tantivy(path='kept')", "tantivy(path='kept', stemming='none')"),
        ("tantivy(path='kept')", "tantivy(path='kept', fields='title')"),
        ("sqlite(path='kept')", "sqlite(path='kept', tokenizer='unicode61')"),
        ("sqlite(path='kept')", "sqlite(path='kept', mode='vector', model='wordllama')"),
        ("sqlite(path='kept')", "tantivy(path='kept')"),
    ],
)
def test_other_settings_are_refused(before: str, after: str, tmp_path: Path) -> None:
    corpus = made_corpus(N)
    filled({"m": before}, corpus, tmp_path)
    for refused in (lambda: filled({"m": after}, corpus, tmp_path), lambda: opened(after, corpus, tmp_path)):
        with raises(UsageError, "'kept'", "--replace"):
            refused()


def test_weights_are_of_the_search_and_not_of_the_index(tmp_path: Path) -> None:
    corpus = made_corpus(N)
    modes = {"a": "tantivy(path='kept', fields='title^3 text')", "b": "tantivy(path='kept', fields='title text^9')"}
    (done,) = filled(modes, corpus, tmp_path)
    assert list(done.searches) == ["a", "b"]
    with raises(UsageError, "a", "b", "fields"):
        filled({**modes, "b": "tantivy(path='kept', fields='title')"}, corpus, tmp_path)
    with raises(UsageError, "a", "b", "stemming"):
        filled({**modes, "b": "tantivy(path='kept', fields='title text', stemming='none')"}, corpus, tmp_path)


@pytest.mark.parametrize("what", ["a file", "a folder with files", "a broken marker"])
def test_what_was_not_made_by_us_is_left_alone(what: str, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    if what == "a file":
        place.write_text("mine")
    else:
        place.mkdir()
        (place / ("rankproof-index.json" if "marker" in what else "notes.txt")).write_text("mine {")
    for replace in (False, True):
        with raises(UsageError, "'kept'", "not made by"):
            filled({"m": mode("sqlite")}, made_corpus(3), tmp_path, replace=replace)
    assert "mine" in next(p for p in [place, *place.glob("*.*")] if p.is_file()).read_text()


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    assert filled({"m": mode("sqlite")}, made_corpus(3), tmp_path)[0].outcome == "made"


def test_without_an_index_the_command_that_makes_it_is_named(tmp_path: Path) -> None:
    for way in ("tantivy", "sqlite"):
        with raises(UsageError, "'kept'", "rankproof index CONFIG"):
            opened(mode(way), made_corpus(3), tmp_path)


def test_damaged_files_are_told_and_no_traceback(tmp_path: Path) -> None:
    corpus = made_corpus(N)
    for way in ("tantivy", "sqlite"):
        path = f"kept-{way}"
        filled({"m": mode(way, path)}, corpus, tmp_path)
        for file in (tmp_path / path / "data").iterdir():
            file.unlink()  # a file that is mapped and cut off in its place ends the process that mapped it
            file.write_bytes(b"\0not an index" * 40)
        with raises(InputError, repr(path), "--replace"):
            opened(mode(way, path), corpus, tmp_path).search(QUERIES, 5)
        with raises(InputError, repr(path)):
            filled({"m": mode(way, path)}, corpus, tmp_path)
        assert filled({"m": mode(way, path)}, corpus, tmp_path, replace=True)[0].faults == ()


def test_a_field_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with raises(UnknownName, "'titel'", "title"):
        filled({"m": "sqlite(path='kept', fields='titel')"}, made_corpus(3), tmp_path)
    assert not (tmp_path / "kept").exists()


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    (done,) = filled({"m": mode("sqlite")}, made_corpus(3), tmp_path, dry_run=True)
    assert (done.outcome, done.documents) == ("planned", 3)
    assert "fts5" in str(done.plan)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("way", ["tantivy", "sqlite", "sqlite vectors"])
def test_odd_ids_and_documents(way: str, tmp_path: Path) -> None:
    """No id reaches these engines, so that any will do."""
    ids = ("a b", "ä/ö", "1", "x" * 600, "\udc80", "'; drop", "{}", "🎈")
    texts = ("", " ", "\0 nul", "\udc80 half", "word " * 3000, "'quoted' \"twice\"", "%s %(a)s", "🎈 balloon")
    corpus = Corpus(ids, {"text": texts})
    (done,) = filled({"m": mode(way)}, corpus, tmp_path, batch=3, sample=None)
    assert (done.faults, done.compared) == ((), len(ids))
    kept, built = opened(mode(way), corpus, tmp_path), opened(mode(way, None), corpus, tmp_path)
    assert answers(kept) == answers(built)


def test_no_documents_are_an_index_too(tmp_path: Path) -> None:
    corpus = Corpus((), {"text": ()})
    for way in ("tantivy", "sqlite", "sqlite vectors"):
        (done,) = filled({"m": mode(way, f"empty-{way}")}, corpus, tmp_path)
        assert (done.faults, done.documents) == ((), 0)
        assert [len(r) for r in opened(mode(way, f"empty-{way}"), corpus, tmp_path).search(QUERIES, 5)] == [0, 0, 0, 0]


@pytest.mark.parametrize(("way", "most"), [("tantivy", 6_000), ("sqlite", 60_000)])
def test_a_full_disk_is_told_and_filling_goes_on_when_there_is_room(way: str, most: int, tmp_path: Path) -> None:
    """The size of files is limited, which is refused as a full disk is."""
    corpus, modes = made_corpus(1200), {"m": mode(way)}
    program = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "from tests.stack.indexing.filling import filled, made_corpus;"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}));"
        "filled({'m': sys.argv[1]}, made_corpus(1200), sys.argv[2], batch=300)"
    )
    command = [sys.executable, "-c", program, modes["m"], str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    last = (done.stderr.strip().splitlines() or [""])[-1]
    assert last.startswith("rankproof.errors.InputError"), done.stderr[-2000:]
    assert "goes on from it" in last
    (rest,) = filled(modes, corpus, tmp_path, batch=500, sample=None)
    assert (rest.outcome, rest.faults) == ("resumed", ())
