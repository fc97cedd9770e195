"""Judgments given more than once, split into those that agree with the first and those that do not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.reading.check_subject import Subject

Pair = tuple[NDArray[np.int64], NDArray[np.int64]]


def repeated(subject: Subject, same_grade: bool) -> Pair:
    """(rows, first rows) of documents judged again under one column 2, with the same or another grade."""
    again, first = subject.remember("repeated", lambda: subject.rows.duplicates(labels=True))
    number = subject.rows.number
    # Two grades that are no numbers are not the same grade: their meaning is unknown.
    agree = number[again] == number[first]
    keep = agree if same_grade else ~agree
    return again[keep], first[keep]
