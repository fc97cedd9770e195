"""Limits of planned looks against spotify-confidence 4, which has those of the R package ldbounds.

It spends a power of time, which is given to our integration as it is.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rankproof.proving.group_sequential import limits

EVEN, UNEVEN, DAILY = [0.2, 0.4, 0.6, 0.8, 1.0], [0.1, 0.15, 0.7, 0.95, 1.0], [day / 14 for day in range(1, 15)]


def solver() -> Any:
    """The module that has the limits alone: the package around it loads charts and more."""
    package = importlib.util.find_spec("spotify_confidence")
    if package is None or package.origin is None:
        pytest.skip("spotify-confidence is not installed")
    path = Path(package.origin).parent / "analysis" / "frequentist" / "sequential_bound_solver.py"
    spec = importlib.util.spec_from_file_location("sequential_bound_solver", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("times", [EVEN, UNEVEN, DAILY], ids=["even", "uneven", "daily"])
@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("error", [0.01, 0.05])
def test_the_same_limits(times: list[float], power: float, error: float) -> None:
    theirs = solver().bounds(np.array(times), error, power, 8.0, 1).bounds
    assert limits([error * time**power for time in times], times) == pytest.approx(theirs, abs=1e-3)
