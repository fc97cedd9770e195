"""Check: what is wrong with rows before anything is measured on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankproof.errors import Refused
from rankproof.kernel import shelf
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import Check, Noun
from rankproof.reading.finding import SEVERITIES, Finding, Unit
from rankproof.reading.records import DEFAULT_ORDER, Order

if TYPE_CHECKING:
    from rankproof.core import Rows

MAX_DEPTH = 100


def check_run(
    rows: Rows,
    source_name: str,
    *,
    qrels: Rows | None = None,
    topics: Iterable[str] | None = None,
    cutoffs: Sequence[int] = (),
    max_depth: int = MAX_DEPTH,
    order: Order = DEFAULT_ORDER,
    shape: str = "",
    again: Callable[[], Rows] | None = None,
    unit: Unit = "line",
    allow: Iterable[str] = (),
    strict: bool = False,
) -> tuple[Finding, ...]:
    """What every check of runs finds, gravest first.

    `qrels` and `topics` (query ids) are what the run is compared with. `shape` says what a line should look
    like and `again` reads the same text without room for more columns than the format's own (see Subject).
    An allowed code is still reported, as a note. `strict` makes errors of warnings.
    """
    subject = Subject(
        rows, "run", source_name,
        qrels=qrels, topics=None if topics is None else tuple(topics), cutoffs=cutoffs, max_depth=max_depth,
        order=order, shape=shape, again=again, unit=unit,
    )  # fmt: skip
    return judge(subject, checks_of("run"), allow, strict)


def check_qrels(
    rows: Rows,
    source_name: str,
    *,
    shape: str = "",
    again: Callable[[], Rows] | None = None,
    unit: Unit = "line",
    allow: Iterable[str] = (),
    strict: bool = False,
) -> tuple[Finding, ...]:
    """What every check of qrels finds, gravest first. See `check_run` for the rest."""
    subject = Subject(rows, "qrels", source_name, shape=shape, again=again, unit=unit)
    return judge(subject, checks_of("qrels"), allow, strict)


def refuse(
    rows: Rows,
    noun: Noun,
    source_name: str,
    allow: Iterable[str] = (),
    *,
    order: Order = DEFAULT_ORDER,
    shape: str = "",
    unit: Unit = "line",
) -> None:
    """Raises Refused when a check finds an error that is not allowed. Looks for errors only: it is quick.

    Firm faults are refused even when allowed: see `Check.firm`.
    """
    subject = Subject(rows, noun, source_name, order=order, shape=shape, unit=unit)
    # Our own checks only: a search for those of other packages takes longer than a small evaluation.
    ours = (check for check in shelf.offered("checks").values() if noun in check.of)
    grave = [check for check in ours if check.severity_for(subject) == "error"]
    allowed = [code for code in allow if noun not in shelf.find("checks", code).firm]
    errors = [finding for finding in judge(subject, grave, allowed, strict=False) if finding.severity == "error"]
    if errors:
        raise Refused(refusal(errors, noun), errors)


def refusal(errors: Sequence[Finding], noun: Noun) -> str:
    """The message of a refusal: the first finding, how many more there are, and what to do."""
    first = replace(errors[0], further=0)
    more = sum(1 + finding.further for finding in errors) - 1
    codes = list(dict.fromkeys(finding.code for finding in errors))
    command = "runs" if noun == "run" else "qrels"
    text = str(first)
    if more:
        text += f" {more:,} more such {'error' if more == 1 else 'errors'} ({', '.join(codes)})."
    named = not first.source.startswith("<")  # a file, which a command could read again
    if named:
        text += f" See all with: rankproof {command} validate {first.source}."
    if any(noun in shelf.find("checks", code).firm for code in codes):
        return text
    allow = f"To go on all the same: --allow {' --allow '.join(codes)}"
    return f"{text} {allow}." if named else f"{text} {allow} (in Python: allow={codes})."


def checks_of(noun: Noun) -> list[Check]:
    """The checks that look at runs, or at qrels."""
    return [check for check in shelf.everything("checks").values() if noun in check.of]


def judge(subject: Subject, checks: Iterable[Check], allow: Iterable[str], strict: bool) -> tuple[Finding, ...]:
    """The findings in one fixed order: by severity, then by the place of each code's first finding."""
    allowed = frozenset(allow)
    for code in sorted(allowed):
        shelf.find("checks", code)  # an unknown code is an error that suggests similar ones
    groups: list[tuple[int, float, str, tuple[Finding, ...]]] = []
    for check in checks:
        group = tuple(_weighed(finding, allowed, strict) for finding in check.findings(subject))
        if group:
            # Findings about the whole source follow those with a line: the line is often the cause.
            place = float("inf") if group[0].line is None else float(group[0].line)
            groups.append((SEVERITIES.index(group[0].severity), place, check.name, group))
    groups.sort(key=lambda entry: entry[:3])
    return tuple(finding for *_, group in groups for finding in group)


def _weighed(finding: Finding, allowed: frozenset[str], strict: bool) -> Finding:
    if finding.code in allowed:
        return replace(finding, severity="note")
    if strict and finding.severity == "warning":
        return replace(finding, severity="error")
    return finding
