"""Kept answers: how many answers of live engines came from the store, by day, and what asking a few anew showed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankproof.kernel import shelf
from rankproof.kernel.sections import Section, counted, some
from rankproof.stack.asking.probe import Probe
from rankproof.stack.records import ModeOutcome

UNKNOWN_DAY = "unknown"


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """The answers of a mode's live engines.

    days     how many came from the store, by the day they were made (UTC); "unknown" where that is not known
    asked    how many came from the engines now
    failed   how many queries have no answer
    probes   by engine what asking a few queries anew showed of the stored answers
    """

    days: Mapping[str, int] = field(default_factory=dict)
    asked: int = 0
    failed: int = 0
    probes: Mapping[str, Probe] = field(default_factory=dict)

    @property
    def kept(self) -> int:
        """How many came from the store."""
        return sum(self.days.values())

    @property
    def sentence(self) -> str:
        """How many came from where: "120 kept of 2026-11-18, 0 asked"."""
        kept = [
            f"{count:,} kept of {day if day != UNKNOWN_DAY else 'an unknown day'}" for day, count in self.days.items()
        ]
        return ", ".join([*(kept or ["0 kept"]), f"{self.asked:,} asked", *self._failed()])

    def _failed(self) -> list[str]:
        return [f"{self.failed:,} without an answer"] if self.failed else []


def kept_of(outcomes: Mapping[str, ModeOutcome]) -> dict[str, KeptAnswers]:
    """By mode, of those that ask a live engine."""
    return {name: _of(outcome) for name, outcome in outcomes.items() if any(map(_is_live, _engines(outcome)))}


def _engines(outcome: ModeOutcome) -> list[str]:
    return [step.step.name for step in outcome.steps if step.step.shelf == "engines"]


def _is_live(engine: str) -> bool:
    live: bool = shelf.find("engines", engine).live
    return live


def _of(outcome: ModeOutcome) -> KeptAnswers:
    days: dict[str, int] = {}
    asked = failed = 0
    probes: dict[str, Probe] = {}
    live = [step for step in outcome.steps if step.step.shelf == "engines" and _is_live(step.step.name)]
    names = [step.step.name for step in live]
    for step in live:
        for day, count in step.kept_days.items():
            days[day or UNKNOWN_DAY] = days.get(day or UNKNOWN_DAY, 0) + count
        lost = len({failure.query_id for failure in step.failures})
        failed += lost
        asked += len(step.rankings) - step.kept - lost
        if step.probe is not None:
            probes[step.step.name if names.count(step.step.name) == 1 else step.step.text] = step.probe
    return KeptAnswers(dict(sorted(days.items())), asked, failed, probes)


def probe_warnings(kept: Mapping[str, KeptAnswers]) -> list[str]:
    """What of the probes a verdict must say: stored answers that nobody could check, and answers that vary."""
    grave = ("unchecked", "varies")
    return list(
        dict.fromkeys(
            probe.sentence(engine)
            for answers in kept.values()
            for engine, probe in answers.probes.items()
            if probe.verdict in grave
        )
    )


def kept_section(kept: Mapping[str, KeptAnswers]) -> Section:
    """How many answers of each mode are from when, and the probes."""
    if not kept:
        return Section("")
    rows = [("mode", "answers of live engines")] + [(mode, answers.sentence) for mode, answers in kept.items()]
    probes = dict.fromkeys(p.sentence(engine) for answers in kept.values() for engine, p in answers.probes.items())
    unlooked = [mode for mode, answers in kept.items() if answers.kept and not answers.probes]
    lines = list(probes)
    if unlooked:
        lines.append(
            f"{', '.join(unlooked)}: stored answers were used without asking any anew (probe = 0 in [limits])."
        )
    folded = not any(answers.kept for answers in kept.values())
    return Section("Answers of live engines", tuple(lines), tuple(rows), 2, folded=folded)


def kept_summary(kept: Mapping[str, KeptAnswers], most: int) -> list[str]:
    """One line on modes with stored answers, of which `most` are named; none where nothing was stored."""
    named = [f"{mode} ({answers.sentence})" for mode, answers in kept.items() if answers.kept]
    return [f"Answers from the store: {some(named, most)}."] if named else []


def kept_lines(kept: Mapping[str, KeptAnswers]) -> list[str]:
    """A line for each mode with stored answers, for a terminal."""
    return [
        f"{mode}: {counted(answers.kept, 'answer')} from the store ({answers.sentence}); --fresh asks anew"
        for mode, answers in kept.items()
        if answers.kept
    ]


def kept_dict(kept: Mapping[str, KeptAnswers]) -> dict[str, object]:
    """As JSON has it under `observed`: days of stored answers by mode, and probes by mode and engine."""
    days = {mode: dict(answers.days) for mode, answers in kept.items() if answers.days}
    probes = {
        mode: {engine: probe.to_dict() for engine, probe in answers.probes.items()}
        for mode, answers in kept.items()
        if answers.probes
    }
    return {**({"kept": days} if days else {}), **({"probes": probes} if probes else {})}
