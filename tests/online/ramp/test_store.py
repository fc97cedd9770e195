"""The state file of a ramp: sealed, durable, whole after a kill, and held by one process."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from tests.online.ramp.ramps import evidence, sign
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.online.ramp.files import RampState, read_entries
from rankproof.online.ramp.records import RampDecision, RampEntry, SeenFile


def entry(state: RampState, action: str = "HOLD") -> RampEntry:
    """The next entry of a state."""
    seen = evidence(sign("guardrail", "PASS", measure="latency", observed=0.1 + 0.2))
    decided = RampDecision("ADVANCE" if action == "ADVANCE" else "HOLD", 1, 0.01, 0.01, ("Größe: 1 of 2 days.",))
    before = state.entries[-1].seal if state.entries else ""
    return RampEntry(len(state.entries) + 1, before, "rules", seen, decided, {"time": "2026-01-01T00:00:00Z"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "new.ramp.jsonl"
    with RampState(made) as state:
        for _ in range(3):
            state.append(entry(state))
    return made


def test_what_was_written_reads_back(path: Path) -> None:
    entries = read_entries(path)
    assert [e.n for e in entries] == [1, 2, 3]
    assert entries[1].before == entries[0].seal
    assert entries[0].evidence.signs[0].ruling["observed"] == 0.1 + 0.2
    assert entries[0].decision.reasons == ("Größe: 1 of 2 days.",)
    with RampState(path) as state:
        assert state.entries == entries


def test_no_file_is_a_ramp_that_has_not_begun(tmp_path: Path) -> None:
    assert read_entries(tmp_path / "new.ramp.jsonl") == ()
    assert not (tmp_path / "new.ramp.jsonl").exists()


def test_times_are_not_sealed_and_all_else_is() -> None:
    found = RampEntry(1, "", "r", evidence(), RampDecision("HOLD", 1, 0.0, 0.0, ()), {"time": "now"})
    later = RampEntry(1, "", "r", evidence(), RampDecision("HOLD", 1, 0.0, 0.0, ()), {"time": "then"})
    other = RampEntry(1, "", "r", evidence(days=3), RampDecision("HOLD", 1, 0.0, 0.0, ()))
    assert found.seal == later.seal != other.seal


def test_the_half_line_of_a_killed_process_is_cut_off_wherever_it_ends(path: Path) -> None:
    content = path.read_bytes()
    *_, last, _ = content.split(b"\n")
    start = len(content) - len(last) - 1
    for end in (*range(start, len(content) - 3, 37), *range(len(content) - 3, len(content))):
        path.write_bytes(content[:end])
        complete = end == len(content) - 1  # nothing but the line's end is missing
        assert len(read_entries(path)) == (3 if complete else 2)
        assert path.read_bytes() == content[:end]  # who only looks writes nothing
        with RampState(path) as state:
            assert len(state.entries) == (3 if complete else 2)
        assert path.read_bytes() == (content if complete else content[:start])


def test_zeros_that_a_lost_power_left_are_cut_off(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content + b"\0" * 64)
    with RampState(path) as state:
        assert len(state.entries) == 3
    assert path.read_bytes() == content


def test_a_changed_line_is_refused(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"HOLD"', b'"ADVANCE"', 1))
    with raises(InputError, path, "line 1", "seal"):
        read_entries(path)
    with raises(InputError, path, "line 1", "seal"):
        RampState(path)


@pytest.mark.parametrize(("order", "line"), [((1, 2), "line 1"), ((0, 2), "line 2"), ((1, 0, 2), "line 1")])
def test_a_line_taken_out_or_moved_is_refused(path: Path, order: tuple[int, ...], line: str) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[i] for i in order))
    with raises(InputError, path, line):
        read_entries(path)


def test_what_is_no_state_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    for content in ("hello\n", "[1]\n", '{"a": 1}\n', "\n"):
        other.write_text(content)
        with raises(InputError, other, "line 1", "ramp"):
            read_entries(other)


def test_an_unknown_action_is_refused(tmp_path: Path) -> None:
    odd = RampEntry(1, "", "r", evidence(), RampDecision("HOLD", 1, 0.0, 0.0, ())).to_dict()
    odd["decision"]["action"] = "FLY"
    (tmp_path / "s").write_text(json.dumps(odd) + "\n")
    with raises(InputError, tmp_path / "s", "line 1"):
        read_entries(tmp_path / "s")


def test_two_processes_do_not_decide_at_once(path: Path) -> None:
    with RampState(path), raises(UsageError, path, "process"):
        RampState(path)
    with RampState(path) as free_again:
        assert len(free_again.entries) == 3


def test_an_entry_must_follow_the_last_one(path: Path) -> None:
    with RampState(path) as state, raises(ValueError, "entry", "last"):
        state.append(state.entries[0])


def test_an_entry_is_safe_before_it_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file and its folder are synced after the write, in this order."""
    done: list[str] = []
    write, sync = os.write, os.fsync
    monkeypatch.setattr(os, "write", lambda file, data: (done.append("write"), write(file, data))[1])

    def synced(file: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(file).st_mode) else "file")
        sync(file)

    monkeypatch.setattr(os, "fsync", synced)
    with RampState(path) as state:
        assert done == ["file", "folder"]  # whoever wrote the last line may have been killed before
        done.clear()
        state.append(entry(state))
        assert done == ["write", "file", "folder"]


def test_a_full_disk_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with RampState(path) as state:
        monkeypatch.setattr(os, "write", full)
        with raises(InputError, path, "No space left on device"):
            state.append(entry(state))
        assert len(state.entries) == 3


def test_a_short_write_goes_on_until_the_line_is_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    with RampState(path) as state:
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:7]))
        state.append(entry(state))
    assert len(read_entries(path)) == 4


def test_files_are_kept_with_their_steps() -> None:
    seen = SeenFile("a.json", "00", 2, late=True)
    assert seen.to_dict() == {"name": "a.json", "sha256": "00", "step": 2, "late": True}
