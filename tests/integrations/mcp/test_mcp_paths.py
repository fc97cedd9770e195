"""Names of files: none leads out of the served folder, and none to more bytes than are allowed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import FileChanged, Unreadable
from rankproof.integrations.mcp.limits import MIB, ServerLimits
from rankproof.integrations.mcp.paths import BY_PARTS, ServedFolder, parts_of, refuse_growth

unix = pytest.mark.skipif(not BY_PARTS, reason="the system has no descriptors of folders")
LIMITS = ServerLimits(file=1000, files=2500)


@pytest.fixture
def served(tmp_path: Path) -> Path:
    """A folder with a file in it and in a folder below, beside a secret."""
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "a.run").write_text("SECRET")
    folder = tmp_path / "served"
    (folder / "runs").mkdir(parents=True)
    (folder / "a.run").write_text("top")
    (folder / "runs" / "a.run").write_text("below")
    return folder


@pytest.fixture(params=["parts", pytest.param("path", id="as on Windows")])
def opener(request: pytest.FixtureRequest, served: Path) -> Iterator[ServedFolder]:
    """Both ways of opening: from the descriptor of the folder, and by its path."""
    if request.param == "path" or not BY_PARTS:
        yield ServedFolder(str(served), LIMITS)
        return
    descriptor = os.open(served, os.O_RDONLY)
    yield ServedFolder(descriptor, LIMITS)
    os.close(descriptor)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.run", ("a.run",)),
        ("./runs//a.run", ("runs", "a.run")),
        ("runs/../a.run", ("a.run",)),
        ("...", ("...",)),
        ("..a/b..", ("..a", "b..")),
        ("the runs/ä ~ $HOME *?.run", ("the runs", "ä ~ $HOME *?.run")),
        ("a%2e%2e/b", ("a%2e%2e", "b")),
        ("--output=x", ("--output=x",)),
    ],
)
def test_a_name_below_the_folder_is_its_parts(name: str, parts: tuple[str, ...]) -> None:
    assert parts_of(name) == parts


OUTSIDE = (
    "..", "../secret/a.run", "runs/../../secret/a.run", "./../secret/a.run", "runs/./.././../secret/a.run",
    "/", "/etc/passwd", "//etc/passwd", "/proc/self/environ", "/proc/self/cwd/a.run", "/proc/self/fd/0", "/dev/stdin",
    "/dev/fd/3", "/dev/zero", "~", "~/a.run", "~root/a.run", "-", "C:a.run", "c:/a.run", r"C:\a.run", r"\\host\share\a",
    r"..\secret\a.run", r"runs\a.run", "file:///etc/passwd", "http://127.0.0.1/a", "https://example.org/a",
    "HTTPS://example.org/a", "s3://bucket/a", "hdfs://host/a", "irds:cranfield", "", " ", ".", "runs/", "runs/..", "./",
    "a.run\0", "a\n.run", "a\x1b[2J.run", "a\x7f", "\udcff\ud800", "x" * 1001,
)  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_that_could_mean_anything_else_is_refused_as_a_text(name: str) -> None:
    with pytest.raises(Unreadable):
        parts_of(name)


@pytest.mark.parametrize("name", ["a.run", "runs/a.run", "./runs/../a.run"])
def test_files_below_the_folder_are_read(opener: ServedFolder, served: Path, name: str) -> None:
    assert opener.read(name) == (served / name).read_bytes()


@pytest.mark.parametrize("name", ["*.run", "a.ru?", "$HOME", "%2e%2e/secret/a.run", "..%2fsecret/a.run", "A.run~"])
def test_nothing_in_a_name_is_expanded(opener: ServedFolder, name: str) -> None:
    with pytest.raises(Unreadable, match="no such file"):
        opener.read(name)


def test_a_file_that_is_not_there_is_told_with_the_nearest_that_is(opener: ServedFolder) -> None:
    with raises(Unreadable, "runs/b.run", "runs/a.run"):
        opener.read("runs/b.run")
    with raises(Unreadable, "a.run"):
        opener.read("a.run/b.run")
    with raises(Unreadable, "runs"):
        opener.read("runs")


@unix
@pytest.mark.parametrize(
    ("link", "target", "name"),
    [
        ("link.run", "../secret/a.run", "link.run"),
        ("link.run", "a.run", "link.run"),  # also one that stays inside: what it leads to can change
        ("link.run", "/etc/passwd", "link.run"),
        ("link.run", "nowhere", "link.run"),
        ("link.run", "link.run", "link.run"),
        ("up", "..", "up/secret/a.run"),
        ("deep", "../secret", "deep/a.run"),
        ("deep", "/proc/self/cwd", "deep/a.run"),
        ("runs/deep", "../../secret", "runs/deep/a.run"),
        ("fd", "/dev/fd", "fd/0"),
    ],
)
def test_no_link_is_followed(opener: ServedFolder, served: Path, link: str, target: str, name: str) -> None:
    (served / link).symlink_to(target)
    with raises(Unreadable, link):
        opener.read(name)


@unix
def test_what_is_no_plain_file_is_refused_at_once(opener: ServedFolder, served: Path) -> None:
    os.mkfifo(served / "pipe.run")
    with socket.socket(socket.AF_UNIX) as listening:
        before = os.getcwd()
        os.chdir(served)  # names of sockets are short
        try:
            listening.bind("socket.run")
        finally:
            os.chdir(before)
        for name in ("pipe.run", "socket.run"):
            with raises(Unreadable, name):
                opener.read(name)


@unix
def test_a_folder_that_is_swapped_for_a_link_all_the_time_leads_nowhere(served: Path) -> None:
    """A stranger exchanges the folder and the file for links to the secret, as fast as they can."""
    secret, over = served.parent / "secret", threading.Event()
    (served / "x").symlink_to(secret)
    (served / "y.run").symlink_to(secret / "a.run")

    def swap() -> None:
        while not over.is_set():
            for real, link in (("runs", "x"), ("a.run", "y.run")):
                for one, other in ((real, "aside"), (link, real), (real, link), ("aside", real)):
                    os.rename(served / one, served / other)

    swapping = threading.Thread(target=swap)
    swapping.start()
    descriptor, answers = os.open(served, os.O_RDONLY), set()
    try:
        for name in ("runs/a.run", "a.run") * 1500:
            try:
                answers.add(ServedFolder(descriptor, LIMITS).read(name))
            except Unreadable:
                answers.add(None)
    finally:
        over.set()
        swapping.join()
        os.close(descriptor)
    assert answers == {b"top", b"below", None}


@unix
def test_the_folder_stays_the_same_one_when_its_path_becomes_another(served: Path) -> None:
    descriptor = os.open(served, os.O_RDONLY)
    served.rename(served.parent / "moved")
    served.symlink_to(served.parent / "secret")
    assert ServedFolder(descriptor, LIMITS).read("a.run") == b"top"
    os.close(descriptor)


def test_a_file_is_read_once_for_a_call(opener: ServedFolder, served: Path) -> None:
    first = opener.read("a.run")
    (served / "a.run").write_text("another")
    assert opener.read("./a.run") == first


def test_files_are_read_up_to_the_limits(opener: ServedFolder, served: Path) -> None:
    for name, length in (("fits", 1000), ("over", 1001), ("more", 1000), ("last", 501), ("rest", 500)):
        (served / name).write_bytes(b"x" * length)
    assert len(opener.read("fits")) == 1000
    with raises(Unreadable, "over", "1001 bytes"):
        opener.read("over")
    opener.read("more")
    with raises(Unreadable, "last"):
        opener.read("last")
    assert len(opener.read("rest")) == 500


def test_a_file_that_grows_while_it_is_read_is_refused(served: Path) -> None:
    """A writer appends all the time: what is read is whole, or refused."""
    path, over = served / "log", threading.Event()
    path.write_bytes(b"x" * 50_000_000)

    def append() -> None:
        with path.open("ab", buffering=0) as file:
            while not over.is_set():
                file.write(b"y")
                over.wait(0.0005)

    writing = threading.Thread(target=append)
    writing.start()
    try:
        folder: int | str = os.open(served, os.O_RDONLY) if BY_PARTS else str(served)
        with raises(FileChanged, "log"):
            ServedFolder(folder, ServerLimits()).read("log")
    finally:
        over.set()
        writing.join()
        if isinstance(folder, int):
            os.close(folder)


PACKERS = {"gzip": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


def zstd(content: bytes) -> bytes:
    return bytes(pytest.importorskip("zstandard").compress(content))


@pytest.mark.parametrize("packing", [*PACKERS, "zstd"])
def test_an_archive_is_refused_by_what_it_unpacks_to(packing: str) -> None:
    pack = PACKERS.get(packing, zstd)
    refuse_growth(pack(b"x" * MIB), "a.gz", MIB)
    for whole in (pack(b"x" * (MIB + 1)), pack(pack(b"x" * (MIB + 1))), pack(b"x" * MIB) + pack(b"x")):
        assert len(whole) < 10_000
        with raises(Unreadable, "a.gz", "1 MB"):
            refuse_growth(whole, "a.gz", MIB)


def test_an_archive_that_asks_for_much_memory_is_refused_before_it_gets_any() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 256 * MIB}]
    with raises(Unreadable, "a.xz"):
        refuse_growth(lzma.compress(b"x", filters=filters), "a.xz", MIB)


@pytest.mark.parametrize("packing", [*PACKERS, "zstd"])
def test_a_damaged_archive_is_left_to_the_reader(packing: str) -> None:
    whole = PACKERS.get(packing, zstd)(os.urandom(1000))
    for damaged in (whole[:-5], whole[:20], whole[:12] + b"\xff" * 9 + whole[21:]):
        refuse_growth(damaged, "a.gz", MIB)
