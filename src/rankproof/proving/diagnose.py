"""Diagnose: what the values of one run say is wrong with it, by every rule of the diagnoses shelf."""

from __future__ import annotations

from dataclasses import replace

from rankproof.kernel import shelf
from rankproof.measuring.dialects.contract import Reading
from rankproof.measuring.evaluate import apply_reading
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import DEFAULT_SETTINGS, Settings
from rankproof.measuring.report import Diagnosis
from rankproof.measuring.views import select
from rankproof.proving.diagnoses.contract import Chart, Symptom


def diagnose(run: PreparedRun, name: str | None = None, settings: Settings = DEFAULT_SETTINGS) -> tuple[Diagnosis, ...]:
    """What each rule sees in the run, warnings first. `name` is what to call it, where that is not its own name.

    Values are those of rankproof's own definitions, whatever the dialect: rules are made for one meaning of a name.
    """
    reading = Reading()
    table = apply_reading(run.table(reading.order), reading, replace(settings, ties="rule"))
    level = 1 if settings.level is None else settings.level
    chart = Chart(name or run.name, select(table, table.pool.relevant(level) > 0), level)
    if len(chart.table) == 0:
        return ()
    symptoms: list[Symptom] = list(shelf.everything("diagnoses").values())
    found = [diagnosis for symptom in symptoms if (diagnosis := symptom.diagnose(chart)) is not None]
    if len(chart.table) < len(table):
        # A mean of the same name over all queries is another number: say which one this is.
        over = f"(Over the {len(chart.table)} of {len(table)} queries that have a relevant document.)"
        found = [replace(diagnosis, message=f"{diagnosis.message} {over}") for diagnosis in found]
    return tuple(sorted(found, key=lambda diagnosis: diagnosis.severity != "warning"))
