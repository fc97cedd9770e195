"""Diagnosis: a pattern in the values that tells what is wrong with a system, and what to try."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What one rule of the diagnoses shelf saw in one run."""

    code: str
    run: str
    message: str  # what was seen, with the numbers: a sentence
    reason: str  # why it means something: a sentence
    remedy: str  # what to try
    severity: str = "note"  # or "warning"
