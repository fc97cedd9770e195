"""Optional libraries: every one that is imported is in the table of install lines, and pyproject.toml has the same."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.raising import raises
from tests.shape.house import SOURCE, House

from rankproof.errors import MissingExtra
from rankproof.kernel.libraries import LIBRARIES, install_line, library

PROJECT = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]
# Functions whose first word is the name of a module, and may be one of another package.
BY_NAME = ("library", "missing", "install_line", "import_module", "find_spec")
# Whoever runs the pytest plugin or a contract kit has these; no command imports them.
OF_TESTS = ("pytest", "hypothesis")
# The type checker's own, and a module of Python 3.14.
ELSEWHERE = ("_typeshed", "compression")


def package(requirement: str) -> str:
    """The name in a requirement, as the package index compares names."""
    return re.split(r"[\s\[<>=;!~]", requirement)[0].casefold().replace("_", "-")


def imported(tree: ast.AST) -> Iterator[str]:
    """The first part of every module that a file imports, wherever in it, by a statement or by its name as a text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").split(".")[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in BY_NAME and node.args:
            first = node.args[0]
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield first.value.split(".")[0]


def optional(house: House) -> dict[str, str]:
    """Libraries that are imported and do not come with rankproof or Python, and one module that imports each."""
    base = {package(requirement) for requirement in PROJECT["dependencies"]}
    own = {*sys.stdlib_module_names, "rankproof", *base, *OF_TESTS, *ELSEWHERE}
    return {name: module for module, tree in house.trees.items() for name in imported(tree) if name not in own and name}


def test_every_library_that_is_imported_is_in_the_table() -> None:
    assert {name: module for name, module in optional(House()).items() if name not in LIBRARIES} == {}


def test_a_library_that_is_not_in_the_table_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f():\n    import elsewhere.part\n")
    (tmp_path / "b.py").write_text('def f():\n    return library("other.part", "What")\n')
    assert set(optional(House(tmp_path))) == {"elsewhere", "other"}


def test_the_extras_of_the_table_are_those_of_the_project() -> None:
    table: dict[str, set[str]] = {}
    for entry in LIBRARIES.values():
        for extra in entry.extras:
            table.setdefault(extra, set()).add(package(entry.package))
    assert {name: set(map(package, EXTRAS[name])) for name in EXTRAS if name != "all"} == table


def test_all_has_every_extra_and_every_library_that_belongs_to_none() -> None:
    (extras,) = (text for text in EXTRAS["all"] if text.startswith("rankproof["))
    assert set(extras.removeprefix("rankproof[").rstrip("]").split(",")) == EXTRAS.keys() - {"all"}
    others = {package(text) for text in EXTRAS["all"] if text != extras}
    assert others == {package(e.package) for e in LIBRARIES.values() if not e.extras and not e.alone and not e.own}


def test_only_the_table_makes_install_lines() -> None:
    """An error of a missing library is made by one function; charts are drawn by a library of their own still."""
    for module, tree in House().trees.items():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        if module not in ("rankproof.kernel.libraries", "rankproof.reports.charts.frame"):
            assert not [call.lineno for call in calls if call.func.id == "MissingExtra"], module


def test_documents_name_extras_that_there_are() -> None:
    root = SOURCE.parents[1]
    pages = [root / "README.md", root / "CHANGELOG.md", root / "action.yml", *(root / "docs").rglob("*.md")]
    named = {
        extra
        for page in pages
        for extras in re.findall(r"rankproof\[([a-z0-9,-]+)\]", page.read_text("utf-8"))
        for extra in extras.split(",")
    }
    assert "stack" in named
    assert named <= EXTRAS.keys()


@pytest.mark.parametrize("name", sorted(LIBRARIES))
def test_every_missing_library_is_named_with_the_line_to_type(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    shown = LIBRARIES[name].package.split("[")[0]
    with raises(MissingExtra, "The thing", repr(shown), install_line(name)):
        library(name, "The thing")


def test_an_extra_that_does_not_have_the_library_is_no_line() -> None:
    with pytest.raises(AssertionError, match="spark"):
        install_line("bm25s", "spark")


def test_a_broken_library_tells_its_own_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "polars.py").write_text("import something_that_is_not_there\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "polars", raising=False)
    with pytest.raises(ModuleNotFoundError, match="something_that_is_not_there"):
        library("polars", "A frame")
