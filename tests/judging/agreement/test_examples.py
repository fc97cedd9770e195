"""The examples in the docstrings of the statistics of judging run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["proving.agreement_statistics", "judging.calibrate", "judging.correction.plan"])
def test_examples(module: str) -> None:
    told = doctest.testmod(importlib.import_module(f"rankproof.{module}"))
    assert told.attempted >= 1
    assert told.failed == 0
