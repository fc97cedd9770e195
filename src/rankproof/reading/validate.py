"""Validate a run, qrels or topics: read it and list the findings of the checks; repair a run that was read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.reading import collect, detect
from rankproof.reading.check import MAX_DEPTH, check_qrels, check_run, refuse
from rankproof.reading.detect import SourceDescription
from rankproof.reading.finding import Finding, RepairChange
from rankproof.reading.formats.contract import Columns, Noun
from rankproof.reading.records import GIVEN, Order, Run
from rankproof.reading.repair import normalizations, repair
from rankproof.reading.source import is_file_like, once

if TYPE_CHECKING:
    from rankproof.core import Rows


@dataclass(frozen=True, slots=True, eq=False)
class ValidationResult:
    """A source that was read and checked: how it was read, its rows and queries, and the findings."""

    description: SourceDescription
    rows: int
    queries: int
    findings: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing is an error."""
        return is_valid(self.findings)


@dataclass(frozen=True, slots=True)
class RunReference:
    """What a run is checked against. `qrels` and `topics` (query ids) may be absent; see `check_run`."""

    qrels: Rows | None = None
    topics: Sequence[str] | None = None
    cutoffs: Sequence[int] = ()
    max_depth: int = MAX_DEPTH
    allow: Iterable[str] = ()
    strict: bool = False

    def findings(self, rows: Rows, description: SourceDescription) -> tuple[Finding, ...]:
        """What the checks find in a run."""
        return check_run(
            rows, description.source,
            qrels=self.qrels, topics=self.topics, cutoffs=self.cutoffs, max_depth=self.max_depth,
            order=description.order, shape=description.shape, again=description.again, unit=description.unit,
            allow=self.allow, strict=self.strict,
        )  # fmt: skip


def is_valid(findings: Iterable[Finding]) -> bool:
    """Whether none of the findings is an error."""
    return all(finding.severity != "error" for finding in findings)


def read_reference(
    qrels: object = None, topics: object = None, columns: Columns = None
) -> tuple[Rows | None, tuple[str, ...] | None]:
    """The rows of qrels that pass the checks, and the ids of topics; None for what is not given."""
    judged = None
    if qrels is not None:
        judged, description = collect.read_rows(qrels, "qrels", columns=columns)
        refuse(judged, "qrels", description.source, shape=description.shape, unit=description.unit)
    return judged, None if topics is None else tuple(collect.read_topics(topics))


def validate_run(
    what: object, reference: RunReference, format: str | None = None, **options: object
) -> ValidationResult:
    """A run read and checked against the reference. Options are those of `read_rows`."""
    rows, description = collect.read_rows(what, "run", format, **options)
    return ValidationResult(description, len(rows), len(rows.query_ids), reference.findings(rows, description))


def validate_qrels(
    what: object, format: str | None = None, *, allow: Iterable[str] = (), strict: bool = False, **options: object
) -> ValidationResult:
    """Qrels read and checked."""
    rows, description = collect.read_rows(what, "qrels", format, **options)
    findings = check_qrels(
        rows, description.source,
        shape=description.shape, again=description.again, unit=description.unit, allow=allow, strict=strict,
    )  # fmt: skip
    return ValidationResult(description, len(rows), len(rows.query_ids), findings)


def validate_file(
    what: object,
    name: str,
    noun: Noun | None = None,
    *,
    reference: RunReference,
    format: str | None = None,
    columns: Columns = None,
) -> ValidationResult:
    """A run, qrels or topics, as the content says where `noun` is not given, read and checked.

    InputError, with the first lines, for content that may be more than one of them or none.
    """
    what = once(what)  # a pipe can be read once, and is looked at twice
    if noun is None:
        assert is_file_like(what)
        possible = detect.possible_nouns(what, name, format, hints=(name,), columns=columns)
        if len(possible) != 1:
            raise InputError(detect.undecided(what, name, possible))
        noun = possible[0]
    if noun == "run":
        return validate_run(what, reference, format, columns=columns)
    if noun == "qrels":
        return validate_qrels(what, format, allow=reference.allow, strict=reference.strict, columns=columns)
    topics = collect.read_topics(what, format)
    assert is_file_like(what)
    form = format or collect.locate(what, "topics")[1].name
    return ValidationResult(SourceDescription(name, "topics", form, GIVEN), len(topics), len(topics), ())


def repair_run(
    what: object,
    format: str | None = None,
    *,
    order: str | None = None,
    lower_is_better: bool | None = None,
    tag: str | None = None,
    max_depth: int | None = None,
    **options: object,
) -> tuple[Run, tuple[RepairChange, ...]]:
    """The repaired run, and every change; raises Refused where a repair would be a guess."""
    options |= {"order": order, "lower_is_better": lower_is_better}
    planned = collect.plan(what, "run", format, **options)
    normalized: list[RepairChange] = []
    if planned is None:
        rows, description = collect.read_rows(what, "run", format, **options)
    else:
        description = planned.description
        assert description.layout is not None  # what `plan` promises
        rows = description.layout.read(planned.source)
        normalized = normalizations(planned.source, description.layout, rows)
    # The usual order by default says nothing about what the file means.
    explicit = order is not None or lower_is_better is not None or description.order != Order()
    rows, changes = repair(
        rows, description.source,
        order=description.order if explicit else None, tag=tag, max_depth=max_depth, shape=description.shape,
        again=description.again, unit=description.unit,
    )  # fmt: skip
    name = rows.labels[0] if rows.labels else os.path.basename(description.source).partition(".")[0]
    # Equal scores stay as the repair put them: in the order of their old ranks.
    scored = bool((rows.state != rows.ABSENT).any())
    return Run(rows, Order(ties="given") if scored else GIVEN, name, description.notes), (*normalized, *changes)
