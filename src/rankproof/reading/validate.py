"""Validate: a source read and checked, and a run repaired, for whoever shows the findings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankproof.reading import collect
from rankproof.reading.check import MAX_DEPTH, check_qrels, check_run, refuse
from rankproof.reading.description import Description
from rankproof.reading.finding import Finding, RepairChange
from rankproof.reading.records import GIVEN, Order, Run
from rankproof.reading.repair import repair, tidied

if TYPE_CHECKING:
    from rankproof.core import Rows


@dataclass(frozen=True, slots=True, eq=False)
class Validated:
    """How a source was read, how many rows and queries it has, and what the checks found in it."""

    said: Description
    rows: int
    queries: int
    findings: tuple[Finding, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing is an error."""
        return is_valid(self.findings)


@dataclass(frozen=True, slots=True)
class RunReference:
    """What a run is held to. `qrels` and `topics` (query ids) may be absent; see `check_run`."""

    qrels: Rows | None = None
    topics: Sequence[str] | None = None
    cutoffs: Sequence[int] = ()
    max_depth: int = MAX_DEPTH
    allow: Iterable[str] = ()
    strict: bool = False

    def findings(self, rows: Rows, said: Description) -> tuple[Finding, ...]:
        """What the checks find in a run."""
        return check_run(
            rows, said.source,
            qrels=self.qrels, topics=self.topics, cutoffs=self.cutoffs, max_depth=self.max_depth,
            order=said.order, shape=said.shape, again=said.again, unit=said.unit, allow=self.allow,
            strict=self.strict,
        )  # fmt: skip


def is_valid(findings: Iterable[Finding]) -> bool:
    """Whether none of the findings is an error."""
    return all(finding.severity != "error" for finding in findings)


def held_against(qrels: Any = None, topics: Any = None) -> tuple[Rows | None, tuple[str, ...] | None]:
    """Qrels that can be trusted, and the ids of topics, each when given."""
    judged = None
    if qrels is not None:
        judged, said = collect.read_rows(qrels, "qrels")
        refuse(judged, "qrels", said.source, shape=said.shape, unit=said.unit)
    return judged, None if topics is None else tuple(collect.read_topics(topics))


def validate_run(what: Any, wanted: RunReference, format: str | None = None, **options: Any) -> Validated:
    """A run read and held to what is wanted. Options are those of `read_rows`."""
    rows, said = collect.read_rows(what, "run", format, **options)
    return Validated(said, len(rows), len(rows.query_ids), wanted.findings(rows, said))


def validate_qrels(
    what: Any, format: str | None = None, *, allow: Iterable[str] = (), strict: bool = False, **options: Any
) -> Validated:
    """Qrels read and checked."""
    rows, said = collect.read_rows(what, "qrels", format, **options)
    found = check_qrels(
        rows, said.source, shape=said.shape, again=said.again, unit=said.unit, allow=allow, strict=strict
    )
    return Validated(said, len(rows), len(rows.query_ids), found)


def repair_run(
    what: Any,
    format: str | None = None,
    *,
    order: str | None = None,
    lower_is_better: bool | None = None,
    tag: str | None = None,
    max_depth: int | None = None,
    **options: Any,
) -> tuple[Run, tuple[RepairChange, ...]]:
    """The run put right, and each change; Refused where that would take a guess."""
    asked = {**options, "order": order, "lower_is_better": lower_is_better}
    planned = collect.plan(what, "run", format, **asked)
    evened: list[RepairChange] = []
    if planned is None:
        rows, said = collect.read_rows(what, "run", format, **asked)
    else:
        said = planned.description
        assert said.layout is not None  # what `plan` promises
        rows = said.layout.read(planned.source)
        evened = tidied(planned.source, said.layout, rows)
    # Nobody said what is meant when the order is the usual one by default.
    told = order is not None or lower_is_better is not None or said.order != Order()
    rows, changes = repair(
        rows, said.source,
        order=said.order if told else None, tag=tag, max_depth=max_depth, shape=said.shape, again=said.again,
        unit=said.unit,
    )  # fmt: skip
    name = rows.labels[0] if rows.labels else os.path.basename(said.source).partition(".")[0]
    # Equal scores stay as the repair put them: in the order of their old ranks.
    scored = bool((rows.state != rows.ABSENT).any())
    return Run(rows, Order(ties="given") if scored else GIVEN, name, said.notes), (*evened, *changes)
