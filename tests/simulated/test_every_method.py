"""Every method on the significance shelf, and every correction, has its simulation here."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankproof.kernel import shelf

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize("kind", ["significance", "corrections"])
def test_every_item_has_a_file(kind: str) -> None:
    missing = [name for name in shelf.offered(kind) if not (HERE / f"test_{name.replace('-', '_')}.py").is_file()]
    assert not missing, f"no simulation for: {', '.join(missing)}"
