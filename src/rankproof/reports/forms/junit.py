"""JUnit XML for CI: one test case per rule of a gate.

A rule that fails is a `failure`. One that is undecided is an `error`: JUnit's word for a test that came to no
conclusion, which no CI system shows as green; `skipped` would be shown as harmless, though the gate exits with 3. What
was seen, what would decide it and the queries that pay stand inside; labels, bounds and risks of rules that pass stand
in `system-out`, warnings in that of the suite. Valid against the schema that Jenkins publishes (junit-10.xsd), which
GitLab and others read. No times are written: the same input gives the same file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from xml.sax.saxutils import escape, quoteattr

from rankproof.kernel.verdict import Ruling
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms.contract import Report
from rankproof.reports.verdict_sections import bounds, headline, ledger_lines, paid_by, payers, warning_lines

# What XML 1.0 cannot hold, not even escaped; and bytes that were no UTF-8, which stand as lone surrogates.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
CLASS = "rankproof.gate"
TAGS = {"FAIL": "failure", "UNDECIDED": "error"}


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """The XML document; it ends in a line end."""
    counts = Counter(ruling.status for ruling in verdict.rulings)
    totals = f'tests="{len(verdict.rulings)}" failures="{counts["FAIL"]}" errors="{counts["UNDECIDED"]}"'
    name = _attribute(verdict.policy)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f"<testsuites name={_attribute('rankproof gate')} {totals}>",
        f'  <testsuite name={name} {totals} skipped="0">',
        "    <properties>",
        *(f"      <property name={_attribute(key)} value={_attribute(value)}/>" for key, value in _facts(verdict)),
        "    </properties>",
        *(line for ruling in verdict.rulings for line in _case(ruling)),
        f"    <system-out>{_text(_outcome(verdict))}</system-out>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _outcome(verdict: Verdict) -> str:
    """The headline, and below it the warnings and what the ledger says."""
    return "\n".join([headline(verdict), *warning_lines(verdict), *ledger_lines(verdict)])


def _facts(verdict: Verdict) -> list[tuple[str, str]]:
    facts = [("verdict", verdict.status), ("candidate", verdict.candidate)]
    facts += [("baseline", verdict.baseline)] if verdict.baseline is not None else []
    facts += [("confidence", repr(verdict.confidence)), ("significance", verdict.significance)]
    if verdict.ledger is not None:
        facts += [("ledger.attempt", str(verdict.ledger.number)), ("ledger.path", verdict.ledger.path)]
    return facts


def _case(ruling: Ruling) -> list[str]:
    opening = f"    <testcase classname={_attribute(CLASS)} name={_attribute(ruling.title)}>"
    tag = TAGS.get(ruling.status)
    if tag is None:
        return [opening, f"      <system-out>{_text(_passed(ruling))}</system-out>", "    </testcase>"]
    body = f"type={_attribute(ruling.status)} message={_attribute(ruling.reason)}"
    return [opening, f"      <{tag} {body}>{_text(_story(ruling))}</{tag}>", "    </testcase>"]


def _passed(ruling: Ruling) -> str:
    lines = [ruling.reason]
    lines += [f"bounds: {bounds(ruling)}"] if bounds(ruling) else []
    lines += [f"label: {ruling.band}"] if ruling.band else []
    lines += [f"risk: {risk}" for risk in ruling.risks]
    return "\n".join(lines)


def _story(ruling: Ruling) -> str:
    lines = [ruling.reason]
    if ruling.decides:
        lines.append(f"What would decide it: {ruling.decides}")
    if ruling.payers:
        lines += [f"{paid_by(ruling).capitalize()}:", *(f"  {line}" for line in payers(ruling))]
    lines += [f"risk: {risk}" for risk in ruling.risks if risk not in ruling.reason]
    return "\n".join([*lines, *ruling.notes])


def _clean(text: str) -> str:
    """The text with what XML cannot hold written out."""
    return _NOT_XML.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)


def _text(text: str) -> str:
    return escape(_clean(text), {"\r": "&#13;"})


def _attribute(text: str) -> str:
    """Quoted; line ends and tabs as references, which a reader would otherwise turn into spaces."""
    return quoteattr(_clean(text), {"\n": "&#10;", "\t": "&#9;", "\r": "&#13;"})


OFFERS = (Report("junit", __doc__, None, ".xml", "application/xml", verdict=verdict),)
