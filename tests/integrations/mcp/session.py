"""A session of the SDK's own client with the server, which is a process of its own; and a guard in every process."""

from __future__ import annotations

import asyncio
import hashlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

# Loaded by every Python of a session before anything else. It notes connections, and files that are opened to write.
GUARD = """
import os, sys
_log = os.open(os.environ["GUARD_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CHANGES = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod",
            "os.utime", "tempfile.", "shutil.")
_NETWORK = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto",
            "urllib.Request", "http.client.connect")
def _note(event, arguments):
    if event == "open":
        path, _, flags = arguments
        if isinstance(path, int) or not flags & _WRITES or str(path) == os.devnull:
            return
    elif not event.startswith(_CHANGES + _NETWORK):
        return
    os.write(_log, f"{event} {arguments!r:.200}\\n".encode("utf-8", "replace"))
sys.addaudithook(_note)
"""


class Session:
    """`with Session(folder, *options) as session: session.call("explain", name="nDCG")`."""

    def __init__(self, folder: Path | str, *options: str, aside: Path, cwd: Path | None = None) -> None:
        from mcp import StdioServerParameters

        self.home, self.log, guard = aside / "home", aside / "guard.log", aside / "guard"
        for made in (self.home, guard):
            made.mkdir(parents=True)
        (guard / "sitecustomize.py").write_text(GUARD, encoding="utf-8")
        self.log.touch()
        variables = {
            "PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.home), "PYTHONPATH": str(guard),
            "GUARD_LOG": str(self.log), "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        self.server = StdioServerParameters(
            command=sys.executable, args=["-m", "rankproof", "mcp", str(folder), *options], env=variables,
            cwd=cwd or self.home,
        )  # fmt: skip
        self._ready, self._fault = threading.Event(), None
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> Session:
        self._thread.start()
        assert self._ready.wait(60), "the server does not answer"
        if self._fault is not None:
            raise self._fault
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(30)

    def _work(self) -> None:
        try:
            asyncio.run(self._talk())
        except BaseException as error:
            self._fault: BaseException | None = error
            self._ready.set()

    async def _talk(self) -> None:
        from mcp import Client

        self._loop, self._over = asyncio.get_running_loop(), asyncio.Event()
        async with Client(self.server) as self.client:
            self._ready.set()
            await self._over.wait()

    def begin(self, tool: str, **arguments: Any) -> Any:
        """A call that goes on meanwhile."""
        return asyncio.run_coroutine_threadsafe(self.client.call_tool(tool, arguments), self._loop)

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of a tool; the client holds it against the schema that the tool was listed with."""
        return self.begin(tool, **arguments).result(120)

    def refused(self, tool: str, **arguments: Any) -> str:
        """The message of a call that is refused."""
        result = self.call(tool, **arguments)
        assert result.is_error, result.content
        assert result.structured_content is None
        return str(result.content[0].text)

    def tools(self) -> dict[str, Any]:
        """The tools by their names."""
        listed = asyncio.run_coroutine_threadsafe(self.client.list_tools(), self._loop).result(60)
        return {tool.name: tool for tool in listed.tools}

    def noted(self) -> list[str]:
        """What the guard saw in the server and its workers."""
        return self.log.read_text(encoding="utf-8").splitlines()


def snapshot(*folders: Path) -> dict[str, tuple[Any, ...]]:
    """Everything below the folders: kind, size, times and content."""
    return {str(path): told for folder in folders for path, told in _looked_at(folder)}


def _looked_at(folder: Path) -> Iterator[tuple[Path, tuple[Any, ...]]]:
    for path in (folder, *sorted(folder.rglob("*"))):
        about = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
        yield path, (about.st_mode, about.st_size, about.st_mtime_ns, about.st_ctime_ns, content)
