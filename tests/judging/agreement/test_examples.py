"""The examples in the docstrings of the statistics of judging run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("module", ["agreement.cohen", "calibrating.ordering", "correcting.planning"])
def test_examples(module: str) -> None:
    told = doctest.testmod(importlib.import_module(f"rankproof.flow.{module}"))
    assert told.attempted >= 1
    assert told.failed == 0
