"""A process that is confined as a worker is, that answers many requests: {"requests": [[tool, arguments]], "code": []}.

It prints the responses, what became of each line of code, and every event of the network, of programs and of changes
to files that Python was about to take part in, whether it was refused or not.
"""

from __future__ import annotations

import json
import os
import sys

from rankproof.integrations.mcp.confine import confine
from rankproof.integrations.mcp.limits import ServerLimits
from rankproof.integrations.mcp.paths import ServedFolder
from rankproof.integrations.mcp.worker import respond
from rankproof.reading.opener import OPENER

WATCHED = ("socket.", "subprocess.", "urllib.", "http.", "os.exec", "os.posix_spawn", "os.system", "os.fork",
           "os.mkdir", "os.remove", "os.rename", "os.listdir", "os.scandir", "shutil.", "tempfile.")  # fmt: skip


def main(folder: str) -> None:
    """Answers what stands on standard input, over the folder."""
    asked, events = json.load(sys.stdin), []
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    descriptor = os.open(folder, os.O_RDONLY)
    os.fchdir(descriptor)
    served, is_over = ServedFolder(descriptor, ServerLimits()), False

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if is_over:
            return
        if (event.startswith(WATCHED) and not is_of_import(event, arguments)) or (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
        ):
            events.append(f"{event} {arguments!r:.100}")

    sys.addaudithook(watch)
    OPENER.append(served)
    confine(served)
    responses = []
    for tool, arguments in asked.get("requests", ()):
        served._read.clear()  # a worker answers one request
        responses.append(respond(tool, arguments, served))
    refused = events[:]
    outcomes = []
    for line in asked.get("code", ()):
        try:
            exec(line, {"descriptor": descriptor})
            outcomes.append("done")
        except Exception as error:
            outcomes.append(f"{type(error).__name__}: {error}")
    is_over = True
    json.dump({"responses": responses, "events": refused, "code": outcomes}, out)
    out.flush()


def is_of_import(event: str, arguments: tuple[object, ...]) -> bool:
    """Listings of the program's own folders, and of the served one where a name is not in it, for the nearest."""
    if event not in ("os.listdir", "os.scandir"):
        return False
    return isinstance(arguments[0], int) or str(arguments[0]).startswith((*filter(None, sys.path), sys.base_prefix))


if __name__ == "__main__":
    main(sys.argv[1])
