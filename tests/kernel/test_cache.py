"""The cache in a folder: what was kept comes back, what is damaged does not, and two processes do not meet."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.kernel.cache import FolderCache


def entry(folder: Path) -> Path:
    (file,) = (path for path in folder.rglob("*") if path.is_file())
    return file


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    cache = FolderCache(str(tmp_path / "made" / "when needed"))
    assert cache.get("key") is None
    cache.put("key", b"bytes")
    cache.put("empty", b"")
    assert cache.get("key") == b"bytes"
    assert cache.get("empty") == b""
    assert FolderCache(str(tmp_path / "made" / "when needed")).get("key") == b"bytes"
    assert cache.get("other") is None


def test_a_key_may_be_any_text(tmp_path: Path) -> None:
    cache = FolderCache(str(tmp_path))
    for i, key in enumerate(["../../outside", "a/b", "", "x" * 5000, "ü", "\udcff"]):
        cache.put(key, str(i).encode())
        assert cache.get(key) == str(i).encode()
    assert not (tmp_path.parent / "outside").exists()


def test_a_later_entry_replaces_an_earlier_one(tmp_path: Path) -> None:
    cache = FolderCache(str(tmp_path))
    cache.put("key", b"old")
    cache.put("key", b"new")
    assert cache.get("key") == b"new"
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 1


@pytest.mark.parametrize("damage", ["cut", "flipped", "longer", "empty", "mark"])
def test_a_damaged_entry_is_missing_and_can_be_kept_again(tmp_path: Path, damage: str) -> None:
    cache = FolderCache(str(tmp_path))
    cache.put("key", b"some bytes that matter")
    file = entry(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(
        {
            "cut": whole[:-1],
            "flipped": whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:],
            "longer": whole + b"!",
            "empty": b"",
            "mark": b"rankproof cache 2\n" + whole[18:],
        }[damage]
    )
    assert cache.get("key") is None
    place = cache.find("key")
    assert place is not None
    assert place.damaged
    cache.put("key", b"some bytes that matter")
    assert cache.get("key") == b"some bytes that matter"


def test_an_entry_of_several_parts_is_found_where_it_lies(tmp_path: Path) -> None:
    cache = FolderCache(str(tmp_path))
    assert cache.find("key") is None
    for parts in ([b"some ", memoryview(b"bytes"), b""], []):
        cache.put_parts("key", parts)
        for check in (True, False):
            place = cache.find("key", check)
            assert place is not None
            assert not place.damaged
            assert place.size == sum(map(len, parts))
            assert Path(place.path).read_bytes()[place.begin :] == b"".join(parts) == cache.get("key")


def test_an_entry_in_the_place_of_another_is_damaged(tmp_path: Path) -> None:
    one, two = FolderCache(str(tmp_path / "one")), FolderCache(str(tmp_path / "two"))
    one.put("one", b"1")
    two.put("two", b"2")
    entry(tmp_path / "two").write_bytes(entry(tmp_path / "one").read_bytes())
    assert two.get("two") is None


def test_a_folder_that_cannot_be_made_is_an_error_with_a_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with raises(InputError, tmp_path / "file" / "cache", "Not a directory"):
        FolderCache(str(tmp_path / "file" / "cache")).put("key", b"")


WRITER = """
import sys
from rankproof.kernel.cache import FolderCache
cache = FolderCache(sys.argv[1])
for turn in range(60):
    cache.put("shared", sys.argv[2].encode() * 20000)
    found = cache.get("shared")
    assert found is not None and len(set(found)) == 1 and len(found) == 20000, "half an entry"
"""


def test_two_processes_never_see_half_an_entry(tmp_path: Path) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), word]) for word in "ab"]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]
    assert not list(tmp_path.rglob("*.part"))


def test_threads_may_keep_the_same_entry_at_once(tmp_path: Path) -> None:
    cache, failed = FolderCache(str(tmp_path)), []

    def put() -> None:
        try:
            for _ in range(20):
                cache.put("key", b"x" * 1000)
        except InputError as error:
            failed.append(error)

    threads = [threading.Thread(target=put) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert cache.get("key") == b"x" * 1000


def test_what_a_killed_process_left_does_not_stand_in_the_way(tmp_path: Path) -> None:
    cache = FolderCache(str(tmp_path))
    cache.put("key", b"old")
    file = entry(tmp_path)
    file.with_name(f"{file.name}.1.part").write_bytes(b"half")
    cache.put("key", b"new")
    assert cache.get("key") == b"new"
