"""Opener: who opens the files that are named by paths.

Usually nobody in particular: a path is opened as it is. A process that reads for somebody else, such as the MCP server,
puts an opener into OPENER for itself before it reads anything. From then on every reader takes the bytes of a path from
it, wherever the path was named: in an argument, a policy or a mapping. Nothing is then read in pieces or as a stream.
"""

from __future__ import annotations

from typing import Protocol


class FileOpener(Protocol):
    """Gives the bytes of files, or refuses to."""

    def read(self, path: str) -> bytes:
        """The bytes as they lie in the file, packed or not; Unreadable where the path is not for this process."""


# The opener of this process, or nothing. Asked for every file, so that it is a value and no call.
OPENER: list[FileOpener] = []
