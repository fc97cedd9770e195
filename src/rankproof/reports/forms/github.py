"""Annotations for GitHub Actions: workflow commands that show each rule that did not pass on the pull request.

A rule that fails is an `error`, an undecided one a `warning`, a rule that passes with a risk or with the label "warn" a
`notice`; the last line is the verdict itself, with its warnings and what a ledger says. They point to the policy file.
GitHub shows at most ten of each kind for a step.
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.kernel.sections import printable
from rankproof.kernel.verdict import Ruling
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms.contract import Report
from rankproof.reports.verdict_sections import headline, ledger_lines, payers, warning_lines

LEVELS = {"FAIL": "error", "UNDECIDED": "warning", "PASS": "notice"}


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """One command a line, gravest first."""
    turn = ("FAIL", "UNDECIDED", "PASS")
    shown = [ruling for ruling in verdict.rulings if ruling.status != "PASS" or ruling.band == "warn" or ruling.risks]
    shown.sort(key=lambda ruling: turn.index(ruling.status))
    lines = [command(LEVELS[r.status], f"{r.status}: {r.title}", _message(r), verdict.source) for r in shown]
    told = "\n".join(map(printable, [headline(verdict), *warning_lines(verdict), *ledger_lines(verdict)]))
    last = command(LEVELS[verdict.status], f"gate: {verdict.status}", told, verdict.source)
    return "\n".join([*lines, last]) + "\n"


def command(level: str, title: str, message: str, file: str = "") -> str:
    """A workflow command, whatever its texts hold.

    >>> command("error", "a: b, c", "100%" + chr(10) + "::set-output")
    '::error title=a%3A b%2C c::100%25%0A::set-output'
    """
    properties = [f"file={_property(file)}"] if file else []
    return f"::{level} {','.join([*properties, f'title={_property(printable(title))}'])}::{_data(message)}"


def _message(ruling: Ruling) -> str:
    parts = [ruling.reason]
    if ruling.decides:
        parts.append(f"What would decide it: {ruling.decides}")
    parts += [f"risk: {risk}" for risk in ruling.risks if risk not in ruling.reason]
    return "\n".join(map(printable, [*parts, *payers(ruling)]))


def _data(text: str) -> str:
    """The text escaped as the runner's own toolkit does: a line end would end the command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


OFFERS = (Report("github", __doc__, None, ".txt", "text/plain", verdict=verdict),)
