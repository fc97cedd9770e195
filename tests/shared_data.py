"""Where the real data of the project's own machines lies. Nothing of it is copied into the project."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

needs_shared_data = pytest.mark.skipif(
    not SHARED.is_dir(),
    reason=f"real data is not here: no folder {SHARED.parent.name}/{SHARED.name} beside the project",
)
