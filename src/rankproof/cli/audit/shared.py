"""The exit statuses of audits, and the answer that both audits give: JSON or text."""

from __future__ import annotations

import time
from dataclasses import asdict

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.output import document
from rankproof.proving.audit.claims import ReportAudit, RerankAudit

SCHEMA = "audit/1"
EXIT = {"possible": 0, "clean": 0, "impossible": 1, "broken": 1, "undecided": 3}
# How many rankings of an example, and how many broken queries, are written out.
SHOWN = 5


def give_audit(
    audit: ReportAudit | RerankAudit, kind: str, text: str, as_json: bool, output: str | None, began: float
) -> int:
    """Writes the answer, and gives the exit status of the verdict."""
    status = EXIT[audit.verdict]
    if as_json:
        body = {"audit": kind, **asdict(audit), "exit_status": status}
        text = document(SCHEMA, body, time.perf_counter() - began)
    _output.give(text, output)
    return status
