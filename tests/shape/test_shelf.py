"""The shelf: items are found by their files, quickly where possible, and errors name their neighbors."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.raising import names, raises

from rankproof.errors import UnknownName
from rankproof.kernel import shelf


def fresh(code: str) -> str:
    """What a new interpreter prints, in which no shelf is loaded beyond what `import rankproof` loads."""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return told.stdout.strip()


def test_a_glance_finds_an_item_in_its_own_file_and_loads_no_other() -> None:
    code = (
        "import sys; from rankproof.kernel import shelf; print(shelf.find('reports', 'table').name, "
        "'rankproof.reports.forms.latex' in sys.modules)"
    )
    assert fresh(code) == "table False"


@pytest.mark.parametrize("name", ["no_such_item", "_contract", "os.path", "../table", "a b", "", "TABLE", "table.x"])
def test_a_glance_at_what_is_not_there_finds_nothing(name: str) -> None:
    assert fresh(f"from rankproof.kernel import shelf; print(shelf.glance('reports', {name!r}))") == "None"


def test_a_glance_at_a_loaded_shelf_agrees_with_it() -> None:
    for kind in shelf.KINDS:
        for name, item in shelf.offered(kind).items():
            assert shelf.glance(kind, name) is item
            assert shelf.find(kind, name) is item


def test_a_wrong_name_offers_only_what_is_near() -> None:
    with raises(UnknownName, "'tabel'", "'table'") as wrong:
        shelf.find("reports", "tabel")
    assert (wrong.value.kind, wrong.value.name, wrong.value.near) == ("report", "tabel", ["table"])
    assert not names(str(wrong.value), "csv")
    with raises(UnknownName, "'xyzzy'", *shelf.offered("corrections")) as wrong:
        shelf.find("corrections", "xyzzy")
    assert (wrong.value.kind, wrong.value.name, wrong.value.near) == ("correction", "xyzzy", [])
