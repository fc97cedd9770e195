"""Confine: what a process that answers for the MCP server can no longer do, whatever it is asked.

The tools name no file to write and no address, and files are opened by `ServedFolder` alone. This is the second lock:
an audit hook, which cannot be taken off again, refuses connections, other programs and every change of a file, and
files that are neither the program's own nor being opened by the folder. A limit on memory and a clock that ends the
process hold calls that no check foresaw. Code that is compiled opens files past the hook; readers hand it bytes here.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any

from rankproof.integrations.mcp.limits import ServerLimits
from rankproof.integrations.mcp.paths import ServedFolder
from rankproof.kernel.system import hold_memory

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Events of these modules are refused, but for those below.
MODULES = (
    "os.", "socket.", "subprocess.", "shutil.", "tempfile.", "sqlite3.", "urllib.", "http.", "ftplib.", "smtplib.",
    "poplib.", "imaplib.", "nntplib.", "telnetlib.", "webbrowser.", "pty.", "winreg.", "msvcrt.", "fcntl.",
)  # fmt: skip
HARMLESS = frozenset(
    {
        "os.putenv", "os.unsetenv", "os.add_dll_directory", "os.getxattr", "os.listxattr", "sqlite3.connect/handle",
    }
)  # fmt: skip
LISTINGS = frozenset({"os.listdir", "os.scandir", "os.walk", "os.fwalk"})
# What libraries look at to know the machine.
SYSTEM = ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/sys/fs/cgroup", "/dev/null",
          "/dev/urandom", "/usr/share/zoneinfo", "/etc/localtime")  # fmt: skip


def confine(folder: ServedFolder) -> None:
    """From now on this process changes nothing, connects to nothing and reads its own program's files alone."""
    roots = tuple(f"{os.path.realpath(root)}{os.sep}" for root in _program() if root)

    def guard(event: str, arguments: Sequence[Any]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not isinstance(path, int) and not folder.is_opening:
                _refuse_open(path, flags, roots)
        elif event in LISTINGS:
            if not isinstance(arguments[0], int) and not _is_ours(arguments[0], roots):
                raise _refused(event)
        elif event == "sqlite3.connect" and arguments[0] == ":memory:":
            return  # a database without a file
        elif event.startswith(MODULES) and event not in HARMLESS:
            raise _refused(event)

    sys.addaudithook(guard)


def _program() -> list[str]:
    """Where the program, its libraries and Python itself are, and what tells them about the machine."""
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    return [own, *sys.path, sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *SYSTEM]


def _refuse_open(path: Any, flags: int, roots: tuple[str, ...]) -> None:
    if flags & _WRITES and os.fspath(path) != os.devnull:
        raise _refused("open for writing")
    if not _is_ours(path, roots):
        raise _refused("open")


def _is_ours(path: Any, roots: tuple[str, ...]) -> bool:
    return f"{os.path.realpath(os.fsdecode(path or '.'))}{os.sep}".startswith(roots)


def _refused(what: str) -> PermissionError:
    return PermissionError(errno.EACCES, f"not allowed in a tool of the MCP server: {what}")


def limit(limits: ServerLimits) -> None:
    """Bounds memory, as far as the system can, and the time after which nobody waits for an answer."""
    if sys.platform == "win32":
        return
    signal.alarm(int(limits.seconds) + 5)
    hold_memory(limits.memory)
