"""Imports point one way: kernel < core < reading < measuring < proving < products < reports < surfaces."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.shape.house import House, room

# The products (stack, judging, online) share a floor and do not import one another; neither do the surfaces.
FLOORS = (
    ("errors",),
    ("kernel",),
    ("core",),
    ("reading",),
    ("measuring",),
    ("proving",),
    ("stack", "judging", "online"),
    ("reports",),
    ("scale",),
    ("integrations", "cli", "web", "extend", "testing", "arrays", "spans"),
    ("", "__main__"),
)
FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}
# Only surfaces print, or know the command line.
SURFACES = ("scale", "integrations", "cli", "web", "testing", "__main__")


@pytest.fixture(scope="module")
def house() -> House:
    return House()


def outward(house: House) -> list[str]:
    """Imports that point to a higher floor, or to a neighbor among the products."""
    found = []
    for module, imports in house.imports.items():
        here = room(module)
        for one in imports:
            there = room(one.module)
            beside = here != there and FLOOR[here] == FLOOR[there] == FLOOR["stack"]
            if FLOOR[there] > FLOOR[here] or beside:
                found.append(f"{module}, line {one.line}: {one.module}")
    return found


def test_every_folder_and_file_has_a_floor(house: House) -> None:
    assert {room(module) for module in house.files} <= set(FLOOR)


def test_imports_point_one_way(house: House) -> None:
    assert outward(house) == []


def test_no_import_closes_a_cycle(house: House) -> None:
    assert house.cycles() == []


def test_no_private_name_crosses_a_room(house: House) -> None:
    assert house.private_imports() == []


def test_class_names_are_unique(house: House) -> None:
    assert {name: modules for name, modules in house.class_names().items() if len(modules) > 1} == {}


def test_few_modules_are_short_and_have_one_importer(house: House) -> None:
    assert len(house.short_with_one_importer()) <= 20


def test_no_file_has_two_ideas(house: House) -> None:
    """400 lines are the most that one idea takes."""
    assert [module for module in house.files if house.lines(module) > 400] == []


def test_few_lines_give_up_on_types(house: House) -> None:
    assert house.lines_with_any() <= 700


def test_only_surfaces_print_or_know_the_command_line(house: House) -> None:
    found = []
    for module, tree in house.trees.items():
        if room(module) in SURFACES:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input"):
                found.append(f"{module}, line {node.lineno}: {node.func.id}")
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            found += [f"{module}: {name}" for name in names if name.split(".")[0] == "click"]
    assert found == []


@pytest.mark.parametrize(
    ("files", "faults"),
    [
        ({"kernel/a.py": "def f():\n    from rankproof.proving import b\n", "proving/b.py": ""}, 1),
        ({"stack/a.py": "from rankproof.online import b\n", "online/b.py": ""}, 1),
        ({"cli/a.py": "from rankproof.kernel import b\n", "kernel/b.py": ""}, 0),
    ],
)
def test_the_layer_test_can_fail(files: dict[str, str], faults: int, tmp_path: Path) -> None:
    house = House(_package(files, tmp_path))
    assert len(outward(house)) == faults


def test_the_other_tests_can_fail(tmp_path: Path) -> None:
    first = "from rankproof.reading.b import _g\n\n\nclass Same:\n    x: Any\n"
    second = "def _g():\n    from rankproof.kernel import a\n\n\nclass Same: ...\n"
    house = House(_package({"kernel/a.py": first, "reading/b.py": second}, tmp_path))
    assert house.cycles() == [["rankproof.kernel.a", "rankproof.reading.b"]]
    assert len(house.private_imports()) == 1
    assert len(house.class_names()["Same"]) == 2
    assert house.lines_with_any() == 1
    assert len(house.short_with_one_importer()) == 2


def _package(files: dict[str, str], folder: Path) -> Path:
    for name, text in files.items():
        path = folder / "rankproof" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "rankproof"
