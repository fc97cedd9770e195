"""Imports point inward only: records <- shelves <- flow <- surfaces; and nothing inside prints."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "rankproof"

RINGS = {
    "errors": 0, "core": 0, "samples": 0,
    "records": 1, "shelf": 1,
    "measures": 2, "dialects": 2, "formats": 2, "checks": 2, "similarities": 2, "reports": 2,
    "engines": 2, "stages": 2, "models": 2, "significance": 2, "corrections": 2, "rules": 2, "diagnoses": 2,
    "adjudications": 2, "selections": 2, "judges": 2, "clickmodels": 2, "trials": 2,
    "interleavings": 2, "estimators": 2,
    "flow": 3,
    "store": 4, "scale": 4, "web": 4, "cli": 4, "testing": 4, "__main__": 4, "__init__": 4,
}  # fmt: skip

FILES = sorted(SOURCE.rglob("*.py"))


def ring_of(module: str) -> int:
    """The ring of a dotted name below `rankproof`, by its first part."""
    return RINGS[module.split(".")[0]]


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, dotted name below rankproof) of every import of the package, wherever in the file it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (
                (node.lineno, name.name.removeprefix("rankproof."))
                for name in node.names
                if name.name.startswith("rankproof.")
            )
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            if node.module == "rankproof":
                # The version is a fact, not a layer.
                yield from ((node.lineno, n.name) for n in node.names if n.name != "__version__")
            elif node.module is not None and node.module.startswith("rankproof."):
                yield node.lineno, node.module.removeprefix("rankproof.")


def place_of(file: Path) -> str:
    return file.relative_to(SOURCE).with_suffix("").parts[0]


def test_every_folder_and_file_has_a_ring() -> None:
    assert {place_of(file) for file in FILES} <= set(RINGS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_imports_point_inward(file: Path) -> None:
    outer = [
        f"line {line}: {module}"
        for line, module in imported(ast.parse(file.read_text("utf-8")))
        if ring_of(module) > RINGS[place_of(file)]
    ]
    assert outer == []


@pytest.mark.parametrize(
    "file", [f for f in FILES if RINGS[place_of(f)] < 4], ids=lambda file: str(file.relative_to(SOURCE))
)
def test_only_surfaces_print_or_know_the_command_line(file: Path) -> None:
    tree = ast.parse(file.read_text("utf-8"))
    prints = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input")
    ]
    names = [name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names] + [
        node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
    ]
    assert prints == []
    assert [name for name in names if name.split(".")[0] == "click"] == []


def test_the_layer_test_can_fail() -> None:
    """An import inside a function counts, and so does `from rankproof import flow`."""
    tree = ast.parse("def f():\n    from rankproof.measuring.evaluate import x\nfrom rankproof import cli\n")
    assert [(line, ring_of(module)) for line, module in imported(tree)] == [(3, 4), (2, 3)]
