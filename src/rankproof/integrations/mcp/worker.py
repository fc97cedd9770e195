"""Worker: a process that answers one call of a tool and ends.

It is started anew for every call, so that a call which takes too long, too much memory or the process with it harms no
other. It reads one request from its input, gives away what it could do harm with (`confine`), and writes one answer.
Its input stays open meanwhile: it ends where the server does, however the server ends.

    {"tool": "explain", "arguments": {"name": "nDCG"}, "limits": {...}}     in
    {"document": "{...}", "text": "..."}                                    out
    {"error": {"type": "UsageError", "message": "..."}}                     out, where it is refused
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback
from typing import Any

from rankproof.errors import UsageError
from rankproof.integrations.mcp.answers import answer_of
from rankproof.integrations.mcp.confine import confine, limit
from rankproof.integrations.mcp.limits import ServerLimits, size
from rankproof.integrations.mcp.paths import BY_PARTS, ServedFolder
from rankproof.integrations.mcp.tools import tool_named
from rankproof.reading.opener import OPENER


def main(folder: str) -> None:
    """Answers the request on standard input; `folder` is the number of its descriptor, or its path on Windows."""
    # What libraries print goes to the log: the answer alone goes where answers go.
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    request = json.loads(_line())
    threading.Thread(target=_end_with_server, daemon=True).start()
    limits = ServerLimits(**request["limits"])
    served = ServedFolder(int(folder) if BY_PARTS else folder, limits)
    OPENER.append(served)
    if BY_PARTS:
        os.fchdir(int(folder))
    limit(limits)
    confine(served)
    json.dump(respond(request["tool"], request["arguments"], served), out)
    out.flush()


def _line() -> bytes:
    """The first line of the input, and nothing of what follows."""
    line = bytearray()
    while not line.endswith(b"\n") and (piece := os.read(0, 1 << 16)):
        line += piece
    return bytes(line)


def _end_with_server() -> None:
    """Ends the process once nobody holds the other end of its input. By the descriptor: no lock is held meanwhile."""
    while os.read(0, 1):
        pass
    os._exit(1)


def respond(tool: str, arguments: dict[str, Any], folder: ServedFolder) -> dict[str, Any]:
    """The answer, or the error as `--json` shows it."""
    from rankproof.cli.shared.root import shape, understood

    try:
        answer = answer_of(tool_named(tool), arguments, folder)
        refuse_long(answer.document, folder.limits.answer)
        return {"document": answer.document, "text": answer.text}
    except Exception as error:
        try:
            return shape(understood(error))
        except Exception:  # a fault of the program: what it was is for the log
            traceback.print_exc(file=sys.stderr)
            message = f"The tool failed by a fault of its own ({type(error).__name__}); the server's log says more."
            return {"error": {"type": "Fault", "message": message}}


def refuse_long(document: str, most: int) -> None:
    """UsageError for a document that is longer than an answer may be."""
    length = len(json.dumps(json.loads(document), separators=(",", ":")))
    if length > most:
        raise UsageError(
            f"The answer has {size(length)}, and {size(most)} are the most. Ask for less: fewer runs, fewer measures, "
            "no values by query, or a smaller number."
        )


if __name__ == "__main__":
    main(sys.argv[1])
