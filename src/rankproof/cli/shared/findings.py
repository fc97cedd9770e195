"""How the answer of a validation is shown: file by file for a person, one document for a program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from rankproof.cli.shared.output import document
from rankproof.reading.finding import SEVERITIES, Finding, RepairChange, count
from rankproof.reading.validate import ValidationResult


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """What became of --fix: the file written, its changes and what is still found in it; or why not."""

    path: str
    changes: tuple[RepairChange, ...] = ()
    findings: tuple[Finding, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file's answer: validated, or the message of what kept it from being read."""

    source: str
    validated: ValidationResult | None = None
    unreadable: str = ""
    fixed: FixOutcome | None = None

    @property
    def valid(self) -> bool:
        """Whether the file may be used; with --fix, whether the file written may."""
        if self.fixed is not None:
            return not self.fixed.refused and not any(f.severity == "error" for f in self.fixed.findings)
        return self.validated is not None and self.validated.valid


def as_text(answers: Sequence[FileReport], name_nouns: bool = False) -> str:
    """For a person: each file with what was read, what was found and what to do; then one line for all.

    name_nouns   say whether a file was taken for a run, qrels or topics
    """
    lines: list[str] = []
    for answer in answers:
        lines += _file(answer, name_nouns)
    good = sum(answer.valid for answer in answers)
    if len(answers) > 1:
        lines.append(f"{good} of {len(answers)} files valid")
    return "\n".join(lines) + "\n"


def as_json(answers: Sequence[FileReport]) -> str:
    """For a program: the same, whole."""
    out = {"valid": all(answer.valid for answer in answers), "files": [_entry(answer) for answer in answers]}
    return document("validation/1", out)


def _file(answer: FileReport, name_nouns: bool) -> list[str]:
    seen = answer.validated
    if seen is None:
        return [f"{answer.source}: INVALID", f"  {answer.unreadable}"]
    description = seen.description
    how = [f"format {description.format}", *([f"order: {description.order}"] if description.noun == "run" else [])]
    size = f"{count(seen.rows, 'row')}, {count(seen.queries, 'query', 'queries')}"
    verdict = ("valid " if seen.valid else "INVALID ") + (description.noun if name_nouns else "")
    lines = [f"{answer.source}: {verdict.rstrip()}; {size}; {'; '.join(how)}"]
    lines += listed(seen.findings)
    lines.append(f"  {_summary(seen.findings)}")
    return lines if answer.fixed is None else lines + _fix(answer.fixed)


def listed(findings: Sequence[Finding]) -> list[str]:
    """Findings by code: the code once, then each place, then the remedy once where all share it."""
    lines = []
    for (severity, code), group in groupby(findings, key=lambda f: (f.severity, f.code)):
        same = list(group)
        lines.append(f"  {severity} {code}")
        remedies = {finding.remedy for finding in same}
        for finding in same:
            place = "" if finding.line is None else f"{finding.unit} {finding.line}: "
            remedy = "" if len(remedies) == 1 else f" {finding.remedy}"
            lines.append(f"    {place}{finding.message}{remedy}")
        more = sum(finding.further for finding in same)
        if more:
            lines.append(f"    and {more:,} more like this")
        if len(remedies) == 1:
            lines.append(f"    -> {same[0].remedy}")
    return lines


def _summary(findings: Sequence[Finding]) -> str:
    if not findings:
        return "nothing found"
    totals = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        totals[finding.severity] += 1 + finding.further
    return ", ".join(count(total, severity) for severity, total in totals.items() if total)


def _fix(fixed: FixOutcome) -> list[str]:
    if fixed.refused:
        return [f"{fixed.path}: not written", f"  {fixed.refused}"]
    lines = [f"{fixed.path}: written; {count(len(fixed.changes), 'change')}"]
    lines += [f"  {change}" for change in fixed.changes]
    lines += listed(fixed.findings)
    return [*lines, f"  {_summary(fixed.findings)}"]


def _entry(answer: FileReport) -> dict[str, Any]:
    entry: dict[str, Any] = {"source": answer.source, "valid": answer.valid}
    seen = answer.validated
    if seen is None:
        return {**entry, "unreadable": answer.unreadable}
    entry |= {
        "noun": seen.description.noun,
        "format": seen.description.format,
        "rows": seen.rows,
        "queries": seen.queries,
        "notes": list(seen.description.notes),
        "findings": [finding.to_dict() for finding in seen.findings],
    }
    if seen.description.noun == "run":
        entry["order"] = str(seen.description.order)
    fixed = answer.fixed
    if fixed is not None:
        entry["fixed"] = {
            "path": fixed.path,
            "written": not fixed.refused,
            "refused": fixed.refused or None,
            "changes": [change.to_dict() for change in fixed.changes],
            "findings": [replace(finding, source=fixed.path).to_dict() for finding in fixed.findings],
        }
    return entry
