"""What operating systems do differently, in one place: locks on files, folders on the disk, processors, limits of
a process.

Nothing else in rankproof imports a module that only some systems have. Each function says what it does where a system
has no such thing.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from types import ModuleType

# Where the locked byte lies on Windows, whose locks keep others from reading what they cover: behind every file
# that is locked here.
_LOCKED = 1 << 40


def lock(file: int) -> bool:
    """Locks an open file for this process until it is closed; False where another process holds the lock.

    By flock; on Windows by a lock on one byte that no file reaches. On a system with neither, nothing is locked, and
    the answer is True: two processes that write to one file are then told apart by nobody.
    """
    fcntl = _module("fcntl")
    if fcntl is not None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
    msvcrt = _module("msvcrt")
    if msvcrt is not None:
        place = os.lseek(file, 0, os.SEEK_CUR)
        try:
            os.lseek(file, _LOCKED, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(file, place, os.SEEK_SET)
    return True


def sync_folder(path: str) -> None:
    """Brings the names in a folder onto the disk. Windows opens no folders, and does so by itself."""
    with suppress(PermissionError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def move_folder(source: str, goal: str) -> None:
    """Moves a folder to a place where nothing is, or an empty folder.

    Where a system moves nothing onto an empty folder, as Windows, that is removed first.
    """
    try:
        os.rename(source, goal)
    except FileExistsError:
        os.rmdir(goal)  # refused where something is in it
        os.rename(source, goal)


def processors() -> int:
    """How many processors this process may use; all of the machine where the system does not say."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def hold_memory(more: int) -> None:
    """Lets this process take so many bytes beside what it has reserved, and write no file and no core dump.

    Nothing is held where the system has no such limits, and no memory where it does not say what is reserved.
    """
    resource = _module("resource")
    if resource is None:
        return
    reserved = _address_space()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = reserved + more
    if reserved and (hard == resource.RLIM_INFINITY or hard > most):
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def raise_open_files(most: int) -> int | None:
    """Lets this process open as many files as it may, up to `most`; how many, or None where there is no such limit."""
    resource = _module("resource")
    if resource is None:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most if hard == resource.RLIM_INFINITY else min(hard, most)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return most if soft == resource.RLIM_INFINITY else int(soft)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (OSError, ValueError):
        return int(soft)  # what there is has to do
    return int(wanted)


def _address_space() -> int:
    """Bytes that this process has reserved; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def append_only(path: str) -> int:
    """A file opened for reading and for writing at its end, created where there is none; bytes as they are.

    OSError where it cannot be opened.
    """
    # Windows would make two bytes of a line feed.
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)


def _module(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        return None
