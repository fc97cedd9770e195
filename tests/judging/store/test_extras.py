"""Libraries that are not installed are named with the line that installs them; importing the store loads none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

OPEN = """
import sys
sys.modules[sys.argv[1]] = None
from rankproof.errors import MissingExtra
from rankproof.judging.store import open_store
try:
    open_store(sys.argv[2])
except MissingExtra as error:
    print(error)
"""


def python(code: str, *args: str) -> str:
    told = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=60, check=True)
    return told.stdout


@pytest.mark.parametrize(
    ("library", "where", "line"),
    [
        ("sqlalchemy", "x.db", "'rankproof[judge]'"),
        ("alembic", "x.db", "'rankproof[judge]'"),
        ("psycopg", "postgresql://ann@example.org/shop", "'psycopg[binary]'"),
    ],
)
def test_a_missing_library_is_named(library: str, where: str, line: str, tmp_path: Path) -> None:
    told = python(OPEN, library, where if "://" in where else str(tmp_path / where))
    assert f"needs the library '{library}'" in told
    assert f"pip install {line}" in told


def test_importing_loads_no_database() -> None:
    code = "import sys, rankproof.judging.store; print([m for m in ('sqlalchemy', 'alembic') if m in sys.modules])"
    assert python(code).strip() == "[]"


def test_opening_a_store_that_is_up_to_date_loads_no_migrations(tmp_path: Path) -> None:
    code = (
        "import sys; from rankproof.judging.store import open_store; open_store(sys.argv[1]).close(); "
        "print('alembic' in sys.modules)"
    )
    assert python(code, str(tmp_path / "x.db")).strip() == "True"
    assert python(code, str(tmp_path / "x.db")).strip() == "False"
