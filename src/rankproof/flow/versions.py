"""Versions: what the numbers were computed with, and when; for records that are kept."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from rankproof import __version__

LIBRARIES = ("numpy", "scipy")


def versions() -> dict[str, str]:
    """Of rankproof, Python and the libraries that compute."""
    return {"rankproof": __version__, "python": platform.python_version(), **{name: _of(name) for name in LIBRARIES}}


def _of(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def now() -> str:
    """The time in UTC, to the second. It goes under `observed`, where everything stands that differs each time."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
