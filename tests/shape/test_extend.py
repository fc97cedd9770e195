"""rankproof.extend and rankproof.testing: every name is there and explained, and a stranger needs nothing private."""

from __future__ import annotations

import ast
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.documents.clone import edits
from tests.documents.pages import DOCS, blocks
from tests.raising import raises
from tests.shape.house import House, room

import rankproof
from rankproof import extend, testing
from rankproof.kernel.shelf import KINDS
from rankproof.testing.items import HEADINGS, SHELF_OF

PAGES = sorted((DOCS / "adding").glob("*.md"))
# What code on a page may import of rankproof.
PUBLIC = {"rankproof", "rankproof.extend", "rankproof.testing"}
HEAVY = {"scipy", "rich", "pyarrow", "pandas", "polars", "msgspec", "pytest", "hypothesis", "click"}


@pytest.mark.parametrize("module", [extend, testing], ids=lambda module: module.__name__)
def test_every_public_name_is_there_and_explained(module) -> None:

    for name in module.__all__:
        item = getattr(module, name)
        assert name in dir(module)
        assert re.search(rf"\b{name}\b", module.__doc__), f"{name} stands in no group of the docstring"
        # Rows is compiled, and explained in core/_core.pyi.
        if name != "Rows" and (inspect.isclass(item) or inspect.isfunction(item)):
            assert inspect.getdoc(item), name


@pytest.mark.parametrize("module", [extend, testing], ids=lambda module: module.__name__)
def test_a_wrong_name_is_an_attribute_error(module) -> None:
    with raises(AttributeError, module.__name__, "no_such_name"):
        _ = module.no_such_name


def test_every_shelf_has_a_class_among_the_public_names() -> None:
    assert set(SHELF_OF.values()) == set(KINDS)
    assert set(SHELF_OF) <= set(extend.__all__)
    assert set(HEADINGS) <= set(KINDS)


def imported(code: str) -> set[str]:
    """The modules of rankproof that code imports, the examples of its docstrings included."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    modules |= set(re.findall(r"^\s*>>> (?:from|import) ([\w.]+)", code, re.MULTILINE))
    return {name for name in modules if name.split(".")[0] == "rankproof"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_on_adding_imports_public_names_only(page: Path) -> None:
    inside = {edit.text for edit in edits(page) if edit.path.startswith("tests/") and edit.where}
    for block in blocks(page):
        if block.language == "python" and block.text not in inside:
            assert imported(block.text) <= PUBLIC, block.place
    assert not re.search(r"rankproof[\w.]*\._\w", page.read_text(encoding="utf-8"))


def test_the_import_test_can_fail() -> None:
    assert imported('">>> x"\nfrom rankproof.measuring import names\nimport numpy') == {"rankproof.measuring"}
    assert imported('"""\n>>> from rankproof.kernel import shelf\n"""\n') == {"rankproof.kernel"}


def test_nothing_inside_imports_extend_and_testing_imports_nothing_private() -> None:
    house = House()
    for module, imports in house.imports.items():
        for one in imports:
            assert room(one.module) != "extend", f"{module}, line {one.line}"
            if room(module) == "testing":
                assert "._" not in one.module, f"{module}, line {one.line}"


def test_importing_them_loads_nothing_more_than_rankproof_does() -> None:
    program = (
        "import sys, json, rankproof; before = set(sys.modules); import rankproof.extend, rankproof.testing; "
        "print(json.dumps([sorted(sys.modules), sorted(set(sys.modules) - before)]))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    everything, more = json.loads(ran.stdout)
    assert HEAVY & set(everything) == set()
    assert more == ["rankproof.extend", "rankproof.testing"]


def test_check_item_accepts_an_item_and_names_everything_that_one_lacks() -> None:
    from rankproof.kernel import shelf

    testing.check_item(shelf.find("measures", "RR"))
    bad = extend.Engine("no such engine", "No period\nand more", (), open=lambda values, ground: None)
    with pytest.raises(AssertionError) as error:
        testing.check_item(bad)
    for fault in ("rankproof.engines", "period", "second line", "'assumes:", "'source:"):
        assert fault in str(error.value)
    with pytest.raises(AssertionError):
        testing.check_item(rankproof)
